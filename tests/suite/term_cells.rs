//! Frames as bytes: whatever changes between two of them, the terminal shows what was drawn.

use countersign::term::cells::Cells;
use proptest::prelude::*;
use ratatui::backend::{Backend as _, CrosstermBackend};
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
    let mut cells = Cells::new(sent.clone());
    cells.fit(AREA.width);
    let terminal = Terminal::with_options(cells, TerminalOptions { viewport });
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
        "\x1b[?2026h\x1b[2HO\x1b[5C\x1b[1;36mO\x1b[C\x1b[m█\x1b[3CR\r\n\x1b[36ma\x1b[m\x1b[?2026l"
    );
}

#[test]
fn a_blank_is_not_written_for_a_look_that_shows_on_letters_only() {
    let mut terminal = terminal();
    terminal.0.backend_mut().clear().expect("it can be cleared");
    let bold = Style::new().add_modifier(Modifier::BOLD);
    frame(&mut terminal, |buffer| {
        buffer.set_string(0, 0, "one  two", bold);
        buffer.set_string(0, 1, "    ", bold.fg(Color::Cyan));
    });
    let changed = frame(&mut terminal, |buffer| {
        buffer.set_string(0, 0, "one  two", Style::new());
        buffer.set_string(
            0,
            1,
            "    ",
            Style::new().add_modifier(Modifier::UNDERLINED),
        );
    });
    assert_eq!(
        changed,
        "\x1b[?2026h\x1b[1Hone  two\r\n\x1b[4m    \x1b[m\x1b[?2026l"
    );
}

