//! The journal: the first ruling is the only one, nothing happens twice, nothing is ever changed.

use countersign::core::arguments::Arguments;
use countersign::core::call::SessionId;
use countersign::core::decision::{Decision, How, Ruling};
use countersign::core::digest::Digest;
use countersign::core::exchange::Append;
use countersign::core::run::Ran;
use countersign::store::{Journal, Reader, Recorded, Step, StoreError, Writer};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

use crate::support::desk::{SESSION, call, key};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn open(folder: &TempDir) -> (Journal, Writer) {
    Journal::open(folder.path()).expect("the journal opens")
}

fn close((journal, writer): (Journal, Writer)) {
    drop(journal);
    writer.join();
}

/// The file itself, past the program.
fn raw(folder: &TempDir) -> Connection {
    Connection::open(folder.path().join("journal.db")).expect("the file can be opened")
}

fn ruling(id: &str, who: &str, decision: Decision) -> Ruling {
    let call = call(id, "book_flight", r#"{"to":"Millau"}"#);
    Ruling {
        file: None,
        reach: countersign::core::decision::Reach::Once,
        digest: Ruling::digest_of(&call, &decision),
        key: call.key,
        tool: call.tool,
        decision,
        proposed: call.arguments,
        who: who.to_owned(),
        at: jiff::Timestamp::UNIX_EPOCH,
        how: How::Key,
        shown_for: 1000,
    }
}

fn approval(id: &str, who: &str) -> Ruling {
    ruling(id, who, Decision::Approve { arguments: None })
}

fn rejection(id: &str, who: &str) -> Ruling {
    let reason = "no".to_owned();
    ruling(id, who, Decision::Reject { reason })
}

fn started(id: &str, attempt: u32) -> Step {
    Step::Started {
        call: key(id).call,
        attempt,
        digest: Digest::of_bytes(b""),
    }
}

fn finished(id: &str, attempt: u32) -> Step {
    let text = "done".to_owned();
    Step::Finished {
        call: key(id).call,
        attempt,
        ran: Ran::Result(text),
    }
}

fn session() -> Step {
    Step::Session {
        config: None,
        file: None,
        agent: "travel".to_owned(),
        model: "m".to_owned(),
    }
}

/// The session of all steps here.
fn this() -> &'static SessionId {
    static THIS: LazyLock<SessionId> = LazyLock::new(|| SessionId(SESSION.to_owned()));
    &THIS
}

/// Each step as `kind call attempt`, in order.
fn steps(folder: &TempDir) -> Vec<String> {
    let connection = raw(folder);
    let mut statement = connection
        .prepare(
            "SELECT kind || ' ' || coalesce(call, '-') || ' ' || attempt FROM journal ORDER BY seq",
        )
        .expect("the table is there");
    let rows = statement
        .query_map([], |row| row.get(0))
        .expect("it can be read");
    rows.collect::<Result<_, _>>().expect("each row is text")
}

fn bodies(folder: &TempDir, kind: &str) -> Vec<Value> {
    let connection = raw(folder);
    let mut statement = connection
        .prepare("SELECT body FROM journal WHERE kind = ?1 ORDER BY seq")
        .expect("the table is there");
    let rows = statement
        .query_map([kind], |row| row.get::<_, String>(0))
        .expect("it can be read");
    let parse = |body: Result<String, _>| {
        let body: Value = serde_json::from_str(&body.expect("it is text")).expect("it is JSON");
        body[kind].clone()
    };
    rows.map(parse).collect()
}

fn before(by: &str) -> Recorded {
    Recorded::Before { by: by.to_owned() }
}

#[tokio::test]
async fn the_first_ruling_is_the_only_one() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    let first = journal.record(approval("c1", "ada@desk")).await;
    assert_eq!(first.expect("it is written"), Recorded::Now);
    for other in [rejection("c1", "eve@far"), approval("c1", "ada@desk")] {
        let second = journal.record(other).await.expect("it is answered");
        assert_eq!(
            second,
            before("approved by ada@desk at 1970-01-01T00:00:00Z")
        );
    }
    assert_eq!(
        journal
            .record(rejection("c2", "eve@far"))
            .await
            .expect("it is written"),
        Recorded::Now
    );
    close((journal, writer));
    let expected =
        [approval("c1", "ada@desk"), rejection("c2", "eve@far")].map(|ruling| json!(ruling));
    assert_eq!(bodies(&folder, "ruling"), expected);
}

