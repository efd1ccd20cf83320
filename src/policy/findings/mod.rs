//! What a look at a call's arguments finds: the places a person should read twice.
//!
//! Owns which strings are read as what, and the bounds of the look. Each kind of thing has its own file. It is
//! only a look: it decides nothing, a clever text escapes it, and nothing here is trusted by a rule. What is too
//! much to be looked into is a finding itself.

mod code;
mod decode;
mod field;
mod hidden;
mod host;
mod known;
mod path;
mod secret;
mod shell;
mod spot;

use serde_json::Value;

use crate::core::call::Call;
use crate::core::finding::{Finding, Findings, Kind};
use crate::core::name::quoted;
use crate::core::shown::lookalike;
use crate::core::verdict::Basis;
use field::Role;
use spot::{Notes, Spot};

/// Bytes of one string that are looked into.
const LONGEST: usize = 128 * 1024;
/// Bytes of a string that is taken apart as a command line or a program.
const LONGEST_PROGRAM: usize = 64 * 1024;
/// Bytes of all strings of one call.
const MOST_BYTES: usize = 512 * 1024;
/// Strings of one call.
const MOST_STRINGS: usize = 2000;

/// Looks at all of the arguments. Takes bounded time for any.
pub fn look(call: &Call) -> Findings {
    let mut look = Look {
        call,
        notes: Notes::default(),
        strings: 0,
        bytes: 0,
    };
    if let Value::Object(members) = call.arguments.value() {
        look.hidden_keys(members.keys());
        look.keys(members.keys());
        for (name, value) in members {
            let pointer = format!("/{}", token(name));
            look.value(&pointer, name, value);
        }
    }
    look.question();
    Findings::new(look.notes.found)
}

fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

struct Look<'a> {
    call: &'a Call,
    notes: Notes,
    strings: usize,
    bytes: usize,
}

impl Look<'_> {
    /// What a server says when it asks something: no argument, and read before one answers.
    fn question(&mut self) {
        let Basis::Question { message, .. } = &self.call.basis else {
            return;
        };
        let before = self.notes.found.len();
        self.text("", "message", message);
        if let Some(wanted) = &self.call.metadata {
            self.value("", "", wanted);
        }
        for finding in &mut self.notes.found[before..] {
            // Only places in the arguments can be highlighted.
            finding.place = None;
            if !finding.what.is_empty() {
                finding.what.push(' ');
            }
            finding.what.push_str("in the question");
        }
    }

    fn value(&mut self, pointer: &str, name: &str, value: &Value) {
        match value {
            Value::String(text) => self.text(pointer, name, text),
            Value::Array(items) => {
                if self.words(pointer, name, items) {
                    return;
                }
                for (at, item) in items.iter().enumerate() {
                    self.value(&format!("{pointer}/{at}"), name, item);
                }
            }
            Value::Object(members) => {
                self.hidden_keys(members.keys());
                self.keys(members.keys());
                for (name, value) in members {
                    self.value(&format!("{pointer}/{}", token(name)), name, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether there is room for a text of this length; if not, that is told.
    fn takes(&mut self, pointer: &str, length: usize) -> bool {
        self.strings += 1;
        self.bytes += length.min(LONGEST);
        if self.strings > MOST_STRINGS || self.bytes > MOST_BYTES {
            let what = if self.strings > MOST_STRINGS {
                format!("more than {MOST_STRINGS} texts")
            } else {
                format!("more than {} KiB in all", MOST_BYTES / 1024)
            };
            // Only the first of them counts; `Findings` keeps each thing once.
            if self.strings <= MOST_STRINGS + 1 {
                self.notes.found.push(Finding {
                    kind: Kind::Unread,
                    what,
                    place: None,
                });
            }
            return false;
        }
        if length > LONGEST {
            self.notes.found.push(Finding {
                kind: Kind::Unread,
                what: format!("{pointer} is longer than {} KiB", LONGEST / 1024),
                place: None,
            });
        }
        length <= LONGEST
    }

    fn text(&mut self, pointer: &str, name: &str, text: &str) {
        if !self.takes(pointer, text.len()) {
            return;
        }
        let role = field::role(&self.call.tool, name, text);
        let spot = &mut Spot::new(&mut self.notes, pointer, self.call.workspace.as_deref());
        hidden::look(text, spot);
        secret::look(text, spot);
        match role {
            Role::Shell | Role::Code | Role::Sql if text.len() > LONGEST_PROGRAM => {
                let what = format!("longer than {} KiB", LONGEST_PROGRAM / 1024);
                spot.note(Kind::Unread, what, 0..0);
            }
            Role::Shell => shell::look(text, spot),
            Role::Code => {
                code::look(text, spot);
                host::all(text, spot);
            }
            Role::Sql => code::sql(text, spot),
            Role::Address => host::all(text, spot),
            Role::Path(access) => path::look(text, access, spot),
            Role::Text => {
                host::odd(text, spot);
                decode::tokens(text, spot);
            }
        }
    }

    /// A command given as the list of its words.
    fn words(&mut self, pointer: &str, name: &str, items: &[Value]) -> bool {
        let words: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
        let Some(words) = words.filter(|words| !words.is_empty()) else {
            return false;
        };
        if field::role(&self.call.tool, name, "") != Role::Shell {
            return false;
        }
        let length = words.iter().map(|word| word.len()).sum();
        if length > LONGEST_PROGRAM || !self.takes(pointer, length) {
            let what = "a long list of words".to_owned();
            let kind = Kind::Unread;
            self.notes.found.push(Finding {
                kind,
                what,
                place: None,
            });
            return true;
        }
        let workspace = self.call.workspace.as_deref();
        for (at, word) in words.iter().enumerate() {
            let pointer = format!("{pointer}/{at}");
            let spot = &mut Spot::new(&mut self.notes, &pointer, workspace);
            hidden::look(word, spot);
            secret::look(word, spot);
        }
        shell::look_at_words(
            &words,
            &mut Spot::list(&mut self.notes, pointer, workspace, &words),
        );
        true
    }

    /// Keys with something hidden in them.
    fn hidden_keys<'k>(&mut self, keys: impl Iterator<Item = &'k String>) {
        let steered = |key: &str| key.chars().any(|c| c.is_control() || hidden::steers(c));
        let odd = keys.filter(|key| steered(key) || key.trim() != key.as_str());
        let named = odd.take(8).map(|key| Finding {
            kind: Kind::Hidden,
            what: format!("in key {}", quoted(key).replace('\n', "\\n")),
            place: None,
        });
        self.notes.found.extend(named);
    }

    /// Keys that read as another key of the same object, or as an ASCII word that they are not.
    fn keys<'k>(&mut self, keys: impl Iterator<Item = &'k String>) {
        let mut readings: Vec<(String, &String)> = keys
            .take(MOST_STRINGS)
            .map(|key| (lookalike::reading(key.trim()), key))
            .collect();
        readings.sort();
        let twins = readings.windows(2).filter(|two| two[0].0 == two[1].0);
        let posing = readings
            .iter()
            .filter(|(reading, key)| reading.is_ascii() && !key.is_ascii());
        let names = twins
            .map(|two| format!("key {} and key {}", quoted(two[0].1), quoted(two[1].1)))
            .chain(posing.map(|(_, key)| format!("key {}", quoted(key))))
            .take(8);
        self.notes.found.extend(names.map(|what| Finding {
            kind: Kind::LookAlike,
            what,
            place: None,
        }));
    }
}
