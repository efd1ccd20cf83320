//! Reading a keymap file: every mistake in one go, each at its place.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as NameError, StrDeserializer};
use std::collections::HashMap;
use std::ops::Range;

use super::Binding;
use crate::app::command::{Command, Context};
use crate::app::key::Key;
use crate::core::mistake::{Mistake, Mistakes, suggest};
use crate::core::reading::{Field, Member, Section, parse};

type Rows = HashMap<Command, Binding>;

/// A key as it stands in the file.
struct Placed {
    key: Key,
    command: Command,
    span: Range<usize>,
}

/// The rows of `base` with those of `text` in their place.
pub(super) fn read(base: &Rows, file: &str, text: &str) -> Result<Rows, Vec<Mistake>> {
    let mistakes = Mistakes::new(file, text);
    let mut rows = base.clone();
    let mut placed = Vec::new();
    let table = parse(text, &mistakes);
    if let Some(table) = &table {
        let mut root = Section::root(table, &mistakes);
        for context in Context::TITLED.map(|(_, context)| context) {
            for row in root.members(context.name()) {
                read_row(&mistakes, context, &row, &mut rows, &mut placed);
            }
        }
        root.finish();
    }
    for new in &placed {
        if let Some(other) = clash(&rows, new) {
            let what = format!(
                "`{}` means both {} and {}",
                new.key,
                new.command.name(),
                other.name()
            );
            mistakes.add(&new.span, what, "give one of them another key");
        }
    }
    if mistakes.is_empty() {
        Ok(rows)
    } else {
        Err(mistakes.into_vec())
    }
}

fn read_row(
    mistakes: &Mistakes<'_>,
    context: Context,
    row: &Member<'_>,
    rows: &mut Rows,
    placed: &mut Vec<Placed>,
) {
    let Some(command) = named::<Command>(row.name) else {
        let known: Vec<_> = Command::ALL
            .iter()
            .filter(|c| c.context() == context)
            .map(|c| c.name())
            .collect();
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        return mistakes.add(
            &row.span,
            format!("`{}` is no command", row.name),
            suggest(row.name, &known),
        );
    };
    if command.context() != context {
        let right = format!("move it under [{}]", command.context().name());
        return mistakes.add(
            &row.span,
            format!("`{}` is no command of [{}]", row.name, context.name()),
            right,
        );
    }
    let Some(mut section) = row.field.section() else {
        return;
    };
    let help = section
        .field("help")
        .and_then(|help| help.text())
        .map(ToOwned::to_owned);
    let mut keys = Vec::new();
    let todo = "write for example keys = [\"a\"]; an empty list unbinds";
    let listed = section
        .required("keys", todo)
        .and_then(|field| field.items());
    if let (Some([]), Some(only)) = (listed.as_deref(), only(command)) {
        let what = format!("`{}` cannot be unbound: {only}", row.name);
        mistakes.add(&row.span, what, "give it a key, or leave the row out");
    }
    for item in listed.unwrap_or_default() {
        if let Some(key) = read_key(&item, context) {
            keys.push(key);
            placed.push(Placed {
                key,
                command,
                span: item.span(),
            });
        }
    }
    section.finish();
    let help = help
        .or_else(|| rows.get(&command).map(|row| row.help.clone()))
        .unwrap_or_default();
    rows.insert(command, Binding { keys, help });
}

/// What a command alone does, without which a person would be stuck.
const fn only(command: Command) -> Option<&'static str> {
    match command {
        Command::Sign => Some("nothing else signs a sheet"),
        Command::Close => Some("nothing else closes a sheet"),
        Command::Accept => Some("nothing else accepts a text"),
        Command::Leave => Some("nothing else leaves a text without accepting it"),
        Command::Quit => Some("nothing else quits"),
        Command::Approve
        | Command::Reject
        | Command::Edit
        | Command::Take
        | Command::Set
        | Command::Answer
        | Command::Retry
        | Command::Fail
        | Command::Always
        | Command::Mark
        | Command::MarkAll
        | Command::ApproveAll
        | Command::RejectAll
        | Command::Undo
        | Command::View
        | Command::Filter
        | Command::Unfilter
        | Command::Group
        | Command::Sort
        | Command::Next
        | Command::Previous
        | Command::First
        | Command::Last
        | Command::NextPage
        | Command::PreviousPage
        | Command::ArgumentsDown
        | Command::ArgumentsUp
        | Command::Message
        | Command::FocusNext
        | Command::FocusPrevious
        | Command::OutputNext
        | Command::OutputPrevious
        | Command::NextSession
        | Command::Narrow
        | Command::Sessions
        | Command::Batch
        | Command::Interrupt
        | Command::Resend
        | Command::Copy
        | Command::CopyId
        | Command::Help
        | Command::Redraw
        | Command::Suspend
        | Command::ScrollDown
        | Command::ScrollUp
        | Command::ScrollPageDown
        | Command::ScrollPageUp
        | Command::ScrollTop
        | Command::ScrollBottom
        | Command::AcceptLine
        | Command::Editor
        | Command::Older
        | Command::Newer
        | Command::Propose
        | Command::Rules
        | Command::Wider
        | Command::Narrower
        | Command::AllowOrDeny
        | Command::Lasts
        | Command::Change
        | Command::Revoke
        | Command::Choose
        | Command::Search => None,
    }
}

fn read_key(item: &Field<'_>, context: Context) -> Option<Key> {
    match item.text()?.parse::<Key>() {
        Err(no_key) => {
            item.mistake(
                &no_key.to_string(),
                "see the top of the built-in keymap.toml",
            );
            None
        }
        Ok(key) if context == Context::Text && key.is_text() => {
            item.mistake(
                "would be typed into the text",
                "choose a key with ctrl- or alt-",
            );
            None
        }
        Ok(key) => Some(key),
    }
}

/// Another command that the same key would mean at the same time.
fn clash(rows: &Rows, new: &Placed) -> Option<Command> {
    let context = new.command.context();
    let together = |other: &Command| {
        let other = other.context();
        other == context || context.beside().contains(&other)
    };
    let has = |command: &Command| {
        rows.get(command)
            .is_some_and(|row| row.keys.contains(&new.key))
    };
    Command::ALL
        .into_iter()
        .find(|other| *other != new.command && together(other) && has(other))
}

/// The command that serde knows by this name.
fn named<'de, T: Deserialize<'de>>(name: &'de str) -> Option<T> {
    let name: StrDeserializer<'_, NameError> = name.into_deserializer();
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
            Self::List => "list",
            Self::Rules => "rules",
        }
    }
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
