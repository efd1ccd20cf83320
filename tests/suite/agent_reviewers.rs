//! Reviewers at work: real programs and a model's server, asked before a person is.

use countersign::agent::review::{Means, Model, Reviewer, When};
use countersign::core::call::Call;
use countersign::core::decision::Decision;
use countersign::core::redact::{Pointer, Redaction, Tools};
use countersign::core::review::{May, Review, Word};
use countersign::core::run::{CallStatus, Outcome, RunCommand, RunEvent};
use countersign::core::verdict::Basis;
use countersign::provider::setup::StreamMode;
use countersign::store::Reader;
use countersign::tools::consult::Consulted;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

use crate::support::agent::{Run, Setup};
use crate::support::chat;
use crate::support::model::{endpoint, plain};
use crate::support::raw::Raw;

const END: &str = "{{a.came}}: {{a.result}}";
const ONE: &str = "{ id = 'a', tool = 'book', arguments = { to = 'Rodez' } },";
const ALL: [May; 5] = [May::Allow, May::Deny, May::Ask, May::Annotate, May::Edit];

fn program(name: &str, script: &str) -> Reviewer {
    Reviewer {
        name: name.to_owned(),
        means: Means::Program(Consulted {
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
            directory: PathBuf::from("/"),
            hidden: vec!["CARGO_MANIFEST_DIR".to_owned()],
        }),
        agents: Vec::new(),
        tools: Vec::new(),
        when: When::Ask,
        timeout: Duration::from_secs(20),
        may: ALL.to_vec(),
    }
}

fn says(answer: &str) -> Reviewer {
    program("guard", &format!("cat >/dev/null; printf '%s' '{answer}'"))
}

fn setup() -> Setup {
    Setup::calls(ONE, END).asking("book", "cat | tee -a trace")
}

async fn begun(setup: Setup) -> Run {
    let run = setup.start().await;
    run.say("go").await;
    run
}

fn asked(run: &Run) -> bool {
    let arrived = |event: &RunEvent| matches!(event, RunEvent::Arrived(_));
    run.seen.iter().any(arrived)
}

/// What each reviewer said and what it counted for, as the call shows it.
fn words(call: &Call) -> Vec<(&str, Option<Word>, Word)> {
    let word = |review: &'_ Review| (review.said, review.counts);
    let names = call.reviews.iter();
    names
        .map(|review| (review.reviewer.as_str(), word(review).0, word(review).1))
        .collect()
}

/// The audit log: decision, how, user, sent.
fn audit(run: &Run) -> Vec<[String; 4]> {
    let reader = Reader::open(&run.data()).expect("the journal is there");
    let checked = reader.check_audit(None).expect("it can be read");
    assert!(checked.is_ok(), "{checked:?}");
    let links = reader.audit().expect("it can be read");
    let record = |record: &str| -> [String; 4] {
        let record: Value = serde_json::from_str(record).expect("JSON");
        ["decision", "how", "user", "sent"]
            .map(|key| record[key].as_str().unwrap_or("-").to_owned())
    };
    links.iter().map(|link| record(&link.record)).collect()
}

fn row(words: [&str; 4]) -> [String; 4] {
    words.map(str::to_owned)
}

