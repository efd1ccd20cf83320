//! The audit log: what it records, and that nothing can be done to it that does not show.

use crate::support::agent::{Setup, reject};
use crate::support::desk::call;
use crate::support::headless::Place;
use countersign::core::call::Call;
use countersign::core::decision::{Decision, How, Ruling};
use countersign::store::audit::{Link, START};
use countersign::store::{Journal, Reader, Step};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;

fn at(second: i64) -> jiff::Timestamp {
    jiff::Timestamp::new(1_000_000_000 + second, 0).expect("a time")
}

fn ruling(call: &Call, decision: Decision, second: i64) -> Ruling {
    Ruling {
        file: None,
        reach: countersign::core::decision::Reach::Once,
        digest: Ruling::digest_of(call, &decision),
        key: call.key.clone(),
        tool: call.tool.clone(),
        decision,
        proposed: call.arguments.clone(),
        who: "ada@home@desk from 192.0.2.7".to_owned(),
        at: at(second),
        how: How::Batch { size: 3 },
        shown_for: 1234,
    }
}

/// A log of these decisions, on calls that a person was asked about.
async fn log(decisions: Vec<Decision>) -> Place {
    let place = Place::new(&[], "", "");
    let (journal, writer) = Journal::open(&place.data()).expect("a journal");
    for (number, decision) in decisions.into_iter().enumerate() {
        let call = call(&format!("c{number}"), "book_flight", r#"{"to":"Millau"}"#);
        let step = Step::Arrived(Box::new(call.clone()));
        let arrived = journal.append(&call.key.session, step).await;
        arrived.expect("it is written");
        let second = i64::try_from(number).expect("few");
        let recorded = journal.record(ruling(&call, decision, second)).await;
        recorded.expect("it is written");
    }
    drop(journal);
    writer.join();
    place
}

/// Five decisions, one of each kind.
async fn five() -> Place {
    log(vec![
        Decision::Approve { arguments: None },
        reject("=cmd|' /C calc'!A0\nnot today"),
        Decision::Respond {
            result: "booked by hand".to_owned(),
        },
        Decision::Retry {
            message: "look for a train".to_owned(),
        },
        Decision::Approve {
            arguments: Some(
                countersign::core::arguments::Arguments::parse(r#"{"to":"Mende"}"#).expect("JSON"),
            ),
        },
    ])
    .await
}

fn links(place: &Place) -> Vec<Link> {
    let reader = Reader::open(&place.data()).expect("the journal opens");
    reader.audit().expect("the log can be read")
}

/// The records as JSON.
fn records(place: &Place) -> Vec<Value> {
    let records = links(place).into_iter();
    let parse = |link: Link| serde_json::from_str(&link.record).expect("JSON");
    records.map(parse).collect()
}

/// An export and the head that it printed.
fn exported(place: &Place) -> (Vec<String>, String) {
    let out = place.path("log.jsonl").display().to_string();
    let (code, told, _) = place.print(&["audit", "export", "--out", &out]);
    assert_eq!(code, Some(0));
    let head = told
        .trim_end()
        .rsplit(' ')
        .next()
        .expect("a head")
        .to_owned();
    (
        place.read("log.jsonl").lines().map(str::to_owned).collect(),
        head,
    )
}

/// What the check of these lines says.
fn verify(place: &Place, lines: &[String], head: Option<&str>) -> (Option<i32>, String) {
    place.write("other.jsonl", &(lines.join("\n") + "\n"));
    let file = place.path("other.jsonl").display().to_string();
    let mut arguments = vec!["audit", "verify", &file];
    arguments.extend(head.iter().flat_map(|head| ["--head", head]));
    let (code, out, error) = place.print(&arguments);
    (code, out + &error)
}

fn broken(why: &str) -> (Option<i32>, String) {
    (
        Some(1),
        format!("countersign: the audit log does not hold: {why}\n"),
    )
}

/// Changes the database past the program.
fn tamper(place: &Place, sql: &str) {
    let database = Connection::open(place.journal()).expect("the journal opens");
    let triggers = "DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_cut;
                    DROP TRIGGER audit_is_never_replaced; DROP TRIGGER journal_is_never_cut;";
    database
        .execute_batch(&format!("{triggers}{sql}"))
        .expect("it can be changed");
}

fn verify_log(place: &Place, more: &[&str]) -> (Option<i32>, String) {
    let arguments: Vec<_> = ["audit", "verify"].iter().chain(more).copied().collect();
    let (code, out, error) = place.print(&arguments);
    (code, out + &error)
}

#[tokio::test]
async fn a_ruling_is_recorded_with_all_that_makes_it_one() {
    let place = five().await;
    let digest = |arguments| call("c", "book_flight", arguments).digest().to_string();
    let record = json!({
        "number": 5, "at": "2001-09-09T01:46:44Z",
        "session": "s-1", "agent": "travel", "call": "c4", "tool": "book_flight",
        "decision": "edit", "reach": "once", "how": "batch", "batch": 3,
        "user": "ada@home", "host": "desk", "client": "192.0.2.7",
        "basis": "the tool's default", "digest": digest(r#"{"to":"Mende"}"#),
        "proposed": r#"{"to":"Millau"}"#, "sent": r#"{"to":"Mende"}"#,
        "words": null, "shown_for": 1234,
    });
    let mut found = records(&place).remove(4);
    found["session"] = json!("s-1");
    found["agent"] = json!("travel");
    assert_eq!(found, record);
    let kinds: Vec<_> = records(&place)
        .iter()
        .map(|record| record["decision"].clone())
        .collect();
    assert_eq!(kinds, ["approve", "reject", "respond", "retry", "edit"]);
    let sent: Vec<_> = records(&place)
        .iter()
        .map(|record| record["sent"].is_null())
        .collect();
    assert_eq!(sent, [false, true, true, true, false]);
}

#[tokio::test]
async fn what_policy_let_run_or_denied_is_recorded_too() {
    let rules = "[[rules]]\ntool = 'never'\nverdict = 'deny'\nreason = 'no'\n";
    let calls = "{ id = 'a', tool = 'free', arguments = { n = 1 } }, { id = 'b', tool = 'never' },";
    let mut run = Setup::calls(calls, "end")
        .tool("free", "echo ran")
        .tool("never", "echo ran")
        .rules(rules)
        .start()
        .await;
    run.say("go").await;
    run.end().await;
    let reader = Reader::open(&run.data()).expect("the journal opens");
    let links = reader.audit().expect("the log can be read");
    let parts = |link: Link| {
        let record = link.record().expect("a record");
        (
            record.agent.clone(),
            record.call.0.clone(),
            record.decision.word(),
            record.how.word(),
            record.who(),
            record.basis.clone(),
            record.sent,
            record.words,
        )
    };
    let found: Vec<_> = links.into_iter().map(parts).collect();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        found,
        [
            (
                text("test"),
                text("a-1-0"),
                "allow",
                "default",
                text("policy"),
                text("the tool's default"),
                Some(text(r#"{"n":1}"#)),
                None
            ),
            (
                text("test"),
                text("b-1-1"),
                "deny",
                "rule",
                text("policy"),
                text("rule 1"),
                None,
                Some(text("no"))
            ),
        ]
    );
}

#[tokio::test]
async fn a_log_that_nobody_touched_holds() {
    let place = five().await;
    let (lines, head) = exported(&place);
    let holds = (Some(0), format!("5 records hold, head {head}\n"));
    assert_eq!(verify(&place, &lines, Some(&head)), holds);
    assert_eq!(verify_log(&place, &["--head", &head]), holds);
    assert_eq!(links(&place)[0].prev, START);
}

#[tokio::test]
async fn an_empty_log_holds_and_any_head_is_missing_from_it() {
    let place = log(Vec::new()).await;
    let holds = (Some(0), format!("0 records hold, head {START}\n"));
    assert_eq!(verify_log(&place, &[]), holds);
    assert_eq!(verify_log(&place, &["--head", START]), holds);
    let head = "ab".repeat(32);
    let missing = format!(
        "record 1 is missing or was written anew: the head {head} that was kept is not in the chain"
    );
    // A hash may be written in either case.
    for head in [head.to_uppercase(), head] {
        assert_eq!(verify_log(&place, &["--head", &head]), broken(&missing));
    }
}

#[test]
fn where_there_is_no_journal_no_log_holds() {
    let place = Place::new(&[], "", "");
    let told = format!(
        "countersign: there is no journal {} yet; `countersign run` begins one, and COUNTERSIGN_DATA_DIR names another folder\n",
        place.journal().display()
    );
    let nothing = (Some(2), String::new(), told);
    assert_eq!(place.print(&["audit", "verify"]), nothing);
    assert_eq!(place.print(&["audit", "verify", "--head", START]), nothing);
    assert_eq!(place.print(&["audit", "export"]), nothing);
    let listed = "there is no journal yet; `countersign run` begins one\n".to_owned();
    assert_eq!(place.print(&["audit"]), (Some(0), listed, String::new()));
    assert!(!place.journal().exists());
}

#[tokio::test]
async fn a_head_that_is_no_hash_is_refused() {
    let place = five().await;
    for head in ["ab", "", &START[1..], &"g".repeat(64), &"ä".repeat(32)] {
        let (code, told) = verify_log(&place, &["--head", head]);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains("write the 64 hexadecimal digits"), "{told}");
    }
}

#[tokio::test]
async fn a_broken_record_is_named_before_a_head_that_is_missing() {
    let head = "ab".repeat(32);
    let place = five().await;
    let other = log(vec![Decision::Approve { arguments: None }; 5]).await;
    let other = other.journal().display().to_string();
    tamper(
        &place,
        &format!(
            "ATTACH '{other}' AS other; DELETE FROM audit; INSERT INTO audit SELECT * FROM other.audit;"
        ),
    );
    assert_eq!(
        verify_log(&place, &["--head", &head]),
        broken("record 2 is not what the journal's ruling says")
    );
    let place = five().await;
    let (mut lines, _) = exported(&place);
    lines[2] = lines[2].replace("by hand", "by band");
    let why = "record 3 was changed: its hash does not fit what it says";
    assert_eq!(verify(&place, &lines, Some(&head)), broken(why));
}

#[tokio::test]
async fn any_changed_byte_of_an_export_is_found() {
    let place = five().await;
    let (lines, _) = exported(&place);
    let changed = |at: usize| {
        let mut line = lines[2].clone().into_bytes();
        line[at] = if line[at] == b'1' { b'2' } else { b'1' };
        Link::of_line(&String::from_utf8_lossy(&line))
    };
    let original = Link::of_line(&lines[2]).expect("it is a line");
    for at in 0..lines[2].len() {
        let Ok(link) = changed(at) else { continue };
        let mut chain = countersign::store::audit::Chain::new(None);
        for line in &lines[..2] {
            chain
                .take(&Link::of_line(line).expect("a line"))
                .expect("it holds");
        }
        assert_ne!(link, original);
        assert!(chain.take(&link).is_err(), "byte {at} of {}", lines[2]);
    }
    let mut lines = lines;
    lines[2] = lines[2].replace("by hand", "by band");
    let why = "record 3 was changed: its hash does not fit what it says";
    assert_eq!(verify(&place, &lines, None), broken(why));
}

#[tokio::test]
async fn a_record_that_was_changed_and_hashed_anew_is_found_at_the_next() {
    let place = five().await;
    let (mut lines, _) = exported(&place);
    let link = Link::of_line(&lines[2]).expect("a line");
    let record = link.record.replace("by hand", "by band");
    let hash =
        countersign::core::digest::Digest::of_bytes(format!("{}\n{record}", link.prev).as_bytes());
    lines[2] = Link {
        record,
        hash: hash.to_string(),
        ..link
    }
    .line();
    assert_eq!(
        verify(&place, &lines, None),
        broken("record 4 does not follow on the record before it")
    );
}

#[tokio::test]
async fn a_removed_record_is_found() {
    let place = five().await;
    let (mut lines, _) = exported(&place);
    lines.remove(2);
    assert_eq!(
        verify(&place, &lines, None),
        broken("record 3 is not in its place: record 4 stands there")
    );
}

#[tokio::test]
async fn a_swapped_pair_is_found() {
    let place = five().await;
    let (mut lines, _) = exported(&place);
    lines.swap(1, 2);
    assert_eq!(
        verify(&place, &lines, None),
        broken("record 2 is not in its place: record 3 stands there")
    );
}

#[tokio::test]
async fn a_cut_tail_is_found_by_a_head_that_was_kept() {
    let place = five().await;
    let (mut lines, head) = exported(&place);
    lines.truncate(3);
    let kept = Link::of_line(&lines[2]).expect("a line").hash;
    assert_eq!(
        verify(&place, &lines, None),
        (Some(0), format!("3 records hold, head {kept}\n"))
    );
    let why = format!(
        "record 4 is missing or was written anew: the head {head} that was kept is not in the chain"
    );
    assert_eq!(verify(&place, &lines, Some(&head)), broken(&why));
}

#[tokio::test]
async fn the_log_itself_is_checked_in_the_same_way() {
    let cases = [
        ("UPDATE audit SET record = replace(record, 'by hand', 'by band') WHERE number = 3",
         "record 3 was changed: its hash does not fit what it says"),
        ("DELETE FROM audit WHERE number = 3", "record 3 is not in its place: record 4 stands there"),
        ("UPDATE audit SET number = 9 WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 3;
          UPDATE audit SET number = 3 WHERE number = 9",
         "record 2 is not in its place: record 3 stands there"),
        ("UPDATE audit SET record = '{}' WHERE number = 4",
         "record 4 was changed: its hash does not fit what it says"),
        // The journal still knows of it, so the log's end cannot be cut unseen here.
        ("DELETE FROM audit WHERE number = 5",
         "record 5 is missing: the journal has a ruling on c4 that is not in the log"),
    ];
    for (sql, why) in cases {
        let place = five().await;
        tamper(&place, sql);
        assert_eq!(verify_log(&place, &[]), broken(why), "{sql}");
    }
}

#[tokio::test]
async fn a_log_written_anew_does_not_fit_the_journal() {
    let place = five().await;
    let other = log(vec![Decision::Approve { arguments: None }; 5]).await;
    let other = other.journal().display().to_string();
    tamper(
        &place,
        &format!(
            "ATTACH '{other}' AS other; DELETE FROM audit; INSERT INTO audit SELECT * FROM other.audit;"
        ),
    );
    assert_eq!(
        verify_log(&place, &[]),
        broken("record 2 is not what the journal's ruling says")
    );
}

#[tokio::test]
async fn the_log_is_append_only() {
    let place = five().await;
    let database = Connection::open(place.journal()).expect("the journal opens");
    for sql in [
        "UPDATE audit SET record = '{}'",
        "DELETE FROM audit",
        "INSERT OR REPLACE INTO audit VALUES (1, '', '{}', '')",
    ] {
        let error = database.execute(sql, []).expect_err("it is refused");
        assert!(
            error.to_string().contains("the audit log is append-only"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_ruling_whose_record_cannot_be_written_does_not_count() {
    let place = five().await;
    let database = Connection::open(place.journal()).expect("the journal opens");
    let trigger =
        "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'no'); END";
    database.execute_batch(trigger).expect("a trigger");
    let (journal, writer) = Journal::open(&place.data()).expect("a journal");
    let call = call("late", "book_flight", "{}");
    let recorded = journal.record(ruling(&call, reject("no"), 9)).await;
    assert!(recorded.is_err(), "{recorded:?}");
    drop(journal);
    writer.join();
    let rulings: i64 = database
        .query_row(
            "SELECT count(*) FROM journal WHERE kind = 'ruling'",
            [],
            |row| row.get(0),
        )
        .expect("a number");
    assert_eq!(rulings, 5);
    assert_eq!(verify_log(&place, &[]).0, Some(0));
}

#[tokio::test]
async fn the_list_is_narrowed_by_each_of_its_filters() {
    let place = five().await;
    let shown = |arguments: &[&str]| {
        let all: Vec<_> = ["audit"].iter().chain(arguments).copied().collect();
        let (code, out, error) = place.print(&all);
        assert_eq!(code, Some(0), "{error}");
        let numbers = out.lines().map(|line| {
            line.split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned()
        });
        numbers.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(&[]), "1 2 3 4 5");
    assert_eq!(shown(&["--decision", "reject"]), "2");
    assert_eq!(
        shown(&["--tool", "book_flight", "--who", "192.0.2"]),
        "1 2 3 4 5"
    );
    assert_eq!(shown(&["--since", "2001-09-09T01:46:43Z"]), "4 5");
    let nothing = "no";
    for none in [["--since", "8h"], ["--tool", "book"], ["--who", "eve"]] {
        assert_eq!(shown(&none), nothing);
    }
    assert_eq!(shown(&["--tool", "book_*"]), "1 2 3 4 5");
    assert_eq!(shown(&["--tool", "*_train"]), nothing);
    let (code, _, error) = place.print(&["audit", "--session", "zz"]);
    let unknown = "there is no session `zz`; `countersign sessions` lists them\n";
    assert_eq!((code, error.as_str()), (Some(2), unknown));
    let (code, _, error) = place.print(&["audit", "--decision", "maybe"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("write one of approve, edit, reject"),
        "{error}"
    );
}

#[tokio::test]
async fn a_list_writes_out_what_would_move_the_terminal() {
    let place = log(vec![reject("\u{1b}[2Jgone\nand a second line")]).await;
    let (_, out, _) = place.print(&["audit"]);
    assert_eq!(out.lines().count(), 1);
    assert!(out.contains("⟨U+001B⟩[2Jgone⏎and"), "{out}");
}

#[tokio::test]
async fn a_table_holds_no_formula_and_no_broken_row() {
    let place = five().await;
    let (code, out, error) = place.print(&["audit", "export", "--format", "csv"]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(out.lines().count(), 6);
    let mut table = csv::Reader::from_reader(out.as_bytes());
    let words = table
        .headers()
        .expect("names")
        .iter()
        .position(|name| name == "words");
    let words = words.expect("there is such a column");
    let cells: Vec<_> = table
        .records()
        .map(|row| row.expect("a row")[words].to_owned())
        .collect();
    assert_eq!(
        cells,
        [
            "",
            "'=cmd|' /C calc'!A0⏎not today",
            "booked by hand",
            "look for a train",
            ""
        ]
    );
}

#[tokio::test]
async fn an_export_can_be_read_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = five().await;
    exported(&place);
    let mode = fs::metadata(place.path("log.jsonl"))
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
