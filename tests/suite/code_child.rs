//! Code mode: a process that runs scripts and lies. Nothing of it is believed.

use crate::support::code::{done, frame, functions, limits, numbers, paused, value, wanted};
use countersign::code::{Fault, Limits, Script, Stand};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// A program that says this, whatever it is told, and then does that.
struct Liar {
    _folder: TempDir,
    program: PathBuf,
}

fn liar(says: &[Vec<u8>], then: &str) -> Liar {
    let folder = tempfile::tempdir().expect("there is room");
    let (program, words) = (folder.path().join("liar"), folder.path().join("words"));
    fs::write(&words, says.concat()).expect("it is written");
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\ncat '{}'\n{then}\n",
        words.display()
    );
    fs::write(&program, script).expect("it is written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("it can be run");
    Liar {
        _folder: folder,
        program,
    }
}

/// Goes on as long as it is listened to.
const WAITS: &str = "exec cat >/dev/null";
const CODE: &str = "read_file('a')\nread_file('b')\n";

async fn start(liar: &Liar) -> Result<(Script, Stand), Fault> {
    let limits = Limits {
        time: Duration::from_secs(10),
        ..limits()
    };
    Script::start(&liar.program, CODE, &functions(), &limits).await
}

fn made(number: u32, function: &str, arguments: &Value, line: u32) -> Value {
    json!({"number": number, "call": number, "function": function, "arguments": arguments, "line": line})
}

fn pause(made: &[Value], waits: &[u32], printed: &str) -> Vec<u8> {
    let said = json!({"Paused": {"made": made, "waits": waits, "later": [], "line": 1, "printed": printed, "spent": 5}});
    frame(&said, b"")
}

fn first() -> Value {
    made(1, "read_file", &json!({"path": "a"}), 1)
}

#[tokio::test]
async fn what_a_process_may_say_is_taken() {
    let end = frame(&json!({"Done": {"result": 1, "printed": ""}}), b"");
    let liar = liar(&[pause(&[first()], &[1], "x"), end], WAITS);
    let (mut script, stand) = start(&liar).await.expect("it is believed");
    let pause = paused(stand);
    assert_eq!(
        pause.calls,
        [wanted(1, "read_file", json!({"path": "a"}), 1)]
    );
    let stand = script.reply(vec![value(1, json!(1))]).await;
    assert_eq!(stand.expect("it ends"), done(json!(1), "x"));
}

#[tokio::test]
async fn what_a_process_tells_of_its_printing_beforehand_counts_as_printed() {
    let printed = |text: &str| frame(&json!({"Printed": text}), b"");
    let end = frame(&json!({"Done": {"result": 1, "printed": "c"}}), b"");
    let said = [
        printed("a"),
        printed("b\n"),
        pause(&[first()], &[1], "x"),
        printed("y"),
        end,
    ];
    let liar = liar(&said, WAITS);
    let (mut script, stand) = start(&liar).await.expect("it is believed");
    assert_eq!(paused(stand).printed, "ab\nx");
    let stand = script.reply(vec![value(1, json!(1))]).await;
    assert_eq!(stand.expect("it ends"), done(json!(1), "ab\nxyc"));
}

