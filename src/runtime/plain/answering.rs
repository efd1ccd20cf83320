//! What a typed line comes to.
//!
//! An answer counts only a while after its question, and only if it came alone: several lines at once are
//! a paste or were typed ahead. A paste of one line with its end cannot be told from a typed line; what
//! it could sign is the call that stands above it.

use std::io;
use std::time::Duration;

use super::asking::Prompt;
use super::{Plain, say};
use crate::app::available::takes_reason;
use crate::app::event::{Event, Line};
use crate::core::arguments::Arguments;
use crate::core::call::{CallKey, SessionId};
use crate::core::decision::Decision;
use crate::core::fields;
use crate::core::pending::Waiting;
use crate::core::session::Home;
use crate::core::shown::Shown;
use crate::plain::{self, Fields, Filled, Said};
use crate::runtime::perform::Flow;
use crate::term::editor;
use crate::term::lines::{LONGEST, Lines, Typed};

impl Plain {
    pub(super) fn typed(&mut self, typed: Typed) -> io::Result<Flow> {
        self.tick()?;
        let early = Duration::from_millis(self.state.settings.arming);
        if typed.at < self.asked + early && self.prompt != Prompt::Open {
            say(&[Shown::literal(
                "That came too soon after the question, so it does not count. Type it again:",
            )])?;
            return Ok(Flow::Go);
        }
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
            Prompt::Text(key, said) => match decision(said, line.trim()) {
                Some(decision) => self.decide(key, decision),
                None => {
                    say(&[Shown::literal("Say what the model is to be told:")])?;
                    Ok(Flow::Go)
                }
            },
            Prompt::Field(key, fields) => self.filled(key, fields.fill(line)),
            Prompt::Json(key) => self.edited(key, line),
            Prompt::Sign(key, decision) => match plain::yes(line) {
                Some(true) => self.decide(key, decision),
                Some(false) => self.ask_shortly(key).map(|()| Flow::Go),
                None => yes_or_no(),
            },
            Prompt::Idle(session) => self.on_idle(session, line),
            Prompt::Message(session) => self.message(session, line),
            Prompt::Send(session, text) => match plain::yes(line) {
                Some(true) => self.message(session, &text),
                Some(false) => self.nothing(),
                None => yes_or_no(),
            },
            Prompt::Interrupt(session) => match plain::yes(line) {
                Some(true) => {
                    self.prompt = Prompt::Open;
                    self.apply(Event::Line(Line::Interrupt(session)))
                }
                Some(false) => self.nothing(),
                None => yes_or_no(),
            },
            Prompt::Quit => match plain::yes(line) {
                Some(true) => self.apply(Event::Line(Line::Quit)),
                Some(false) => self.nothing(),
                None => yes_or_no(),
            },
        }
    }

    /// Nothing comes of it; what there is to ask is asked afresh.
    fn nothing(&mut self) -> io::Result<Flow> {
        self.prompt = Prompt::Open;
        Ok(Flow::Go)
    }

    fn on_call(&mut self, key: CallKey, line: &str) -> io::Result<Flow> {
        let waiting = self.state.pending.get(&key);
        let choices = waiting.map(|waiting| plain::choices(waiting, &self.state));
        let said = Said::of(line, &self.state);
        let Some(said) = said.filter(|said| choices.is_some_and(|all| all.contains(said))) else {
            if !line.trim().is_empty() {
                say(&[Shown::label(&format!("“{line}” is no answer here."))])?;
            }
            return self.ask_shortly(key).map(|()| Flow::Go);
        };
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
                self.nothing()
            }
            Said::Repeat => self.ask_call(key),
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

    /// A line while something runs.
    fn unasked(&mut self, line: &str) -> io::Result<Flow> {
        match Said::of(line, &self.state) {
            Some(Said::Undo) => self.undo(),
            Some(Said::Interrupt) => self.interrupted(),
            Some(Said::Quit) => self.ask_quit(),
            Some(_) | None => {
                say(&[Shown::literal(
                    "Nothing is asked now. undo, interrupt and quit are understood.",
                )])?;
                Ok(Flow::Go)
            }
        }
    }

    fn on_idle(&mut self, session: SessionId, line: &str) -> io::Result<Flow> {
        let line = line.trim();
        let failed = self.state.session(&session).is_some_and(|session| {
            matches!(session.run, crate::core::run::RunState::Failed { .. })
        });
        // Whole words only: a message may be as short as a letter.
        match line.to_lowercase().as_str() {
            "" => {
                self.skipped.clear();
                self.nothing()
            }
            "quit" => self.ask_quit(),
            "resend" if failed => {
                self.sent = true;
                self.prompt = Prompt::Open;
                self.apply(Event::Line(Line::Resend(session)))
            }
            // Typed for a question that is gone.
            word if Said::is_word(word) => {
                say(&[Shown::label(&format!(
                    "Nothing waits for “{word}”, and it was not sent. To send it, write more than the word:"
                ))])?;
                Ok(Flow::Go)
            }
            _ => self.message(session, line),
        }
    }

    fn message(&mut self, session: SessionId, text: &str) -> io::Result<Flow> {
        self.prompt = Prompt::Open;
        if text.trim().is_empty() {
            return Ok(Flow::Go);
        }
        let session_home = self.state.session(&session).map(|session| session.home);
        if session_home == Some(Home::File) {
            say(&[Shown::literal(
                "These calls were handed over: their agent does not run here and takes no message.",
            )])?;
            return Ok(Flow::Go);
        }
        self.sent = true;
        let text = text.trim().to_owned();
        self.apply(Event::Line(Line::Message { session, text }))
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

    fn undo(&mut self) -> io::Result<Flow> {
        self.prompt = Prompt::Open;
        self.apply(Event::Line(Line::Undo))
    }

    fn ask_quit(&mut self) -> io::Result<Flow> {
        let waiting = self.state.pending.len();
        let busy = self.state.sessions.iter().any(|s| s.run.is_busy());
        if waiting == 0 && !busy {
            return self.apply(Event::Line(Line::Quit));
        }
        let question = format!(
            "{waiting} calls wait and stay undecided; what runs here stops. Quit? yes or no:"
        );
        self.ask(Prompt::Quit, &[Shown::label(&question)])?;
        Ok(Flow::Go)
    }

    fn ask_interrupt(&mut self, session: SessionId) -> io::Result<Flow> {
        let of_session = |waiting: &&Waiting| waiting.call.key.session == session;
        let open = self.state.pending.iter().filter(of_session).count();
        let question = format!("Interrupt the run and reject its {open} waiting calls? yes or no:");
        self.ask(Prompt::Interrupt(session), &[Shown::label(&question)])?;
        Ok(Flow::Go)
    }

    /// ctrl-c: out of a question, and from there to the one whether the run is to be interrupted.
    pub(super) fn interrupted(&mut self) -> io::Result<Flow> {
        match &self.prompt {
            Prompt::Open | Prompt::Call(_) => {
                let busy = self.state.sessions.iter().find(|s| s.run.is_busy());
                let current = self.state.current_session().filter(|s| s.run.is_busy());
                match current.or(busy).map(|session| session.id.clone()) {
                    Some(session) => self.ask_interrupt(session),
                    None => self.ask_quit(),
                }
            }
            Prompt::Idle(_) => self.ask_quit(),
            Prompt::Text(..)
            | Prompt::Field(..)
            | Prompt::Json(_)
            | Prompt::Sign(..)
            | Prompt::Message(_)
            | Prompt::Send(..)
            | Prompt::Interrupt(_)
            | Prompt::Quit => self.nothing(),
        }
    }

    fn edit(&mut self, key: CallKey) -> io::Result<Flow> {
        let Some(waiting) = self.state.pending.get(&key) else {
            return Ok(Flow::Go);
        };
        if self.editor {
            let text = fields::editable(&waiting.call.arguments);
            // The editor's keys are not ours, and what is left of them is no answer.
            self.lines = None;
            let edited = editor::edit(&text, "json");
            self.lines = Some(Lines::open()?);
            return match edited {
                Ok(text) => self.edited(key, &text),
                Err(why) => {
                    say(&[Shown::label(&why.to_string())])?;
                    self.ask_shortly(key).map(|()| Flow::Go)
                }
            };
        }
        match Fields::of(&waiting.call.arguments) {
            Some(fields) => {
                let question = [fields.question()];
                self.ask(Prompt::Field(key, fields), &question)?;
            }
            None => {
                let question = [Shown::literal("The arguments, as JSON on one line:")];
                self.ask(Prompt::Json(key), &question)?;
            }
        }
        Ok(Flow::Go)
    }

    fn filled(&mut self, key: CallKey, filled: Filled) -> io::Result<Flow> {
        match filled {
            Filled::Next(fields) => {
                let question = [fields.question()];
                self.ask(Prompt::Field(key, fields), &question)?;
            }
            Filled::Not(fields, why) => {
                let question = [Shown::label(&why), fields.question()];
                self.ask(Prompt::Field(key, fields), &question)?;
            }
            Filled::Whole(Ok(arguments)) => self.ask_signature(key, arguments)?,
            Filled::Whole(Err(fault)) => {
                say(&[Shown::label(&format!("Not accepted: {fault}"))])?;
                self.ask_shortly(key)?;
            }
        }
        Ok(Flow::Go)
    }

    fn edited(&mut self, key: CallKey, text: &str) -> io::Result<Flow> {
        match Arguments::parse(text) {
            Ok(arguments) => self.ask_signature(key, arguments)?,
            Err(fault) => {
                say(&[Shown::label(&format!("Not accepted: {fault}"))])?;
                self.ask_shortly(key)?;
            }
        }
        Ok(Flow::Go)
    }
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
        | Said::Undo
        | Said::Message
        | Said::Resend
        | Said::Interrupt
        | Said::Quit => None,
    }
}
