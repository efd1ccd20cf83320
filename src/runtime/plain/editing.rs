//! Changing a call's arguments line by line, or in the operator's editor.

use std::io;

use super::asking::Prompt;
use super::{Plain, say};
use crate::core::arguments::Arguments;
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::core::fields;
use crate::core::shown::Shown;
use crate::plain::{Fields, Filled};
use crate::runtime::perform::Flow;
use crate::term::editor;
use crate::term::lines::Lines;

impl Plain {
    pub(super) fn edit(&mut self, key: CallKey) -> io::Result<Flow> {
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
        let (prompt, question) = if let Some(fields) = Fields::of(&waiting.call.arguments) {
            let question = fields.question();
            (Prompt::Field(key, fields), question)
        } else {
            let question = Shown::literal("The arguments, as JSON on one line:");
            (Prompt::Json(key), question)
        };
        self.ask(prompt, &[question])?;
        Ok(Flow::Go)
    }

    pub(super) fn filled(&mut self, key: CallKey, filled: Filled) -> io::Result<Flow> {
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

    pub(super) fn edited(&mut self, key: CallKey, text: &str) -> io::Result<Flow> {
        match Arguments::parse(text) {
            Ok(arguments) => self.ask_signature(key, arguments)?,
            Err(fault) => {
                say(&[Shown::label(&format!("Not accepted: {fault}"))])?;
                self.ask_shortly(key)?;
            }
        }
        Ok(Flow::Go)
    }

    /// Shows what an edit changes, and asks for the signature.
    pub(super) fn ask_signature(&mut self, key: CallKey, edited: Arguments) -> io::Result<()> {
        let Some(waiting) = self.state.pending.get(&key) else {
            return Ok(());
        };
        let violations = waiting.call.schema.iter();
        let violations = violations.flat_map(|schema| schema.check(edited.value()));
        let mut told: Vec<_> = violations
            .map(|violation| Shown::label(&format!("Not accepted: {violation}")))
            .collect();
        if !told.is_empty() {
            say(&told)?;
            return self.ask_shortly(key);
        }
        let same = crate::core::fields::editable(&waiting.call.arguments)
            == crate::core::fields::editable(&edited);
        let arguments = (!same).then_some(edited);
        let decision = Decision::Approve { arguments };
        if same {
            told.push(Shown::literal("Nothing was changed."));
        } else {
            told.push(Shown::literal("The edit changes:"));
            let diff = crate::ui::lines::decision(&waiting.call.arguments, &decision);
            told.extend(diff);
        }
        let tool = waiting.call.name();
        told.push(Shown::label(&format!("Approve {tool} so? yes or no:")));
        self.ask(Prompt::Sign(key, decision), &told)
    }
}
