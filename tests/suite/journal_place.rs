//! The journal's files belong together: nothing opens a part of them, and nothing is written to files that
//! have lost their names.

use crate::support::desk::{call, key};
use crate::support::headless::Place;
use countersign::core::call::SessionId;
use countersign::core::decision::{Decision, How, Reach, Ruling};
use countersign::store::{Journal, Reader, Recorded, Step, StoreError};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn ruling(id: &str) -> Ruling {
    let call = call(id, "book_flight", r#"{"to":"Millau"}"#);
    let decision = Decision::Approve { arguments: None };
    Ruling {
        file: None,
        reach: Reach::Once,
        digest: Ruling::digest_of(&call, &decision),
        key: call.key,
        tool: call.tool,
        decision,
        proposed: call.arguments,
        who: "ada".to_owned(),
        at: jiff::Timestamp::new(1_000_000_000, 123_456_789).expect("a time"),
        how: How::Key,
        shown_for: 1000,
    }
}

const PARTS: [&str; 3] = ["journal.db", "journal.db-wal", "journal.db-shm"];

fn session() -> Step {
    Step::Session {
        agent: "test".to_owned(),
        model: "m".to_owned(),
        config: None,
        file: None,
    }
}

/// What a process that was killed leaves in `folder`: commits that are not in the file yet.
async fn killed(folder: &Path) {
    let made = self::folder();
    let (journal, writer) = Journal::open(made.path()).expect("the journal opens");
    let name = SessionId("0000-hot".to_owned());
    let appended = journal.append(&name, session()).await;
    appended.expect("it is written");
    for name in ["journal.db", "journal.db-wal"] {
        fs::copy(made.path().join(name), folder.join(name)).expect("it is there");
    }
    drop(journal);
    writer.join();
}

fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |found| found.len())
}

#[tokio::test]
async fn a_journal_that_is_gone_is_not_begun_anew_over_its_last_commits() {
    let place = Place::new(&[], "", "");
    killed(&place.data()).await;
    let log = place.data().join("journal.db-wal");
    let commits = size(&log);
    assert!(commits > 0);
    fs::rename(place.journal(), place.path("kept.db")).expect("it can be moved");
    let told = format!(
        "the journal {} is missing or empty, but {} beside it holds what was recorded last; nothing was changed; put the journal back beside it, or, to restore a copy or to begin a new one, move that file and the one with -shm away first",
        place.journal().display(),
        log.display()
    );
    let every = [
        &["run", "--prompt", "go", "--headless"][..],
        &["resume", "--headless"],
        &["sessions"],
        &["audit"],
        &["audit", "verify"],
        &["audit", "export"],
    ];
    for is_empty in [false, true] {
        if is_empty {
            fs::write(place.journal(), "").expect("it can be written");
        }
        for arguments in every {
            let (code, out, err) = place.print(arguments);
            let expected = (Some(1), String::new(), format!("countersign: {told}\n"));
            assert_eq!((code, out, err), expected, "{arguments:?}");
        }
        assert_eq!((size(&log), size(&place.journal())), (commits, 0));
    }
    fs::rename(place.path("kept.db"), place.journal()).expect("it can be moved back");
    let (code, out, _) = place.print(&["sessions"]);
    assert_eq!((code, out.contains("0000-hot")), (Some(0), true), "{out}");
}

#[tokio::test]
async fn an_empty_file_is_no_journal_yet_for_any_command() {
    let place = Place::new(&[], "", "");
    fs::write(place.journal(), "").expect("it can be written");
    let (code, out, _) = place.print(&["sessions"]);
    let none = "no session yet; start one with `countersign run`\n";
    assert_eq!((code, out.as_str()), (Some(0), none));
    let error = Reader::open(&place.data()).expect_err("there is none");
    assert!(matches!(error, StoreError::None { .. }), "{error}");
    assert_eq!(size(&place.journal()), 0);
    let (journal, writer) = Journal::open(&place.data()).expect("a new one is begun");
    let appended = journal.append(&SessionId("s".to_owned()), session()).await;
    appended.expect("it is written");
    drop(journal);
    writer.join();
}

