//! Code mode: what a script may count on, in real child processes.

use crate::support::code::{
    done, failed, functions, limits, numbers, paused, program, raise, run, start, value, wanted,
};
use countersign::code::{Function, Script, Stand};
use serde_json::json;

const DENIED: &str = "Tool 'files.delete' call denied: not today";

#[tokio::test]
async fn a_script_without_calls_gives_its_last_expression_and_what_it_printed() {
    assert_eq!(
        run("print('hello')\n1 + 2").await,
        done(json!(3), "hello\n")
    );
    assert_eq!(run("x = 1").await, done(json!(null), ""));
    assert_eq!(run("").await, done(json!(null), ""));
}

#[tokio::test]
async fn calls_in_sequence_pause_one_after_the_other_and_go_on_with_their_values() {
    let code = "a = read_file(path='a.txt')\nprint(a)\nb = read_file('b.txt', 3)\n[a, b]";
    let (mut script, stand) = start(code).await;
    let pause = paused(stand);
    let first = wanted(1, "read_file", json!({"path": "a.txt"}), 1);
    assert_eq!(pause.calls, [first]);
    assert_eq!((pause.line, pause.printed.as_str()), (1, ""));
    let stand = script.reply(vec![value(1, json!("one"))]).await;
    let pause = paused(stand.expect("it goes on"));
    let second = wanted(2, "read_file", json!({"path": "b.txt", "start": 3}), 3);
    assert_eq!(pause.calls, [second]);
    assert_eq!((pause.line, pause.printed.as_str()), (3, "one\n"));
    let stand = script.reply(vec![value(2, json!({"n": 1}))]).await;
    let end = done(json!(["one", {"n": 1}]), "one\n");
    assert_eq!(stand.expect("it ends"), end);
}

#[tokio::test]
async fn awaited_calls_in_sequence_pause_one_after_the_other_too() {
    let code = "a = await read_file('a')\nb = await read_file(a)\nb";
    let (mut script, stand) = start(code).await;
    assert_eq!(
        paused(stand).calls,
        [wanted(1, "read_file", json!({"path": "a"}), 1)]
    );
    let stand = script.reply(vec![value(1, json!("next"))]).await;
    let second = wanted(2, "read_file", json!({"path": "next"}), 2);
    assert_eq!(paused(stand.expect("it goes on")).calls, [second]);
    let stand = script.reply(vec![value(2, json!(2))]).await;
    assert_eq!(stand.expect("it ends"), done(json!(2), ""));
}

#[tokio::test]
async fn calls_of_a_gather_are_pending_together_and_take_partial_replies() {
    let code = "import asyncio\nr = await asyncio.gather(\n  read_file('a'),\n  read_file('b'), delete_file('c'))\nr";
    let (mut script, stand) = start(code).await;
    let pause = paused(stand);
    let expected = [
        wanted(1, "read_file", json!({"path": "a"}), 3),
        wanted(2, "read_file", json!({"path": "b"}), 4),
        wanted(3, "delete_file", json!({"path": "c"}), 4),
    ];
    assert_eq!(pause.calls, expected);
    assert_eq!(pause.line, 2);
    let stand = script.reply(vec![value(2, json!(2))]).await;
    let pause = paused(stand.expect("it waits"));
    assert_eq!(pause.calls, [expected[0].clone(), expected[2].clone()]);
    let stand = script
        .reply(vec![value(1, json!(1)), value(3, json!(3))])
        .await;
    assert_eq!(stand.expect("it ends"), done(json!([1, 2, 3]), ""));
}

#[tokio::test]
async fn coroutines_of_a_gather_wait_together_and_go_on_as_their_own_answers_come() {
    let code = "import asyncio\nasync def two(p):\n    x = await read_file(p)\n    return await read_file(x)\nawait asyncio.gather(two('a'), two('b'))";
    let (mut script, stand) = start(code).await;
    let pause = paused(stand);
    assert_eq!(
        pause.calls,
        [
            wanted(1, "read_file", json!({"path": "a"}), 3),
            wanted(2, "read_file", json!({"path": "b"}), 3),
        ]
    );
    // The script itself stands at its gather, not where its tasks are.
    assert_eq!(pause.line, 5);
    let stand = script.reply(vec![value(2, json!("bb"))]).await;
    let third = wanted(3, "read_file", json!({"path": "bb"}), 4);
    assert_eq!(
        paused(stand.expect("it waits")).calls,
        [pause.calls[0].clone(), third]
    );
    let stand = script
        .reply(vec![value(3, json!("B")), value(1, json!("aa"))])
        .await;
    assert_eq!(numbers(&paused(stand.expect("it waits"))), [4]);
    let stand = script.reply(vec![value(4, json!("A"))]).await;
    assert_eq!(stand.expect("it ends"), done(json!(["A", "B"]), ""));
}