#[tokio::test]
async fn a_reviewer_that_may_allow_lets_an_asking_call_run_without_a_person() {
    let mut run = begun(setup().reviewer(says(r#"{"approved":true,"reason":"known"}"#))).await;
    assert_eq!(run.end().await, "executed: {\"to\":\"Rodez\"}");
    assert!(!asked(&run));
    run.flush().await;
    let allowed = row(["allow", "reviewer", "guard", "{\"to\":\"Rodez\"}"]);
    assert_eq!(audit(&run), [allowed]);
    let reviewing = CallStatus::Reviewing {
        by: vec!["guard".to_owned()],
    };
    let shown = |event: &&RunEvent| matches!(event, RunEvent::Status { status, .. } if *status == reviewing);
    assert_eq!(run.seen.iter().filter(shown).count(), 1);
}

#[tokio::test]
async fn a_reviewer_denies_and_the_model_is_told_by_whom() {
    let mut run = begun(setup().reviewer(says(r#"{"approved":false,"reason":"too far"}"#))).await;
    assert_eq!(
        run.end().await,
        "denied: Denied by the reviewer guard: too far"
    );
    let basis = Basis::Reviewer {
        name: "guard".to_owned(),
        reason: "too far".to_owned(),
    };
    assert_eq!(run.outcome("a-1-0"), Outcome::Denied { basis });
    assert!(!run.ran("a-1-0") && !asked(&run));
    run.flush().await;
    assert_eq!(audit(&run), [row(["deny", "reviewer", "guard", "-"])]);
}

#[tokio::test]
async fn a_note_stands_beside_the_call_that_a_person_decides() {
    let answer = r#"{"verdict":"annotate","note":"booked twice last week"}"#;
    let mut run = begun(setup().reviewer(says(answer))).await;
    let call = run.arrival().await;
    assert_eq!(
        words(&call),
        [("guard", Some(Word::Annotate), Word::Annotate)]
    );
    assert_eq!(call.reviews[0].note, "booked twice last week");
    assert_eq!(call.basis, Basis::ToolDefault);
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved: {\"to\":\"Rodez\"}");
    run.flush().await;
    let sent = "{\"to\":\"Rodez\"}";
    let rows = [
        row(["annotate", "reviewer", "guard", "-"]),
        row(["approve", "key", "op", sent]),
    ];
    assert_eq!(audit(&run), rows);
}

#[tokio::test]
async fn whatever_goes_wrong_with_a_reviewer_a_person_is_asked_and_told_what() {
    let cases = [
        ("exit 3", "exit status 3"),
        ("echo broken >&2; exit 1", "exit status 1: broken"),
        (
            "echo maybe",
            "its answer cannot be read: `maybe` cannot begin a value: a text stands in double quotes (line 1, column 1)",
        ),
        ("cat >/dev/null", "it said nothing"),
        ("kill -9 $$", "killed by signal 9"),
        (
            "head -c 200000 /dev/zero | tr '\\0' a",
            "its answer is longer than 64 KiB",
        ),
    ];
    for (script, why) in cases {
        let mut run = begun(setup().reviewer(program("guard", script))).await;
        let call = run.arrival().await;
        let failed = Review::failed("guard", why.to_owned());
        assert_eq!(call.reviews, [failed], "{script}");
    }
}

#[tokio::test]
async fn a_reviewer_that_does_not_answer_in_time_is_stopped_with_all_it_started() {
    let slow = Reviewer {
        timeout: Duration::from_millis(300),
        ..program("slow", "sleep 600 & echo $! >>\"$0\"; wait")
    };
    let setup = setup();
    let mut slow = slow;
    let scratch = tempfile::NamedTempFile::new().expect("a file");
    if let Means::Program(program) = &mut slow.means {
        program.command.push(scratch.path().display().to_string());
    }
    let mut run = begun(setup.reviewer(slow)).await;
    let call = run.arrival().await;
    let failed = Review::failed("slow", "it gave no answer within 0.3 s".to_owned());
    assert_eq!(call.reviews, [failed]);
    let started = std::fs::read_to_string(scratch.path()).expect("it was written");
    let stat = PathBuf::from(format!("/proc/{}/stat", started.trim()));
    // Killed; what is left of it, if anything, is a zombie that nobody has reaped yet.
    let state = std::fs::read_to_string(stat).unwrap_or_default();
    assert!(
        state.is_empty() || state.contains(") Z ") || state.contains(") X "),
        "{state}"
    );
}

#[tokio::test]
async fn the_strictest_of_several_counts_and_all_are_shown() {
    let allows = says(r#"{"approved":true}"#);
    let asks = Reviewer {
        name: "second".to_owned(),
        ..says(r#"{"verdict":"ask","reason":"look twice"}"#)
    };
    let mut run = begun(setup().reviewer(allows).reviewer(asks)).await;
    let call = run.arrival().await;
    let expected = [
        ("guard", Some(Word::Allow), Word::Allow),
        ("second", Some(Word::Ask), Word::Ask),
    ];
    assert_eq!(words(&call), expected);
}

#[tokio::test]
async fn a_deny_of_the_policy_is_not_reviewed_and_what_it_allows_only_always() {
    let rules = "[[rules]]\ntool = 'book'\nverdict = 'deny'\nreason = 'no budget'\n";
    let always = |answer| Reviewer {
        when: When::Always,
        ..says(answer)
    };
    let allows = || always(r#"{"approved":true}"#);
    let mut run = begun(setup().rules(rules).reviewer(allows())).await;
    assert_eq!(run.end().await, "denied: Denied by policy: no budget");

    let free = || Setup::calls(ONE, END).tool("book", "cat");
    let asking = r#"{"verdict":"ask","reason":"unusual"}"#;
    let mut run = begun(free().reviewer(says(asking))).await;
    assert_eq!(run.end().await, "executed: {\"to\":\"Rodez\"}");
    let mut run = begun(free().reviewer(always(asking))).await;
    let call = run.arrival().await;
    let basis = Basis::Reviewer {
        name: "guard".to_owned(),
        reason: "unusual".to_owned(),
    };
    assert_eq!(call.basis, basis);
    let mut run = begun(free().reviewer(always(r#"{"approved":false}"#))).await;
    assert_eq!(run.end().await, "denied: Denied by the reviewer guard.");
}

#[tokio::test]
async fn a_reviewer_looks_only_at_its_tools_and_agents() {
    let denies = || says(r#"{"approved":false}"#);
    let other_tool = Reviewer {
        tools: vec![Tools::named("delete_*").expect("a pattern")],
        ..denies()
    };
    let other_agent = Reviewer {
        agents: vec!["somebody".to_owned()],
        ..denies()
    };
    let mut run = begun(setup().reviewer(other_tool).reviewer(other_agent)).await;
    assert_eq!(run.arrival().await.reviews, []);
    let this = Reviewer {
        tools: vec![Tools::named("bo*").expect("a pattern")],
        agents: vec!["test".to_owned()],
        ..denies()
    };
    let mut run = begun(setup().reviewer(this)).await;
    assert_eq!(run.end().await, "denied: Denied by the reviewer guard.");
}

#[tokio::test]
async fn a_program_is_told_of_the_call_and_what_stands_around_it() {
    let mut run = begun(setup().reviewer(program("guard", "cat >&2; exit 1"))).await;
    let call = run.arrival().await;
    let fault = call.reviews[0].fault.clone().expect("it failed");
    let text = fault.strip_prefix("exit status 1: ").expect("its stderr");
    let told: Value = serde_json::from_str(text).expect("one object");
    let expected = json!({
        "format": "countersign.review", "version": 1, "reviewer": "guard",
        "session": "s1", "agent": "test", "workspace": told["workspace"],
        "call": "a-1-0", "tool": "book", "arguments": { "to": "Rodez" },
        "digest": call.digest().as_str(), "verdict": "ask",
        "basis": "this tool always asks", "reason": null, "risks": [], "warnings": [],
        "change": null, "asked": "go",
    });
    assert_eq!(told, expected);
}

#[tokio::test]
async fn the_keys_of_models_are_not_in_its_environment() {
    let script = "cat >/dev/null; echo \"{\\\"note\\\":\\\"[$CARGO_MANIFEST_DIR]\\\"}\"";
    let mut run = begun(setup().reviewer(program("guard", script))).await;
    assert_eq!(run.arrival().await.reviews[0].note, "[]");
}

#[tokio::test]
async fn other_arguments_are_proposed_or_run_and_never_unchecked() {
    let schema = json!({
        "type": "object", "properties": { "to": { "type": "string" } },
        "required": ["to"], "additionalProperties": false,
    });
    let with = |answer: &str, may: &[May]| {
        setup().schema(schema.clone()).reviewer(Reviewer {
            may: may.to_vec(),
            ..says(answer)
        })
    };
    let edited = r#"{"approved":true,"arguments":{"to":"Mende"}}"#;
    let mut run = begun(with(edited, &ALL)).await;
    assert_eq!(
        run.end().await,
        "executed: [The reviewer guard changed the arguments to {\"to\":\"Mende\"} before this ran.]\n{\"to\":\"Mende\"}"
    );
    let mut run = begun(with(edited, &[May::Allow])).await;
    let review = run.arrival().await.reviews.remove(0);
    let proposal = review
        .proposal()
        .map(|arguments| arguments.text().to_owned());
    assert_eq!(proposal.as_deref(), Some("{\"to\":\"Mende\"}"));

    let broken = r#"{"approved":true,"arguments":{"to":7}}"#;
    let mut run = begun(with(broken, &ALL)).await;
    let review = run.arrival().await.reviews.remove(0);
    assert_eq!((review.counts, review.arguments), (Word::Ask, None));
    let fault = review.fault.expect("it says why");
    assert!(
        fault.starts_with("the arguments that it gave do not fit"),
        "{fault}"
    );
}

#[tokio::test]
async fn a_reviewer_cannot_give_arguments_that_policy_denies() {
    let rules = "[[rules]]\ntool = 'book'\narguments = { '/to' = { equals = 'Mars' } }\nverdict = 'deny'\nreason = 'too far'\n";
    let answer = r#"{"approved":true,"arguments":{"to":"Mars"}}"#;
    let mut run = begun(setup().rules(rules).reviewer(says(answer))).await;
    let review = run.arrival().await.reviews.remove(0);
    assert_eq!((review.said, review.counts), (Some(Word::Allow), Word::Ask));
    let why = "policy denies the arguments that it gave";
    assert_eq!(review.fault.as_deref(), Some(why));
}

#[tokio::test]
async fn an_edited_file_must_still_be_the_one_that_the_reviewer_saw() {
    let call = "{ id = 'a', tool = 'write_file', arguments = { path = 'f', content = 'new' } },";
    let script = "cat >/dev/null; echo changed > \"$0\"; echo '{\"approved\":true}'";
    let mut guard = program("guard", script);
    let setup = Setup::calls(call, END).put("f", "old");
    let path = setup.path("f");
    if let Means::Program(program) = &mut guard.means {
        program.command.push(path.display().to_string());
    }
    let mut run = begun(setup.reviewer(guard)).await;
    run.end().await;
    assert!(matches!(run.outcome("a-1-0"), Outcome::Failed { .. }));
    assert_eq!(run.file("f"), "changed\n");
}

#[tokio::test]
async fn calls_are_reviewed_side_by_side() {
    // Each of the two waits until the other has begun.
    let calls = "{ id = 'a', tool = 'book', arguments = { own = 'p', other = 'q' } },
                 { id = 'b', tool = 'book', arguments = { own = 'q', other = 'p' } },";
    let script = "line=$(cat); cd \"$0\"; case $line in
        *'\"own\":\"p\"'*) echo x > p; cat q >/dev/null;;
        *) cat p >/dev/null; echo x > q;; esac
        echo '{\"approved\":true}'";
    let setup = Setup::calls(calls, "{{a.came}} {{b.came}}")
        .asking("book", "echo ran")
        .pipe("p")
        .pipe("q");
    let mut guard = program("guard", script);
    let folder = setup.path("").display().to_string();
    if let Means::Program(program) = &mut guard.means {
        program.command.push(folder);
    }
    let mut run = begun(setup.reviewer(guard)).await;
    assert_eq!(run.end().await, "executed executed");
}

#[tokio::test]
async fn an_interrupt_stops_a_review() {
    let hangs = program("guard", "sleep 600");
    let mut run = begun(setup().reviewer(hangs)).await;
    let reviewing = |event: &RunEvent| {
        matches!(
            event,
            RunEvent::Status {
                status: CallStatus::Reviewing { .. },
                ..
            }
        )
    };
    run.until(reviewing).await;
    run.send(RunCommand::Interrupt).await;
    run.end().await;
    assert_eq!(run.outcome("a-1-0"), Outcome::Interrupted);
}

#[tokio::test]
async fn what_was_said_before_the_program_was_killed_is_not_asked_again() {
    let counts = || {
        let scratch = "cat >/dev/null; echo asked >> \"$0\"; echo '{\"verdict\":\"ask\"}'";
        program("guard", scratch)
    };
    let file = tempfile::NamedTempFile::new().expect("a file");
    let with_file = |mut reviewer: Reviewer| {
        if let Means::Program(program) = &mut reviewer.means {
            program.command.push(file.path().display().to_string());
        }
        reviewer
    };
    let mut run = begun(setup().reviewer(with_file(counts()))).await;
    let before = run.arrival().await;
    let mut run = setup()
        .reviewer(with_file(counts()))
        .go_on(run.kill().await);
    let after = run.arrival().await;
    assert_eq!(after, before);
    run.decide(&after, Decision::Approve { arguments: None })
        .await;
    assert_eq!(run.end().await, "approved: {\"to\":\"Rodez\"}");
    let asked = std::fs::read_to_string(file.path()).expect("it was written");
    assert_eq!(asked, "asked\n");
}

#[tokio::test]
async fn a_recorded_word_counts_even_if_the_reviewer_is_gone() {
    // Killed while the allowed call runs: it was cut off, and the reviewer is not asked about that.
    let held = || Setup::calls(ONE, END).asking("book", "echo begun; cat pipe");
    let mut run = begun(held().pipe("pipe").reviewer(says(r#"{"approved":true}"#))).await;
    assert_eq!(run.line_of("a-1-0").await, "begun");
    let mut run = held().go_on(run.kill().await);
    let call = run.arrival().await;
    assert_eq!((call.basis, call.reviews), (Basis::OutcomeUnknown, vec![]));

    let mut run = begun(setup().reviewer(says(r#"{"approved":false,"reason":"no"}"#))).await;
    run.until(|event| matches!(event, RunEvent::Reviewed { .. }))
        .await;
    let mut run = setup().go_on(run.kill().await);
    assert_eq!(run.end().await, "denied: Denied by the reviewer guard: no");
}

fn model(url: &str) -> Reviewer {
    let setup = plain(endpoint(url), StreamMode::Whole);
    Reviewer {
        means: Means::Model(Box::new(Model::OpenAi(setup))),
        ..program("judge", "")
    }
}

#[tokio::test]
async fn a_model_reviews_with_a_strict_answer_and_nothing_else() {
    let fenced = "```json\n{\"verdict\": \"allow\", \"reason\": \"fine\"}\n```";
    let raw = Raw::of(vec![chat::whole(&chat::assistant(fenced))]).await;
    let mut run = begun(setup().reviewer(model(&raw.url()))).await;
    assert_eq!(run.end().await, "executed: {\"to\":\"Rodez\"}");
    let body = chat::body(&raw, 0);
    assert!(body.get("tools").is_none(), "{body}");
    let messages = body["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 1);
    let told = messages[0]["content"].as_str().expect("text");
    let told: Value = serde_json::from_str(told).expect("one object");
    assert_eq!(told["tool"], "book");

    let chatty = "Sure! {\"verdict\": \"allow\"}";
    let raw = Raw::of(vec![chat::whole(&chat::assistant(chatty))]).await;
    let mut run = begun(setup().reviewer(model(&raw.url()))).await;
    assert_eq!(run.arrival().await.reviews[0].counts, Word::Ask);

    let raw = Raw::of(vec![chat::whole(&chat::calls(&[("c1", "{}")]))]).await;
    let mut run = begun(setup().reviewer(model(&raw.url()))).await;
    let why = "it wanted to call tools instead of answering";
    assert_eq!(
        run.arrival().await.reviews,
        [Review::failed("judge", why.to_owned())]
    );
}

#[tokio::test]
async fn a_model_is_not_told_secrets_and_cannot_write_over_them() {
    let mut secret = Redaction::default();
    secret.pointer(Pointer::parse("/to").expect("a pointer"));
    let answer = r#"{"verdict":"allow","arguments":{"to":"x"}}"#;
    let raw = Raw::of(vec![chat::whole(&chat::assistant(answer))]).await;
    let mut run = begun(setup().redact(secret).reviewer(model(&raw.url()))).await;
    let review = run.arrival().await.reviews.remove(0);
    let why = "it gave other arguments without knowing the secrets in them";
    assert_eq!(review, Review::failed("judge", why.to_owned()));
    let body = chat::body(&raw, 0).to_string();
    assert!(
        !body.contains("Rodez") && body.contains("[redacted "),
        "{body}"
    );
}

#[tokio::test]
async fn what_a_reviewer_repeats_of_a_secret_is_not_in_the_journal_in_clear() {
    let mut secret = Redaction::default();
    secret.pointer(Pointer::parse("/to").expect("a pointer"));
    let answer = r#"{"verdict":"ask","reason":"Rodez again","arguments":{"to":"Mende"}}"#;
    let mut run = begun(setup().redact(secret).reviewer(says(answer))).await;
    let call = run.arrival().await;
    assert_eq!(call.reviews[0].reason, "Rodez again");
    run.flush().await;
    let database = run.database();
    let mut bodies = database
        .prepare("SELECT body FROM journal UNION ALL SELECT record FROM audit")
        .expect("tables");
    let bodies = bodies
        .query_map([], |row| row.get::<_, String>(0))
        .expect("rows");
    for body in bodies {
        let body = body.expect("text");
        assert!(!body.contains("Rodez") && !body.contains("Mende"), "{body}");
    }
}

#[tokio::test]
async fn a_call_that_would_certainly_fail_is_reviewed_by_nobody() {
    let call = "{ id = 'a', tool = 'delete_file', arguments = { path = 'gone' } },";
    let mut run = begun(Setup::calls(call, END).reviewer(program("guard", "exit 9"))).await;
    run.end().await;
    assert!(matches!(run.outcome("a-1-0"), Outcome::Failed { .. }));
    let reviewed = |event: &RunEvent| matches!(event, RunEvent::Reviewed { .. });
    assert!(!asked(&run) && !run.seen.iter().any(reviewed));
}
