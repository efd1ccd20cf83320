//! Keys and commands as data: `keymap.toml`, with the operator's file laid over it.
//!
//! Owns reading, checking and looking up. Everything that names a key (dispatch, footer, help, the
//! README's table) asks here, so they cannot disagree. Does not know what is available: `available`.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use std::collections::HashMap;
use std::fmt::Write as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::command::{Command, Context};
use super::key::Key;
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
    pub fn built_in() -> Self {
        // `tests/suite/keymap.rs` reads the same text: a mistake in it does not pass the tests.
        Self::default()
            .overlaid(BUILT_IN)
            .expect("the built-in keymap has no mistake")
    }

    /// This keymap with the rows of `text` in place of its own. All mistakes are reported at once.
    pub fn overlaid(&self, text: &str) -> Result<Self, Vec<Mistake>> {
        let mut reading = Reading {
            text,
            rows: self.rows.clone(),
            mistakes: Vec::new(),
        };
        reading.file();
        let Reading {
            rows, mut mistakes, ..
        } = reading;
        let lookup = lookup(&rows, &mut mistakes);
        if mistakes.is_empty() {
            Ok(Self { rows, lookup })
        } else {
            Err(mistakes)
        }
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
                let keys: Vec<_> = self
                    .keys(command)
                    .iter()
                    .map(|key| format!("`{key}`"))
                    .collect();
                let _ = writeln!(out, "| {} | {} |", keys.join(" "), self.help(command));
            }
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

impl Context {
    /// The contexts in the order of the help page, with their headings.
    pub const TITLED: [(&'static str, Self); 5] = [
        ("Pending approvals", Self::Pending),
        ("Everywhere", Self::Global),
        ("Scrolling", Self::Scroll),
        ("Writing a text", Self::Text),
        ("On a sheet", Self::Sheet),
    ];

    /// The contexts that can be active at the same time as this one without one hiding the other.
    const fn beside(self) -> &'static [Self] {
        match self {
            Self::Pending | Self::Scroll => &[Self::Global],
            Self::Global => &[Self::Pending, Self::Scroll],
            Self::Text | Self::Sheet => &[],
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    keys: Vec<Spanned<String>>,
    help: Option<String>,
}

struct Reading<'a> {
    text: &'a str,
    rows: HashMap<Command, Binding>,
    mistakes: Vec<Mistake>,
}

impl Reading<'_> {
    fn file(&mut self) {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            self.mistake(error.span().map_or(0, |span| span.start), error.message());
        }
        for (name, section) in table.into_inner() {
            let at = name.span().start;
            let Some(context) = named::<Context>(name.get_ref()) else {
                let what = format!(
                    "`{}` is no context; there are pending, global, scroll, text and sheet",
                    name.get_ref()
                );
                self.mistake(at, &what);
                continue;
            };
            match section.into_inner() {
                DeValue::Table(rows) => rows.into_iter().for_each(|(name, row)| {
                    self.row(context, name.get_ref(), name.span().start, row);
                }),
                _ => self.mistake(at, "a context is a table: [pending]"),
            }
        }
    }

    fn row(&mut self, context: Context, name: &str, at: usize, row: Spanned<DeValue<'_>>) {
        let Some(command) = named::<Command>(name) else {
            return self.mistake(
                at,
                &format!("`{name}` is no command; `countersign keys` lists them"),
            );
        };
        if command.context() != context {
            let right = command.context().name();
            return self.mistake(at, &format!("`{name}` belongs under [{right}]"));
        }
        let start = row.span().start;
        let read = Row::deserialize(toml::de::ValueDeserializer::from(row));
        let row = match read {
            Ok(row) => row,
            Err(error) => {
                let at = error.span().map_or(start, |span| span.start);
                return self.mistake(
                    at,
                    &format!(
                        "`{name}`: {}; write {name} = {{ keys = [\"a\"] }}",
                        error.message()
                    ),
                );
            }
        };
        let mut keys = Vec::new();
        for key in row.keys {
            match key.get_ref().parse::<Key>() {
                Ok(parsed) if context == Context::Text && parsed.is_text() => {
                    self.mistake(
                        key.span().start,
                        &format!(
                            "`{parsed}` is typed into the text; choose a key with ctrl- or alt-"
                        ),
                    );
                }
                Ok(parsed) => keys.push(parsed),
                Err(no_key) => self.mistake(key.span().start, &no_key.to_string()),
            }
        }
        let help = row
            .help
            .or_else(|| self.rows.get(&command).map(|row| row.help.clone()));
        self.rows.insert(
            command,
            Binding {
                keys,
                help: help.unwrap_or_default(),
            },
        );
    }

    fn mistake(&mut self, at: usize, what: &str) {
        self.mistakes.push(Mistake::at(self.text, at, what));
    }
}

/// The context or command that serde knows by this name.
fn named<'de, T: Deserialize<'de>>(name: &'de str) -> Option<T> {
    let name: serde::de::value::StrDeserializer<'_, serde::de::value::Error> =
        name.into_deserializer();
    T::deserialize(name).ok()
}

impl Context {
    const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Pending => "pending",
            Self::Scroll => "scroll",
            Self::Text => "text",
            Self::Sheet => "sheet",
        }
    }
}

/// Every key of every context, and a mistake for each key that means two things.
fn lookup(
    rows: &HashMap<Command, Binding>,
    mistakes: &mut Vec<Mistake>,
) -> HashMap<(Context, Key), Command> {
    let mut lookup = HashMap::new();
    let clash = |key: Key, one: Command, other: Command| Mistake {
        line: 1,
        column: 1,
        what: format!(
            "`{key}` means both {} and {}; give one of them another key",
            one.name(),
            other.name()
        ),
    };
    for command in Command::ALL {
        let context = command.context();
        for key in rows.get(&command).map_or(&[][..], |row| &row.keys) {
            if let Some(other) = lookup
                .insert((context, *key), command)
                .filter(|other| *other != command)
            {
                mistakes.push(clash(*key, other, command));
            }
        }
    }
    for command in Command::ALL {
        for key in rows.get(&command).map_or(&[][..], |row| &row.keys) {
            for beside in command.context().beside() {
                if let Some(other) = lookup
                    .get(&(*beside, *key))
                    .filter(|other| command < **other)
                {
                    mistakes.push(clash(*key, command, *other));
                }
            }
        }
    }
    lookup
}

impl Command {
    /// The command's name in `keymap.toml`.
    pub fn name(self) -> String {
        // A unit variant serialises as its name, always.
        serde_json::to_value(self)
            .ok()
            .and_then(|v| v.as_str().map(ToOwned::to_owned))
            .unwrap_or_default()
    }
}