#[tokio::test]
async fn of_two_consoles_on_one_journal_exactly_one_decides() {
    let folder = folder();
    let (one, two) = (open(&folder), open(&folder));
    for number in 0..20 {
        let id = format!("c{number}");
        let (a, b) = tokio::join!(
            one.0.record(approval(&id, "ada")),
            two.0.record(rejection(&id, "eve"))
        );
        let by_ada = (
            Recorded::Now,
            before("approved by ada at 1970-01-01T00:00:00Z"),
        );
        let by_eve = (
            before("rejected by eve at 1970-01-01T00:00:00Z"),
            Recorded::Now,
        );
        let both = (a.expect("it is answered"), b.expect("it is answered"));
        assert!(both == by_ada || both == by_eve, "{both:?}");
    }
    close(one);
    close(two);
    assert_eq!(steps(&folder).len(), 20);
}

#[tokio::test]
async fn nothing_starts_or_finishes_twice() {
    let folder = folder();
    let one = open(&folder);
    for step in [
        started("c1", 0),
        finished("c1", 0),
        started("c1", 1),
        started("c2", 0),
    ] {
        one.0.append(this(), step).await.expect("it is new");
    }
    let two = open(&folder);
    for (journal, step) in [
        (&one.0, started("c1", 0)),
        (&two.0, started("c1", 1)),
        (&two.0, finished("c1", 0)),
    ] {
        let refused = journal
            .append(this(), step.clone())
            .await
            .expect_err("it was done");
        let what = format!(
            "the journal already holds this step ({}); it is not done twice",
            step.kind()
        );
        assert_eq!(refused.to_string(), what);
    }
    close(one);
    close(two);
    assert_eq!(
        steps(&folder),
        [
            "started c1 0",
            "finished c1 0",
            "started c1 1",
            "started c2 0"
        ]
    );
}

#[tokio::test]
async fn a_refused_step_takes_none_of_its_group_along() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    journal
        .append(this(), started("c1", 0))
        .await
        .expect("it is new");
    let group = [started("c2", 0), started("c1", 0), started("c3", 0)]
        .map(|step| journal.append(this(), step));
    let answers = futures::future::join_all(group).await;
    let taken: Vec<_> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(taken, [true, false, true]);
    close((journal, writer));
    assert_eq!(
        steps(&folder),
        ["started c1 0", "started c2 0", "started c3 0"]
    );
}

#[tokio::test]
async fn steps_stand_in_the_order_they_were_handed_in() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    let calls: Vec<_> = (0..1000).map(|number| format!("c{number}")).collect();
    let appended = calls
        .iter()
        .map(|id| journal.append(this(), started(id, 0)));
    // All at once, without the pauses by which tokio lets others have a turn.
    let all = tokio::task::unconstrained(futures::future::join_all(appended));
    let answers = all.await;
    assert!(answers.iter().all(Result::is_ok));
    close((journal, writer));
    let expected: Vec<_> = calls.iter().map(|id| format!("started {id} 0")).collect();
    assert!(steps(&folder) == expected);
}

#[tokio::test]
async fn every_kind_of_step_is_written_with_what_it_says() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    let arrived = call("c1", "book_flight", "{ \"to\" : \"Mill\u{202e}au\" }");
    journal
        .append(this(), session())
        .await
        .expect("it is written");
    journal
        .append(this(), session())
        .await
        .expect("a session may begin again");
    journal
        .append(this(), Step::Arrived(Box::new(arrived.clone())))
        .await
        .expect("it is written");
    journal
        .append(this(), started("c1", 0))
        .await
        .expect("it is written");
    journal
        .append(this(), finished("c1", 0))
        .await
        .expect("it is written");
    close((journal, writer));
    assert_eq!(
        steps(&folder),
        [
            "session - 0",
            "session - 0",
            "arrived c1 0",
            "started c1 0",
            "finished c1 0"
        ]
    );
    assert_eq!(
        bodies(&folder, "session")[0],
        json!({ "agent": "travel", "model": "m", "config": null })
    );
    let body = bodies(&folder, "arrived").remove(0);
    assert_eq!(body["arguments"], json!("{ \"to\" : \"Mill\u{202e}au\" }"));
    let read: countersign::core::call::Call =
        serde_json::from_value(body).expect("it can be read back");
    assert_eq!(read, arrived);
    assert_eq!(
        bodies(&folder, "started"),
        [json!({ "call": "c1", "attempt": 0, "digest": Digest::of_bytes(b"") })]
    );
    assert_eq!(
        bodies(&folder, "finished"),
        [json!({ "call": "c1", "attempt": 0, "ran": { "result": "done" } })]
    );
}

