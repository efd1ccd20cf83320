//! Job control: stopped by ctrl-z or from outside, and continued in front or in the background.
//!
//! Owns when the terminal may be touched again: a program that does so from the background is stopped
//! by the system, and could not even be ended.

use std::io;
use std::time::Duration;
use tokio::time::timeout;

use super::console::Console;
use super::signals::Sign;
use crate::app::event::Event;
use crate::term::session;

/// How long a signal that came together with a continuation may take to be seen.
const MOMENT: Duration = Duration::from_millis(100);

/// Where the program goes on after a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Continued {
    InFront,
    /// It never stopped: there is no shell that could continue it.
    AtOnce,
    ToEnd,
}

impl Console {
    /// Gives the terminal back and stops, as ctrl-z asks for.
    pub(super) async fn suspend(&mut self) -> io::Result<()> {
        self.hush().await;
        self.close_input();
        self.terminal.leave()?;
        self.stop().await
    }

    /// The program was stopped by somebody else and goes on: the screen is no longer what it was.
    pub(super) async fn continued(&mut self) -> io::Result<()> {
        self.close_input();
        self.terminal.leave()?;
        if session::is_in_front() {
            return self.take_again();
        }
        self.stop().await
    }

    async fn stop(&mut self) -> io::Result<()> {
        match self.stopped().await? {
            Continued::InFront => self.take_again(),
            Continued::AtOnce => {
                let why = "not stopped: no shell waits here".to_owned();
                self.queue(Event::OutsideFailed(why));
                self.take_again()
            }
            Continued::ToEnd => {
                self.went_on()?;
                // Before anything that is queued and would want the terminal.
                self.queue_first(Event::Terminate);
                Ok(())
            }
        }
    }

    /// Stops until there is a reason to go on. In the background there is none but to end.
    async fn stopped(&mut self) -> io::Result<Continued> {
        loop {
            session::stop()?;
            // Where no shell could continue it, the system discards the stop: then no sign comes.
            let sign = self.sign().await;
            if sign == Some(Sign::Terminate) {
                return Ok(Continued::ToEnd);
            }
            if session::is_in_front() {
                return Ok(sign.map_or(Continued::AtOnce, |_| Continued::InFront));
            }
            // `kill` sends both signals; which of them is seen first is not known.
            if self.sign().await == Some(Sign::Terminate) {
                return Ok(Continued::ToEnd);
            }
        }
    }

    async fn sign(&mut self) -> Option<Sign> {
        timeout(MOMENT, self.signals.next()).await.ok()
    }

    fn take_again(&mut self) -> io::Result<()> {
        self.terminal.take_again()?;
        self.went_on()?;
        self.open_input()
    }
}
