//! Rules that operators gave, in an agent that really runs: what they let run, what of it is recorded, and
//! what holds when they are taken back or cannot be read.

use countersign::core::call::Call;
use countersign::core::decision::How;
use countersign::core::redact::{Pointer, Redaction};
use countersign::core::run::Outcome;
use countersign::core::verdict::{Basis, Verdict};
use countersign::policy::grant::{Grant, Lasts};
use countersign::policy::propose::{Source, candidates};
use countersign::store::audit::Record;
use countersign::store::reading::Form;
use countersign::store::{Reader, StoreError, standing};
use std::fs;

use crate::support::agent::{Run, Setup, result, session};

/// Asks about the same thing at each `go`.
const TURNS: &str = "[[turns]]\nname = 'go'\non = '^go$'\ncalls = [ { id = 'a', tool = 'book', arguments = { to = 'Rodez' } } ]\nthen = [ { turn = 'end' } ]\n\
                     [[turns]]\nname = 'end'\ntext = '{{a.came}}'\n";

fn setup() -> Setup {
    Setup::turns(TURNS).asking("book", "cat")
}

async fn asked(setup: Setup) -> (Run, Call) {
    let mut run = setup.start().await;
    run.say("go").await;
    let call = run.arrival().await;
    (run, call)
}

/// The rule for every call of the tool.
fn any(call: &Call, verdict: Verdict, lasts: Lasts) -> Grant {
    of(call, verdict, lasts, usize::MAX)
}

/// The rule at this place of those that are offered.
fn of(call: &Call, verdict: Verdict, lasts: Lasts, place: usize) -> Grant {
    let grounds = call.grounds.as_ref().expect("the policy asked");
    let offered = candidates(&[Source {
        agent: &call.agent,
        tool: &call.tool,
        arguments: &call.arguments,
        command_line: grounds.command_line.as_deref(),
        workspace: &grounds.workspace,
    }]);
    let candidate = &offered[place.min(offered.len() - 1)];
    let (text, at) = (candidate.text(verdict), jiff::Timestamp::now());
    Grant {
        id: Grant::name(&text, "ada@desk", at, &call.key.session),
        text,
        lasts,
        session: call.key.session.clone(),
        from: vec![call.key.call.clone()],
        workspace: grounds.workspace.clone(),
        answers: grounds.questions.clone(),
        who: "ada@desk from 192.0.2.7".to_owned(),
        at,
    }
}

fn audit(run: &Run) -> Vec<Record> {
    let reader = Reader::open(&run.data()).expect("the journal is there");
    let links = reader.audit().expect("the log can be read");
    reader
        .check_audit(None)
        .expect("it can be read")
        .expect("the chain holds");
    links
        .iter()
        .map(|link| link.record().expect("a record"))
        .collect()
}

/// Decision, path, person and basis of each record.
fn told(run: &Run) -> Vec<[String; 4]> {
    let told = |record: Record| {
        let who = record.who();
        [
            record.decision.to_string(),
            record.how.to_string(),
            who,
            record.basis,
        ]
    };
    audit(run).into_iter().map(told).collect()
}

#[tokio::test]
async fn a_given_rule_lets_the_next_call_run_and_the_record_says_so_until_it_is_revoked() {
    let (mut run, call) = asked(setup()).await;
    let grant = any(&call, Verdict::Allow, Lasts::Session);
    run.journal
        .give(grant.clone())
        .await
        .expect("it is recorded");
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved");
    run.say("go").await;
    assert_eq!(run.end().await, "executed");
    let (who, at) = ("bob@desk".to_owned(), jiff::Timestamp::now());
    let revoked = run.journal.revoke(grant.clone(), who, at, How::Headless);
    revoked.await.expect("it is recorded");
    run.say("go").await;
    let again = run.arrival().await;
    assert_eq!(again.basis, Basis::ToolDefault);
    let ada = "ada@desk from 192.0.2.7";
    let id = format!("given rule {}", grant.id);
    let for_default = format!("{id}, for the tool's default");
    let expected = [
        ["grant", "key", ada, &id],
        ["approve", "key", "op@desk", "the tool's default"],
        ["allow", "grant", ada, &for_default],
        ["revoke", "headless", "bob@desk", &id],
    ];
    assert_eq!(told(&run), expected.map(|row| row.map(str::to_owned)));
    let record = audit(&run).remove(0);
    assert_eq!(
        (record.tool.as_str(), record.proposed, record.sent),
        ("book", grant.text, None)
    );
}