#[tokio::test]
async fn what_a_process_may_not_say_ends_it() {
    let object = || json!({"path": "a"});
    let long = "x".repeat(1024 * 1024);
    for (said, what) in [
        (
            frame(&json!({"Printed": ""}), b""),
            "more than it may print",
        ),
        (
            frame(&json!({"Printed": long}), b""),
            "more than it may print",
        ),
        (
            frame(&json!({"Printed": "a"}), b"bytes"),
            "an answer to another question",
        ),
        (
            pause(&[made(2, "read_file", &object(), 1)], &[2], ""),
            "a call out of order",
        ),
        (
            pause(&[made(0, "read_file", &object(), 1)], &[0], ""),
            "a call out of order",
        ),
        (pause(&[first(), first()], &[1], ""), "a call out of order"),
        (
            pause(&[made(1, "shell", &object(), 1)], &[1], ""),
            "a call of something that was not declared",
        ),
        (
            pause(&[made(1, "files.read", &object(), 1)], &[1], ""),
            "a call of something that was not declared",
        ),
        (
            pause(&[made(1, "read_file", &json!(["a"]), 1)], &[1], ""),
            "arguments that are no object",
        ),
        (
            pause(&[made(1, "read_file", &object(), 0)], &[1], ""),
            "a line that is not there",
        ),
        (
            pause(&[made(1, "read_file", &object(), 9)], &[1], ""),
            "a line that is not there",
        ),
        (pause(&[first()], &[], ""), "a pause without calls"),
        (pause(&[first()], &[1, 1], ""), "a pause without calls"),
        (
            pause(&[first()], &[1, 2], ""),
            "a call that it has not made, or is done with",
        ),
        (pause(&[first()], &[1], &long), "more than it may print"),
        (
            frame(&json!({"Done": {"result": 1, "printed": long}}), b""),
            "more than it may print",
        ),
        (
            frame(&json!({"Foreseen": []}), b""),
            "an answer to another question",
        ),
        (frame(&json!({"Anything": 1}), b""), "words that are none"),
        (frame(&json!("\u{0}"), b""), "words that are none"),
        (vec![255; 64], "more than it may say"),
        ([[0, 0, 0, 1], [255; 4]].concat(), "more than it may say"),
    ] {
        let liar = liar(&[said], WAITS);
        let Err(fault) = start(&liar).await else {
            unreachable!("it is believed: {what}");
        };
        assert!(
            matches!(&fault, Fault::Unexpected { what: told } if told == what),
            "{what}: {fault:?}"
        );
    }
}

#[tokio::test]
async fn a_call_that_was_answered_or_given_up_cannot_come_back() {
    let second = made(2, "read_file", &json!({"path": "b"}), 2);
    let third = made(3, "read_file", &json!({"path": "c"}), 2);
    let both = [first(), second];
    for (waits, again) in [(&[1, 3][..], "answered"), (&[2, 3], "given up")] {
        let liar = liar(
            &[
                pause(&both, &[1, 2], ""),
                pause(std::slice::from_ref(&third), &[3], ""),
                pause(&[], waits, ""),
            ],
            WAITS,
        );
        let (mut script, stand) = start(&liar).await.expect("it is believed");
        assert_eq!(numbers(&paused(stand)), [1, 2]);
        let stand = script
            .reply(vec![value(1, json!(1))])
            .await
            .expect("it is believed");
        assert_eq!(numbers(&paused(stand)), [3]);
        let stand = script.reply(vec![]).await;
        assert!(
            matches!(&stand, Err(Fault::Unexpected { .. })),
            "{again}: {stand:?}"
        );
    }
}

#[tokio::test]
async fn a_process_that_says_nothing_more_or_less_than_it_began_is_told_apart() {
    let whole = pause(&[first()], &[1], "");
    for (said, then) in [
        (Vec::new(), "exit 3"),
        (whole[..20].to_vec(), "exit 3"),
        (whole[..5].to_vec(), "kill -SEGV $$"),
    ] {
        let liar = liar(&[said], then);
        let Err(fault) = start(&liar).await else {
            unreachable!("it is believed");
        };
        assert!(matches!(&fault, Fault::Crashed { .. }), "{fault:?}");
    }
    let nothing = PathBuf::from("/nowhere/at/all");
    let started = Script::start(&nothing, CODE, &functions(), &limits()).await;
    assert!(matches!(started, Err(Fault::NotStarted(_))));
}

#[tokio::test]
async fn a_process_that_goes_on_without_a_word_is_stopped() {
    let liar = liar(&[], "exec 3>&1 cat >&2");
    let limits = Limits {
        time: Duration::ZERO,
        ..limits()
    };
    let started = Script::start(&liar.program, CODE, &functions(), &limits).await;
    assert!(matches!(started, Err(Fault::TimeUp { .. })), "{started:?}");
}
