//! However a terminal reports a key, the console gets its one normal form; and nothing that is torn,
//! pasted or unknown becomes a key.

use countersign::app::event::Event;
use countersign::app::key::{Key, Stroke};
use countersign::app::mouse::{Mouse, Turn};
use countersign::term::input::{Came, Parser};
use countersign::term::mark::Mark;
use proptest::prelude::*;
use std::time::Duration;

const MOMENT: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(2);

/// What these bytes come to, if nothing follows them.
fn read(bytes: &[u8]) -> Vec<Came> {
    let mut parser = Parser::default();
    let mut came = parser.feed(bytes, LONG);
    if parser.patience().is_some() {
        came.extend(parser.silence());
    }
    came
}

fn key(name: &str, stroke: Stroke) -> Came {
    let key: Key = name.parse().expect("the test names a key");
    Came::Event(Event::Key(key, stroke))
}

fn press(name: &str) -> Came {
    key(name, Stroke::Press)
}

fn pasted(text: &str) -> Came {
    Came::Event(Event::Paste(text.to_owned()))
}

#[test]
fn every_way_of_reporting_a_key_gives_one_key() {
    let cases = [
        ("a", "a"),
        ("A", "A"),
        ("é", "é"),
        ("语", "语"),
        ("?", "?"),
        (" ", "space"),
        ("\x13", "ctrl-s"),
        ("\0", "ctrl-space"),
        ("\r", "enter"),
        ("\t", "tab"),
        ("\x7f", "backspace"),
        ("\x1b", "esc"),
        ("\x1bx", "alt-x"),
        ("\x1b[", "alt-["),
        ("\x1b[Z", "shift-tab"),
        ("\x1b[A", "up"),
        ("\x1bOA", "up"),
        ("\x1b[1;2A", "shift-up"),
        ("\x1b[1;5D", "ctrl-left"),
        ("\x1b[H", "home"),
        ("\x1b[7~", "home"),
        ("\x1b[3~", "delete"),
        ("\x1b[6~", "page-down"),
        ("\x1b[5;3~", "alt-page-up"),
        ("\x1bOP", "f1"),
        ("\x1b[[A", "f1"),
        ("\x1b[15~", "f5"),
        ("\x1b[24~", "f12"),
        ("\x1b[27;5;97~", "ctrl-a"),
        // The enhanced keyboard.
        ("\x1b[97u", "a"),
        ("\x1b[97;2;65u", "A"),
        ("\x1b[97;2u", "A"),
        ("\x1b[97;66u", "A"),
        ("\x1b[233;2u", "É"),
        ("\x1b[223;2u", "ß"),
        ("\x1b[49;2;33u", "!"),
        ("\x1b[115;5u", "ctrl-s"),
        ("\x1b[115;6u", "ctrl-S"),
        ("\x1b[97;129;97u", "a"),
        ("\x1b[0;;229u", "å"),
        ("\x1b[27u", "esc"),
        ("\x1b[27;1:1u", "esc"),
        ("\x1b[13u", "enter"),
        ("\x1b[9;2u", "shift-tab"),
        ("\x1b[57414u", "enter"),
        ("\x1b[57400u", "1"),
        ("\x1b[57376u", "f13"),
    ];
    for (bytes, name) in cases {
        assert_eq!(read(bytes.as_bytes()), [press(name)], "{bytes:?}");
    }
}

#[test]
fn a_held_key_is_a_repeat_and_a_released_one_is_nothing() {
    assert_eq!(read(b"\x1b[97;1:1;97u"), [press("a")]);
    assert_eq!(read(b"\x1b[97;1:2;97u"), [key("a", Stroke::Repeat)]);
    assert_eq!(read(b"\x1b[97;1:3u"), []);
    assert_eq!(read(b"\x1b[1;1:2B"), [key("down", Stroke::Repeat)]);
    assert_eq!(read(b"\x1b[1;1:3B"), []);
    assert_eq!(read(b"\x1b[6;1:2~"), [key("page-down", Stroke::Repeat)]);
}

#[test]
fn a_key_with_a_modifier_we_do_not_know_is_not_the_plain_key() {
    for modifier in [8, 16, 32] {
        let bytes = format!("\x1b[97;{}u", modifier + 1);
        assert_eq!(read(bytes.as_bytes()), [], "{modifier}");
    }
}

