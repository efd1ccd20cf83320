//! Rules that could be made of some calls, the narrowest first.
//!
//! Owns what is offered, and what is said of how much each would match. A rule that would not match all of
//! the calls it is made from is not offered. Gives none: that is for a person.

mod denied;
mod words;

use std::path::{Path, PathBuf};

use super::grant::{Given, Grant, Lasts};
use super::written::{self, Written};
use super::{Subject, path};
use crate::core::arguments::Arguments;
use crate::core::call::SessionId;
use crate::core::count;
use crate::core::name;
use crate::core::verdict::Verdict;
use denied::Denied;
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
    denied: Option<Denied>,
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
            denied: None,
        }
    }

    /// What a rule with this verdict would match, in words, and what a person should know beside that.
    pub fn told(&self, verdict: Verdict) -> (&str, &'static str) {
        match self.denied(verdict) {
            Some(denied) => (&denied.covers, denied.caveat),
            None => (&self.covers, self.caveat),
        }
    }

    fn denied(&self, verdict: Verdict) -> Option<&Denied> {
        self.denied.as_ref().filter(|_| verdict == Verdict::Deny)
    }

    /// The text of the rule, which is all that will be read of it.
    pub fn text(&self, verdict: Verdict) -> String {
        let denied = self.denied(verdict).and_then(|it| it.rule.as_ref());
        match &self.rule {
            Rule::Made(made) => denied.unwrap_or(made).text(verdict),
            Rule::Text(text) => text.clone(),
        }
    }
}

const OTHERS_FREE: &str = "Other arguments may be anything.";
const LINKS: &str = "Other arguments may be anything. Judged by the path's text: links are not looked at here. The built-in \
                     file tools refuse those that lead out of the workspace.";
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
        all.extend(words::words(sources));
    } else {
        all.extend(folders(sources));
        all.extend(host(sources));
        all.push(tool(sources));
    }
    all.retain(|candidate| matches_all(candidate, Verdict::Allow, sources));
    for candidate in &mut all {
        // At the least it denies what it is made from.
        if !matches_all(candidate, Verdict::Deny, sources) {
            candidate.denied = None;
        }
    }
    all
}

/// Whether the rule, as it will be read, matches each of the calls it is made from.
fn matches_all(candidate: &Candidate, verdict: Verdict, sources: &[Source<'_>]) -> bool {
    let Ok(given) = Given::read(Grant {
        id: String::new(),
        text: candidate.text(verdict),
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
    name::listed(names, " or ")
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
            format!(
                "just these {} of {}",
                count::of(sources.len(), "call", "calls"),
                tools(sources)
            )
        },
        caveat: SAME_BYTES,
        rule: Rule::Made(rule),
        denied: denied::commands(sources),
    }
}

fn tool(sources: &[Source<'_>]) -> Candidate {
    Candidate {
        breadth: Breadth::Tool,
        covers: format!("every call of {}", tools(sources)),
        caveat: "Whatever the arguments.",
        rule: Rule::Made(any(sources)),
        denied: None,
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
            denied: None,
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
        denied: None,
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
