use super::{Bench, failed, gone, job, joined, result};
use countersign::core::output::Stream;
use countersign::tools::{Builtin, Definition, Ran, Toolbox, Written};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_command_runs_in_the_workspace_with_no_input() {
    let bench = Bench::new();
    bench.put("a.txt", "hello");
    let ran = bench
        .run(
            "shell",
            json!({ "command": "cat a.txt; cat; echo \" $COUNTERSIGN_TOOL\"" }),
        )
        .await;
    assert_eq!(ran, result("hello shell\n"));
}

#[tokio::test]
async fn both_outputs_come_in_order_and_are_told_apart() {
    let bench = Bench::new();
    let wait = "while [ ! -e go ]; do sleep 0.01; done; rm go;";
    let command = format!("echo one; {wait} echo two >&2; {wait} echo three");
    let (sender, mut receiver) = tokio::sync::mpsc::channel(8);
    let watch = async {
        let mut written = Vec::new();
        while written.len() < 3 {
            written.push(receiver.recv().await.expect("output"));
            bench.put("go", "");
        }
        written
    };
    let run = bench
        .tools
        .run(job("shell", json!({ "command": command })), &sender);
    let (ran, written) = tokio::join!(run, watch);
    assert_eq!(ran, result("one\ntwo\nthree\n"));
    let piece = |stream, text: &str| Written {
        stream,
        text: text.into(),
    };
    let expected = [
        piece(Stream::Out, "one\n"),
        piece(Stream::Err, "two\n"),
        piece(Stream::Out, "three\n"),
    ];
    assert_eq!(written, expected);
}

#[tokio::test]
async fn a_failure_gives_the_output_and_how_it_ended() {
    let bench = Bench::new();
    let cases = [
        ("echo no >&2; exit 3", "no\n[exit status 3]"),
        ("printf half; exit 1", "half\n[exit status 1]"),
        ("kill -9 $$", "[killed by signal 9]"),
        ("no-such-program-here 2>/dev/null", "[exit status 127]"),
    ];
    for (command, told) in cases {
        assert_eq!(
            bench.run("shell", json!({ "command": command })).await,
            failed(told)
        );
    }
}

#[tokio::test]
async fn text_is_decoded_across_pieces_and_what_is_no_text_is_replaced() {
    let bench = Bench::new();
    let command = r"printf '\342\202'; sleep 0.05; printf '\254 \377 \360\237\230'; sleep 0.05; printf '\200\303'";
    let (ran, written) = bench
        .finish(job("shell", json!({ "command": command })))
        .await;
    assert_eq!(ran, result("€ \u{fffd} 😀\u{fffd}"));
    assert_eq!(joined(&written, Stream::Out), "€ \u{fffd} 😀\u{fffd}");
}

#[tokio::test]
async fn characters_cut_by_the_reading_stay_whole() {
    let bench = Bench::new();
    let command = "printf x; i=0; while [ $i -lt 2000 ]; do printf '€€€€€€€€€€'; i=$((i+1)); done";
    let ran = bench.run("shell", json!({ "command": command })).await;
    assert_eq!(ran, Ran::Result("x".to_owned() + &"€".repeat(20_000)));
}

#[tokio::test]
async fn output_of_any_size_is_bounded_in_pieces_and_in_the_result() {
    let bench = Bench::new();
    let command = "echo first; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo last";
    let (sender, mut receiver) = tokio::sync::mpsc::channel(4);
    let run = async {
        let ran = bench
            .tools
            .run(job("shell", json!({ "command": command })), &sender)
            .await;
        drop(sender);
        ran
    };
    let watch = async {
        let (mut total, mut longest) = (0, 0);
        while let Some(Written { text, .. }) = receiver.recv().await {
            total += text.len();
            longest = longest.max(text.len());
        }
        (total, longest)
    };
    let (ran, (total, longest)) = tokio::join!(run, watch);
    assert_eq!(total, 200_000_012);
    assert!(longest <= 32 * 1024, "{longest}");
    let half = 128 * 1024;
    let left_out = 200_000_012 - 2 * half;
    let (head, tail) = ("x".repeat(half - 6), "x".repeat(half - 6));
    let expected = format!("first\n{head}\n[… {left_out} bytes left out …]\n{tail}\nlast\n");
    assert!(ran == Ran::Result(expected), "head and tail");
}