#[test]
fn what_the_console_has_no_use_for_is_no_event() {
    let useless: [&[u8]; 13] = [
        b"\x1b[57441;2u",
        b"\x1b[57358u",
        b"\x1b[?62;22c",
        b"\x1b]11;rgb:0000/0000/0000\x07",
        b"\x1b]11;rgb:0000/0000/0000\x1b\\",
        b"\x1bP1$r0m\x1b\\",
        b"\x1b_Gi=1;OK\x1b\\",
        b"\x1b[M !!",
        b"\x1b[<2;5;5M",
        b"\x1b[<0;5;5m",
        b"\x1b[<35;5;5M",
        b"\x1b[201~",
        b"\xff\xfe",
    ];
    for bytes in useless {
        assert_eq!(read(bytes), [], "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn focus_the_mouse_and_the_keyboards_answer_are_told_apart() {
    let at = |turn| {
        let (column, row) = (11, 4);
        Came::Event(Event::Mouse(Mouse { turn, column, row }))
    };
    let cases: [(&[u8], Came); 6] = [
        (b"\x1b[I", Came::Event(Event::FocusGained)),
        (b"\x1b[O", Came::Event(Event::FocusLost)),
        (b"\x1b[<0;12;5M", at(Turn::Click)),
        (b"\x1b[<64;12;5M", at(Turn::WheelUp)),
        (b"\x1b[<65;12;5M", at(Turn::WheelDown)),
        (b"\x1b[?27u", Came::Keyboard(27)),
    ];
    for (bytes, came) in cases {
        assert_eq!(read(bytes), [came]);
    }
}

#[test]
fn a_key_that_is_torn_apart_on_the_way_is_still_one_key() {
    for bytes in [&b"\x1b[A"[..], b"\x1b[1;5A", b"\x1bOA", "语".as_bytes()] {
        let mut parser = Parser::default();
        let mut came = Vec::new();
        for byte in bytes {
            came.extend(parser.feed(&[*byte], MOMENT));
        }
        assert_eq!(
            came.len(),
            1,
            "{:?}: {came:?}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn a_sequence_that_never_ends_is_no_key_and_takes_none_with_it() {
    let mut parser = Parser::default();
    assert_eq!(parser.feed(b"\x1b[1;", LONG), []);
    assert_eq!(parser.silence(), []);
    assert_eq!(parser.feed(b"a", LONG), [press("a")]);
    // Another sequence begins in the middle of one.
    assert_eq!(read(b"\x1b[1;\x1b[B"), [press("down")]);
}

#[test]
fn a_paste_is_one_event_however_it_looks_and_comes() {
    let text = "aq\r\n\u{1b}[A é";
    let bytes = format!("\x1b[200~{text}\x1b[201~b");
    let mut parser = Parser::default();
    let mut came = Vec::new();
    for byte in bytes.as_bytes() {
        came.extend(parser.feed(&[*byte], MOMENT));
    }
    assert_eq!(came, [pasted(text), press("b")]);
    assert_eq!(read(bytes.as_bytes()), [pasted(text), press("b")]);
}

#[test]
fn a_paste_whose_end_is_lost_is_told_once_and_esc_alone_leaves_it() {
    for way_out in [&b"\x1b"[..], b"\x03", b"\x1b[27u", b"\x1b[99;5u"] {
        let mut parser = Parser::default();
        assert_eq!(parser.feed(b"\x1b[200~lost a", LONG), []);
        assert_eq!(parser.patience(), Some(Duration::from_secs(1)));
        assert_eq!(parser.silence(), [Came::Event(Event::PasteOpen)]);
        assert_eq!(parser.patience(), None, "it is told once");
        assert_eq!(parser.feed(b"a", LONG), [], "still text");
        assert_eq!(parser.feed(way_out, LONG), []);
        assert_eq!(parser.silence(), [pasted("lost aa")]);
        assert_eq!(parser.feed(b"a", LONG), [press("a")]);
    }
}

#[test]
fn an_escape_inside_a_paste_does_not_end_it() {
    // Before the operator was told; right behind other text; with something right behind it.
    let mut parser = Parser::default();
    parser.feed(b"\x1b[200~one", LONG);
    assert_eq!(parser.feed(b"\x1b", LONG), []);
    assert_eq!(parser.silence(), [Came::Event(Event::PasteOpen)]);
    assert_eq!(parser.feed(b"two\x1b", LONG), []);
    assert_eq!(parser.patience(), None);
    assert_eq!(parser.feed(b"\x1b", MOMENT), []);
    assert_eq!(parser.patience(), None);
    assert_eq!(parser.feed(b"\x1b", LONG), []);
    assert_eq!(parser.feed(b"a", MOMENT), [], "it was not alone");
    assert_eq!(parser.patience(), None);
    assert_eq!(
        parser.feed(b"\x1b[201~", MOMENT),
        [pasted("one\u{1b}two\u{1b}\u{1b}\u{1b}a")]
    );
}

proptest! {
    #[test]
    fn bytes_in_any_pieces_mean_what_they_mean_in_one(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        cut in 0_usize..200,
    ) {
        let mut whole = Parser::default();
        let together = whole.feed(&bytes, MOMENT);
        let mut parser = Parser::default();
        let (first, rest) = bytes.split_at(cut.min(bytes.len()));
        let mut apart = parser.feed(first, MOMENT);
        apart.extend(parser.feed(rest, MOMENT));
        prop_assert_eq!(together, apart);
    }

    #[test]
    fn nothing_inside_a_paste_is_ever_a_key(text in "[^\\x1b]{0,200}") {
        let came = read(format!("\x1b[200~{text}\x1b[201~").as_bytes());
        prop_assert_eq!(came, [pasted(&text)]);
    }
}

#[test]
fn the_terminals_answer_where_its_cursor_is_names_a_mark() {
    assert_eq!(read(b"\x1b[12;40R"), [Came::Reached(Mark::told(12, 40))]);
}

#[test]
fn marks_go_round_the_screen_and_are_never_in_its_first_row() {
    let marks = |size| {
        (0..5)
            .map(move |number| Mark::of(number, size))
            .collect::<Vec<_>>()
    };
    let told = |places: &[(u16, u16)]| {
        let told = places.iter().map(|(row, column)| Mark::told(*row, *column));
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        marks((2, 3)),
        told(&[(2, 1), (2, 2), (3, 1), (3, 2), (2, 1)])
    );
    assert_eq!(marks((0, 0)), told(&[(2, 1); 5]));
}
