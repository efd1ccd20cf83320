//! What a typed line comes to.
//!
//! An answer counts only a while after its question, and only if it came alone: several lines at once are
//! a paste or were typed ahead. A paste of one line with its end cannot be told from a typed line; what
//! it could sign is the call that stands above it.
//!
//! On a slow line an answer may have been typed before its question could be read, and come after it. Where the
//! question stands could be asked of the terminal, but its answer would come among the lines that are
//! typed, and a screen reader would read it out. So an approval that comes within a moment of its question has
//! to name the question's number, which nobody can know who has not read it; after that it need not.

use std::io;
use std::time::Duration;

use super::asking::Prompt;
use super::{Plain, say};
use crate::app::available::takes_reason;
use crate::app::event::{Event, Line};
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::core::pending::Waiting;
use crate::core::shown::Shown;
use crate::plain::{self, Said};
use crate::runtime::perform::Flow;
use crate::term::lines::{LONGEST, Typed};

/// An approval that comes sooner than this after its question may have been typed for the one before.
const UNSURE: Duration = Duration::from_secs(2);

impl Plain {
    pub(super) fn typed(&mut self, typed: &Typed) -> io::Result<Flow> {
        self.tick()?;
        let early = Duration::from_millis(self.state.settings.arming);
        if typed.at < self.asked + early && self.prompt != Prompt::Open {
            say(&[Shown::literal(
                "That came too soon after the question, so it does not count. Type it again:",
            )])?;
            return Ok(Flow::Go);
        }
        self.came = typed.at;
        if typed.lines.iter().any(|line| line.len() >= LONGEST) {
            say(&[Shown::literal(
                "That line is longer than a terminal takes, so it does not count. Set EDITOR and use edit:",
            )])?;
            return Ok(Flow::Go);
        }
        match typed.lines.as_slice() {
            [line] => self.answered(line),
            several => self.pasted(&several.join("\n")),
        }
    }

    /// Several lines at once decide nothing. Where a text was asked for they are one, once that is
    /// confirmed.
    fn pasted(&mut self, text: &str) -> io::Result<Flow> {
        let sure = |what: &str| {
            let count = text.lines().count();
            [
                Shown::prose(text),
                Shown::label(&format!(
                    "These {count} lines came at once. {what} yes or no:"
                )),
            ]
        };
        match self.prompt.clone() {
            Prompt::Text(key, said) => {
                let question = sure("Decide with them as they are?");
                match decision(said, text) {
                    Some(decision) => self.ask(Prompt::Sign(key, decision), &question)?,
                    None => self.prompt = Prompt::Call(key),
                }
            }
            Prompt::Idle(session) | Prompt::Message(session) => {
                let question = sure("Send them as one message?");
                self.ask(Prompt::Send(session, text.to_owned()), &question)?;
            }
            Prompt::Open
            | Prompt::Call(_)
            | Prompt::Field(..)
            | Prompt::Json(_)
            | Prompt::Sign(..)
            | Prompt::Send(..)
            | Prompt::Interrupt(_)
            | Prompt::Quit => say(&[Shown::literal(
                "Several lines came at once, as a paste does: nothing was decided. Type the answer:",
            )])?,
        }
        Ok(Flow::Go)
    }

    fn answered(&mut self, line: &str) -> io::Result<Flow> {
        match self.prompt.clone() {
            Prompt::Open => self.unasked(line),
            Prompt::Call(key) => self.on_call(key, line),
            Prompt::Text(key, said) => self.worded(key, said, line.trim()),
            Prompt::Field(key, fields) => self.filled(key, fields.fill(line)),
            Prompt::Json(key) => self.edited(key, line),
            Prompt::Sign(key, decision) => match plain::yes(line) {
                Some(true) => self.decide(key, decision),
                Some(false) => self.ask_shortly(key).map(|()| Flow::Go),
                None => match Said::of(line, &self.state) {
                    Some(Said::Skip) => {
                        self.skipped.insert(key);
                        Ok(self.nothing())
                    }
                    Some(Said::Quit) => self.ask_quit(),
                    Some(_) | None => yes_or_no(),
                },
            },
            Prompt::Idle(session) => self.on_idle(session, line),
            Prompt::Message(session) => self.message(session, line),
            Prompt::Send(session, text) => match plain::yes(line) {
                Some(true) => self.message(session, &text),
                Some(false) => Ok(self.nothing()),
                None => yes_or_no(),
            },
            Prompt::Interrupt(session) => match plain::yes(line) {
                Some(true) => {
                    self.prompt = Prompt::Open;
                    self.apply(Event::Line(Line::Interrupt(session)))
                }
                Some(false) => Ok(self.nothing()),
                None => yes_or_no(),
            },
            Prompt::Quit => match plain::yes(line) {
                Some(true) => self.apply(Event::Line(Line::Quit)),
                Some(false) => Ok(self.nothing()),
                None => yes_or_no(),
            },
        }
    }

    fn worded(&mut self, key: CallKey, said: Said, text: &str) -> io::Result<Flow> {
        if let Some(decision) = decision(said, text) {
            return self.decide(key, decision);
        }
        say(&[Shown::literal("Say what the model is to be told:")])?;
        Ok(Flow::Go)
    }

