//! Editing arguments one field after the other, where no editor is set.
//!
//! Owns the order of the questions and what a typed value is: text where text was, JSON elsewhere.

use serde_json::{Map, Value};

use crate::core::arguments::{Arguments, ArgumentsFault, strict};
use crate::core::name::quoted;
use crate::core::shown::Shown;

/// The fields that are still to be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    done: Map<String, Value>,
    /// The last one is the next.
    left: Vec<(String, Value)>,
}

/// What came of an answer.
#[derive(Debug)]
pub enum Filled {
    /// Something is left to ask.
    Next(Fields),
    Whole(Result<Arguments, ArgumentsFault>),
    /// The line is no value; the question stands.
    Not(Fields, String),
}

impl Fields {
    /// `None` if the arguments have no fields.
    pub fn of(arguments: &Arguments) -> Option<Self> {
        let fields = arguments.value().as_object()?.clone();
        if fields.is_empty() {
            return None;
        }
        let mut left: Vec<_> = fields.into_iter().collect();
        left.reverse();
        Some(Self {
            done: Map::new(),
            left,
        })
    }

    /// The question for the next field.
    pub fn question(&self) -> Shown {
        match self.left.last() {
            Some((name, value)) => Shown::label(&format!(
                "{} is {value}. A new value, or an empty line to keep it:",
                quoted(name)
            )),
            None => Shown::default(),
        }
    }

    /// Takes in what was typed for the field that was asked for.
    pub fn fill(mut self, line: &str) -> Filled {
        let Some((name, value)) = self.left.pop() else {
            return Filled::Whole(self.whole());
        };
        let new = match (&value, line) {
            (_, "") => Ok(value.clone()),
            (Value::String(_), text) => Ok(Value::String(text.to_owned())),
            (_, json) => strict(json),
        };
        match new {
            Ok(new) => {
                self.done.insert(name, new);
                if self.left.is_empty() {
                    Filled::Whole(self.whole())
                } else {
                    Filled::Next(self)
                }
            }
            Err(error) => {
                self.left.push((name, value));
                Filled::Not(self, error.to_string())
            }
        }
    }

    fn whole(self) -> Result<Arguments, ArgumentsFault> {
        Arguments::parse(&Value::Object(self.done).to_string())
    }
}
