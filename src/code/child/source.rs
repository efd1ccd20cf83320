//! A script's text: as it is written, and as it is run.
//!
//! Owns what is found out about it once, before any of it runs.

use monty_types::{ExcType, MontyException};
use ruff_python_parser::parse_module;

use super::super::wire::Declared;
use super::awaited::Awaited;
use super::caught;
use super::halves::halves;
use super::standing::line_at;

pub(super) struct Source {
    written: String,
    /// Has the same lines.
    run: String,
    awaited: Awaited,
    /// Why it does not start, with the line.
    wrong: Option<(u32, String)>,
}

impl Source {
    pub fn of(code: String, functions: &[Declared]) -> Self {
        let (mut run, mut wrong) = (code.clone(), None);
        // What else is wrong with it the interpreter says.
        if let Ok(parsed) = parse_module(&code) {
            wrong = halves(&code, parsed.syntax());
            run = caught::catchable(&code, parsed.syntax(), functions);
        }
        Self {
            awaited: parse_module(&run).map_or_else(
                |_| Awaited::default(),
                |parsed| Awaited::of(parsed.syntax()),
            ),
            written: code,
            run,
            wrong,
        }
    }

    /// What the interpreter is given.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The line that a byte of what is run is in.
    pub fn line_at(&self, byte: usize) -> u32 {
        line_at(&self.run, byte)
    }

    /// Whether what the call at this place gives is awaited.
    pub fn awaits(&self, place: (usize, usize)) -> bool {
        self.awaited.holds(place)
    }

    /// Why it does not start.
    pub fn refusal(&self) -> Option<MontyException> {
        let (line, what) = self.wrong.as_ref()?;
        let told = format!("line {line}: {what}");
        Some(MontyException::new(ExcType::SyntaxError, Some(told)))
    }

    /// An exception of it as the script is written.
    pub fn told(&self, exception: MontyException) -> MontyException {
        caught::as_written(exception, &self.run, &self.written)
    }
}
