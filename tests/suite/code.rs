//! Code mode: scripts in real child processes.

use crate::support::code::{call, done, failed, paused, run, start, value, wanted};
use serde_json::json;

#[tokio::test]
async fn a_script_without_calls_gives_its_last_expression_and_what_it_printed() {
    let stand = run("print('hello')\n1 + 2").await;
    assert_eq!(stand, done(json!(3), "hello\n"));
}

#[tokio::test]
async fn calls_in_sequence_pause_one_after_the_other_and_go_on_with_their_values() {
    let code = "a = read_file(path='a.txt')\nprint(a)\nb = read_file('b.txt', 3)\n[a, b]";
    let (mut script, stand) = start(code).await;
    let pause = paused(stand);
    assert_eq!(
        pause.calls,
        [wanted(1, "read_file", json!({"path": "a.txt"}), 1)]
    );
    assert_eq!((pause.line, pause.printed.as_str()), (1, ""));
    let stand = script.reply(vec![value(1, json!("one"))]).await;
    let pause = paused(stand.expect("it goes on"));
    assert_eq!(
        pause.calls,
        [wanted(
            2,
            "read_file",
            json!({"path": "b.txt", "start": 3}),
            3
        )]
    );
    assert_eq!((pause.line, pause.printed.as_str()), (3, "one\n"));
    let stand = script.reply(vec![value(2, json!({"n": 1}))]).await;
    assert_eq!(
        stand.expect("it ends"),
        done(json!(["one", {"n": 1}]), "one\n")
    );
}

#[tokio::test]
async fn calls_of_a_gather_are_pending_together() {
    let code = "import asyncio\nr = await asyncio.gather(\n  read_file('a'),\n  read_file('b'), delete_file('c'))\nr";
    let (mut script, stand) = start(code).await;
    let pause = paused(stand);
    assert_eq!(
        pause.calls,
        [
            wanted(1, "read_file", json!({"path": "a"}), 3),
            wanted(2, "read_file", json!({"path": "b"}), 4),
            wanted(3, "delete_file", json!({"path": "c"}), 4),
        ]
    );
    assert_eq!(pause.line, 2);
    let pause = paused(
        script
            .reply(vec![value(2, json!(2))])
            .await
            .expect("it waits"),
    );
    assert_eq!(call(&pause), [1, 3]);
    let stand = script
        .reply(vec![value(1, json!(1)), value(3, json!(3))])
        .await;
    assert_eq!(stand.expect("it ends"), done(json!([1, 2, 3]), ""));
}

#[tokio::test]
async fn a_refused_call_raises_where_it_stands_and_the_traceback_names_the_line() {
    let (mut script, _) = start("x = 1\ndelete_file('a')").await;
    let refused = countersign::code::Reply::Raise("Tool 'files.delete' call denied: no".to_owned());
    let stand = script.reply(vec![(1, refused)]).await.expect("it ends");
    let traceback = "Traceback (most recent call last):\n  File \"script.py\", line 2, in <module>\n    delete_file('a')\n    ~~~~~~~~~~~~~~~~\nRuntimeError: Tool 'files.delete' call denied: no";
    assert_eq!(stand, failed(traceback, ""));
}