#[tokio::test]
async fn a_given_denial_denies_what_the_policy_allows() {
    let (mut run, call) = asked(setup()).await;
    let grant = any(&call, Verdict::Deny, Lasts::Session);
    run.journal
        .give(grant.clone())
        .await
        .expect("it is recorded");
    run.approve(&call).await;
    run.end().await;
    run.say("go").await;
    run.end().await;
    let basis = Basis::Grant {
        id: grant.id,
        by: grant.who,
        answers: String::new(),
    };
    let outcomes = run.outcomes();
    assert_eq!(
        outcomes.last().map(|(_, outcome)| outcome),
        Some(&Outcome::Denied { basis })
    );
}

#[tokio::test]
async fn a_rule_of_another_session_or_of_the_past_lets_nothing_run() {
    let (mut run, call) = asked(setup()).await;
    let past = Lasts::Until(jiff::Timestamp::now());
    let mut elsewhere = any(&call, Verdict::Allow, Lasts::Session);
    elsewhere.session.0 = "other".to_owned();
    for grant in [elsewhere, any(&call, Verdict::Allow, past)] {
        run.journal.give(grant).await.expect("it is recorded");
    }
    run.approve(&call).await;
    run.end().await;
    run.say("go").await;
    assert_eq!(run.arrival().await.tool, "book");
}

#[tokio::test]
async fn a_call_that_a_rule_let_run_stays_so_after_a_resume_and_the_rule_is_there_again() {
    let (run, call) = asked(setup()).await;
    let grant = any(&call, Verdict::Allow, Lasts::Session);
    run.journal.give(grant).await.expect("it is recorded");
    run.approve(&call).await;
    let folder = run.kill().await;
    let mut run = setup().go_on(folder);
    run.end().await;
    run.say("go").await;
    assert_eq!(run.end().await, "executed");
    assert_eq!(
        run.outcomes().last().map(|(_, outcome)| outcome.clone()),
        Some(result("{\"to\":\"Rodez\"}"))
    );
}