#[tokio::test]
async fn a_refused_call_raises_where_it_stands_and_the_traceback_names_the_line() {
    let (mut script, _) = start("x = 1\ndelete_file('a')").await;
    let stand = script.reply(vec![raise(1, DENIED)]).await;
    let traceback = "Traceback (most recent call last):\n  File \"script.py\", line 2, in <module>\n    delete_file('a')\n    ~~~~~~~~~~~~~~~~\nRuntimeError: Tool 'files.delete' call denied: not today";
    assert_eq!(stand.expect("it ends"), failed(traceback, ""));
}

#[tokio::test]
async fn a_refusal_can_be_caught_in_sequence_and_in_a_gather() {
    let code = "try:\n    x = delete_file('a')\nexcept RuntimeError as e:\n    x = str(e)\nx";
    let (mut script, _) = start(code).await;
    let stand = script.reply(vec![raise(1, DENIED)]).await;
    assert_eq!(stand.expect("it ends"), done(json!(DENIED), ""));

    let code = "import asyncio\ntry:\n    x = await asyncio.gather(read_file('a'), delete_file('b'))\nexcept RuntimeError as e:\n    x = str(e)\nx";
    let (mut script, _) = start(code).await;
    let stand = script.reply(vec![raise(2, DENIED)]).await;
    assert_eq!(stand.expect("it ends"), done(json!(DENIED), ""));
}

#[tokio::test]
async fn the_other_members_of_a_gather_that_failed_are_not_waited_for_any_more() {
    let code = "import asyncio\nt = read_file('a')\ntry:\n    await asyncio.gather(t, delete_file('b'), read_file('c'))\nexcept RuntimeError:\n    pass\nd = await read_file('d')\ntry:\n    e = await t\nexcept RuntimeError as x:\n    e = str(x)\n[d, e]";
    let (mut script, stand) = start(code).await;
    assert_eq!(numbers(&paused(stand)), [1, 2, 3]);
    let stand = script.reply(vec![raise(2, DENIED)]).await;
    let pause = paused(stand.expect("it goes on"));
    assert_eq!(
        pause.calls,
        [wanted(4, "read_file", json!({"path": "d"}), 7)]
    );
    // An answer that comes too late is left aside, also together with one that is wanted.
    let stand = script
        .reply(vec![value(1, json!("late")), value(4, json!("d"))])
        .await;
    let Stand::Done { result, .. } = stand.expect("it ends") else {
        unreachable!("it does not end");
    };
    assert_eq!(result[0], json!("d"));
    assert_ne!(result[1], json!("late"));
}

#[tokio::test]
async fn a_call_that_is_never_awaited_is_never_asked_for_and_python_says_so() {
    let code = "c = read_file('a')\nif not c:\n    await c\nx = await read_file('b')\nx";
    let (mut script, stand) = start(code).await;
    let second = wanted(2, "read_file", json!({"path": "b"}), 4);
    assert_eq!(paused(stand).calls, [second]);
    let stand = script.reply(vec![value(2, json!("b"))]).await;
    let warned = "script.py:1: RuntimeWarning: coroutine 'read_file' was never awaited\n";
    assert_eq!(stand.expect("it ends"), done(json!("b"), warned));
}