#[tokio::test]
async fn nothing_is_recorded_in_a_journal_that_was_moved_or_removed() {
    for part in PARTS {
        let folder = folder();
        let (journal, writer) = Journal::open(folder.path()).expect("the journal opens");
        let recorded = journal.record(ruling("c1")).await;
        assert_eq!(recorded.expect("it is written"), Recorded::Now);
        let (here, there) = (folder.path().join(part), folder.path().join("aside"));
        fs::rename(&here, &there).expect("it can be moved");
        let moved = journal.record(ruling("c2")).await;
        assert!(matches!(moved, Err(StoreError::Moved { .. })), "{moved:?}");
        // Another file under its name is not the one that was opened.
        fs::copy(&there, &here).expect("it can be copied");
        let moved = journal.record(ruling("c2")).await;
        assert!(matches!(moved, Err(StoreError::Moved { .. })), "{moved:?}");
        fs::rename(&there, &here).expect("it can be moved back");
        let recorded = journal.record(ruling("c2")).await;
        assert_eq!(recorded.expect("it is written"), Recorded::Now);
        let reader = Reader::open(folder.path()).expect("the journal opens");
        let found = reader.ruling(&key("c2")).expect("it can be read");
        assert_eq!(found, Some(ruling("c2")));
        drop(journal);
        writer.join();
    }
}

#[test]
fn nothing_runs_once_the_journal_was_removed() {
    let removes = "command = ['sh', '-c', 'rm ../data/journal.db; echo removed']\nparameters = { type = 'object' }\n";
    let marks = "command = ['sh', '-c', 'echo line >> lines']\nparameters = { type = 'object' }\n";
    let turns = "[[turns]]\nname = 'go'\non = ''\ncalls = [{ id = 'a', tool = 'removes' }]\nthen = [{ turn = 'next' }]\n\
                 [[turns]]\nname = 'next'\ncalls = [{ id = 'b', tool = 'marks' }]\nthen = [{ turn = 'end' }]\n\
                 [[turns]]\nname = 'end'\ntext = 'the end'\n";
    let place = Place::new(&[("removes", removes), ("marks", marks)], "", turns);
    let ran = place.begin();
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.read("workspace/lines"), "");
    let told = format!("{ran:?}");
    assert!(
        told.contains("the journal was moved or removed while in use"),
        "{told}"
    );
}

#[tokio::test]
async fn only_its_owner_can_read_the_journal() {
    let folder = folder();
    let modes = || {
        PARTS.map(|part| {
            let found = fs::metadata(folder.path().join(part)).expect("it is there");
            found.mode() & 0o777
        })
    };
    let (journal, writer) = Journal::open(folder.path()).expect("the journal opens");
    assert_eq!(modes(), [0o600; 3]);
    for part in PARTS {
        let open = fs::Permissions::from_mode(0o664);
        fs::set_permissions(folder.path().join(part), open).expect("it is ours");
    }
    let (other, another) = Journal::open(folder.path()).expect("the journal opens");
    assert_eq!(modes(), [0o600; 3]);
    for (journal, writer) in [(journal, writer), (other, another)] {
        drop(journal);
        writer.join();
    }
}

#[tokio::test]
async fn who_was_first_is_told_without_parts_of_a_second() {
    let folder = folder();
    let (journal, writer) = Journal::open(folder.path()).expect("the journal opens");
    let first = journal.record(ruling("c1")).await.expect("it is written");
    let second = journal.record(ruling("c1")).await.expect("it is refused");
    let by = "approved by ada at 2001-09-09T01:46:40Z".to_owned();
    assert_eq!((first, second), (Recorded::Now, Recorded::Before { by }));
    drop(journal);
    writer.join();
}
