//! Frames on their way to the terminal.
//!
//! Owns which of them the terminal has taken in, and so when there is room for another. Behind each frame
//! the terminal is asked to tell when it has come so far. What a frame shows counts from then on, and no
//! more than two are underway: on a slow line the screen is never far behind the keys. A terminal that
//! never answers is believed after a while: then a frame counts from when it was written.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

use super::console::{Console, next_input};
use super::perform::Flow;
use crate::app::event::Event;
use crate::app::state::Drawn;
use crate::term::Written;
use crate::term::input::Told;
use crate::term::mark::Mark;
use crate::term::session::is_in_front;

/// A frame of the whole screen takes nine seconds at 9,600 baud. Who has not answered by then does not.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the last answers may take when the terminal changes hands.
const HUSH: Duration = Duration::from_secs(5);
/// Frames underway, to a terminal that is known to answer.
const UNDERWAY: usize = 2;

#[derive(Debug)]
struct Frame {
    mark: Mark,
    drawn: Box<Drawn>,
}

/// Whether the terminal tells how far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Answers {
    #[default]
    NotYet,
    Yes,
    /// It had the time to.
    No,
}

#[derive(Debug, Default)]
pub struct Frames {
    underway: VecDeque<Frame>,
    asked: u64,
    /// Since when an answer is awaited.
    since: Option<Instant>,
    answers: Answers,
    /// The last answer was to what is on the screen now.
    shown: bool,
}

/// What is to be done about a frame that was written.
#[derive(Debug, PartialEq)]
pub enum Sent {
    /// The terminal is to be asked with this mark.
    Ask(Mark),
    /// The terminal tells nothing: the frame counts from now on.
    Counts(Box<Drawn>),
}

impl Frames {
    /// Whether another frame may be written.
    pub fn have_room(&self) -> bool {
        match self.answers {
            Answers::Yes => self.underway.len() < UNDERWAY,
            Answers::NotYet | Answers::No => true,
        }
    }

    /// A frame was written, to a terminal of this many columns and rows.
    pub fn sent(&mut self, drawn: Box<Drawn>, size: (u16, u16), now: Instant) -> Sent {
        if self.answers == Answers::No {
            return Sent::Counts(drawn);
        }
        self.asked += 1;
        let mark = Mark::of(self.asked, size);
        if self.answers == Answers::NotYet && self.underway.len() > UNDERWAY {
            // The last one counts once it answers; those between need not be kept.
            self.underway.pop_back();
        }
        self.underway.push_back(Frame { mark, drawn });
        self.since.get_or_insert(now);
        Sent::Ask(mark)
    }

    /// There was nothing to write: the screen will show what this frame shows as soon as it shows the one
    /// before. If that has been answered, it does already.
    pub fn unchanged(&mut self, drawn: Box<Drawn>, size: (u16, u16), now: Instant) -> Sent {
        if self.shown && self.underway.is_empty() {
            return Sent::Counts(drawn);
        }
        self.sent(drawn, size, now)
    }

    /// The terminal has come so far: what is on screen now.
    pub fn reached(&mut self, mark: Mark, now: Instant) -> Option<Box<Drawn>> {
        self.answers = Answers::Yes;
        let at = self.underway.iter().position(|frame| frame.mark == mark)?;
        let frame = self.underway.drain(..=at).next_back()?;
        self.shown = true;
        self.since = (!self.underway.is_empty()).then_some(now);
        Some(frame.drawn)
    }

    /// What was written no longer stands on the screen, or nobody will answer.
    pub fn forget(&mut self) {
        self.underway.clear();
        self.since = None;
        self.shown = false;
    }

    /// Until when to wait for the last answers before the terminal changes hands; `None` if none is awaited.
    pub fn hushed(&self, now: Instant) -> Option<Instant> {
        let patience = match self.answers {
            Answers::Yes => HUSH,
            Answers::NotYet => HUSH / 10,
            Answers::No => return None,
        };
        self.since.map(|_| now + patience)
    }

    /// When an answer is overdue.
    pub fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + PATIENCE)
    }

    /// Gives up what is overdue: the next frame says anew what is on screen.
    pub fn overdue(&mut self, now: Instant) {
        if self.due().is_none_or(|due| due > now) {
            return;
        }
        if self.answers == Answers::NotYet {
            tracing::warn!("the terminal does not tell when it has shown a frame");
            self.answers = Answers::No;
        }
        self.forget();
    }
}

impl Console {
    /// A frame is on its way. What it shows counts from when the terminal has taken it in.
    pub(super) fn sent(&mut self, drawn: Box<Drawn>, written: Written) -> io::Result<Flow> {
        let flow = self.apply(Event::Drawn(drawn.clone()))?;
        let (size, now) = (self.state.size, Instant::now());
        let sent = match written {
            Written::Frame => self.frames.sent(drawn, size, now),
            Written::Nothing => self.frames.unchanged(drawn, size, now),
        };
        match sent {
            Sent::Ask(mark) => self.terminal.mark(mark)?,
            Sent::Counts(drawn) if flow == Flow::Go => return self.apply(Event::OnScreen(drawn)),
            Sent::Counts(_) => {}
        }
        Ok(flow)
    }

    /// Waits until the terminal has answered what it was asked. What comes later would be typed into what
    /// has the terminal next.
    pub(super) async fn hush(&mut self) {
        let until = self.frames.hushed(Instant::now());
        // Who reads from the background is stopped.
        let Some(until) = until.filter(|_| is_in_front()) else {
            return;
        };
        while self.frames.due().is_some() {
            match timeout_at(until, next_input(&mut self.input)).await {
                Ok(Some(Ok(Told::Reached(mark)))) => {
                    self.frames.reached(mark, Instant::now());
                }
                Ok(Some(Ok(Told::Event(_)))) => {}
                Ok(None | Some(Err(_))) | Err(_) => return,
            }
        }
    }
}
