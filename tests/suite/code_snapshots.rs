//! Code mode: paused scripts, sealed, and gone on with in other processes.

use crate::support::code::{done, failed, limits, numbers, paused, program, raise, start, value};
use countersign::code::{Fault, Script, Seal, Sealed, Snapshot, Stand};
use proptest::prelude::*;
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;

const SCRIPT: &str = "import asyncio
print('begin')
a = await read_file('a')
b = await asyncio.gather(read_file(a), delete_file('y'), read_file('z'))
try:
    c = await delete_file('c')
except RuntimeError as e:
    c = str(e)
unused = read_file('never')
if not c:
    await unused
print('end')
[a, b, c]";

/// Seals a snapshot and opens it again, as another life of the program would.
fn kept(folder: &tempfile::TempDir, snapshot: &Snapshot) -> Snapshot {
    let sealed = Seal::of(folder.path()).close(snapshot, "session", "call");
    let sealed = serde_json::to_string(&sealed.expect("it is sealed")).expect("it is text");
    let sealed: Sealed = serde_json::from_str(&sealed).expect("it is sealed");
    let opened = Seal::of(folder.path()).open(&sealed, "session", "call");
    opened.expect("it is ours")
}

#[tokio::test]
async fn a_script_can_be_killed_at_every_pause_and_goes_on_from_the_same_line() {
    let folder = tempfile::tempdir().expect("there is room");
    let (script, stand) = start(SCRIPT).await;
    let mut pause = paused(stand);
    drop(script);
    let mut seen = vec![(numbers(&pause), pause.line, pause.printed.clone())];
    let replies = [
        vec![value(1, json!("x"))],
        vec![value(3, json!("Y"))],
        vec![value(2, json!("X")), value(4, json!("Z"))],
        vec![raise(5, "no")],
    ];
    let mut last = None;
    for reply in replies {
        let snapshot = kept(&folder, &pause.snapshot);
        let restored = Script::restore(program(), &snapshot, &limits()).await;
        let (mut script, stand) = restored.expect("it goes on");
        // The same in all.
        assert_eq!(stand, Stand::Paused(pause.clone()));
        match script.reply(reply).await.expect("it goes on") {
            Stand::Paused(next) => {
                pause = next;
                seen.push((numbers(&pause), pause.line, pause.printed.clone()));
            }
            end => last = Some(end),
        }
    }
    let begin = "begin\n".to_owned();
    let expected = [
        (vec![1], 3, begin.clone()),
        (vec![2, 3, 4], 4, begin.clone()),
        (vec![2, 4], 4, begin.clone()),
        (vec![5], 6, begin),
    ];
    assert_eq!(seen, expected);
    let printed =
        "begin\nend\nscript.py:9: RuntimeWarning: coroutine 'read_file' was never awaited\n";
    let end = done(json!(["x", ["X", "Y", "Z"], "no"]), printed);
    assert_eq!(last, Some(end));
}

#[tokio::test]
async fn a_script_without_await_can_be_killed_at_every_pause_too() {
    let code = "def f(p):\n    return read_file(p)\nx = [f(str(i)) for i in range(3)]\nraise ValueError(str(x))";
    let (_, stand) = start(code).await;
    let mut pause = paused(stand);
    for number in 1..=3 {
        assert_eq!((numbers(&pause), pause.line), (vec![number], 2));
        let restored = Script::restore(program(), &pause.snapshot, &limits()).await;
        let (mut script, _) = restored.expect("it goes on");
        let stand = script.reply(vec![value(number, json!(number))]).await;
        match stand.expect("it goes on") {
            Stand::Paused(next) => pause = next,
            end => {
                let traceback = "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    raise ValueError(str(x))\nValueError: [1, 2, 3]";
                assert_eq!(end, failed(traceback, ""));
            }
        }
    }
}

