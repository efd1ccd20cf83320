//! Code mode: what a script may use, and what becomes of one that wants more.

use crate::support::code::{
    done, fault, functions, id, limits, numbers, paused, program, start, value,
};
use countersign::code::{Fault, Limits, Reply, Script, Stand};
use rustix::process::{Signal, kill_process, test_kill_process};
use serde_json::json;
use std::time::Duration;

/// Of limits that are reached in a moment.
fn small() -> Limits {
    Limits {
        time: Duration::from_millis(300),
        memory: 64 * 1024 * 1024,
        ..limits()
    }
}

#[tokio::test]
async fn an_endless_loop_is_stopped_and_cannot_be_caught() {
    for code in [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
        "try:\n    while True: pass\nfinally:\n    read_file('a')",
    ] {
        let fault = fault(code, &small()).await;
        assert!(
            matches!(fault, Fault::TimeUp { limit } if limit == small().time),
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn an_exception_that_looks_like_the_time_limit_is_one_of_the_script() {
    let code = "raise TimeoutError('time limit exceeded: 9s > 1s')";
    let (_, stand) = start(code).await;
    let Stand::Failed { traceback, .. } = stand else {
        unreachable!("it does not fail");
    };
    assert!(traceback.ends_with("TimeoutError: time limit exceeded: 9s > 1s"));
}

#[tokio::test]
async fn the_time_of_all_pieces_counts_and_survives_a_snapshot() {
    // Each piece is well within the limit; all together are not.
    let code = "while True:\n    n = 0\n    while n < 20000:\n        n += 1\n    read_file('a')";
    let limits = Limits {
        time: Duration::from_millis(400),
        calls: 100_000,
        ..limits()
    };
    let started = Script::start(program(), code, &functions(), &limits).await;
    let mut stand = started.expect("the script starts").1;
    let ended = loop {
        let pause = paused(stand);
        // Every time in another process.
        let restored = Script::restore(program(), &pause.snapshot, &limits).await;
        let mut script = match restored {
            Ok((script, _)) => script,
            Err(fault) => break fault,
        };
        let next = pause.calls[0].number;
        stand = match script.reply(vec![value(next, json!(1))]).await {
            Ok(stand) => stand,
            Err(fault) => break fault,
        };
    };
    assert!(matches!(ended, Fault::TimeUp { .. }), "{ended:?}");
}

#[tokio::test]
async fn a_memory_bomb_ends_only_its_process() {
    for code in [
        "x = 'a' * (1 << 30)",
        "x = [0] * (1 << 28)",
        "x = []\nwhile True:\n    x.append('a' * 100000)",
        "x = 'a'\nwhile True:\n    x = x + x",
        "x = [1]\nwhile True:\n    x = [x, x] + x",
    ] {
        let limits = Limits {
            time: Duration::from_secs(20),
            ..small()
        };
        let fault = fault(code, &limits).await;
        assert!(
            matches!(fault, Fault::MemoryFull { limit } if limit == limits.memory),
            "{code}: {fault:?}"
        );
    }
}

#[tokio::test]
async fn a_single_operation_that_takes_too_long_is_stopped_from_outside() {
    // The interpreter's own clock does not look at it meanwhile.
    let code = "sum(range(10 ** 12))";
    let fault = fault(code, &small()).await;
    assert!(matches!(fault, Fault::TimeUp { .. }), "{fault:?}");
}

#[tokio::test]
async fn a_flood_of_calls_is_stopped_in_sequence_and_at_once() {
    let limits = Limits {
        calls: 5,
        ..limits()
    };
    let code = "import asyncio\nawait asyncio.gather(*[read_file(str(i)) for i in range(1000)])";
    let at_once = fault(code, &limits).await;
    assert!(
        matches!(at_once, Fault::TooManyCalls { limit: 5 }),
        "{at_once:?}"
    );

    let code = "while True:\n    read_file('a')";
    let started = Script::start(program(), code, &functions(), &limits).await;
    let (mut script, _) = started.expect("the script starts");
    for number in 1..5 {
        let stand = script.reply(vec![value(number, json!(1))]).await;
        assert_eq!(numbers(&paused(stand.expect("it goes on"))), [number + 1]);
    }
    let ended = script.reply(vec![value(5, json!(1))]).await;
    assert!(
        matches!(ended, Err(Fault::TooManyCalls { limit: 5 })),
        "{ended:?}"
    );
}

#[tokio::test]
async fn calls_are_counted_over_all_processes() {
    let limits = Limits {
        calls: 2,
        ..limits()
    };
    let code = "while True:\n    read_file('a')";
    let started = Script::start(program(), code, &functions(), &limits).await;
    let (_, stand) = started.expect("the script starts");
    let mut snapshot = paused(stand).snapshot;
    for number in 1..3 {
        let restored = Script::restore(program(), &snapshot, &limits).await;
        let (mut script, _) = restored.expect("it goes on");
        match script.reply(vec![value(number, json!(1))]).await {
            Ok(stand) => snapshot = paused(stand).snapshot,
            Err(fault) => {
                assert!(
                    matches!(fault, Fault::TooManyCalls { limit: 2 }),
                    "{fault:?}"
                );
                assert_eq!(number, 2);
            }
        }
    }
}

#[tokio::test]
async fn a_flood_of_text_is_stopped_at_once_even_if_the_script_catches_everything() {
    let limits = Limits {
        printed: 1000,
        ..limits()
    };
    for code in [
        "while True:\n    print('x')",
        "while True:\n    try:\n        print('x' * 5000)\n    except BaseException:\n        pass",
    ] {
        let fault = fault(code, &limits).await;
        assert!(
            matches!(fault, Fault::TooMuchPrinted { limit: 1000 }),
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn results_arguments_and_snapshots_that_are_too_large_are_refused() {
    let limits = Limits {
        result: 1000,
        snapshot: 20_000,
        ..limits()
    };
    let result = fault("'x' * 5000", &limits).await;
    assert!(
        matches!(result, Fault::ResultTooLarge { limit: 1000 }),
        "{result:?}"
    );
    let result = fault("10 ** 5000", &limits).await;
    assert!(
        matches!(result, Fault::ResultTooLarge { limit: 1000 }),
        "{result:?}"
    );
    let arguments = fault("read_file('x' * 5000)", &limits).await;
    assert!(
        matches!(&arguments, Fault::ArgumentsTooLarge { number: 1, function, limit: 1000 } if function == "read_file"),
        "{arguments:?}"
    );
    let snapshot = fault("x = 'x' * 50000\nread_file('a')", &limits).await;
    assert!(
        matches!(snapshot, Fault::SnapshotTooLarge { limit: 20_000 }),
        "{snapshot:?}"
    );
    let code = format!("# {}", "x".repeat(limits.code));
    let long = fault(&code, &limits).await;
    assert!(matches!(long, Fault::CodeTooLong { .. }), "{long:?}");
}

#[tokio::test]
async fn depth_ends_only_the_process_that_it_is_in() {
    let (_, stand) = start("def f():\n    return f()\nf()").await;
    let Stand::Failed { traceback, .. } = stand else {
        unreachable!("it does not fail");
    };
    assert!(traceback.ends_with("RecursionError: maximum recursion depth exceeded"));
    assert!(traceback.len() < 40_000);

    for code in [
        "(".repeat(100_000),
        format!("x = {}1", "-".repeat(100_000)),
        "[".repeat(200) + &"]".repeat(200),
    ] {
        let started = Script::start(program(), &code, &functions(), &limits()).await;
        let over = match started {
            Ok((_, Stand::Failed { traceback, .. })) => traceback.contains("SyntaxError"),
            Err(Fault::TooDeep) => true,
            _ => false,
        };
        assert!(over);
    }
}

#[tokio::test]
async fn a_traceback_of_any_length_is_cut_in_its_middle() {
    let (_, stand) = start("raise ValueError('x' * 200000 + 'end')").await;
    let Stand::Failed { traceback, .. } = stand else {
        unreachable!("it does not fail");
    };
    assert!(traceback.starts_with("Traceback (most recent call last):"));
    assert!(traceback.ends_with("end") && traceback.len() < 40_000);
}

#[tokio::test]
async fn a_large_result_goes_in_and_comes_out_whole() {
    let (mut script, _) = start("x = read_file('a')\nx").await;
    let large = json!("ä".repeat(400_000));
    let stand = script.reply(vec![(1, Reply::Value(large.clone()))]).await;
    let Stand::Done { result, .. } = stand.expect("it ends") else {
        unreachable!("it does not end");
    };
    assert!(result == large);
}

#[tokio::test]
async fn a_process_that_is_killed_from_outside_is_told_so_and_nothing_else_is_touched() {
    let (mut script, stand) = start("read_file('a')\n1").await;
    let pause = paused(stand);
    kill_process(id(&script), Signal::KILL).expect("it is ours");
    let ended = script.reply(vec![value(1, json!(1))]).await;
    assert!(
        matches!(&ended, Err(Fault::Crashed { how }) if how.contains("signal: 9")),
        "{ended:?}"
    );
    // What it stood at is not lost.
    let restored = Script::restore(program(), &pause.snapshot, &limits()).await;
    let (mut script, _) = restored.expect("it goes on");
    let stand = script.reply(vec![value(1, json!(1))]).await;
    assert_eq!(stand.expect("it ends"), done(json!(1), ""));
}

#[tokio::test]
async fn nothing_runs_on_when_a_script_is_dropped() {
    for code in ["read_file('a')", "1"] {
        let (script, _) = start(code).await;
        let id = id(&script);
        drop(script);
        // Killed, and soon reaped: both are somebody else's work.
        while test_kill_process(id).is_ok() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_script_ends_with_the_one_that_it_runs_for() {
    // As if this side had died: nobody holds the other end of its input any more.
    let mut command = std::process::Command::new(program());
    let mut child = command
        .arg(countersign::code::child::ARGUMENT)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it has one");
    let order = json!({"Start": {
        "code": "print(1)\nwhile True: pass", "functions": [],
        "bounds": {"time": 600_000_000_u64, "memory": 1 << 28, "calls": 1, "printed": 10, "result": 10, "snapshot": 1000}
    }});
    std::io::Write::write_all(&mut stdin, &crate::support::code::frame(&order, b""))
        .expect("it listens");
    assert_eq!(child.try_wait().expect("it is there"), None);
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}