#[tokio::test]
async fn only_declared_functions_are_there() {
    for (code, said) in [
        ("nope('a')", "NameError: name 'nope' is not defined"),
        ("eval('1')", "NameError: name 'eval' is not defined"),
        ("exec('1')", "NameError: name 'exec' is not defined"),
        ("x = nope", "NameError: name 'nope' is not defined"),
        (
            "__import__('os')",
            "NameError: name '__import__' is not defined",
        ),
        (
            "open('/etc/passwd').read()",
            "PermissionError: Permission denied: '/etc/passwd'",
        ),
        (
            "import os\nos.environ['HOME']",
            "RuntimeError: 'os.environ' is not supported in this environment",
        ),
        (
            "import os\nos.system('true')",
            "AttributeError: module 'os' has no attribute 'system'",
        ),
        (
            "import pathlib\npathlib.Path('/etc/passwd').read_text()",
            "PermissionError: Permission denied: '/etc/passwd'",
        ),
        (
            "import socket",
            "ModuleNotFoundError: No module named 'socket'",
        ),
        (
            "import subprocess",
            "ModuleNotFoundError: No module named 'subprocess'",
        ),
        (
            "import datetime\ndatetime.datetime.now()",
            "RuntimeError: 'datetime.now' is not supported in this environment",
        ),
    ] {
        let Stand::Failed { traceback, printed } = run(code).await else {
            unreachable!("{code} does not fail");
        };
        let last = traceback.lines().last().unwrap_or_default();
        assert_eq!((last, printed.as_str()), (said, ""), "{code}");
    }
}

#[tokio::test]
async fn what_is_not_there_can_be_caught_and_is_not_counted_as_a_call() {
    let code = "try:\n    nope()\nexcept NameError as e:\n    print(e)\nread_file('a')";
    let pause = paused(run(code).await);
    assert_eq!(
        pause.calls,
        [wanted(1, "read_file", json!({"path": "a"}), 5)]
    );
    assert_eq!(pause.printed, "name 'nope' is not defined\n");
}

#[tokio::test]
async fn arguments_that_python_would_not_take_raise_in_the_script() {
    for (code, said) in [
        (
            "read_file('a', 1, 2)",
            "TypeError: read_file() takes 2 positional arguments but 3 were given",
        ),
        (
            "read_file('a', path='b')",
            "TypeError: read_file() got multiple values for argument 'path'",
        ),
    ] {
        let Stand::Failed { traceback, .. } = run(code).await else {
            unreachable!("{code} does not fail");
        };
        assert_eq!(traceback.lines().last(), Some(said));
    }
}

#[tokio::test]
async fn parameters_go_by_the_names_of_the_tool_and_none_means_not_given() {
    let pause = paused(run("delete_file(path='a', dry_run=True)").await);
    let arguments = json!({"path": "a", "dry-run": true});
    assert_eq!(pause.calls, [wanted(1, "delete_file", arguments, 1)]);

    let pause = paused(run("delete_file(**{'path': 'a', 'dry-run': False})").await);
    let arguments = json!({"path": "a", "dry-run": false});
    assert_eq!(pause.calls, [wanted(1, "delete_file", arguments, 1)]);

    let pause = paused(run("read_file('a', start=None)").await);
    assert_eq!(
        pause.calls,
        [wanted(1, "read_file", json!({"path": "a"}), 1)]
    );

    // What the tool needs or does not know is passed on: it says itself what is wrong with it.
    let pause = paused(run("read_file(None, other=1)").await);
    let arguments = json!({"path": null, "other": 1});
    assert_eq!(pause.calls, [wanted(1, "read_file", arguments, 1)]);
}

#[tokio::test]
async fn every_kind_of_value_comes_out_as_json() {
    let code = "import datetime\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: str\n[None, True, 1, 2**70, -1.5, float('nan'), float('-inf'), 'ä\\n\"', b'a\\xff', (1, 2), {3}, frozenset([4]), {'k': {1: 'one', None: 2, (1, 2): 3}}, P(1, 'y'), datetime.date(2026, 1, 2), ..., int, ValueError('no'), range(3)]";
    let expected = json!([
        null, true, 1, 0, -1.5, "nan", "-inf", "ä\n\"", "b'a\\xff'", [1, 2], [3], [4],
        {"k": {"1": "one", "null": 2, "(1, 2)": 3}},
        {"x": 1, "y": "y"}, "2026-01-02", "Ellipsis", "<class 'int'>", "ValueError('no')", "range(0, 3)"
    ]);
    let Stand::Done { mut result, .. } = run(code).await else {
        unreachable!("it does not end");
    };
    assert_eq!(result[3].to_string(), "1180591620717411303424");
    result[3] = json!(0);
    assert_eq!(result, expected);
}