#[tokio::test]
async fn one_snapshot_can_be_gone_on_with_in_several_ways() {
    let (_, stand) = start("x = read_file('a')\nx").await;
    let pause = paused(stand);
    for result in [json!(1), json!("two")] {
        let restored = Script::restore(program(), &pause.snapshot, &limits()).await;
        let (mut script, _) = restored.expect("it goes on");
        let stand = script.reply(vec![value(1, result.clone())]).await;
        assert_eq!(stand.expect("it ends"), done(result, ""));
    }
}

#[tokio::test]
async fn a_sealed_script_fits_nowhere_else() {
    let (_, stand) = start("read_file('a')").await;
    let snapshot = paused(stand).snapshot;
    let (folder, other) = (
        tempfile::tempdir().expect("room"),
        tempfile::tempdir().expect("room"),
    );
    let seal = Seal::of(folder.path());
    let sealed = seal
        .close(&snapshot, "session", "call")
        .expect("it is sealed");
    assert_eq!(
        seal.open(&sealed, "session", "call").expect("it is ours"),
        snapshot
    );
    for (session, call) in [
        ("session", "call2"),
        ("session2", "call"),
        ("sessionc", "all"),
        ("", ""),
    ] {
        let opened = seal.open(&sealed, session, call);
        assert!(matches!(opened, Err(Fault::Forged)), "{opened:?}");
    }
    // Another key, and none.
    let elsewhere = Seal::of(other.path());
    let opened = elsewhere.open(&sealed, "session", "call");
    assert!(matches!(&opened, Err(Fault::Key { .. })), "{opened:?}");
    elsewhere
        .close(&snapshot, "session", "call")
        .expect("it is sealed");
    let opened = elsewhere.open(&sealed, "session", "call");
    assert!(matches!(opened, Err(Fault::Forged)), "{opened:?}");
}

#[tokio::test]
async fn a_sealed_script_tells_nothing_and_its_key_is_its_owners() {
    let (mut script, _) = start("secret = read_file('a')\nread_file('b')").await;
    let stand = script.reply(vec![value(1, json!("hunter2-hunter2"))]).await;
    let snapshot = paused(stand.expect("it waits")).snapshot;
    let folder = tempfile::tempdir().expect("there is room");
    let seal = Seal::of(folder.path());
    let sealed = seal.close(&snapshot, "s", "c").expect("it is sealed");
    let again = seal.close(&snapshot, "s", "c").expect("it is sealed");
    assert_ne!(sealed, again);
    assert!(
        !sealed.0.contains("hunter2") && !format!("{snapshot:?}{sealed:?}").contains("hunter2")
    );
    let mode = std::fs::metadata(folder.path().join("script.key"))
        .expect("it was made")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_key_that_is_none_is_not_used_and_not_replaced() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("script.key");
    std::fs::write(&path, "not a key\n").expect("it is written");
    let opened = Seal::of(folder.path()).open(&Sealed("AAAA".to_owned()), "s", "c");
    assert!(matches!(opened, Err(Fault::Key { .. })), "{opened:?}");
    assert_eq!(
        std::fs::read_to_string(&path).expect("it is there"),
        "not a key\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_sealed_script_that_was_changed_in_any_way_is_refused(at in 0_usize..10_000, with in "[A-Za-z0-9_=-]{0,3}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it is made");
        thread_local! {
            static KEPT: std::cell::OnceCell<(tempfile::TempDir, Sealed)> = const { std::cell::OnceCell::new() };
        }
        KEPT.with(|kept| {
            let (folder, sealed) = kept.get_or_init(|| {
                let folder = tempfile::tempdir().expect("there is room");
                let (_, stand) = runtime.block_on(start("read_file('a')"));
                let sealed = Seal::of(folder.path()).close(&paused(stand).snapshot, "s", "c");
                (folder, sealed.expect("it is sealed"))
            });
            let at = at % sealed.0.len();
            let changed = format!("{}{with}{}", &sealed.0[..at], &sealed.0[at + 1..]);
            prop_assume!(changed != sealed.0);
            let opened = Seal::of(folder.path()).open(&Sealed(changed), "s", "c");
            prop_assert!(matches!(opened, Err(Fault::Forged)), "{:?}", opened);
            Ok(())
        })?;
    }
}