#[tokio::test]
async fn a_standing_rule_is_in_its_file_and_what_the_file_says_counts() {
    let (mut run, call) = asked(setup()).await;
    let grant = any(&call, Verdict::Allow, Lasts::Always);
    run.journal
        .give(grant.clone())
        .await
        .expect("it is recorded");
    assert_eq!(standing::read(&run.data()), Ok(vec![grant.clone()]));
    let file = run.data().join(standing::FILE);
    let text = fs::read_to_string(&file).expect("the file is there");
    assert!(
        text.contains(&grant.text),
        "the rule stands there as it was shown: {text}"
    );
    run.approve(&call).await;
    run.end().await;
    run.say("go").await;
    assert_eq!(run.end().await, "executed");
    // An operator edits the file: what it says now is what counts.
    fs::write(&file, text.replace("\"allow\"", "\"deny\"")).expect("it is ours");
    run.say("go").await;
    assert_eq!(run.end().await, "denied");
    fs::write(&file, text.replace("\"allow\"", "\"perhaps\"")).expect("it is ours");
    run.say("go").await;
    let waits = run.arrival().await;
    assert!(
        matches!(&waits.basis, Basis::GrantsUnread { why } if why.contains("perhaps")),
        "{:?}",
        waits.basis
    );
    assert_eq!(waits.grounds, None);
    let refused = run.journal.give(grant.clone()).await;
    assert!(
        matches!(refused, Err(StoreError::Standing { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_revoked_standing_rule_is_gone_from_its_file_and_does_not_come_back_with_it() {
    let (run, call) = asked(setup()).await;
    let grant = any(&call, Verdict::Allow, Lasts::Always);
    run.journal
        .give(grant.clone())
        .await
        .expect("it is recorded");
    let file = run.data().join(standing::FILE);
    let before = fs::read_to_string(&file).expect("the file is there");
    let (who, at) = (grant.who.clone(), jiff::Timestamp::now());
    run.journal
        .revoke(grant, who, at, How::Key)
        .await
        .expect("it is recorded");
    assert_eq!(standing::read(&run.data()), Ok(Vec::new()));
    fs::write(&file, before).expect("it is ours");
    let reader = Reader::open(&run.data()).expect("the journal is there");
    assert_eq!(reader.grants(Form::Real), Ok(Vec::new()));
}

#[tokio::test]
async fn rules_that_cannot_be_read_let_nothing_run_that_a_person_has_not_seen() {
    let rules = "[[rules]]\ntool = 'book'\nverdict = 'allow'\n";
    let mut run = setup().rules(rules).start().await;
    fs::write(run.data().join(standing::FILE), "[[grants]\n").expect("it is ours");
    run.say("go").await;
    let call = run.arrival().await;
    assert!(
        matches!(call.basis, Basis::GrantsUnread { .. }),
        "{:?}",
        call.basis
    );
}

#[tokio::test]
async fn a_secret_in_a_rule_is_sealed_and_never_written_to_the_file() {
    let turns = "[[turns]]\nname = 'go'\non = '^go$'\ncalls = [ { id = 'a', tool = 'book', arguments = { password = 'hunt\"er-2', to = 'x' } } ]\nthen = [ { turn = 'end' } ]\n[[turns]]\nname = 'end'\ntext = 'x'\n";
    let mut redaction = Redaction::default();
    redaction.pointer(Pointer::parse("/password").expect("a pointer"));
    let setup = Setup::turns(turns).asking("book", "cat").redact(redaction);
    let (run, call) = asked(setup).await;
    let exact = of(&call, Verdict::Allow, Lasts::Session, 0);
    assert!(exact.text.contains("hunt\\\"er-2"), "{}", exact.text);
    run.journal
        .give(exact.clone())
        .await
        .expect("it is recorded");
    let refused = run
        .journal
        .give(Grant {
            lasts: Lasts::Always,
            ..exact.clone()
        })
        .await;
    assert!(matches!(refused, Err(StoreError::InClear)), "{refused:?}");
    let reader = Reader::open(&run.data()).expect("the journal is there");
    assert_eq!(reader.grants(Form::Real), Ok(vec![exact.clone()]));
    let written = reader.grants(Form::Written).expect("it can be read");
    assert!(!written[0].text.contains("er-2"), "{}", written[0].text);
    assert_eq!(written[0].session, session());
    run.flush().await;
    for file in ["journal.db", "journal.db-wal"] {
        let bytes = fs::read(run.data().join(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("er-2"), "{file}");
    }
}

#[tokio::test]
async fn an_edited_denial_is_what_the_next_call_is_told_of() {
    let (mut run, call) = asked(setup()).await;
    let before = any(&call, Verdict::Deny, Lasts::Session);
    run.journal.give(before.clone()).await.expect("recorded");
    run.approve(&call).await;
    run.end().await;
    let edited = any(&call, Verdict::Deny, Lasts::Session);
    assert_ne!(edited.id, before.id);
    run.journal.give(edited.clone()).await.expect("recorded");
    let (who, at) = (edited.who.clone(), edited.at);
    let revoked = run.journal.revoke(before, who, at, How::Key).await;
    revoked.expect("recorded");
    run.say("go").await;
    run.end().await;
    let denied = audit(&run).pop().expect("a record");
    assert_eq!(
        (denied.decision.to_string(), denied.basis),
        ("deny".to_owned(), format!("given rule {}", edited.id))
    );
}