#[tokio::test]
async fn every_kind_of_json_comes_in_as_a_value() {
    let code =
        "x = read_file('a')\n[type(v).__name__ for v in x] + [x[3] + 1, x[4] * 2, x[7]['k'][0]]";
    let (mut script, _) = start(code).await;
    let result = r#"[null, true, 7, 1180591620717411303424, 1.5, "s", [1], {"k": ["v"]}, 1e400]"#;
    let result = serde_json::from_str(result).expect("it is JSON");
    let stand = script.reply(vec![value(1, result)]).await;
    let Stand::Done { result, .. } = stand.expect("it ends") else {
        unreachable!("it does not end");
    };
    assert_eq!(
        result.to_string(),
        r#"["NoneType","bool","int","int","float","str","list","dict","float",1180591620717411303425,3.0,"v"]"#
    );
}

#[tokio::test]
async fn what_is_nested_deeply_is_cut_off_and_told_as_text() {
    let code = "x = []\nfor i in range(500):\n    x = [x]\nx";
    let Stand::Done { result, .. } = run(code).await else {
        unreachable!("it does not end");
    };
    assert_eq!(result.to_string().matches('[').count(), 64);
    let cyclic = run("x = [1]\nx.append(x)\nx").await;
    assert_eq!(cyclic, done(json!([1, "[...]"]), ""));

    let mut deep = json!(1);
    for _ in 0..500 {
        deep = json!([deep]);
    }
    let code = "x = read_file('a')\nn = 0\nwhile isinstance(x, list):\n    x = x[0]\n    n += 1\n[n, type(x).__name__]";
    let (mut script, _) = start(code).await;
    let stand = script.reply(vec![value(1, deep)]).await;
    assert_eq!(stand.expect("it ends"), done(json!([64, "str"]), ""));
}

#[tokio::test]
async fn a_mistake_in_the_script_is_told_as_python_tells_it() {
    let traceback = "Traceback (most recent call last):\n  File \"script.py\", line 1\n    x = = 1\n        ~\nSyntaxError: Expected an expression";
    assert_eq!(run("x = = 1").await, failed(traceback, ""));
}

#[tokio::test]
async fn functions_of_the_script_take_the_place_of_tools_of_that_name() {
    let code = "def read_file(path):\n    return 'mine ' + path\nread_file('a')";
    assert_eq!(run(code).await, done(json!("mine a"), ""));
    let code = "f = read_file\nf('a')";
    assert_eq!(numbers(&paused(run(code).await)), [1]);
}

#[tokio::test]
async fn lines_are_told_inside_functions_and_behind_other_scripts() {
    let code = "# ünïcödé ✓\ndef load(p):\n    # here\n    return read_file(p)\n\nload('ä')";
    let pause = paused(run(code).await);
    assert_eq!(
        pause.calls,
        [wanted(1, "read_file", json!({"path": "ä"}), 4)]
    );
    assert_eq!(pause.line, 4);
}

#[tokio::test]
async fn hostile_names_reach_only_what_is_declared() {
    let odd = Function {
        name: "größe_2".to_owned(),
        tool: "x\u{202e}y".to_owned(),
        parameters: json!({"type": "object", "properties": {"\u{0}": {}, "class": {}, "": {}}}),
        description: "\"\"\"\n\\".to_owned(),
    };
    let code = "größe_2(1, 2, 3)";
    let started = Script::start(program(), code, &[odd], &limits()).await;
    let pause = paused(started.expect("the script starts").1);
    assert_eq!(
        pause.calls[0].arguments,
        json!({"\u{0}": 1, "class": 2, "": 3})
    );
    assert_eq!(pause.calls[0].tool, "x\u{202e}y");
}

#[tokio::test]
async fn an_answer_to_nothing_leaves_the_script_where_it_stands() {
    let (mut script, stand) = start("read_file('a')").await;
    let before = paused(stand);
    let stand = script
        .reply(vec![value(7, json!(1)), value(0, json!(1))])
        .await;
    assert_eq!(paused(stand.expect("it waits")).calls, before.calls);
    assert_eq!(functions().len(), 2);
}
