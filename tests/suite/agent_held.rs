//! Calls that the model's provider holds and runs itself: they are confirmed, not answered.

use crate::support::agent::{Run, Setup, reject};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call, Origin};
use countersign::core::decision::Decision;
use countersign::core::run::{CallStatus, Outcome, RunEvent};
use countersign::core::verdict::Basis;

const TURNS: &str = "[[turns]]\nname = 'go'\non = '^go$'\ncalls = [ { id = 'a', tool = 'gmail', arguments = { q = 'x' }, held = true } ]\n\
    then = [ { turn = 'end' } ]\n\
    [[turns]]\nname = 'end'\ntext = '{{a.came}}: {{a.result}}'\n\
    [[turns]]\nname = 'told'\non = ''\ntext = '{{a.came}}: {{a.result}}, told why'\n";

async fn asked(rules: &str) -> (Run, Call) {
    let mut run = Setup::turns(TURNS).rules(rules).start().await;
    run.say("go").await;
    let call = run.arrival().await;
    (run, call)
}

#[tokio::test]
async fn a_held_call_offers_only_what_its_provider_takes_back() {
    let (_run, call) = asked("").await;
    assert_eq!(call.origin, Origin::Provider);
    assert_eq!(call.answers, Answers::confirmation());
    assert_eq!(call.basis, Basis::Provider);
    assert_eq!((call.schema, call.risks), (None, Vec::new()));
}

#[tokio::test]
async fn an_approved_one_is_confirmed_and_none_of_our_tools_runs() {
    let (mut run, call) = asked("").await;
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved: allowed");
    assert!(!run.ran("a-1-0"));
    let confirmed = RunEvent::Status {
        call: call.key.call,
        status: CallStatus::Confirmed,
    };
    assert!(run.seen.contains(&confirmed));
}

#[tokio::test]
async fn a_rejection_without_a_reason_is_a_plain_no() {
    let (mut run, call) = asked("").await;
    run.decide(&call, reject("")).await;
    assert_eq!(run.end().await, "rejected: denied");
}

#[tokio::test]
async fn the_reason_of_a_rejection_goes_beside_it_as_a_message() {
    let (mut run, call) = asked("").await;
    run.decide(&call, reject("private")).await;
    assert_eq!(run.end().await, "rejected: denied, told why");
    let reason = "private".to_owned();
    assert_eq!(run.outcome("a-1-0"), Outcome::Rejected { reason });
}

#[tokio::test]
async fn other_arguments_than_its_own_are_not_confirmed() {
    let (mut run, call) = asked("").await;
    let arguments = Some(Arguments::parse("{\"q\":\"y\"}").expect("an object"));
    run.decide(&call, Decision::Approve { arguments }).await;
    assert_eq!(run.end().await, "failed: denied, told why");
}

#[tokio::test]
async fn policy_may_confirm_or_deny_it_by_itself() {
    let rule =
        |verdict| format!("[[rules]]\ntool = 'gmail'\nverdict = '{verdict}'\nreason = 'r'\n");
    let cases = [
        ("allow", "executed: allowed"),
        ("deny", "denied: denied, told why"),
    ];
    for (verdict, told) in cases {
        let mut run = Setup::turns(TURNS).rules(&rule(verdict)).start().await;
        run.say("go").await;
        assert_eq!(run.end().await, told);
    }
    let (_run, call) = asked(&rule("ask")).await;
    assert_eq!(call.basis.reason(), Some("r"));
}

#[tokio::test]
async fn a_held_call_may_have_the_name_of_one_of_our_tools_and_stays_the_providers() {
    let turns = TURNS.replace("gmail", "shell");
    let mut run = Setup::turns(&turns).start().await;
    run.say("go").await;
    let call = run.arrival().await;
    assert_eq!(call.origin, Origin::Provider);
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved: allowed");
    assert!(!run.ran("a-1-0"));
}