    /// Nothing comes of it; what there is to ask is asked afresh.
    pub(super) fn nothing(&mut self) -> Flow {
        self.prompt = Prompt::Open;
        Flow::Go
    }

    fn on_call(&mut self, key: CallKey, line: &str) -> io::Result<Flow> {
        let (line, number) = numbered(line);
        let waiting = self.state.pending.get(&key);
        let choices = waiting.map(|waiting| plain::choices(waiting, &self.state));
        let said = Said::of(line, &self.state);
        let Some(said) = said.filter(|said| choices.is_some_and(|all| all.contains(said))) else {
            if !line.trim().is_empty() {
                say(&[Shown::label(&format!("“{line}” is no answer here."))])?;
            }
            return self.ask_shortly(key).map(|()| Flow::Go);
        };
        if let Some(why) = self.misplaced(said, number) {
            say(&[Shown::label(&why)])?;
            return Ok(Flow::Go);
        }
        let text = |asks: &'static str| [Shown::literal(asks)];
        match said {
            Said::Approve => self.decide(key, Decision::Approve { arguments: None }),
            Said::Reject if !takes_reason(&self.state, &key) => {
                let reason = String::new();
                self.decide(key, Decision::Reject { reason })
            }
            Said::Reject => {
                let asks = text("The reason, which the model is told; an empty line gives none:");
                self.ask(Prompt::Text(key, said), &asks)?;
                Ok(Flow::Go)
            }
            Said::Respond => {
                let asks = text("The result that stands in for the call:");
                self.ask(Prompt::Text(key, said), &asks)?;
                Ok(Flow::Go)
            }
            Said::Retry => {
                let asks = text("What the model should do differently:");
                self.ask(Prompt::Text(key, said), &asks)?;
                Ok(Flow::Go)
            }
            Said::Fail => {
                let asks = text("What went wrong, as the model is told:");
                self.ask(Prompt::Text(key, said), &asks)?;
                Ok(Flow::Go)
            }
            Said::Edit => self.edit(key),
            Said::Skip => {
                self.skipped.insert(key);
                Ok(self.nothing())
            }
            Said::Repeat => self.ask_call(key),
            Said::Schema => {
                say(&plain::schema(&self.state, &key))?;
                self.ask_shortly(key).map(|()| Flow::Go)
            }
            Said::Script => self.ask_script(key),
            Said::Undo => self.undo(),
            Said::Message => {
                let session = key.session;
                self.ask(Prompt::Message(session), &text("The message:"))?;
                Ok(Flow::Go)
            }
            Said::Interrupt => self.ask_interrupt(key.session),
            Said::Quit => self.ask_quit(),
            Said::Resend => Ok(Flow::Go),
        }
    }

    /// Why an answer may be for another question.
    fn misplaced(&self, said: Said, number: Option<u32>) -> Option<String> {
        let now = self.number;
        let sure = self.came >= self.asked + UNSURE;
        match number {
            Some(number) if number == now => None,
            Some(_) => Some(format!(
                "This is question {now}, so that is not for it: nothing was decided. Type the answer:"
            )),
            None if said != Said::Approve || sure => None,
            None => Some(format!(
                "That came so soon that it may be meant for another call. Type approve {now}, or approve in a moment:"
            )),
        }
    }

    /// A call that is still open afterwards was not decided, and the notice said why.
    fn decide(&mut self, key: CallKey, decision: Decision) -> io::Result<Flow> {
        let flow = self.apply(Event::Line(Line::Decided(key.clone(), decision)))?;
        if self.state.pending.get(&key).is_some_and(Waiting::is_open) {
            self.ask_shortly(key)?;
        } else {
            self.prompt = Prompt::Open;
        }
        Ok(flow)
    }
}

/// `approve 7`: the answer, and the number of the question that it is for.
fn numbered(line: &str) -> (&str, Option<u32>) {
    let line = line.trim();
    let split = line.rsplit_once(' ');
    let number = split.and_then(|(said, number)| Some((said, number.parse().ok()?)));
    number.map_or((line, None), |(said, number)| (said, Some(number)))
}

fn yes_or_no() -> io::Result<Flow> {
    say(&[Shown::literal("Type yes or no:")])?;
    Ok(Flow::Go)
}

/// The decision with its text; `None` where there must be one and is none.
fn decision(said: Said, text: &str) -> Option<Decision> {
    let text = text.to_owned();
    let given = !text.trim().is_empty();
    match said {
        Said::Reject => Some(Decision::Reject { reason: text }),
        Said::Respond => Some(Decision::Respond { result: text }),
        Said::Retry => given.then_some(Decision::Retry { message: text }),
        Said::Fail => given.then_some(Decision::Fail { message: text }),
        Said::Approve
        | Said::Edit
        | Said::Skip
        | Said::Repeat
        | Said::Schema
        | Said::Script
        | Said::Undo
        | Said::Message
        | Said::Resend
        | Said::Interrupt
        | Said::Quit => None,
    }
}
