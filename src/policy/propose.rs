//! Rules that could be made of some calls, the narrowest first.
//!
//! Owns what is offered, and what is said of how much each would match. A rule that would not match all of
//! the calls it is made from is not offered. Gives none: that is for a person.

use std::path::{Path, PathBuf};

use super::grant::{Given, Grant, Lasts};
use super::written::{self, Written};
use super::{Subject, command_line, path};
use crate::core::arguments::Arguments;
use crate::core::call::SessionId;
use crate::core::verdict::Verdict;
use serde_json::Value;

/// A call that a rule is made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub agent: &'a str,
    pub tool: &'a str,
    pub arguments: &'a Arguments,
    pub command_line: Option<&'a str>,
    pub workspace: &'a str,
}

/// How much a rule would match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    Exact,
    /// Commands that begin with these words.
    Words,
    Folder,
    Host,
    Tool,
    /// As the operator wrote it.
    Written,
}

/// One rule that could be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub breadth: Breadth,
    /// What it would match, in words. Untrusted: names and paths of the calls are in it.
    pub covers: String,
    /// What a person should know beside that.
    pub caveat: &'static str,
    rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Made(Written),
    Text(String),
}

impl Candidate {
    /// A rule that a person wrote.
    pub fn written(text: String) -> Self {
        Self {
            breadth: Breadth::Written,
            covers: "what its text says".to_owned(),
            caveat: "",
            rule: Rule::Text(text),
        }
    }

    /// The text of the rule, which is all that will be read of it.
    pub fn text(&self, verdict: Verdict) -> String {
        match &self.rule {
            Rule::Made(made) => made.text(verdict),
            Rule::Text(text) => text.clone(),
        }
    }
}

const OTHERS_FREE: &str = "Other arguments may be anything.";
const LINKS: &str = "Other arguments may be anything. Judged by the path's text: links are not looked at here. The built-in \
                     file tools refuse those that lead out of the workspace.";
const OPTIONS: &str = "Further words may be options too. Other arguments may be anything. Never part of a longer line.";
const SAME_BYTES: &str = "Only calls whose arguments are byte for byte the same.";

