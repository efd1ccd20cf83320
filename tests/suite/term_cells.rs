//! Frames as bytes: whatever changes between two of them, the terminal shows what was drawn.

use countersign::term::cells::Cells;
use proptest::prelude::*;
use ratatui::backend::Backend as _;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::cell::RefCell;
use std::io::{self, Write};
use std::num::NonZero;
use std::rc::Rc;

const AREA: Rect = Rect::new(0, 0, 24, 6);

/// What a terminal would be sent.
#[derive(Clone, Default)]
struct Sent(Rc<RefCell<Vec<u8>>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sent {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

fn terminal() -> (Terminal<Cells<Sent>>, Sent) {
    let sent = Sent::default();
    let viewport = Viewport::Fixed(AREA);
    let terminal = Terminal::with_options(Cells::new(sent.clone()), TerminalOptions { viewport });
    (terminal.expect("nothing is asked of the terminal"), sent)
}

/// The bytes of one frame.
fn frame(
    (terminal, sent): &mut (Terminal<Cells<Sent>>, Sent),
    draw: impl FnOnce(&mut Buffer),
) -> String {
    let drawn = terminal.draw(|frame| draw(frame.buffer_mut()));
    drawn.expect("it was drawn");
    terminal.backend_mut().finish().expect("it was written");
    String::from_utf8(sent.take()).expect("it is text")
}

#[test]
fn a_frame_without_a_change_writes_nothing() {
    let mut terminal = terminal();
    let draw = |buffer: &mut Buffer| {
        buffer.set_string(0, 0, "ab", Style::new());
    };
    assert_eq!(
        frame(&mut terminal, draw),
        "\x1b[?2026h\x1b[1Hab\x1b[?25l\x1b[?2026l"
    );
    assert_eq!(frame(&mut terminal, draw), "");
}

#[test]
fn a_change_costs_one_short_sequence_for_each_place_and_each_look() {
    let mut terminal = terminal();
    frame(&mut terminal, |buffer| {
        buffer.set_string(0, 1, "one two ▌ three", Style::new());
    });
    let cyan = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
    let changed = frame(&mut terminal, |buffer| {
        buffer.set_string(0, 1, "One twO █ thRee", Style::new());
        buffer.set_string(6, 1, "O", cyan);
        buffer.set_string(0, 2, "a", cyan.remove_modifier(Modifier::BOLD));
    });
    assert_eq!(
        changed,
        "\x1b[?2026h\x1b[2HO\x1b[5C\x1b[1;36mO\x1b[C\x1b[m█\x1b[13GR\x1b[3H\x1b[36ma\x1b[m\x1b[?2026l"
    );
}

#[test]
fn what_somebody_else_left_on_the_terminal_is_taken_off_first() {
    let mut terminal = terminal();
    let draw = |buffer: &mut Buffer| {
        buffer.set_string(0, 0, "a", Style::new());
    };
    frame(&mut terminal, draw);
    terminal.0.backend_mut().forget();
    terminal.0.backend_mut().clear().expect("it can be cleared");
    assert_eq!(
        frame(&mut terminal, draw),
        "\x1b[?2026h\x1b[m\x1b[2J\x1b[?25l\x1b[?2026l"
    );
}

fn colour() -> impl Strategy<Value = Color> {
    prop_oneof![
        Just(Color::Reset),
        Just(Color::Red),
        Just(Color::White),
        Just(Color::DarkGray),
        any::<u8>().prop_map(Color::Indexed),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Color::Rgb(r, g, b)),
    ]
}

fn style() -> impl Strategy<Value = Style> {
    let modifiers = [
        Modifier::BOLD,
        Modifier::DIM,
        Modifier::ITALIC,
        Modifier::UNDERLINED,
        Modifier::REVERSED,
    ];
    let modifier = proptest::sample::subsequence(modifiers.to_vec(), 0..=modifiers.len());
    (colour(), colour(), modifier).prop_map(|(fg, bg, modifiers)| {
        let all = modifiers.into_iter().collect();
        Style::new().fg(fg).bg(bg).add_modifier(all)
    })
}

/// Pieces of text with their places and looks.
fn picture() -> impl Strategy<Value = Vec<(u16, u16, &'static str, Style)>> {
    let texts = ["a", "plain text", " ", "▌ row", "日本", "x│y", "     "];
    let piece = (
        0..AREA.width,
        0..AREA.height,
        proptest::sample::select(texts.to_vec()),
        style(),
    );
    proptest::collection::vec(piece, 0..12)
}

fn indexed(colour: Color) -> vt100::Color {
    match colour {
        Color::Reset => vt100::Color::Default,
        Color::Red => vt100::Color::Idx(1),
        Color::DarkGray => vt100::Color::Idx(8),
        Color::White => vt100::Color::Idx(15),
        Color::Indexed(index) => vt100::Color::Idx(index),
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        other => unreachable!("{other} is not drawn here"),
    }
}

/// The first cell that the terminal shows otherwise than it was drawn.
fn unlike(buffer: &Buffer, screen: &vt100::Screen) -> Option<String> {
    let mut covered = 0;
    for at in AREA.positions() {
        let (wanted, shown) = (&buffer[at], screen.cell(at.y, at.x)?);
        if at.x == 0 {
            covered = 0;
        }
        if covered > 0 {
            covered -= 1;
            continue;
        }
        covered = unicode_width::UnicodeWidthStr::width(wanted.symbol()).saturating_sub(1);
        let text = |text: &str| {
            if text.is_empty() {
                " ".to_owned()
            } else {
                text.to_owned()
            }
        };
        let modifiers = [
            (Modifier::BOLD, shown.bold()),
            (Modifier::DIM, shown.dim()),
            (Modifier::ITALIC, shown.italic()),
            (Modifier::UNDERLINED, shown.underline()),
            (Modifier::REVERSED, shown.inverse()),
        ];
        let worn = modifiers
            .into_iter()
            .filter(|(_, on)| *on)
            .map(|(modifier, _)| modifier);
        let same = text(shown.contents()) == wanted.symbol()
            && (shown.fgcolor(), shown.bgcolor()) == (indexed(wanted.fg), indexed(wanted.bg))
            && worn.collect::<Modifier>() == wanted.modifier;
        if !same {
            return Some(format!("at {at}: {wanted:?} is shown as {shown:?}"));
        }
    }
    None
}

proptest! {
    #[test]
    fn a_terminal_that_gets_the_bytes_of_all_frames_shows_the_last_of_them(
        pictures in proptest::collection::vec(picture(), 1..6)
    ) {
        let mut drawn = terminal();
        let size = |cells: u16| NonZero::new(cells).expect("there are some");
        let mut parser = vt100::Parser::new(size(AREA.height), size(AREA.width), 0);
        for picture in pictures {
            let mut whole = Buffer::empty(AREA);
            let bytes = frame(&mut drawn, |buffer| {
                for (x, y, text, style) in picture {
                    buffer.set_string(x, y, text, style);
                }
                whole = buffer.clone();
            });
            parser.process(bytes.as_bytes());
            prop_assert_eq!(unlike(&whole, parser.screen()), None);
        }
    }
}
