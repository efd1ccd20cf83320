//! The sheet of a new rule and the list of given ones, key by key.

use countersign::app::effect::Effect;
use countersign::app::event::{Event, StoreEvent};
use countersign::app::key::Stroke;
use countersign::app::rules::{Match, Proposal, Term};
use countersign::app::state::{Drawn, Extent, Overlay};
use countersign::core::call::{Call, Grounds};
use countersign::core::decision::Decision;
use countersign::core::verdict::{Question, Verdict};
use countersign::policy::grant::{Grant, Lasts};

use crate::support::desk::{Desk, call, key};

/// A call that the policy asked about.
fn asked(id: &str, path: &str) -> Call {
    Call {
        grounds: Some(Grounds {
            workspace: "/ws".to_owned(),
            command_line: None,
            questions: vec![Question::Default],
        }),
        ..call(id, "delete_file", &format!(r#"{{"path":"{path}"}}"#))
    }
}

/// Two calls in one folder, one elsewhere, looked at.
fn desk() -> Desk {
    let mut desk = Desk::default();
    for (id, path) in [("a", "reports/a"), ("b", "reports/b"), ("c", "notes/c")] {
        desk.arrive(asked(id, path));
    }
    desk.look(1000);
    desk
}

fn sheet(desk: &Desk) -> &Proposal {
    match &desk.state.overlay {
        Some(Overlay::Rule(proposal)) => proposal,
        other => unreachable!("no sheet of a rule but {other:?}"),
    }
}

fn matched(desk: &Desk) -> Vec<Match> {
    sheet(desk)
        .covers
        .iter()
        .map(|covered| covered.matches)
        .collect()
}

/// The rules that were sent to the journal.
fn given(desk: &mut Desk) -> Vec<Grant> {
    let give = |effect| match effect {
        Effect::Give { grant, .. } => Some(*grant),
        _ => None,
    };
    desk.take().into_iter().filter_map(give).collect()
}

#[test]
fn the_sheet_begins_with_the_narrowest_rule_that_expires() {
    let mut desk = desk();
    desk.press("P");
    let sheet = sheet(&desk);
    assert_eq!(
        (sheet.chosen, sheet.verdict, sheet.term),
        (0, Verdict::Allow, Term::Session)
    );
    assert_eq!(matched(&desk), [Match::Yes, Match::No, Match::No]);
    desk.press("w");
    assert_eq!(matched(&desk), [Match::Yes, Match::Yes, Match::No]);
    desk.press("w w w w");
    assert_eq!(matched(&desk), [Match::Yes; 3]);
    desk.press("n n n n n n");
    assert_eq!(matched(&desk), [Match::Yes, Match::No, Match::No]);
}

#[test]
fn marked_calls_make_one_rule() {
    let mut desk = desk();
    desk.press("space space P");
    assert_eq!(matched(&desk), [Match::Yes, Match::Yes, Match::No]);
    assert_eq!(sheet(&desk).from.len(), 2);
}

#[test]
fn the_rule_is_given_once_its_sheet_was_on_screen_and_as_it_was_shown() {
    let mut desk = desk();
    desk.press("P");
    desk.draw();
    desk.press("enter");
    assert_eq!(
        desk.notice(),
        "this sheet has only just appeared; look at it first"
    );
    desk.look(400);
    desk.press("w");
    desk.press("enter");
    assert_eq!(given(&mut desk), []);
    desk.look(400);
    let text = sheet(&desk).text();
    desk.press("l");
    desk.look(400);
    desk.press("enter");
    let grants = given(&mut desk);
    let [grant] = grants.as_slice() else {
        unreachable!("{grants:?}");
    };
    assert_eq!(grant.text, text);
    let end = desk.state.now.wall + std::time::Duration::from_hours(1);
    assert_eq!(grant.lasts, Lasts::Until(end));
    assert_eq!(
        (grant.who.as_str(), grant.workspace.as_str()),
        ("operator", "/ws")
    );
    desk.press("enter");
    assert_eq!(given(&mut desk), [], "it is being recorded already");
}

#[test]
fn rows_that_were_not_on_screen_are_asked_about() {
    let mut desk = desk();
    desk.press("P");
    let overlay = Extent {
        top: 0,
        height: 10,
        total: 14,
    };
    for _ in 0..2 {
        let drawn = Drawn {
            overlay,
            review: true,
            afresh: desk.state.afresh,
            ..Drawn::default()
        };
        desk.on_screen(drawn);
        desk.wait(400);
    }
    desk.press("enter");
    assert_eq!(given(&mut desk), []);
    assert!(
        desk.notice()
            .starts_with("4 rows of this sheet not seen yet"),
        "{}",
        desk.notice()
    );
    desk.wait(200);
    desk.press("enter");
    assert_eq!(given(&mut desk).len(), 1);
}

#[test]
fn a_recorded_rule_decides_no_call_that_waits_but_puts_them_on_the_review_sheet() {
    let mut desk = desk();
    desk.press("P w");
    desk.look(400);
    desk.press("enter");
    let grant = given(&mut desk).pop().expect("a rule");
    desk.send(Event::Store(StoreEvent::Given {
        grant: Box::new(grant),
        replaces: None,
    }));
    assert_eq!(desk.recorded(), []);
    let approve = || Decision::Approve { arguments: None };
    match &desk.state.overlay {
        Some(Overlay::Review(review)) => {
            assert_eq!(
                review.rulings,
                [(key("a"), approve()), (key("b"), approve())]
            );
        }
        other => unreachable!("{other:?}"),
    }
    desk.press("esc");
    assert_eq!(desk.listed(), ["a", "b", "c"]);
}

#[test]
fn a_rule_that_could_not_be_recorded_is_said_not_to_count_and_can_be_signed_again() {
    let mut desk = desk();
    desk.press("P");
    desk.look(400);
    desk.press("enter");
    desk.take();
    desk.send(Event::Store(StoreEvent::RuleFailed(
        "the disk is full".to_owned(),
    )));
    assert!(desk.notice().contains("the disk is full"));
    desk.look(400);
    desk.press("enter");
    assert_eq!(given(&mut desk).len(), 1);
}

#[test]
fn no_rule_is_made_where_the_policy_did_not_ask() {
    let mut desk = Desk::with(&["a"]);
    desk.press("P");
    assert_eq!(desk.state.overlay, None);
    assert_eq!(
        desk.notice(),
        "no rule of yours could answer this call: it is not the policy that asks"
    );
}

#[test]
fn a_text_from_the_editor_is_the_rule_or_says_why_it_is_none() {
    let mut desk = desk();
    desk.press("P e");
    desk.take();
    desk.send(Event::Edited(Ok(
        "[[rules]]\ntool = 'delete_file'\nverdict = 'ask'".to_owned(),
    )));
    assert!(sheet(&desk).fault.is_some());
    desk.look(400);
    desk.press("enter");
    assert_eq!(given(&mut desk), []);
    desk.press("e");
    desk.take();
    let text = "[[rules]]\ntool = 'delete_file'\nverdict = 'deny'\n";
    desk.send(Event::Edited(Ok(text.to_owned())));
    assert_eq!(
        (sheet(&desk).verdict, matched(&desk)),
        (Verdict::Deny, vec![Match::Yes; 3])
    );
    desk.look(400);
    desk.press("enter");
    assert_eq!(
        given(&mut desk).pop().map(|grant| grant.text),
        Some(text.to_owned())
    );
}

#[test]
fn a_call_that_something_else_asks_about_too_is_not_said_to_be_matched() {
    let mut desk = desk();
    let mut other = asked("d", "reports/d");
    if let Some(grounds) = &mut other.grounds {
        grounds.questions.push(Question::Rule("another".to_owned()));
    }
    desk.arrive(other);
    desk.look(400);
    desk.press("P w");
    assert_eq!(
        matched(&desk),
        [Match::Yes, Match::Yes, Match::No, Match::AskedAnyway]
    );
}

#[test]
fn a_call_that_arrives_while_the_sheet_is_open_is_weighed_and_the_sheet_asks_to_be_read() {
    let mut desk = desk();
    desk.press("P w");
    desk.look(400);
    desk.arrive(asked("d", "reports/d"));
    assert_eq!(
        matched(&desk),
        [Match::Yes, Match::Yes, Match::No, Match::Yes]
    );
    assert_eq!(sheet(&desk).seen, countersign::app::state::Seen::default());
}

#[test]
fn a_listed_rule_is_revoked_or_given_anew_in_its_place() {
    let mut desk = desk();
    desk.press("P w");
    desk.look(400);
    desk.press("enter");
    let grant = given(&mut desk).pop().expect("a rule");
    desk.send(Event::Store(StoreEvent::Given {
        grant: Box::new(grant.clone()),
        replaces: None,
    }));
    desk.press("esc p");
    assert_eq!(desk.take(), [Effect::ListRules]);
    desk.send(Event::Store(StoreEvent::Rules(Ok(vec![grant.clone()]))));
    desk.draw();
    desk.press("x");
    assert_eq!(desk.take(), [], "it has only just appeared");
    desk.look(400);
    desk.press("x");
    let revoke = Effect::Revoke {
        grant: Box::new(grant.clone()),
        who: "operator".to_owned(),
        at: desk.state.now.wall,
    };
    assert_eq!(desk.take(), [revoke]);
    desk.press("e l");
    assert_eq!(sheet(&desk).replaces.as_deref(), Some(&grant));
    desk.look(400);
    desk.press("enter");
    let replaced = desk.take().into_iter().any(
        |effect| matches!(effect, Effect::Give { replaces: Some(before), .. } if *before == grant),
    );
    assert!(replaced);
}

/// The list of three rules, of which the second denies, looked at.
fn list(desk: &mut Desk) -> Vec<Grant> {
    let mut rules = Vec::new();
    for keys in ["P", "P d", "P w"] {
        desk.press(keys);
        desk.look(400);
        desk.press("enter");
        rules.push(given(desk).pop().expect("a rule"));
        desk.press("esc");
    }
    desk.press("p");
    desk.take();
    desk.send(Event::Store(StoreEvent::Rules(Ok(rules.clone()))));
    desk.look(1200);
    rules
}

/// The rules that were taken back.
fn revoked(desk: &mut Desk) -> Vec<String> {
    let revoked = |effect| match effect {
        Effect::Revoke { grant, .. } => Some(grant.id),
        _ => None,
    };
    desk.take().into_iter().filter_map(revoked).collect()
}

#[test]
fn a_key_held_down_in_the_list_of_rules_revokes_none_but_the_first() {
    let mut desk = desk();
    let mut rules = list(&mut desk);
    let mut taken_back = Vec::new();
    for _ in 0..120 {
        desk.stroke("x", Stroke::Press);
        desk.draw();
        for id in revoked(&mut desk) {
            rules.retain(|rule| rule.id != id);
            taken_back.push(id.clone());
            desk.send(Event::Store(StoreEvent::Revoked(id)));
            desk.send(Event::Store(StoreEvent::Rules(Ok(rules.clone()))));
            desk.take();
        }
        desk.look(33);
    }
    assert_eq!((taken_back.len(), rules.len()), (1, 2));
}

#[test]
fn a_rule_that_denies_is_revoked_only_by_a_second_key_and_after_it_was_looked_at() {
    let mut desk = desk();
    let rules = list(&mut desk);
    desk.press("j");
    desk.draw();
    desk.press("x");
    let first = "this rule has only just come under the cursor; look at it first";
    assert_eq!(desk.notice(), first);
    assert_eq!(revoked(&mut desk), [""; 0]);
    desk.look(1200);
    desk.press("x");
    let asked = "this rule denies: without it such calls are asked about, or run; `x` again revokes it all the same";
    assert_eq!(desk.notice(), asked);
    assert_eq!(revoked(&mut desk), [""; 0]);
    desk.look(1200);
    desk.press("x");
    assert_eq!(revoked(&mut desk), [rules[1].id.clone()]);
}

#[test]
fn a_call_that_waits_says_that_a_rule_given_since_denies_it() {
    let mut desk = desk();
    desk.press("j j P d");
    desk.look(400);
    desk.press("enter");
    let grant = given(&mut desk).pop().expect("a rule");
    let id = grant.id.clone();
    desk.send(Event::Store(StoreEvent::Given {
        grant: Box::new(grant),
        replaces: None,
    }));
    desk.press("esc");
    let warnings = |desk: &Desk, call: &str| {
        let waiting = desk.state.pending.get(&key(call));
        waiting.expect("it waits").call.warnings.clone()
    };
    let told =
        format!("a rule given since this call came denies it: {id}, for this session, by operator");
    assert_eq!(warnings(&desk, "c"), [told]);
    assert_eq!(warnings(&desk, "a"), [""; 0]);
    // What is new about the call has to be looked at before it is approved.
    assert_eq!(desk.cursor(), Some("c"));
    desk.press("a");
    assert_eq!(desk.rulings(), []);
    desk.send(Event::Store(StoreEvent::Revoked(id)));
    assert_eq!(warnings(&desk, "c"), [""; 0]);
}

#[test]
fn an_edited_rule_is_named_on_the_calls_that_it_denies_and_the_one_before_is_not() {
    let mut desk = desk();
    desk.press("j j P d");
    desk.look(400);
    desk.press("enter");
    let before = given(&mut desk).pop().expect("a rule");
    let told = |desk: &mut Desk, grant: &Grant, replaces: Option<&Grant>| {
        desk.send(Event::Store(StoreEvent::Given {
            grant: Box::new(grant.clone()),
            replaces: replaces.map(|before| before.id.clone()),
        }));
        desk.press("esc");
        let waiting = desk.state.pending.get(&key("c"));
        waiting.expect("it waits").call.warnings.clone()
    };
    let says = |id: &str| {
        format!("a rule given since this call came denies it: {id}, for this session, by operator")
    };
    assert_eq!(told(&mut desk, &before, None), [says(&before.id)]);
    let mut edited = before.clone();
    edited.id = "g2".to_owned();
    assert_eq!(told(&mut desk, &edited, Some(&before)), [says("g2")]);
    edited.text = "[[rules]]\ntool = 'other'\nverdict = 'deny'\n".to_owned();
    edited.id = "g3".to_owned();
    let g2 = Grant {
        id: "g2".to_owned(),
        ..before
    };
    assert_eq!(told(&mut desk, &edited, Some(&g2)), [""; 0]);
}

#[test]
fn a_rule_that_is_revoked_elsewhere_leaves_the_list_with_a_word_and_the_next_is_looked_at_anew() {
    let mut desk = desk();
    let rules = list(&mut desk);
    desk.take();
    desk.wait(2_000);
    assert_eq!(desk.take(), [Effect::ListRules]);
    desk.wait(5_000);
    assert_eq!(desk.take(), [], "it is being read");
    desk.send(Event::Store(StoreEvent::Rules(Ok(rules[1..].to_vec()))));
    let gone = format!("rule {} counts no more: it was revoked", rules[0].id);
    let told = |desk: &Desk| desk.state.notice.as_ref().map(|notice| notice.text.clone());
    assert_eq!(told(&desk), Some(gone));
    desk.draw();
    desk.press("x x");
    assert_eq!(revoked(&mut desk), [""; 0], "another rule slid there");
    // One that was taken back since the list was read.
    desk.look(400);
    desk.press("x x");
    assert_eq!(revoked(&mut desk), [rules[1].id.clone()]);
    let id = rules[1].id.clone();
    desk.send(Event::Store(StoreEvent::RevokedBefore(id.clone())));
    let before = format!("rule {id} counted no more already: it was revoked elsewhere");
    assert_eq!(told(&desk), Some(before));
    assert_eq!(desk.take(), [Effect::ListRules]);
}
