//! From changed cells to the bytes of one frame, as few as will do: over a slow line they are what a
//! key costs.
//!
//! Owns which sequences a frame is made of, and that it goes out in one piece, as one synchronised
//! update, or not at all when nothing changed. Each frame begins and ends without any colour, so that
//! whatever is written between two frames, by whomever, cannot bleed into one; and none counts on where
//! the one before has left the cursor.

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::io::{self, Write};

use super::look::Look;
use super::mark;
use super::plain::{Plain, Plainly, Reach};

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Frame,
    /// It is what the terminal was sent before.
    Nothing,
}

/// To step over more columns takes fewer bytes than to write them again.
const NEAR: u16 = 3;

/// Cells without anything in them that are to be written, side by side.
#[derive(Debug, Clone, Copy)]
struct Blanks {
    from: Position,
    count: u16,
}

impl Blanks {
    const fn end(self) -> Position {
        Position {
            x: self.from.x + self.count,
            y: self.from.y,
        }
    }
}

#[derive(Debug)]
pub struct Cells<W> {
    screen: W,
    /// How many there are side by side.
    columns: u16,
    /// The frame so far; empty while nothing of it is to be written.
    frame: Vec<u8>,
    look: Look,
    /// Where the terminal's cursor is, once this frame has put it anywhere.
    cursor: Option<Cursor>,
    /// Where the last frame left a cursor that is to be seen.
    placed: Option<Position>,
    /// Whether it is shown, if that is known.
    shown: Option<bool>,
    /// What stands on the terminal, as far as it is known.
    plain: Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    at: Position,
    trust: Trust,
}

/// How sure it is that the terminal's cursor is in the column that was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// It was put there, and only letters that are one column wide were written since.
    Sure,
    /// Terminals disagree about the width of what was written.
    Counted,
}

impl<W: Write> Cells<W> {
    pub fn new(screen: W) -> Self {
        Self {
            screen,
            columns: u16::MAX,
            frame: Vec::new(),
            look: Look::default(),
            cursor: None,
            placed: None,
            shown: None,
            plain: Plain::default(),
        }
    }

    /// The terminal is so wide from now on.
    pub const fn fit(&mut self, columns: u16) {
        self.columns = columns;
    }

    /// The terminal may be in any state: somebody else has had it.
    pub fn forget(&mut self) {
        self.cursor = None;
        self.placed = None;
        self.shown = None;
        self.plain = Plain::default();
        self.out().extend_from_slice(b"\x1b[m");
    }

    /// Writes the frame, if there is anything to write.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn finish(&mut self) -> io::Result<Written> {
        if self.frame.is_empty() {
            return Ok(Written::Nothing);
        }
        self.wear(Look::default());
        self.cursor = None;
        self.frame.extend_from_slice(END);
        let written = self.screen.write_all(&self.frame);
        self.frame.clear();
        written.and_then(|()| self.screen.flush())?;
        Ok(Written::Frame)
    }

    /// Whether the cursor is to be seen where the last frame put it. No frame counts on where it is.
    pub(super) fn cursor(&self) -> mark::Cursor {
        match self.shown {
            Some(false) => mark::Cursor::Hidden,
            Some(true) | None => mark::Cursor::Shown,
        }
    }

    fn out(&mut self) -> &mut Vec<u8> {
        if self.frame.is_empty() {
            self.frame.extend_from_slice(BEGIN);
        }
        &mut self.frame
    }

    fn wear(&mut self, look: Look) {
        if look != self.look {
            let from = std::mem::replace(&mut self.look, look);
            look.put_on(from, self.out());
        }
    }

    fn move_to(&mut self, to: Position) {
        let before = self.cursor.replace(Cursor {
            at: to,
            trust: Trust::Sure,
        });
        let before = before.filter(|cursor| cursor.at.y == to.y || cursor.trust == Trust::Sure);
        let (column, row) = (to.x + 1, to.y + 1);
        let out = self.out();
        // Writing to a Vec cannot fail.
        let _ = match before {
            Some(Cursor { at, trust }) if at.y == to.y => match (trust, to.x.checked_sub(at.x)) {
                (Trust::Sure, Some(0)) => Ok(()),
                (Trust::Sure, Some(1)) => out.write_all(b"\x1b[C"),
                (Trust::Sure, Some(columns)) => write!(out, "\x1b[{columns}C"),
                (Trust::Sure, None) | (Trust::Counted, _) => write!(out, "\x1b[{column}G"),
            },
            // A line feed goes straight down, and never scrolls: there is a row below.
            Some(Cursor { at, .. }) if at.y + 1 == to.y && column == 1 => out.write_all(b"\r\n"),
            Some(Cursor { at, .. }) if at.y + 1 == to.y => write!(out, "\n\x1b[{column}G"),
            Some(_) | None if column == 1 => write!(out, "\x1b[{row}H"),
            Some(_) | None => write!(out, "\x1b[{row};{column}H"),
        };
    }

    /// Gets to a place close by the shorter way, if there is one: by writing once more what stands in
    /// between.
    fn write_on(&mut self, to: Position) -> bool {
        let Some(Cursor { at, trust }) = self.cursor else {
            return false;
        };
        let near = at.x < to.x && to.x - at.x <= NEAR;
        if at.y != to.y || !near || trust != Trust::Sure {
            return false;
        }
        let again = |x| {
            let plainly = self.plain.at(Position { x, y: at.y })?;
            plainly.written_with(self.look)
        };
        let Some(between) = (at.x..to.x).map(again).collect::<Option<Vec<u8>>>() else {
            return false;
        };
        self.out().extend_from_slice(&between);
        self.cursor = Some(Cursor { at: to, trust });
        true
    }

    fn go_to(&mut self, to: Position) {
        if self.cursor.is_none_or(|cursor| cursor.at != to) && !self.write_on(to) {
            self.move_to(to);
        }
    }

    fn put(&mut self, symbol: &str) {
        self.out().extend_from_slice(symbol.as_bytes());
        if let Some(cursor) = &mut self.cursor {
            cursor.at.x += 1;
            // Behind the last column it is nowhere in particular.
            if Reach::of(symbol) == Reach::Next || cursor.at.x >= self.columns {
                cursor.trust = Trust::Counted;
            }
        }
    }

    /// Writes a cell that shows something.
    fn letter(&mut self, at: Position, cell: &Cell) {
        self.go_to(at);
        self.wear(Look::of(cell));
        self.put(cell.symbol());
        let reach = Reach::of(cell.symbol());
        self.plain.set(at, Plainly::of(cell), reach);
    }

    /// Whether nothing stands on a row from one place up to another.
    fn is_empty_up_to(&self, from: Position, to: Position) -> bool {
        let known = |x| self.plain.at(Position { x, y: to.y });
        from.y == to.y && (from.x..to.x).all(|x| known(x) == Some(Plainly::nothing()))
    }

    /// Empties cells, by whichever is shorter: writing blanks, or having the terminal erase them, which leaves
    /// the cursor where it is.
    fn empty(&mut self, blanks: Blanks, next: Option<Position>) {
        let Blanks { from, count } = blanks;
        self.go_to(from);
        if Plainly::nothing().written_with(self.look).is_none() {
            self.wear(Look::default());
        }
        let erase = format!("\x1b[{count}X");
        let step = if next == Some(blanks.end()) {
            erase.len()
        } else {
            0
        };
        if erase.len() + step < usize::from(count) {
            self.write(erase.as_bytes());
        } else {
            (0..count).for_each(|_| self.put(" "));
        }
        for x in from.x..blanks.end().x {
            let at = Position { x, y: from.y };
            let nothing = Some(Plainly::nothing());
            self.plain.set(at, nothing, Reach::Cell);
        }
    }

    fn write(&mut self, sequence: &[u8]) {
        self.out().extend_from_slice(sequence);
    }
}