#[tokio::test]
async fn a_time_out_ends_the_command_and_all_it_started() {
    let bench = Bench::new();
    let command = "sleep 300 & echo $!; sleep 300";
    let begun = Instant::now();
    let ran = bench
        .run("shell", json!({ "command": command, "timeout_seconds": 2 }))
        .await;
    let Ran::Failed(told) = ran else {
        unreachable!("it cannot finish in time");
    };
    let (pid, rest) = told.split_once('\n').expect("two lines");
    assert_eq!(rest, "[stopped after 2 s: it had not finished]");
    gone(pid).await;
    assert!(begun.elapsed() < Duration::from_mins(1));
}

#[tokio::test]
async fn what_is_left_in_the_background_ends_with_the_command() {
    let bench = Bench::new();
    let command = "(sleep 300; touch late) & echo $!";
    let Ran::Result(pid) = bench.run("shell", json!({ "command": command })).await else {
        unreachable!("it succeeds");
    };
    gone(&pid).await;
    assert_eq!(bench.names(), Vec::<String>::new());
}

#[tokio::test]
async fn a_background_process_that_never_stops_writing_does_not_hold_up_the_result() {
    let bench = Bench::new();
    let ran = bench
        .run("shell", json!({ "command": "yes & echo $! >pid" }))
        .await;
    assert!(matches!(ran, Ran::Result(_)));
    gone(&bench.text("pid")).await;
}

#[tokio::test]
async fn a_process_that_left_the_group_with_the_pipe_does_not_hold_up_the_result() {
    let bench = Bench::new();
    let command = "setsid sh -c 'echo $$ >pid; exec sleep 300' & while [ ! -s pid ]; do sleep 0.01; done; echo done";
    assert_eq!(
        bench.run("shell", json!({ "command": command })).await,
        result("done\n")
    );
    let pid = bench.text("pid").trim().parse().expect("a number");
    let pid = rustix::process::Pid::from_raw(pid).expect("not zero");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it still runs");
}

#[tokio::test]
async fn nobody_watching_the_output_does_not_hold_up_the_command() {
    let bench = Bench::new();
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    drop(receiver);
    let command = job(
        "shell",
        json!({ "command": "head -c 1000000 /dev/zero | tr '\\0' x; exit 4" }),
    );
    let Ran::Failed(told) = bench.tools.run(command, &sender).await else {
        unreachable!("it exits with 4");
    };
    assert!(told.ends_with("x\n[exit status 4]"));
}

#[tokio::test]
async fn a_command_that_cannot_be_given_to_the_shell_is_refused() {
    let bench = Bench::new();
    let nul = bench.run("shell", json!({ "command": "echo \u{0}" })).await;
    assert_eq!(
        nul,
        failed("the command line holds a NUL character; nothing was run")
    );
    let long = "#".repeat(3_000_000);
    let told = "the command line is too long for the system; write it to a file and run that";
    assert_eq!(
        bench.run("shell", json!({ "command": long })).await,
        failed(told)
    );
    for seconds in [0, 3601] {
        let ran = bench
            .run(
                "shell",
                json!({ "command": "true", "timeout_seconds": seconds }),
            )
            .await;
        assert_eq!(
            ran,
            failed("timeout_seconds must be from 1 to 3600; nothing was run")
        );
    }
}

#[tokio::test]
async fn hidden_variables_do_not_reach_a_command() {
    let bench = Bench::new();
    let home = std::env::var("HOME").expect("a home");
    let echo = json!({ "command": "printf %s \"${HOME-hidden}\"" });
    assert_eq!(bench.run("shell", echo.clone()).await, result(&home));
    let tools = Toolbox::build(&bench.path(""), vec![Definition::Builtin(Builtin::Shell)]);
    let tools = tools.expect("sound").hide_environment(["HOME".to_owned()]);
    let (sender, _receiver) = tokio::sync::mpsc::channel(8);
    assert_eq!(
        tools.run(job("shell", echo), &sender).await,
        result("hidden")
    );
}

#[tokio::test]
async fn a_command_is_in_a_session_of_its_own_and_so_has_no_terminal() {
    let bench = Bench::new();
    let command =
        "set -- $(cat /proc/$$/stat); [ $6 = $$ ] && [ $5 = $$ ] && [ $7 = 0 ] && echo alone";
    assert_eq!(
        bench.run("shell", json!({ "command": command })).await,
        result("alone\n")
    );
}
