//! Code mode: errors of calls inside the tasks of a gather.

use crate::support::code::{
    done, failed, limits, numbers, paused, program, raise, run, start, value,
};
use countersign::code::Script;
use serde_json::json;

const DENIED: &str = "Tool 'files.delete' call denied: not today";

#[tokio::test]
async fn a_refusal_can_be_caught_in_each_task_of_a_gather_and_the_others_go_on() {
    for (import, gather) in [
        ("import asyncio", "asyncio.gather"),
        ("import asyncio as io", "io.gather"),
        ("from asyncio import gather", "gather"),
        ("from asyncio import run, gather as all", "all"),
    ] {
        let code = format!(
            "{import}\nasync def one(p):\n    try:\n        return await delete_file(p)\n    except RuntimeError as e:\n        return [p, str(e)]\nawait {gather}(one('a'), one('b'), one('c'))"
        );
        let (mut script, stand) = start(&code).await;
        assert_eq!(numbers(&paused(stand)), [1, 2, 3]);
        let stand = script.reply(vec![raise(2, DENIED)]).await;
        let pause = paused(stand.expect("it waits"));
        assert_eq!(numbers(&pause), [1, 3]);
        let restored = Script::restore(program(), &pause.snapshot, &limits()).await;
        let replies = vec![value(1, json!("A")), raise(3, "no")];
        let stand = restored.expect("it goes on").0.reply(replies).await;
        let end = done(json!(["A", ["b", DENIED], ["c", "no"]]), "");
        assert_eq!(stand.expect("it ends"), end);
    }
}

#[tokio::test]
async fn a_refusal_of_a_call_that_a_task_was_given_can_be_caught_in_it_too() {
    let code = "import asyncio\nasync def one(call):\n    try:\n        return await call\n    except RuntimeError as e:\n        return str(e)\nasync def own(p):\n    return await delete_file(p)\nx = await asyncio.gather(one(read_file('a')), one(own('b')))\n[x, await one(own('c'))]";
    let (mut script, stand) = start(code).await;
    assert_eq!(numbers(&paused(stand)), [1, 2]);
    // One error at a time: the other one is still waited for.
    let replies = vec![raise(1, "no"), raise(2, DENIED)];
    let stand = script.reply(replies).await.expect("it goes on");
    assert_eq!(numbers(&paused(stand)), [2]);
    let stand = script.reply(vec![raise(2, DENIED)]).await;
    assert_eq!(numbers(&paused(stand.expect("it goes on"))), [3]);
    let stand = script.reply(vec![value(3, json!("C"))]).await;
    let end = done(json!([["no", DENIED], "C"]), "");
    assert_eq!(stand.expect("it ends"), end);
}

#[tokio::test]
async fn a_refusal_that_no_task_catches_is_told_as_the_script_is_written() {
    let code = "from asyncio import gather as all\nasync def one(p):\n    x = [await delete_file(p)]\n    return x\nawait all(one('a'), one('b'))";
    let (mut script, stand) = start(code).await;
    assert_eq!(paused(stand).line, 5);
    let stand = script.reply(vec![raise(1, DENIED)]).await;
    let traceback = "Traceback (most recent call last):\n  File \"script.py\", line 3, in one\n    x = [await delete_file(p)]\nRuntimeError: Tool 'files.delete' call denied: not today";
    assert_eq!(stand.expect("it ends"), failed(traceback, ""));
}

#[tokio::test]
async fn awaits_of_every_form_come_to_what_they_come_to_in_python() {
    let code = "import asyncio
async def one(p):
    '''await read_file('no')'''
    x = await read_file(
        p) + 'x'
    y = f\"{await read_file(x)}\" + (await read_file('y'))[0]
    return [z for z in [await read_file(await read_file(y)), (await (read_file('p')))]]
await asyncio.gather(one('a'), one('b'))";
    let (mut script, mut stand) = start(code).await;
    while let countersign::code::Stand::Paused(pause) = stand {
        let replies = pause.calls.iter().map(|call| {
            let path = call.arguments["path"].as_str().expect("it has one");
            value(call.number, json!(path.to_uppercase()))
        });
        stand = script.reply(replies.collect()).await.expect("it goes on");
    }
    assert_eq!(stand, done(json!([["AXY", "P"], ["BXY", "P"]]), ""));
}

#[tokio::test]
async fn a_gather_that_is_the_scripts_own_is_left_alone() {
    let code = "import asyncio\nasync def one(p):\n    asyncio = 1\n    return await read_file(p)\nawait one('a')";
    let (mut script, stand) = start(code).await;
    assert_eq!(numbers(&paused(stand)), [1]);
    let stand = script.reply(vec![value(1, json!("A"))]).await;
    assert_eq!(stand.expect("it ends"), done(json!("A"), ""));
}

#[tokio::test]
async fn what_asyncio_does_not_have_here_is_told() {
    for (code, said) in [
        (
            "await asyncio.gather(read_file('a'), return_exceptions=True)",
            "NotImplementedError: gather() does not yet support keyword arguments",
        ),
        (
            "asyncio.create_task(read_file('a'))",
            "AttributeError: module 'asyncio' has no attribute 'create_task'",
        ),
    ] {
        let stand = run(&format!("import asyncio\n{code}")).await;
        let countersign::code::Stand::Failed { traceback, .. } = stand else {
            unreachable!("{code} is there");
        };
        assert_eq!(traceback.lines().last(), Some(said));
    }
}
