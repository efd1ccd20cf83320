use super::{Bench, command, failed, job, joined, result};
use countersign::core::output::Stream;
use countersign::tools::{Ran, Written};
use serde_json::{Value, json};
use std::time::Duration;

fn sh(script: &str) -> Bench {
    Bench::with(vec![command("tool", &["sh", "-c", script])])
}

#[tokio::test]
async fn the_exact_text_of_the_arguments_is_on_stdin_and_stdout_is_the_result() {
    let bench = sh("cat; echo note >&2");
    let mut job = job("tool", json!({}));
    let text = "{ \"n\": 1.000,\n  \"s\": \"\\u00e9\" }";
    job.arguments = countersign::core::arguments::Arguments::parse(text).expect("an object");
    let (ran, written) = bench.finish(job).await;
    assert_eq!(ran, result(text));
    assert_eq!(joined(&written, Stream::Out), text);
    assert_eq!(joined(&written, Stream::Err), "note\n");
}

#[tokio::test]
async fn a_program_beside_the_configuration_runs_in_the_workspace() {
    let bench = Bench::with(vec![command("here", &["./where.sh", "an argument"])]);
    let ran = bench.run("here", json!({})).await;
    let place = bench.path("").canonicalize().expect("the workspace");
    assert_eq!(
        ran,
        Ran::Result(format!("{}\nan argument\n", place.display()))
    );
}