#[test]
fn what_is_no_longer_there_is_erased_where_that_is_shorter_than_blanks() {
    let mut terminal = terminal();
    terminal.0.backend_mut().clear().expect("it can be cleared");
    frame(&mut terminal, |buffer| {
        buffer.set_string(0, 0, "a long text and its end", Style::new());
        buffer.set_string(0, 1, "short", Style::new());
        buffer.set_string(0, 2, "a long text and its end", Style::new());
    });
    let changed = frame(&mut terminal, |buffer| {
        buffer.set_string(0, 0, "a                  tEnd", Style::new());
        buffer.set_string(0, 2, "a", Style::new());
    });
    let expected = [
        "\x1b[?2026h\x1b[1;3H\x1b[17X\x1b[17CtE",
        "\r\n\x1b[5X\n\x1b[3G\x1b[21X\x1b[?2026l",
    ];
    assert_eq!(changed, expected.concat());
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

#[test]
fn what_stands_between_two_changes_is_written_again_where_that_is_shorter() {
    let mut terminal = terminal();
    terminal.0.backend_mut().clear().expect("it can be cleared");
    let cyan = Style::new().fg(Color::Cyan);
    frame(&mut terminal, |buffer| {
        buffer.set_string(0, 0, "one two three", Style::new());
        buffer.set_string(0, 1, "one two three", cyan);
        buffer.set_string(0, 2, "日a b", Style::new());
    });
    let changed = frame(&mut terminal, |buffer| {
        buffer.set_string(0, 0, "oNe Two threE f", Style::new());
        buffer.set_string(0, 1, "one two threE", cyan);
        buffer.set_string(14, 1, "f", cyan);
        buffer.set_string(4, 1, "T", Style::reset());
        buffer.set_string(0, 2, "日A B", Style::new());
    });
    let expected = [
        "\x1b[?2026h\x1b[1;2HNe T\x1b[7CE f",
        "\n\x1b[5GT\x1b[7C\x1b[36mE f",
        "\n\x1b[3G\x1b[mA B\x1b[?2026l",
    ];
    assert_eq!(changed, expected.concat());
}

#[test]
fn the_cursor_is_put_anew_behind_the_last_column_and_behind_letters_of_doubtful_width() {
    let mut terminal = terminal();
    let changed = frame(&mut terminal, |buffer| {
        buffer.set_string(0, 0, "from-one-side-to-another", Style::new());
        buffer.set_string(0, 1, "✓", Style::new());
        buffer.set_string(2, 2, "a", Style::new());
        buffer.set_string(2, 3, "b", Style::new());
    });
    assert_eq!(
        changed,
        "\x1b[?2026h\x1b[1Hfrom-one-side-to-another\x1b[2H✓\x1b[3;3Ha\n\x1b[3Gb\x1b[?25l\x1b[?2026l"
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
    // The terminal of the tests has either of bold and dim on, never both.
    let weight = proptest::sample::select(vec![Modifier::empty(), Modifier::BOLD, Modifier::DIM]);
    let modifiers = [Modifier::ITALIC, Modifier::UNDERLINED, Modifier::REVERSED];
    let modifier = proptest::sample::subsequence(modifiers.to_vec(), 0..=modifiers.len());
    (colour(), colour(), weight, modifier).prop_map(|(fg, bg, weight, modifiers)| {
        let all: Modifier = modifiers.into_iter().collect();
        Style::new().fg(fg).bg(bg).add_modifier(all | weight)
    })
}

/// At most one piece of text for each row: where it begins, and how it looks.
type Picture = Vec<Option<(u16, &'static str, Style)>>;

fn picture() -> impl Strategy<Value = Picture> {
    let texts = [
        "a",
        "plain text",
        " ",
        "▌ row",
        "日本",
        "x│y",
        "     ",
        "a       b",
        "é … ✓ ok",
    ];
    let text = proptest::sample::select(texts.to_vec());
    let piece = proptest::option::of((0..AREA.width, text, style()));
    proptest::collection::vec(piece, usize::from(AREA.height))
}

/// Every cell of the terminal with what shows of its look: on one without a letter neither the letters' colour
/// nor their weight does.
fn shown(parser: &vt100::Parser) -> Vec<String> {
    let all = AREA.positions();
    let cells = all.filter_map(|at| parser.screen().cell(at.y, at.x));
    let one = |cell: &vt100::Cell| {
        let under = (cell.underline(), cell.inverse(), cell.bgcolor());
        let blank = ["", " "].contains(&cell.contents()) && !cell.is_wide_continuation();
        if blank && !cell.underline() && !cell.inverse() {
            return format!("{under:?}");
        }
        let over = (cell.bold(), cell.dim(), cell.italic(), cell.fgcolor());
        format!("{:?} {over:?} {under:?}", cell.contents().trim())
    };
    cells.map(one).collect()
}

fn parser() -> vt100::Parser {
    let size = |cells: u16| NonZero::new(cells).expect("there are some");
    vt100::Parser::new(size(AREA.height), size(AREA.width), 0)
}

proptest! {
    #[test]
    fn a_terminal_that_gets_the_bytes_of_all_frames_shows_what_the_longer_way_would_make_it_show(
        pictures in proptest::collection::vec(picture(), 1..6)
    ) {
        let mut drawn = terminal();
        drawn.0.backend_mut().clear().expect("it can be cleared");
        let sent = Sent::default();
        let options = TerminalOptions { viewport: Viewport::Fixed(AREA) };
        let mut plain = Terminal::with_options(CrosstermBackend::new(sent.clone()), options)
            .expect("nothing is asked of the terminal");
        let (mut short, mut long) = (parser(), parser());
        for picture in pictures {
            let draw = |buffer: &mut Buffer| {
                for (y, piece) in (0..).zip(&picture) {
                    if let Some((x, text, style)) = piece {
                        buffer.set_string(*x, y, text, *style);
                    }
                }
            };
            short.process(frame(&mut drawn, draw).as_bytes());
            plain.draw(|frame| draw(frame.buffer_mut())).expect("it was drawn");
            long.process(&sent.take());
            prop_assert_eq!(shown(&short), shown(&long));
        }
    }
}