#[tokio::test]
async fn the_journal_cannot_be_changed_or_cut() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    journal
        .record(approval("c1", "ada"))
        .await
        .expect("it is written");
    close((journal, writer));
    let connection = raw(&folder);
    for statement in [
        "UPDATE journal SET body = '{}'",
        "DELETE FROM journal",
        "UPDATE journal SET seq = 9",
    ] {
        let refused = connection
            .execute(statement, [])
            .expect_err("it must not be done");
        assert_eq!(refused.to_string(), "the journal is append-only");
    }
    assert_eq!(steps(&folder), ["ruling c1 0"]);
    assert_eq!(bodies(&folder, "ruling"), [json!(approval("c1", "ada"))]);
}

#[tokio::test]
async fn a_row_cannot_be_replaced_either() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    journal
        .record(approval("c1", "ada"))
        .await
        .expect("it is written");
    close((journal, writer));
    let row = "INSERT OR REPLACE INTO journal (seq, at, session, call, kind, body) VALUES";
    let connection = raw(&folder);
    for values in [
        "(1, '', 's1', 'c1', 'note', '{}')",
        "(NULL, '', 's1', 'c1', 'ruling', '{}')",
    ] {
        assert!(
            connection.execute(&format!("{row} {values}"), []).is_err(),
            "{values}"
        );
    }
    assert_eq!(bodies(&folder, "ruling"), [json!(approval("c1", "ada"))]);
}

#[tokio::test]
async fn what_was_recorded_is_there_after_opening_again() {
    let folder = folder();
    let first = open(&folder);
    first
        .0
        .record(approval("c1", "ada"))
        .await
        .expect("it is written");
    close(first);
    let (journal, writer) = open(&folder);
    let again = journal
        .record(rejection("c1", "eve"))
        .await
        .expect("it is answered");
    assert_eq!(again, before("approved by ada at 1970-01-01T00:00:00Z"));
    close((journal, writer));
}

#[tokio::test]
async fn everything_handed_in_is_written_before_the_writer_ends() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    for number in 0..100 {
        let journal = journal.clone();
        // Handed in, and nobody waits for the answer.
        let append = journal.append(this(), started(&format!("c{number}"), 0));
        let _ = futures::FutureExt::now_or_never(append);
    }
    close((journal, writer));
    assert_eq!(steps(&folder).len(), 100);
}

fn refused(folder: &Path) -> StoreError {
    Journal::open(folder).expect_err("it must not open")
}

#[test]
fn a_journal_of_a_newer_version_is_refused_and_left_alone() {
    let folder = folder();
    close(open(&folder));
    raw(&folder)
        .pragma_update(None, "user_version", 7)
        .expect("the file can be written");
    let path = folder.path().join("journal.db");
    let what = format!(
        "the journal {} was written by a newer version (schema 7, this program knows 2); use that version",
        path.display()
    );
    assert_eq!(refused(folder.path()).to_string(), what);
    let version: i64 = raw(&folder)
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("it can be read");
    assert_eq!(version, 7);
}

/// That it is refused, naming the file, what is wrong with it, and what to do.
fn cannot_open(folder: &TempDir, why: &str) {
    let path = folder.path().join("journal.db");
    let what = format!(
        "cannot open the journal {}: {why}; check that the file is a journal of this program and can be written",
        path.display()
    );
    assert_eq!(refused(folder.path()).to_string(), what);
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = folder();
    let text = "not a database, but long enough to look at. ".repeat(100);
    std::fs::write(folder.path().join("journal.db"), &text).expect("it can be written");
    let path = folder.path().join("journal.db");
    assert_eq!(
        refused(folder.path()).to_string(),
        format!(
            "the journal {} is damaged (file is not a database); nothing was changed; move `journal.db`, `journal.db-wal` and `journal.db-shm` away together, then put a copy of before there, or begin a new one",
            path.display()
        )
    );
    let after = std::fs::read_to_string(folder.path().join("journal.db")).expect("it is there");
    assert_eq!(after, text);
}