#[tokio::test]
async fn megabytes_of_arguments_reach_a_program_that_reads_them() {
    let bench = sh("wc -c");
    let ran = bench
        .run("tool", json!({ "s": "x".repeat(5_000_000) }))
        .await;
    let Ran::Result(count) = ran else {
        unreachable!("it succeeds");
    };
    assert_eq!(count.trim(), "5000008");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_has_its_whole_input_before_it_starts() {
    // Whoever is killed while it is written leaves no part of it that looks like the whole.
    let bench = sh("stat --dereference --format %s /proc/self/fd/0");
    let arguments = json!({ "s": "x".repeat(300_000) });
    assert_eq!(bench.run("tool", arguments).await, result("300008\n"));
}

#[tokio::test]
async fn a_program_that_does_not_read_its_input_is_not_held_up_by_it() {
    let arguments = json!({ "s": "x".repeat(5_000_000) });
    for script in [
        "echo done",
        "exec <&-; echo done",
        "head -c 10 >/dev/null; echo done",
    ] {
        assert_eq!(
            sh(script).run("tool", arguments.clone()).await,
            result("done\n")
        );
    }
}

#[tokio::test]
async fn a_program_that_writes_before_it_reads_is_not_deadlocked() {
    let bench = sh("head -c 3000000 /dev/zero | tr '\\0' x >&2; wc -c | tr -d ' '");
    let ran = bench
        .run("tool", json!({ "s": "x".repeat(3_000_000) }))
        .await;
    assert_eq!(ran, result("3000008\n"));
}

#[tokio::test]
async fn a_failure_gives_stderr_or_else_stdout_and_the_exit_status() {
    let cases = [
        ("echo out; echo why >&2; exit 7", "why\n[exit status 7]"),
        ("echo out; exit 7", "out\n[exit status 7]"),
        ("exit 7", "[exit status 7]"),
        ("kill -15 $$", "[killed by signal 15]"),
    ];
    for (script, told) in cases {
        assert_eq!(sh(script).run("tool", json!({})).await, failed(told));
    }
}

#[tokio::test]
async fn a_long_stderr_is_given_by_its_head_and_tail() {
    let bench =
        sh("echo first >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1");
    let Ran::Failed(told) = bench.run("tool", json!({})).await else {
        unreachable!("it fails");
    };
    assert!(told.starts_with("first\nxxx") && told.ends_with("xxxlast\n[exit status 1]"));
    assert!(told.len() < 33 * 1024, "{}", told.len());
}

#[tokio::test]
async fn a_program_that_cannot_be_started_says_why() {
    let start = async |program: &str| {
        let bench = Bench::with(vec![command("tool", &[program])]);
        let ran = bench.run("tool", json!({})).await;
        let fixtures = command("tool", &[]).directory;
        let Ran::Failed(told) = ran else {
            unreachable!("it cannot start");
        };
        told.replace(&fixtures.join("").display().to_string(), "")
    };
    let missing = "could not be started: there is no such program, or the interpreter in its first line is missing (see the command of the tool tool)";
    assert_eq!(start("./missing.sh").await, format!("missing.sh {missing}"));
    assert_eq!(
        start("no-such-program-here").await,
        format!("no-such-program-here {missing}")
    );
    assert_eq!(
        start("./no_interpreter.sh").await,
        format!("no_interpreter.sh {missing}")
    );
    let closed = "could not be started: it is not executable; chmod +x makes it so (see the command of the tool tool)";
    assert_eq!(
        start("./not_executable.sh").await,
        format!("not_executable.sh {closed}")
    );
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_stopped() {
    let mut slow = command("tool", &["sh", "-c", "exec sleep 300"]);
    slow.timeout = Duration::from_millis(300);
    let ran = Bench::with(vec![slow]).run("tool", json!({})).await;
    assert_eq!(ran, failed("[stopped after 0.3 s: it had not finished]"));
}

#[tokio::test]
async fn a_tool_asks_for_approval_and_is_then_called_again_with_what_it_sent() {
    let bench = Bench::with(vec![command("book", &["./ask.sh"])]);
    let arguments = json!({ "destination": "Millau" });
    let first = job("book", arguments.clone());
    let metadata = json!({ "price": 240, "currency": "EUR" });
    let asked = Ran::ApprovalRequired {
        reason: "240 EUR is above the limit".into(),
        metadata: metadata.clone(),
    };
    assert_eq!(bench.finish(first).await.0, asked);
    let mut second = job("book", arguments);
    second.approved = Some(metadata);
    let booked = r#"book call_1 {"destination":"Millau"} {"price":240,"currency":"EUR"}"#;
    assert_eq!(
        bench.finish(second).await.0,
        Ran::Result(format!("{booked}\n"))
    );
}

#[tokio::test]
async fn a_tool_defers_its_result() {
    let bench = sh(r#"echo '{"reason": "a person answers by mail"}'; exit 81"#);
    let deferred = Ran::Deferred {
        reason: "a person answers by mail".into(),
        metadata: Value::Null,
    };
    assert_eq!(bench.run("tool", json!({})).await, deferred);
    let bare = sh("echo '{}'; exit 80").run("tool", json!({})).await;
    let asked = Ran::ApprovalRequired {
        reason: String::new(),
        metadata: Value::Null,
    };
    assert_eq!(bare, asked);
}

#[tokio::test]
async fn an_answer_that_is_not_of_the_protocol_is_a_failure() {
    let not = "its stdout is not an object of `reason` and `metadata`:";
    let cases = [
        (
            "echo please; exit 80",
            "please\n[the tool asked for approval (exit status 80), but",
            "expected value at line 1 column 1]",
        ),
        (
            "exit 81",
            "[the tool deferred the call (exit status 81), but",
            "EOF while parsing a value at line 1 column 0]",
        ),
        (
            "echo '{\"why\": 1}' ; exit 80",
            "{\"why\": 1}\n[the tool asked for approval (exit status 80), but",
            "unknown field `why`, expected `reason` or `metadata` at line 1 column 6]",
        ),
    ];
    for (script, how, why) in cases {
        let told = format!("{how} {not} {why}");
        assert_eq!(sh(script).run("tool", json!({})).await, Ran::Failed(told));
    }
    let large = "printf '{\"metadata\": {\"x\": \"'; head -c 70000 /dev/zero | tr '\\0' x; echo '\"}}'; echo no >&2; exit 80";
    let told =
        "no\n[the tool asked for approval (exit status 80), but its metadata is more than 64 KiB]";
    assert_eq!(sh(large).run("tool", json!({})).await, failed(told));
}

#[tokio::test]
async fn asking_again_although_approved_is_a_failure() {
    let bench = sh("echo '{}'; exit 80");
    let mut job = job("tool", json!({}));
    job.approved = Some(Value::Null);
    let told = "{}\n[the tool asked for approval again although it was approved]";
    assert_eq!(bench.finish(job).await.0, failed(told));
}

#[tokio::test]
async fn a_tool_learns_of_its_call_from_its_environment() {
    let script = "echo $COUNTERSIGN_TOOL $COUNTERSIGN_CALL_ID ${COUNTERSIGN_APPROVED-no} ${COUNTERSIGN_METADATA-none} $EXTRA; cd \"$COUNTERSIGN_WORKSPACE\" && ls";
    let mut tool = command("tool", &["sh", "-c", script]);
    tool.environment = vec![("EXTRA".into(), "more".into())];
    let bench = Bench::with(vec![tool]);
    bench.put("a.txt", "");
    assert_eq!(
        bench.run("tool", json!({})).await,
        result("tool call_1 no none more\na.txt\n")
    );
}

#[tokio::test]
async fn output_is_seen_while_the_tool_runs() {
    let bench = sh("echo one; while [ ! -e go ]; do sleep 0.01; done; echo two");
    let (sender, mut receiver) = tokio::sync::mpsc::channel(8);
    let watch = async {
        let first = receiver.recv().await;
        bench.put("go", "");
        first
    };
    let run = bench.tools.run(job("tool", json!({})), &sender);
    let (ran, first) = tokio::join!(run, watch);
    let seen = Written {
        stream: Stream::Out,
        text: "one\n".into(),
    };
    assert_eq!((ran, first), (result("one\ntwo\n"), Some(seen)));
}
