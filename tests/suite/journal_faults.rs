//! What can be wrong with the place where the journal is: the program says what, and runs nothing that is
//! not recorded.

use crate::support::headless::{Place, Ran};
use countersign::core::call::SessionId;
use countersign::core::run::Ran as Execution;
use countersign::store::{Journal, Reader, Step, StoreError};
use rusqlite::Connection;
use serde_json::json;
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOL: &str =
    "command = ['sh', '-c', 'echo line >> lines; echo ran']\nparameters = { type = 'object' }\n";
const TURNS: &str = "[[turns]]\nname = 'go'\non = ''\ncalls = [{ id = 'a', tool = 'ask' }]\nthen = [{ turn = 'end' }]\n\
                     [[turns]]\nname = 'end'\ntext = 'the end'\n";

fn place() -> Place {
    let tool = format!("{TOOL}requires_confirmation = true");
    Place::new(&[("ask", &tool)], "", TURNS)
}

fn approve() -> [serde_json::Value; 1] {
    [json!({ "call": "a-1-0", "approve": {} })]
}

/// The program says this, exits so, and has run nothing.
#[track_caller]
fn refuses(place: &Place, ran: &Ran, code: i32, words: &str) {
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    assert_eq!(place.read("workspace/lines"), "");
}

/// A file system of its own on the data folder, as root can have one; taken away when dropped.
struct Mounted(PathBuf);

impl Mounted {
    /// `None`, with a word, where that is not allowed.
    fn new(folder: &Path, options: &str) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(folder)
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder.to_owned()));
        }
        let skipped = b"skipped: only root can mount a file system\n";
        stderr().write_all(skipped).expect("stderr");
        None
    }

    fn again(&self, options: &str) {
        let done = Command::new("mount")
            .args(["-o", &format!("remount,{options}")])
            .arg(&self.0)
            .status();
        assert!(
            done.is_ok_and(|status| status.success()),
            "it can be mounted anew"
        );
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // What is left is a mount in a scratch folder.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn on_a_full_disk_a_decision_does_not_count_and_can_be_made_later() {
    let place = place();
    let Some(disk) = Mounted::new(&place.data(), "size=16m") else {
        return;
    };
    assert_eq!(place.begin().code, Some(3));
    let filler = place.data().join("filler");
    let copied = Command::new("dd")
        .arg("if=/dev/zero")
        .arg(format!("of={}", filler.display()))
        .arg("bs=4096")
        .output();
    assert!(
        !copied.expect("dd runs").status.success(),
        "the disk is full"
    );
    let ran = place.resume(&approve());
    assert_eq!(place.read("workspace/lines"), "");
    assert!(matches!(ran.code, Some(1 | 2)), "{ran:?}");
    std::fs::remove_file(filler).expect("it is there");
    let ran = place.resume(&approve());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(place.read("workspace/lines"), "line\n");
    drop(disk);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = place();
    let Some(disk) = Mounted::new(&place.data(), "size=16m") else {
        return;
    };
    assert_eq!(place.begin().code, Some(3));
    disk.again("ro");
    refuses(
        &place,
        &place.resume(&approve()),
        1,
        &place.data().display().to_string(),
    );
    disk.again("rw");
    assert_eq!(place.resume(&approve()).code, Some(0));
}

#[test]
fn a_journal_that_another_process_holds_is_waited_for_and_then_left() {
    let place = place();
    assert_eq!(place.begin().code, Some(3));
    let holder = Connection::open(place.journal()).expect("the journal opens");
    holder
        .execute_batch("BEGIN EXCLUSIVE")
        .expect("nobody writes");
    refuses(
        &place,
        &place.resume(&approve()),
        1,
        "is held by another process",
    );
    holder.execute_batch("ROLLBACK").expect("it is let go");
    assert_eq!(place.resume(&approve()).code, Some(0));
}

#[test]
fn a_damaged_journal_is_refused_and_left_as_it_is() {
    let place = place();
    assert_eq!(place.begin().code, Some(3));
    let mut bytes = std::fs::read(place.journal()).expect("it is there");
    bytes[100..4096].fill(0xAA);
    std::fs::write(place.journal(), &bytes).expect("it can be written");
    refuses(&place, &place.resume(&approve()), 1, "is damaged");
    refuses(&place, &place.begin(), 1, "is damaged");
    assert_eq!(std::fs::read(place.journal()).expect("it is there"), bytes);
}

#[test]
fn a_journal_of_a_newer_version_is_refused_and_left_as_it_is() {
    let place = place();
    assert_eq!(place.begin().code, Some(3));
    let raw = Connection::open(place.journal()).expect("the journal opens");
    raw.pragma_update(None, "user_version", 99)
        .expect("a number");
    drop(raw);
    refuses(
        &place,
        &place.resume(&approve()),
        1,
        "was written by a newer version (schema 99, this program knows 2)",
    );
    refuses(&place, &place.begin(), 1, "newer version");
}

#[test]
fn a_database_of_another_program_is_refused_and_left_as_it_is() {
    let place = place();
    let raw = Connection::open(place.journal()).expect("a file");
    raw.execute_batch("CREATE TABLE theirs (x); PRAGMA user_version = 1")
        .expect("a table");
    drop(raw);
    let before = std::fs::read(place.journal()).expect("it is there");
    refuses(
        &place,
        &place.begin(),
        1,
        "is not a journal of this program",
    );
    refuses(
        &place,
        &place.resume(&approve()),
        1,
        "is not a journal of this program",
    );
    assert_eq!(std::fs::read(place.journal()).expect("it is there"), before);
}

#[tokio::test]
async fn a_clock_that_jumps_back_changes_no_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let (journal, writer) = Journal::open(folder.path()).expect("a journal");
    let raw = Connection::open(folder.path().join("journal.db")).expect("the journal opens");
    let session = |id: &str| SessionId(id.to_owned());
    let body = r#"{"session":{"agent":"a","model":"m","config":null}}"#;
    let insert = "INSERT INTO journal (at, session, kind, body) VALUES ('2999-01-01T00:00:00Z', 'old', 'session', ?1)";
    raw.execute(insert, [body]).expect("a row");
    let step = Step::Session {
        agent: "a".to_owned(),
        model: "m".to_owned(),
        config: None,
        file: None,
    };
    journal
        .append(&session("new"), step)
        .await
        .expect("it is written");
    let finished = |text: &str| Step::Finished {
        call: countersign::core::call::CallId("c".to_owned()),
        attempt: 0,
        ran: Execution::Result(text.to_owned()),
    };
    journal
        .append(&session("old"), finished("later"))
        .await
        .expect("it is written");
    let twice = journal.append(&session("old"), finished("again")).await;
    assert!(
        matches!(twice, Err(StoreError::Twice("finished"))),
        "{twice:?}"
    );
    drop(journal);
    writer.join();
    let reader = Reader::open(folder.path()).expect("the journal opens");
    let names: Vec<_> = reader
        .sessions()
        .expect("it can be read")
        .into_iter()
        .map(|row| row.id.0)
        .collect();
    assert_eq!(names, ["new", "old"]);
    let steps = reader.steps(&session("old"), 0).expect("it can be read");
    let kinds: Vec<_> = steps.iter().map(|stored| stored.step.kind()).collect();
    assert_eq!(kinds, ["session", "finished"]);
}
