//! Code mode: which calls give something to be awaited, decided call by call.

use crate::support::code::{
    done, limits, numbers, paused, program, raise, run, start, value, wanted,
};
use countersign::code::{Reply, Script, Stand};
use serde_json::{Value, json};

/// Runs a script to its end, each call giving its path in capitals; the calls that were pending together.
async fn rounds(code: &str) -> (Vec<Vec<u32>>, Stand) {
    let (mut script, mut stand) = start(code).await;
    let mut rounds = Vec::new();
    while let Stand::Paused(pause) = stand {
        rounds.push(numbers(&pause));
        let replies = pause.calls.iter().map(|call| {
            let path = call.arguments["path"].as_str().expect("it has a path");
            (call.number, Reply::Value(json!(path.to_uppercase())))
        });
        stand = script.reply(replies.collect()).await.expect("it goes on");
    }
    (rounds, stand)
}

async fn comes_to(code: &str, waits: &[&[u32]], result: Value) {
    let (rounds, stand) = rounds(code).await;
    assert_eq!(stand, done(result, ""), "{code}");
    assert_eq!(rounds, waits, "{code}");
}

#[tokio::test]
async fn an_import_of_asyncio_alone_changes_nothing() {
    let code = "import asyncio\nx = read_file('a')\nx + read_file('b')";
    comes_to(code, &[&[1], &[2]], json!("AB")).await;
}

#[tokio::test]
async fn plain_calls_and_awaited_ones_stand_beside_each_other() {
    for (code, waits, result) in [
        (
            "x = read_file('a')\ny = await read_file('b')\nx + y",
            &[&[1][..], &[2]][..],
            json!("AB"),
        ),
        ("await read_file(read_file('a'))", &[&[1], &[2]], json!("A")),
        (
            "import asyncio\nx = read_file('a')\ny = await asyncio.gather(read_file(x + 'b'), read_file('c'))\n[x, *y]",
            &[&[1], &[2, 3]],
            json!(["A", "AB", "C"]),
        ),
        (
            "import asyncio as io\nfrom asyncio import gather as g\nx = [read_file('a'), read_file('b')]\ny = await g(read_file('c'))\n[x, y, len(await io.gather(*[]))]",
            &[&[1], &[2], &[3]],
            json!([["A", "B"], ["C"], 0]),
        ),
        (
            "def plain(p):\n    return read_file(p).lower()\nasync def other(p):\n    return await read_file(p)\n[plain('A'), await other('b')]",
            &[&[1], &[2]],
            json!(["a", "B"]),
        ),
        // A call that nothing awaits is made where it stands, also without a name.
        (
            "read_file('a')\nawait read_file('b')",
            &[&[1], &[2]],
            json!("B"),
        ),
    ] {
        comes_to(code, waits, result).await;
    }
}

#[tokio::test]
async fn what_is_awaited_through_names_and_lists_waits_together() {
    let both: &[&[u32]] = &[&[1, 2]];
    for code in [
        "a = read_file('a')\nb = read_file('b')\n[*await asyncio.gather(a, b)]",
        "a, b = read_file('a'), read_file('b')\n[*await asyncio.gather(a, b)]",
        "all = [read_file(p) for p in 'ab']\nawait asyncio.gather(*all)",
        "all = []\nfor p in 'ab':\n    all.append(read_file(p))\nawait asyncio.gather(*all)",
        "all = {p: read_file(p) for p in 'ab'}\nawait asyncio.gather(*all.values())",
        "all = {}\nfor p in 'ab':\n    all[p] = read_file(p)\nlater = list(all.values())\nawait asyncio.gather(*later)",
        "def one(p):\n    return read_file(p)\nawait asyncio.gather(one('a'), one('b'))",
        "one = lambda p: read_file(p)\nawait asyncio.gather(one('a'), one('b'))",
        "async def one(call):\n    return await call\nawait asyncio.gather(one(read_file('a')), one(call=read_file('b')))",
        "async def main():\n    return await asyncio.gather(read_file('a'), read_file('b'))\nasyncio.run(main())",
        "c = True\nawait asyncio.gather(read_file('a') if c else None, (read_file('b')))",
        "class Of:\n    def get(self, p):\n        return read_file(p)\nof = Of()\nawait asyncio.gather(of.get('a'), of.get('b'))",
    ] {
        comes_to(&format!("import asyncio\n{code}"), both, json!(["A", "B"])).await;
    }
    let one_by_one = "calls = [read_file(p) for p in 'ab']\nr = []\nfor call in calls:\n    r.append(await call)\nr";
    comes_to(one_by_one, &[&[1], &[2]], json!(["A", "B"])).await;
}

#[tokio::test]
async fn a_plain_call_in_one_task_keeps_the_calls_of_the_others_waiting() {
    let code = "import asyncio\nasync def one(p):\n    return await read_file(p)\nasync def two(p):\n    x = read_file(p)\n    return await read_file(x + '2')\nawait asyncio.gather(one('a'), two('b'))";
    let (mut script, stand) = start(code).await;
    let pause = paused(stand);
    let first = wanted(1, "read_file", json!({"path": "a"}), 3);
    let second = wanted(2, "read_file", json!({"path": "b"}), 5);
    assert_eq!(pause.calls, [first.clone(), second]);
    assert_eq!((pause.line, Vec::from_iter(pause.takes)), (5, vec![2]));
    // The answer to the other one is taken when it can be, in this process and in the next one.
    let replies = vec![value(1, json!("A")), value(2, json!("B"))];
    let stand = script.reply(replies).await.expect("it goes on");
    let pause = paused(stand);
    let third = wanted(3, "read_file", json!({"path": "B2"}), 6);
    assert_eq!(pause.calls, [first, third]);
    let restored = Script::restore(program(), &pause.snapshot, &limits()).await;
    for mut script in [script, restored.expect("it goes on").0] {
        let stand = script
            .reply(vec![value(1, json!("A")), value(3, json!("C"))])
            .await;
        assert_eq!(stand.expect("it ends"), done(json!(["A", "C"]), ""));
    }
}

#[tokio::test]
async fn a_plain_call_that_stands_while_others_wait_survives_its_process() {
    let code = "import asyncio\nasync def one(p):\n    return await read_file(p)\nasync def two(p):\n    x = await read_file(p)\n    return read_file(x)\nawait asyncio.gather(one('a'), two('b'))";
    let (mut script, stand) = start(code).await;
    assert_eq!(numbers(&paused(stand)), [1, 2]);
    let stand = script.reply(vec![value(2, json!("B"))]).await;
    let pause = paused(stand.expect("it goes on"));
    assert_eq!(
        (numbers(&pause), Vec::from_iter(pause.takes)),
        (vec![1, 3], vec![3])
    );
    let restored = Script::restore(program(), &pause.snapshot, &limits()).await;
    let (mut script, stand) = restored.expect("it goes on");
    assert_eq!(numbers(&paused(stand)), [1, 3]);
    let stand = script.reply(vec![raise(3, "no")]).await.expect("it ends");
    let Stand::Failed { traceback, .. } = stand else {
        unreachable!("the error is raised where the call stands: {stand:?}");
    };
    assert!(traceback.contains("in two"), "{traceback}");
    assert!(traceback.ends_with("RuntimeError: no"), "{traceback}");
}

#[tokio::test]
async fn to_await_what_is_no_future_is_told_where_it_is_done() {
    let stand = run("x = 5\nawait x").await;
    let Stand::Failed { traceback, .. } = stand else {
        unreachable!("it cannot be awaited: {stand:?}");
    };
    assert!(traceback.contains("line 2"), "{traceback}");
}
