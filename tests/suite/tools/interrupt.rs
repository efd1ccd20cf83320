//! Interrupting, and dropping what runs.

use super::{Bench, command, gone, job, line};
use countersign::tools::{Ran, Written};
use serde_json::json;
use tokio::sync::mpsc;

#[tokio::test]
async fn an_interrupt_ends_the_command_and_what_it_started() {
    let bench = Bench::new();
    let job = job(
        "shell",
        json!({ "command": "(sleep 300; touch late) & echo $!; wait" }),
    );
    let cancel = job.cancel.clone();
    let (sender, mut receiver) = mpsc::channel(8);
    let watch = async {
        let pid = line(&mut receiver).await;
        cancel.cancel();
        pid
    };
    let (ran, pid) = tokio::join!(bench.tools.run(job, &sender), watch);
    assert_eq!(ran, Ran::Interrupted);
    gone(&pid).await;
    assert_eq!(bench.names(), Vec::<String>::new());
}

#[tokio::test]
async fn an_interrupted_command_may_tidy_up() {
    let bench = Bench::new();
    let command = "trap 'echo bye >tidied; exit 0' TERM; echo ready; while :; do sleep 0.02; done";
    let job = job("shell", json!({ "command": command }));
    let cancel = job.cancel.clone();
    let (sender, mut receiver) = mpsc::channel(8);
    let watch = async {
        line(&mut receiver).await;
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(bench.tools.run(job, &sender), watch);
    assert_eq!(
        (ran, bench.text("tidied")),
        (Ran::Interrupted, "bye\n".into())
    );
}

#[tokio::test]
async fn a_command_deaf_to_the_first_signal_is_killed() {
    let bench = Bench::new();
    let job = job(
        "shell",
        json!({ "command": "trap '' TERM; echo $$; while :; do sleep 0.1; done" }),
    );
    let cancel = job.cancel.clone();
    let (sender, mut receiver) = mpsc::channel(8);
    let watch = async {
        let pid = line(&mut receiver).await;
        cancel.cancel();
        pid
    };
    let (ran, pid) = tokio::join!(bench.tools.run(job, &sender), watch);
    assert_eq!(ran, Ran::Interrupted);
    gone(&pid).await;
}

#[tokio::test]
async fn an_interrupt_does_not_wait_for_a_watcher_that_has_stopped_reading() {
    let bench = Bench::new();
    let job = job("shell", json!({ "command": "echo $$; exec yes" }));
    let cancel = job.cancel.clone();
    let (sender, mut receiver) = mpsc::channel::<Written>(1);
    let watch = async {
        let first = receiver.recv().await.expect("output").text;
        while receiver.len() < receiver.max_capacity() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
        first.lines().next().expect("a line").to_owned()
    };
    let (ran, pid) = tokio::join!(bench.tools.run(job, &sender), watch);
    assert_eq!(ran, Ran::Interrupted);
    gone(&pid).await;
    drop(receiver);
}

#[tokio::test]
async fn dropping_the_run_kills_the_whole_group() {
    let bench = Bench::with(vec![command(
        "wait",
        &["sh", "-c", "sleep 300 & echo $!; wait"],
    )]);
    for call in [
        job("wait", json!({})),
        job("shell", json!({ "command": "sleep 300 & echo $!; wait" })),
    ] {
        let (sender, mut receiver) = mpsc::channel(8);
        let pid = tokio::select! {
            ran = bench.tools.run(call, &sender) => unreachable!("it does not end: {ran:?}"),
            pid = line(&mut receiver) => pid,
        };
        gone(&pid).await;
    }
}

#[tokio::test]
async fn an_interrupted_command_tool_ends_too() {
    let bench = Bench::with(vec![command(
        "wait",
        &["sh", "-c", "echo $$; exec sleep 300"],
    )]);
    let job = job("wait", json!({}));
    let cancel = job.cancel.clone();
    let (sender, mut receiver) = mpsc::channel(8);
    let watch = async {
        let pid = line(&mut receiver).await;
        cancel.cancel();
        pid
    };
    let (ran, pid) = tokio::join!(bench.tools.run(job, &sender), watch);
    assert_eq!(ran, Ran::Interrupted);
    gone(&pid).await;
}

#[tokio::test]
async fn a_call_interrupted_before_it_starts_starts_nothing() {
    let bench = Bench::new();
    let job = job("shell", json!({ "command": "touch started" }));
    job.cancel.cancel();
    assert_eq!(bench.finish(job).await.0, Ran::Interrupted);
    assert_eq!(bench.names(), Vec::<String>::new());
}