impl<W: Write> Backend for Cells<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut blanks: Option<Blanks> = None;
        for (x, y, cell) in content {
            let at = Position { x, y };
            let plainly = Plainly::of(cell);
            if plainly.is_some() && plainly == self.plain.at(at) {
                // It looks just so already.
                continue;
            }
            if plainly == Some(Plainly::nothing()) {
                let goes_on = blanks.filter(|blanks| self.is_empty_up_to(blanks.end(), at));
                if let (Some(blanks), None) = (blanks, goes_on) {
                    self.empty(blanks, None);
                }
                let from = goes_on.map_or(at, |blanks| blanks.from);
                let count = at.x + 1 - from.x;
                blanks = Some(Blanks { from, count });
                continue;
            }
            if let Some(blanks) = blanks.take() {
                self.empty(blanks, Some(at));
            }
            self.letter(at, cell);
        }
        if let Some(blanks) = blanks {
            self.empty(blanks, None);
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.shown != Some(false) {
            self.shown = Some(false);
            self.write(b"\x1b[?25l");
        }
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if self.shown != Some(true) {
            self.shown = Some(true);
            self.write(b"\x1b[?25h");
        }
        Ok(())
    }

    /// Never asked of the terminal: nothing may wait for its answer.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        let unknown = || io::Error::other("the cursor's place is not known");
        self.cursor.map(|cursor| cursor.at).ok_or_else(unknown)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let to = position.into();
        // As long as nothing else is written it stays where it is.
        if !self.frame.is_empty() || self.placed != Some(to) {
            self.move_to(to);
        }
        self.placed = Some(to);
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        // What is cleared takes the colour that is on.
        self.wear(Look::default());
        let origin = self.cursor.map(|cursor| cursor.at) == Some(Position::ORIGIN);
        let all = match region {
            ClearType::All => true,
            ClearType::AfterCursor => origin,
            ClearType::BeforeCursor | ClearType::CurrentLine | ClearType::UntilNewLine => false,
        };
        self.plain = if all {
            Plain::blank()
        } else {
            Plain::default()
        };
        self.write(match region {
            ClearType::All => b"\x1b[2J",
            ClearType::AfterCursor => b"\x1b[J",
            ClearType::BeforeCursor => b"\x1b[1J",
            ClearType::CurrentLine => b"\x1b[2K",
            ClearType::UntilNewLine => b"\x1b[K",
        });
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        let (columns, rows) = crossterm::terminal::size()?;
        Ok(Size::new(columns, rows))
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize {
            columns_rows: self.size()?,
            pixels: Size::default(),
        })
    }

    /// A frame goes out as a whole, at its end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
