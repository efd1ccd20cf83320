//! A key that does nothing says why, in one line.

use countersign::app::command::Command;
use countersign::app::key::Stroke;
use countersign::app::refusal::idle;
use countersign::core::call::{Call, Grounds, SessionId};
use countersign::core::run::Level;
use countersign::core::session::Session;
use countersign::core::verdict::Question;

use crate::support::desk::{Desk, call};

/// What each key says on a desk that was just made.
fn said(desk: impl Fn() -> Desk, keys: &[&str]) -> Vec<(String, String)> {
    let say = |keys: &&str| {
        let mut desk = desk();
        desk.press(keys);
        ((*keys).to_owned(), desk.notice().to_owned())
    };
    keys.iter().map(say).collect()
}

fn expected(all: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(key, why): &(&str, &str)| ((*key).to_owned(), (*why).to_owned());
    all.iter().map(owned).collect()
}

#[test]
fn a_key_that_has_nothing_to_do_says_so_while_one_call_waits() {
    let all = [
        ("u", "nothing to undo: no decision is held back"),
        ("ctrl-r", "nothing to send again: no request failed"),
        ("s", "there is no other session here"),
        ("o", "only one session is here"),
        ("]", "no call of this session has any output"),
        ("esc", "no filter is set: all calls are listed"),
        ("z", "`z` does nothing here; `?` shows all keys"),
        ("f7", "`f7` does nothing here; `?` shows all keys"),
        ("enter", "`enter` does nothing here; `?` shows all keys"),
        ("v v", "this is the whole call already"),
        ("v b", "close this first"),
        ("v enter", "nothing is signed here"),
        ("v z", "`z` does nothing here; `esc` closes this"),
        ("? v", "`v` does nothing here; `esc` closes this"),
        ("w", "no calls have been signed together yet"),
    ];
    let keys = all.map(|(key, _)| key);
    assert_eq!(said(|| Desk::with(&["one"]), &keys), expected(&all));
}

#[test]
fn a_key_that_has_nothing_to_do_says_so_while_no_call_waits() {
    let none = "no call waits for you";
    let all = [
        "a", "r", "e", "x", "t", "f", "L", "P", "space", "*", "A", "R", "v", "/", "b", "B", "j",
        "g", "J", "C",
    ];
    let all = all.map(|key| (key, none));
    let keys = all.map(|(key, _)| key);
    assert_eq!(said(Desk::default, &keys), expected(&all));
}

#[test]
fn nothing_is_signed_with_a_key_that_the_review_sheet_does_not_know() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("A");
    desk.look(1000);
    desk.press("v");
    assert_eq!(desk.notice(), "`v` does nothing here; `esc` closes this");
    assert_eq!(desk.rulings(), []);
}

#[test]
fn a_key_without_a_meaning_is_told_quietly_and_takes_the_place_of_no_other_word() {
    let mut desk = Desk::with(&["one"]);
    desk.press("z");
    let level = desk.state.notice.as_ref().map(|notice| notice.level);
    assert_eq!(level, Some(Level::Note));
    desk.press("y");
    assert_eq!(desk.notice(), "`z` does nothing here; `?` shows all keys");
    desk.press("u z");
    assert_eq!(desk.notice(), "nothing to undo: no decision is held back");
    // Esc takes it away, and says nothing itself.
    desk.press("esc");
    assert_eq!(desk.notice(), "");
    desk.stroke("z", Stroke::Repeat);
    assert_eq!(desk.notice(), "", "a held key says nothing");
}

#[test]
fn keys_of_sessions_say_nothing_where_there_are_several() {
    let mut desk = Desk::with(&["one"]);
    let other = SessionId("s2".to_owned());
    let other = Session::new(other, "deploy".to_owned(), String::new());
    desk.state.sessions.push(other);
    desk.press("s");
    assert_eq!(desk.notice(), "");
}

fn asked(tool: &str, arguments: &str, command_line: Option<&str>) -> Desk {
    let mut desk = Desk::default();
    desk.arrive(Call {
        grounds: Some(Grounds {
            workspace: "/ws".to_owned(),
            command_line: command_line.map(str::to_owned),
            questions: vec![Question::Default],
        }),
        ..call("a", tool, arguments)
    });
    desk.look(1000);
    desk.press("P");
    desk.look(1000);
    desk
}

#[test]
fn the_sheet_of_a_rule_says_why_no_wider_rule_is_offered() {
    let shell = |line: &str| asked("shell", line, Some("/command"));
    let mut desk = shell(r#"{"command":"git status | wc -l"}"#);
    desk.press("w");
    assert_eq!(desk.notice(), "only this line: it has no plain first words");
    let mut desk = shell(r#"{"command":"git status"}"#);
    desk.press("w");
    assert_eq!(desk.notice(), "");
    desk.press("w");
    assert_eq!(desk.notice(), "no wider rule is offered for this");
    desk.press("x");
    assert_eq!(desk.notice(), "not given yet: there is nothing to revoke");
    desk.press("z");
    desk.press("esc z");
    assert_eq!(desk.notice(), "`z` does nothing here; `?` shows all keys");
}

#[test]
fn what_an_idle_key_says_fits_a_row_of_fifty_columns() {
    let mut covered = Desk::with(&["one"]);
    covered.press("v");
    let proposed = asked("shell", r#"{"command":"ls"}"#, Some("/command"));
    let desks = [Desk::default(), Desk::with(&["one"]), covered, proposed];
    for (desk, command) in desks
        .iter()
        .flat_map(|desk| Command::ALL.map(|command| (desk, command)))
    {
        let said = idle(&desk.state, command);
        assert!(!said.is_empty() && said.chars().count() <= 46, "{said}");
    }
}
