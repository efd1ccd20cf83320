//! However a terminal reports a key, the console gets its one normal form.

use countersign::app::event::Event;
use countersign::app::key::{Key, Stroke};
use countersign::term::input::translate;
use crossterm::event::{
    Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers as Mods, MouseEvent, MouseEventKind,
};

fn press(code: KeyCode, modifiers: Mods) -> Raw {
    Raw::Key(KeyEvent::new(code, modifiers))
}

fn named(name: &str) -> Event {
    let key: Key = name.parse().expect("the test names a key");
    Event::Key(key, Stroke::Press)
}

#[test]
fn every_way_of_reporting_a_key_gives_one_key() {
    let cases = [
        (KeyCode::Char('a'), Mods::NONE, "a"),
        (KeyCode::Char('A'), Mods::SHIFT, "A"),
        (KeyCode::Char('A'), Mods::NONE, "A"),
        (KeyCode::Char('a'), Mods::SHIFT, "A"),
        (KeyCode::Char('é'), Mods::SHIFT, "É"),
        (KeyCode::Char('ß'), Mods::SHIFT, "ß"),
        (KeyCode::Char('?'), Mods::SHIFT, "?"),
        (KeyCode::Char('?'), Mods::NONE, "?"),
        (KeyCode::Char('*'), Mods::SHIFT, "*"),
        (KeyCode::Char('s'), Mods::CONTROL, "ctrl-s"),
        (
            KeyCode::Char('s'),
            Mods::CONTROL.union(Mods::SHIFT),
            "ctrl-S",
        ),
        (
            KeyCode::Char('S'),
            Mods::CONTROL.union(Mods::SHIFT),
            "ctrl-shift-s",
        ),
        (KeyCode::Char('x'), Mods::ALT, "alt-x"),
        (KeyCode::Char(' '), Mods::CONTROL, "ctrl-space"),
        (KeyCode::BackTab, Mods::SHIFT, "shift-tab"),
        (KeyCode::BackTab, Mods::NONE, "shift-tab"),
        (KeyCode::Tab, Mods::SHIFT, "shift-tab"),
        (KeyCode::Up, Mods::SHIFT, "shift-up"),
        (KeyCode::F(5), Mods::NONE, "f5"),
        (KeyCode::PageDown, Mods::NONE, "page-down"),
    ];
    for (code, modifiers, name) in cases {
        assert_eq!(
            translate(press(code, modifiers)),
            Some(named(name)),
            "{code:?} with {modifiers:?}"
        );
    }
}

#[test]
fn a_held_key_is_a_repeat_and_a_released_one_is_nothing() {
    let with = |kind| {
        Raw::Key(KeyEvent::new_with_kind(
            KeyCode::Char('a'),
            Mods::NONE,
            kind,
        ))
    };
    let key: Key = "a".parse().expect("it is a key");
    assert_eq!(
        [
            KeyEventKind::Press,
            KeyEventKind::Repeat,
            KeyEventKind::Release
        ]
        .map(|kind| translate(with(kind))),
        [
            Some(Event::Key(key, Stroke::Press)),
            Some(Event::Key(key, Stroke::Repeat)),
            None
        ]
    );
}

#[test]
fn a_key_with_a_modifier_we_do_not_know_is_not_the_plain_key() {
    for modifier in [Mods::SUPER, Mods::HYPER, Mods::META] {
        assert_eq!(translate(press(KeyCode::Char('a'), modifier)), None);
    }
}

#[test]
fn what_the_console_has_no_use_for_is_no_event() {
    let mouse = Raw::Mouse(MouseEvent {
        kind: MouseEventKind::Moved,
        column: 1,
        row: 1,
        modifiers: Mods::NONE,
    });
    let useless = [
        mouse,
        Raw::FocusGained,
        Raw::FocusLost,
        // The size comes by a signal.
        Raw::Resize(80, 24),
        press(KeyCode::Null, Mods::NONE),
        press(KeyCode::CapsLock, Mods::NONE),
        press(KeyCode::F(25), Mods::NONE),
        press(KeyCode::Char('\u{85}'), Mods::NONE),
    ];
    for raw in useless {
        assert_eq!(translate(raw.clone()), None, "{raw:?}");
    }
}

#[test]
fn a_paste_comes_through_whole() {
    assert_eq!(
        translate(Raw::Paste("a\r\n\u{1b}".to_owned())),
        Some(Event::Paste("a\r\n\u{1b}".to_owned()))
    );
}
