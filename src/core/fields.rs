//! A call's arguments as fields to show: nothing left out, nothing rounded.
//!
//! Owns the way from the exact text to visible text. Strings are shown as the characters they hold;
//! everything else as the text the model wrote, so a number keeps all its digits.

use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::Write as _;

use super::arguments::Arguments;
use super::locate::Members;
use super::name;
use super::shown::{self, Shown};

/// One member of the arguments object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: Shown,
    pub value: FieldValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A string's own characters, without quotes or escapes.
    Text(Shown),
    /// Any other JSON, laid out over rows where it is an array or an object.
    Json(Shown),
}

impl FieldValue {
    pub const fn shown(&self) -> &Shown {
        match self {
            Self::Text(shown) | Self::Json(shown) => shown,
        }
    }
}

/// The members in the order the model wrote them.
pub fn fields(arguments: &Arguments) -> Vec<Field> {
    members(arguments.text())
        .into_iter()
        .map(|(name, raw)| field(&name, raw.get()))
        .collect()
}

/// A one-row summary for lists: the values, shortest form, in order.
pub fn summary(arguments: &Arguments) -> Shown {
    let mut text = String::new();
    let mut room = SUMMARY;
    for (_, raw) in members(arguments.text()) {
        if !text.is_empty() {
            text.push_str(", ");
        }
        let whole = match serde_json::from_str::<String>(raw.get()) {
            Ok(string) => begin(&mut text, string.chars(), &mut room),
            Err(_) => begin(&mut text, compact(raw.get()).chars(), &mut room),
        };
        if !whole {
            text.push('…');
            break;
        }
    }
    Shown::label(&text)
}

/// As much as there is room for. Blanks that follow blanks take none, since many of them are shown as their
/// number. Says whether it is all.
fn begin(text: &mut String, characters: impl Iterator<Item = char>, room: &mut usize) -> bool {
    let mut blanks = 0;
    for c in characters {
        blanks = if c == ' ' { blanks + 1 } else { 0 };
        if blanks <= BLANKS {
            if *room == 0 {
                return false;
            }
            *room -= 1;
        }
        text.push(c);
    }
    true
}

/// A row is never wider; what a summary leaves out the arguments pane shows.
const SUMMARY: usize = 240;
/// Blanks in a row that take room in a summary.
const BLANKS: usize = 16;

/// The arguments as editable JSON: laid out over rows, with every unusual character written as a
/// JSON escape, so that the editor hides nothing either.
pub fn editable(arguments: &Arguments) -> String {
    shown::escaped(&pretty(arguments.text()), |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn field(name: &str, raw: &str) -> Field {
    let value = match serde_json::from_str::<String>(raw) {
        Ok(text) => FieldValue::Text(Shown::strict(&text)),
        Err(_) => FieldValue::Json(Shown::laid_out(&pretty(raw))),
    };
    Field {
        name: match name {
            "" => Shown::default(),
            name => name::shown(name),
        },
        value,
    }
}

/// A value that was read already, as a field of this name.
pub fn of_value(name: &str, value: &Value) -> Field {
    field(name, &value.to_string())
}

/// An object's members, their text untouched.
pub(super) fn members(text: &str) -> Vec<(Cow<'_, str>, &RawValue)> {
    // `Arguments` parsed the same text as an object, so this cannot fail.
    serde_json::from_str::<Members<'_>>(text).map_or_else(|_| Vec::new(), |members| members.0)
}

/// Lays JSON out over rows, two spaces a level, without touching strings or numbers.
///
/// `text` must be valid JSON; anything else comes back with its rows in odd places, never shorter
/// but for white space between its tokens.
pub fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut characters = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = characters.next() {
        if quoted {
            out.push(c);
            match c {
                '\\' => out.extend(characters.next()),
                '"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match c {
            ' ' | '\n' | '\r' | '\t' => {}
            '{' | '[' => {
                out.push(c);
                while characters.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    indent(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                indent(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                indent(&mut out, depth);
            }
            ':' => out.push_str(": "),
            '"' => {
                quoted = true;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Levels that are indented. Deeper ones stay there: what a model nests without end would push itself
/// off the screen and take many times its own size.
const DEEPEST: usize = 20;

fn indent(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(DEEPEST)));
}

/// JSON without the white space between its tokens.
fn compact(text: &str) -> String {
    let mut quoted = false;
    let mut escaped = false;
    let kept = |c: &char| {
        let kept = quoted || !c.is_ascii_whitespace();
        if *c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && *c == '\\' && !escaped;
        kept
    };
    text.chars().filter(kept).collect()
}
