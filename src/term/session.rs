//! One hold of the terminal, from the first frame to the last.
//!
//! Owns when the terminal is ours, how frames reach it and their size. What a frame shows is the
//! caller's. Nothing waits for an answer of the terminal: what is asked is asked after the first frame.
//!
//! While the terminal is given away (`leave`, `with_released`) nothing may read its keys: the caller
//! closes its `Input` before and opens another one after.

use crossterm::clipboard::CopyToClipboard;
use crossterm::queue;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use rustix::termios::{QueueSelector, tcflush};
use signal_hook::consts::SIGTSTP;
use std::io::{self, Write};

use super::cells::Cells;
use super::mark::Mark;
use super::modes::Mouse;
use super::screen::Screen;
use super::wrapped::{notification, wrapped};
use super::{modes, panics};
use crate::core::attention::{Call, Through};
use crate::core::shown::Shown;

/// For a terminal that says it has no size, as serial lines and some containers do.
const UNKNOWN_SIZE: Rect = Rect::new(0, 0, 80, 24);

/// What a session does besides drawing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    pub mouse: Mouse,
    pub call: Call,
    pub through: Through,
}

pub use super::cells::Written;

/// The terminal, taken. Dropping it gives the terminal back.
#[derive(Debug)]
pub struct Session {
    terminal: Terminal<Cells<Screen>>,
    /// For taking the terminal again.
    screen: Screen,
    area: Rect,
    /// What is on the screen is not what was drawn last.
    stale: bool,
    extras: Extras,
    /// The terminal was asked about its keyboard.
    asked: bool,
    title: Option<Shown>,
}

impl Session {
    /// Takes the terminal: alternate screen, raw mode, bracketed paste, hidden cursor. To be called on
    /// the thread that draws: a panic of that thread gives the terminal back.
    ///
    /// # Errors
    /// If the terminal cannot be set or written to; it is then as it was.
    pub fn enter(screen: Screen, extras: Extras) -> io::Result<Self> {
        let area = measure();
        let backend = Cells::new(screen.try_clone()?);
        // A fixed view port, since the other kind would take a size of 0×0 at its word.
        let terminal = Terminal::with_options(
            backend,
            TerminalOptions {
                viewport: Viewport::Fixed(area),
            },
        )?;
        panics::own();
        modes::enter(screen.try_clone()?, extras.mouse)?;
        Ok(Self {
            terminal,
            screen,
            area,
            stale: true,
            extras,
            asked: false,
            title: None,
        })
    }

    /// Draws one frame, as one synchronised update, at the size the terminal has now. Writes nothing if
    /// nothing changed.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn draw(&mut self, frame: impl FnOnce(&mut Frame<'_>)) -> io::Result<Written> {
        let drawn = self
            .fit()
            .and_then(|()| self.terminal.draw(frame).map(|_| ()));
        let written = self.terminal.backend_mut().finish()?;
        drawn?;
        if !self.asked {
            self.asked = true;
            modes::ask_keyboard()?;
        }
        Ok(written)
    }

    /// Asks the terminal to tell when it has taken in the last frame.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn mark(&mut self, mark: Mark) -> io::Result<()> {
        let cursor = self.terminal.backend().cursor();
        self.screen.write_all(mark.question(cursor).as_bytes())
    }

    /// Shows these words as the terminal's title, if they are not there already.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn title(&mut self, words: Shown) -> io::Result<()> {
        if self.title.as_ref() == Some(&words) {
            return Ok(());
        }
        modes::title(&words)?;
        self.title = Some(words);
        Ok(())
    }

    /// Calls the operator, who looks elsewhere: this many calls wait.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn notify(&mut self, waiting: usize) -> io::Result<()> {
        let Extras { call, through, .. } = self.extras;
        self.screen.write_all(&notification(waiting, call, through))
    }

    /// Hands a text to the clipboard of the operator's machine, wherever this program runs. Whether the
    /// terminal takes it cannot be known.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, CopyToClipboard::to_clipboard_from(text))?;
        let sequence = String::from_utf8_lossy(&bytes);
        // Ended with BEL, which every wrapping carries.
        let sequence = format!("{}\x07", sequence.trim_end_matches("\x1b\\"));
        // tmux and screen may also take it themselves, if they are set so.
        self.screen.write_all(sequence.as_bytes())?;
        match self.extras.through {
            Through::Nothing => Ok(()),
            through @ (Through::Tmux | Through::Screen) => {
                self.screen.write_all(&wrapped(&sequence, through))
            }
        }
    }

    /// Makes the next frame write every cell, whatever is on the screen.
    pub fn repaint(&mut self) {
        self.stale = true;
    }

    /// Gives the terminal back, before the session is dropped.
    ///
    /// # Errors
    /// If the terminal cannot be written to or set.
    pub fn leave(&mut self) -> io::Result<()> {
        modes::leave()
    }

    /// Gives the terminal to another program for as long as `work` takes. What was typed for that
    /// program and not read by it goes nowhere.
    ///
    /// # Errors
    /// If the terminal cannot be given back or taken again.
    pub fn with_released<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        self.leave()?;
        let worked = work();
        // Keys meant for an editor must not decide a call. Not fatal: there may be no queue to flush.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        self.take_again()?;
        Ok(worked)
    }

    /// Takes the terminal again after `leave`. To be called in front only.
    ///
    /// # Errors
    /// If the terminal cannot be set or written to.
    pub fn take_again(&mut self) -> io::Result<()> {
        modes::enter(self.screen.try_clone()?, self.extras.mouse)?;
        // It may be another terminal by now.
        self.asked = false;
        self.title = None;
        self.repaint();
        Ok(())
    }

    /// Brings the next frame to the terminal's size, inside the update so that nothing flickers.
    fn fit(&mut self) -> io::Result<()> {
        let area = measure();
        if self.stale || area != self.area {
            self.terminal.backend_mut().forget();
            self.terminal.backend_mut().fit(area.width);
            // Not `clear`: it asks the terminal where the cursor is, and fails if nothing answers.
            self.terminal.resize(area)?;
            self.area = area;
            self.stale = false;
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The terminal may be gone; there is nothing left to do about it.
        let _ = modes::leave();
    }
}

/// Stops the program as ctrl-z does, and returns once it is continued: in front or not. Where no shell
/// could continue it, the system discards the stop and this returns at once.
///
/// # Errors
/// If the system does not take the signal.
pub fn stop() -> io::Result<()> {
    // To this thread and not to the process: it must not go on before it stopped. And not SIGSTOP to
    // the group: without a shell nobody would ever continue it.
    signal_hook::low_level::raise(SIGTSTP)
}

pub use super::modes::is_in_front;

/// Columns and rows of a frame that is drawn now.
pub fn size() -> (u16, u16) {
    let area = measure();
    (area.width, area.height)
}

fn measure() -> Rect {
    match crossterm::terminal::size() {
        Ok((columns, rows)) if columns > 0 && rows > 0 => Rect::new(0, 0, columns, rows),
        _ => UNKNOWN_SIZE,
    }
}
