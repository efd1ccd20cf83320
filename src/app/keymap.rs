//! Keys and commands as data: `keymap.toml`, with the operator's file laid over it.
//!
//! Owns looking up. Everything that names a key (dispatch, footer, help, the README's table) asks
//! here, so they cannot disagree. Reading and checking a file is in `reading`; what is available now
//! is in `available`.

mod reading;

use std::collections::HashMap;
use std::fmt::Write as _;

use super::command::{Command, Context};
use super::key::{Code, Key};
use crate::core::mistake::Mistake;

/// The defaults, part of the program.
pub const BUILT_IN: &str = include_str!("../../keymap.toml");

/// One row of the keymap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub keys: Vec<Key>,
    pub help: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    rows: HashMap<Command, Binding>,
    lookup: HashMap<(Context, Key), Command>,
}

impl Keymap {
    /// The defaults.
    ///
    /// # Panics
    /// Never: the tests read the same text.
    pub fn built_in() -> Self {
        // `tests/suite/keymap.rs` reads the same text: a mistake in it does not pass the tests.
        Self::default()
            .overlaid("keymap.toml", BUILT_IN)
            .expect("the built-in keymap has no mistake")
    }

    /// This keymap with the rows of `text` in place of its own. All mistakes are reported at once.
    pub fn overlaid(&self, file: &str, text: &str) -> Result<Self, Vec<Mistake>> {
        let rows = reading::read(&self.rows, file, text)?;
        let each = |(command, row): (&Command, &Binding)| {
            let (command, context) = (*command, command.context());
            row.keys
                .clone()
                .into_iter()
                .map(move |key| ((context, key), command))
        };
        let lookup = rows.iter().flat_map(each).collect();
        Ok(Self { rows, lookup })
    }

    /// The keys of a command; empty if it has none.
    pub fn keys(&self, command: Command) -> &[Key] {
        self.rows.get(&command).map_or(&[], |row| &row.keys)
    }

    /// What a command does, in words.
    pub fn help(&self, command: Command) -> &str {
        self.rows.get(&command).map_or("", |row| &row.help)
    }

    /// The command of a key in the first of these contexts that knows it.
    pub fn resolve(&self, contexts: &[Context], key: Key) -> Option<Command> {
        contexts
            .iter()
            .find_map(|context| self.lookup.get(&(*context, key)).copied())
    }

    /// The key table as Markdown, for `countersign keys` and the README.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        for (title, context) in Context::TITLED {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "**{title}**\n\n| keys | does |\n| --- | --- |");
            for command in Command::ALL
                .into_iter()
                .filter(|command| command.context() == context)
            {
                let keys: Vec<_> = self.keys(command).iter().map(|key| code(*key)).collect();
                let _ = writeln!(out, "| {} | {} |", keys.join(" "), self.help(command));
            }
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

/// A key as Markdown that stands in a table.
fn code(key: Key) -> String {
    if key.code == Code::Char('`') {
        format!("`` {key} ``")
    } else {
        format!("`{key}`").replace('|', "\\|")
    }
}

impl Context {
    /// The contexts in the order of the help page, with their headings.
    pub const TITLED: [(&'static str, Self); 7] = [
        ("Pending approvals", Self::Pending),
        ("Everywhere", Self::Global),
        ("Scrolling", Self::Scroll),
        ("Writing a text", Self::Text),
        ("On a sheet", Self::Sheet),
        ("In the list of sessions", Self::List),
        ("Rules of yours", Self::Rules),
    ];

    /// The contexts that are active at the same time as this one, neither hiding the other.
    const fn beside(self) -> &'static [Self] {
        match self {
            Self::Pending | Self::Scroll => &[Self::Global],
            Self::Global => &[Self::Pending, Self::Scroll],
            Self::Text | Self::Sheet | Self::List | Self::Rules => &[],
        }
    }
}
