//! What a server's tool is called: `SERVER.TOOL` to rules, operators and the journal, and a name that
//! every model's interface takes to a model.
//!
//! Owns both names and the way back. Whoever was first keeps its name: no tool ever takes the place of
//! another one, whatever its server calls it.

use std::collections::{BTreeSet, HashMap};

use crate::core::digest::Digest;

/// Between server and tool in a model's name. No name of ours has a dot in it, no model's name may.
const BETWEEN: &str = "__";
/// The longest name the models' providers accept.
const LONGEST: usize = 64;
/// The longest name of a server's tool that is taken in.
const LONGEST_TOOL: usize = 128;
/// Digits of the digest that tell apart what would else have one name; more if that were not enough.
const DIGITS: [usize; 3] = [8, 16, 32];

/// The name for rules, operators and the journal.
pub fn own(server: &str, tool: &str) -> String {
    format!("{server}.{tool}")
}

/// Whether a server may call a tool so: letters, digits and `_ - . /`, as the protocol asks for.
pub fn is_usable(tool: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=LONGEST_TOOL).contains(&tool.len()) && tool.chars().all(sound)
}

/// The names that models were given, each for one tool.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Names of tools that are no server's.
    taken: BTreeSet<String>,
    by_model: HashMap<String, String>,
    by_own: HashMap<String, String>,
}

impl Names {
    /// No tool of a server is called like one of these.
    pub fn without(taken: impl IntoIterator<Item = String>) -> Self {
        Self {
            taken: taken.into_iter().collect(),
            ..Self::default()
        }
    }

    /// What a model calls the tool: always the same, once it was asked for.
    pub fn for_model(&mut self, server: &str, tool: &str) -> String {
        let own = own(server, tool);
        if let Some(name) = self.by_own.get(&own) {
            return name.clone();
        }
        let candidates = plain(server, tool)
            .into_iter()
            .chain(DIGITS.map(|digits| with_digest(server, tool, digits)));
        let free = |name: &String| !self.taken.contains(name) && !self.by_model.contains_key(name);
        let name = candidates
            .into_iter()
            .find(free)
            .unwrap_or_else(|| Digest::of_bytes(own.as_bytes()).as_str().to_owned());
        self.by_model.insert(name.clone(), own.clone());
        self.by_own.insert(own, name.clone());
        name
    }

    /// The tool that a model means; a name that is no server's tool is what it is.
    pub fn of_model(&self, name: &str) -> String {
        self.by_model
            .get(name)
            .map_or(name, String::as_str)
            .to_owned()
    }
}

/// `server__tool`, where that is a name and can be taken apart again.
fn plain(server: &str, tool: &str) -> Option<String> {
    let name = format!("{server}{BETWEEN}{tool}");
    let one_way = !server.contains(BETWEEN) && !server.ends_with('_');
    (one_way && name.len() <= LONGEST && name.chars().all(is_word)).then_some(name)
}

fn with_digest(server: &str, tool: &str, digits: usize) -> String {
    let whole = format!("{server}{BETWEEN}{tool}");
    let digest = Digest::of_bytes(own(server, tool).as_bytes());
    let kept: String = whole
        .chars()
        .map(|c| if is_word(c) { c } else { '_' })
        .take(LONGEST - digits - 1)
        .collect();
    format!("{kept}_{}", &digest.as_str()[..digits])
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