/// What can be offered for these calls; nothing if there are none.
pub fn candidates(sources: &[Source<'_>]) -> Vec<Candidate> {
    let Some(first) = sources.first() else {
        return Vec::new();
    };
    if sources
        .iter()
        .any(|source| source.workspace != first.workspace)
    {
        return Vec::new();
    }
    let mut all = vec![exact(sources)];
    if sources.iter().any(|source| source.command_line.is_some()) {
        all.extend(words(sources));
    } else {
        all.extend(folders(sources));
        all.extend(host(sources));
        all.push(tool(sources));
    }
    all.retain(|candidate| matches_all(candidate, sources));
    all
}

/// Whether the rule, as it will be read, matches each of the calls it is made from.
fn matches_all(candidate: &Candidate, sources: &[Source<'_>]) -> bool {
    let Ok(given) = Given::read(Grant {
        id: String::new(),
        text: candidate.text(Verdict::Allow),
        lasts: Lasts::Session,
        session: SessionId(String::new()),
        from: Vec::new(),
        workspace: String::new(),
        answers: Vec::new(),
        who: String::new(),
        at: jiff::Timestamp::UNIX_EPOCH,
    }) else {
        return false;
    };
    sources.iter().all(|source| {
        let digest = source.arguments.digest(source.tool);
        given.matches(&Subject {
            agent: source.agent,
            tool: source.tool,
            arguments: source.arguments.value(),
            default: Verdict::Ask,
            command_line: source.command_line,
            workspace: Path::new(source.workspace),
            digest: Some(&digest),
        })
    })
}

/// The rule for any call of these agents and tools.
fn any(sources: &[Source<'_>]) -> Written {
    let names = |name: fn(&Source<'_>) -> String| {
        let mut names: Vec<String> = sources.iter().map(name).collect();
        names.sort();
        names.dedup();
        written::listed(&names)
    };
    Written {
        agent: names(|source| written::pattern(source.agent)),
        tool: names(|source| written::pattern(source.tool)),
        ..Written::default()
    }
}

fn tools(sources: &[Source<'_>]) -> String {
    let mut names: Vec<&str> = sources.iter().map(|source| source.tool).collect();
    names.sort_unstable();
    names.dedup();
    names.join(" or ")
}

fn exact(sources: &[Source<'_>]) -> Candidate {
    let mut digests: Vec<_> = sources
        .iter()
        .map(|source| source.arguments.digest(source.tool).to_string())
        .collect();
    digests.sort();
    digests.dedup();
    let mut rule = any(sources);
    rule.digest = Some(written::listed(&digests));
    // The digest says it all; this is for whoever reads the rule.
    if let [only] = sources {
        let members = only.arguments.value().as_object().into_iter().flatten();
        let readable = members.filter_map(|(key, value)| {
            let pointer = written::pointer(key);
            Some(written::condition(
                &pointer,
                "equals",
                &written::value(value)?,
            ))
        });
        rule.conditions = readable.collect();
    }
    Candidate {
        breadth: Breadth::Exact,
        covers: if sources.len() == 1 {
            format!("this very call of {}", tools(sources))
        } else {
            format!("just these {} calls of {}", sources.len(), tools(sources))
        },
        caveat: SAME_BYTES,
        rule: Rule::Made(rule),
    }
}

fn tool(sources: &[Source<'_>]) -> Candidate {
    Candidate {
        breadth: Breadth::Tool,
        covers: format!("every call of {}", tools(sources)),
        caveat: "Whatever the arguments.",
        rule: Rule::Made(any(sources)),
    }
}

/// Arguments that hold a path, by their usual names.
const PATHS: &[&str] = &[
    "path",
    "file",
    "file_path",
    "filepath",
    "filename",
    "folder",
    "directory",
    "dir",
];

/// The folders that the paths of all calls lie in, the innermost first; the workspace itself is the last.
fn folders(sources: &[Source<'_>]) -> Vec<Candidate> {
    let Some((key, common)) = common_folder(sources) else {
        return Vec::new();
    };
    let pointer = written::pointer(key);
    let candidate = |folder: &Path| {
        let inside = folder.to_str()?;
        let (inside, covers) = match inside {
            "" => (".", "anywhere in the workspace".to_owned()),
            inside => (inside, format!("in {inside}/")),
        };
        let mut rule = any(sources);
        let folder = written::quoted(inside);
        rule.conditions = vec![written::condition(&pointer, "under", &folder)];
        Some(Candidate {
            breadth: Breadth::Folder,
            covers: format!("{} {covers}", tools(sources)),
            caveat: LINKS,
            rule: Rule::Made(rule),
        })
    };
    common.ancestors().filter_map(candidate).collect()
}

fn common_folder<'a>(sources: &[Source<'a>]) -> Option<(&'a str, PathBuf)> {
    let mut common: Option<(&str, PathBuf)> = None;
    for source in sources {
        let members = source.arguments.value().as_object()?;
        let mut paths = members
            .iter()
            .filter(|(key, _)| PATHS.contains(&key.as_str()));
        let (Some((key, Value::String(text))), None) = (paths.next(), paths.next()) else {
            return None;
        };
        let inside = path::inside(text, Path::new(source.workspace))?;
        let folder = inside.parent().unwrap_or(Path::new("")).to_owned();
        common = match common {
            None => Some((key, folder)),
            Some((before, common)) if before == key => {
                let shared = common.ancestors().find(|above| folder.starts_with(above));
                Some((key, shared.unwrap_or(Path::new("")).to_owned()))
            }
            Some(_) => return None,
        };
    }
    common
}

/// The one web address among the arguments of each call: its argument, and its scheme, host and port.
fn host(sources: &[Source<'_>]) -> Option<Candidate> {
    let mut common: Option<(String, String)> = None;
    for source in sources {
        let members = source.arguments.value().as_object()?;
        let mut addresses = members.iter().filter_map(|(key, value)| {
            let site = site(value.as_str()?)?;
            Some((written::pointer(key), site.to_owned()))
        });
        let (Some(found), None) = (addresses.next(), addresses.next()) else {
            return None;
        };
        if common.as_ref().is_some_and(|common| *common != found) {
            return None;
        }
        common = Some(found);
    }
    let (pointer, site) = common?;
    let pattern = format!(r"{}([/?#].*)?", written::literally(&site));
    let mut rule = any(sources);
    rule.conditions = vec![written::condition(
        &pointer,
        "regex",
        &written::quoted(&pattern),
    )];
    Some(Candidate {
        breadth: Breadth::Host,
        covers: format!("{} of {site}, any path and query", tools(sources)),
        caveat: OTHERS_FREE,
        rule: Rule::Made(rule),
    })
}

/// `https://host:port` of an address that is written without anything that readers take differently.
fn site(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("://")?;
    if !matches!(scheme, "http" | "https") {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    let (host, port) = authority
        .rsplit_once(':')
        .map_or((authority, None), |(host, port)| (host, Some(port)));
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
    let sound_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|number| number > 0));
    let sound = !host.is_empty() && host.chars().all(named) && sound_port;
    sound.then(|| &address[..scheme.len() + 3 + end])
}

/// Words that mean themselves, whatever the shell.
const PLAIN: &str = "[A-Za-z0-9_./:=@%+,-]+";

fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    !word.is_empty() && word.chars().all(plain)
}

/// The program with its first words, from all but the last down to one after the program. Only for
/// command lines that are one plain command, of a program that does not run others.
fn words(sources: &[Source<'_>]) -> Vec<Candidate> {
    let Some(common) = common_words(sources) else {
        return Vec::new();
    };
    let Some(pointer) = sources.first().and_then(|source| source.command_line) else {
        return Vec::new();
    };
    let candidate = |count: usize| {
        let fixed = common[..count].join(" ");
        let pattern = format!("{}( {PLAIN})*", written::literally(&fixed));
        let mut rule = any(sources);
        rule.conditions = vec![written::condition(
            pointer,
            "regex",
            &written::quoted(&pattern),
        )];
        Candidate {
            breadth: Breadth::Words,
            covers: format!("`{fixed}` with any further plain words"),
            caveat: OPTIONS,
            rule: Rule::Made(rule),
        }
    };
    (2..=common.len()).rev().map(candidate).collect()
}

fn common_words(sources: &[Source<'_>]) -> Option<Vec<String>> {
    let mut common: Option<Vec<String>> = None;
    for source in sources {
        let text = source.arguments.value().pointer(source.command_line?)?;
        let words = command_line::plain_words(text.as_str()?)?;
        if !words.iter().all(|word| is_plain(word)) {
            return None;
        }
        common = Some(match common {
            // All of its words are the exact line.
            None if sources.len() == 1 => words[..words.len().saturating_sub(1)].to_vec(),
            None => words,
            Some(common) => {
                let same = common.iter().zip(&words).take_while(|(a, b)| a == b);
                same.map(|(word, _)| word.clone()).collect()
            }
        });
    }
    common
}