#[test]
fn a_file_that_was_overwritten_in_the_middle_is_refused() {
    let folder = folder();
    close(open(&folder));
    let path = folder.path().join("journal.db");
    let mut bytes = std::fs::read(&path).expect("it is there");
    bytes[100..4096].fill(0xAA);
    std::fs::write(&path, bytes).expect("it can be written");
    assert!(matches!(refused(folder.path()), StoreError::Damaged { .. }));
}

#[test]
fn a_folder_in_the_place_of_the_file_is_refused() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("journal.db")).expect("it can be made");
    let error = refused(folder.path()).to_string();
    assert!(error.contains("unable to open database file"), "{error}");
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused() {
    let folder = folder();
    let path = folder.path().join("state");
    std::fs::write(&path, "").expect("it can be written");
    let what = format!(
        "cannot create the data folder {}: File exists (os error 17); make it writable, or name another with COUNTERSIGN_DATA_DIR",
        path.display()
    );
    assert_eq!(refused(&path).to_string(), what);
}

#[test]
fn a_journal_that_may_only_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    // The administrator may write everything: for them there is nothing to refuse.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = folder();
    close(open(&folder));
    let permit = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    permit(&folder.path().join("journal.db"), 0o400);
    cannot_open(&folder, "attempt to write a readonly database");
    permit(&folder.path().join("journal.db"), 0o600);
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    permit(elsewhere.path(), 0o500);
    let error = refused(elsewhere.path()).to_string();
    permit(elsewhere.path(), 0o700);
    assert!(error.contains("unable to open database file"), "{error}");
}

#[test]
fn the_data_folder_is_made_with_those_above_it() {
    let folder = folder();
    let deep = folder.path().join("a/b");
    close(Journal::open(&deep).expect("it opens"));
    assert!(deep.join("journal.db").is_file());
}

#[tokio::test]
async fn a_journal_that_another_program_holds_is_waited_for() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    let other = raw(&folder);
    other
        .execute_batch("BEGIN IMMEDIATE")
        .expect("it can be locked");
    let mut record = Box::pin(journal.record(approval("c1", "ada")));
    assert!(futures::FutureExt::now_or_never(&mut record).is_none());
    other.execute_batch("COMMIT").expect("it can be unlocked");
    assert_eq!(record.await.expect("it is written"), Recorded::Now);
    close((journal, writer));
}

#[tokio::test]
async fn edited_arguments_are_recorded_beside_what_was_proposed() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    let edited = Arguments::parse("{\"to\": \"Rodez\"}").expect("they are sound");
    let ruling = ruling(
        "c1",
        "ada",
        Decision::Approve {
            arguments: Some(edited),
        },
    );
    journal.record(ruling.clone()).await.expect("it is written");
    close((journal, writer));
    let read: Ruling =
        serde_json::from_value(bodies(&folder, "ruling").remove(0)).expect("it can be read back");
    assert_eq!(read, ruling);
    assert_eq!(
        read.permits().map(Arguments::text),
        Some("{\"to\": \"Rodez\"}")
    );
}

#[tokio::test]
async fn calls_that_were_begun_and_did_not_end_are_counted() {
    let folder = folder();
    let (journal, writer) = open(&folder);
    let name = SessionId(SESSION.to_owned());
    let write = async |step| journal.append(&name, step).await.expect("it is written");
    let count = || {
        let reader = Reader::open(folder.path()).expect("the journal opens");
        let rows = reader.sessions().expect("it can be read");
        (rows[0].begun, rows[0].pending)
    };
    let asked = |of: &str| {
        let mut call = call(of, "book_flight", "{}");
        call.key.call = key(of).call.aside("unknown-1");
        Step::Arrived(Box::new(call))
    };
    write(session()).await;
    for step in [started("a", 1), started("b", 1), started("c", 1)] {
        write(step).await;
    }
    assert_eq!(count(), (3, 0));
    write(finished("a", 1)).await;
    assert_eq!(count(), (2, 0));
    // A person is asked, so it waits; then it runs once more.
    write(asked("b")).await;
    assert_eq!(count(), (1, 1));
    write(started("b", 2)).await;
    assert_eq!(count(), (2, 1));
    let append = Append::default();
    write(Step::Sent { append }).await;
    assert_eq!(count(), (0, 1));
    drop(journal);
    writer.join();
}
