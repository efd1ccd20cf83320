//! `[[reviewers]]`: programs and models that look at a call before a person does.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use super::mistake::{Mistake, suggest};
use super::provider::{Endpoint, ProviderChoice, Providers};
use super::sources::Sources;
use super::{Place, agent, tool};
use crate::core::reading::{Field, Section};
use crate::core::redact::Tools;
use crate::core::review::May;

/// One reviewer, as configured.
#[derive(Debug, Clone)]
pub struct Reviewer {
    pub name: String,
    pub means: Means,
    /// All agents, if empty.
    pub agents: Vec<String>,
    /// All tools, if empty.
    pub tools: Vec<Tools>,
    /// Also at what policy would let run.
    pub when: When,
    pub timeout: Duration,
    pub may: Vec<May>,
}

/// When a reviewer looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Ask,
    Always,
}

#[derive(Debug, Clone)]
pub enum Means {
    Program {
        command: Vec<String>,
        /// The folder of the configuration file.
        directory: PathBuf,
    },
    Model {
        provider: ProviderChoice,
        model: String,
        /// Empty if there are none.
        instructions: String,
        keyless: Option<Mistake>,
    },
}

impl Reviewer {
    /// The mistake of a reviewer whose key is not in the environment.
    pub fn missing_key(&self, sources: &Sources) -> Option<Mistake> {
        match &self.means {
            Means::Program { .. } => None,
            Means::Model {
                provider, keyless, ..
            } => match provider {
                ProviderChoice::Mistral(endpoint) | ProviderChoice::OpenAi(endpoint) => {
                    keyless.clone().filter(|_| !is_set(endpoint, sources))
                }
                ProviderChoice::Script(_) => None,
            },
        }
    }
}

fn is_set(endpoint: &Endpoint, sources: &Sources) -> bool {
    let name = endpoint.api_key_env.as_deref();
    name.is_none_or(|name| sources.variable(name).is_some())
}

/// What a reviewer's table may name.
pub(super) struct Known<'a> {
    pub providers: &'a Providers,
    pub agents: &'a [String],
}

const TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUTS: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_mins(5);
const WHEN: &[(&str, When)] = &[("ask", When::Ask), ("always", When::Always)];
const MAY: &[(&str, May)] = &[
    ("allow", May::Allow),
    ("deny", May::Deny),
    ("ask", May::Ask),
    ("annotate", May::Annotate),
    ("edit", May::Edit),
];

/// `None` if any has a mistake.
pub(super) fn read(
    entries: &[Field<'_>],
    place: Place<'_>,
    known: &Known<'_>,
) -> Option<Vec<Reviewer>> {
    let mut names = HashSet::new();
    let read: Vec<_> = entries
        .iter()
        .map(|entry| reviewer(entry, place, known, &mut names))
        .collect();
    read.into_iter().collect()
}

fn reviewer<'a>(
    entry: &Field<'a>,
    place: Place<'_>,
    known: &Known<'_>,
    names: &mut HashSet<&'a str>,
) -> Option<Reviewer> {
    let mut section = entry.section()?;
    let name = name(&mut section, names);
    let means = means(entry, &mut section, place, known);
    let agents: Vec<_> = section
        .items("agents")
        .iter()
        .map(|field| named_agent(field, known.agents))
        .collect();
    let tools: Vec<_> = section.items("tools").iter().map(tools).collect();
    let when = section.field("when").map(|field| field.one_of(WHEN));
    let timeout = section
        .field("timeout")
        .map(|field| field.duration(TIMEOUTS));
    let may = section.field("may").map(|field| may(&field));
    section.finish();
    Some(Reviewer {
        name: name?.to_owned(),
        means: means?,
        agents: agents.into_iter().collect::<Option<_>>()?,
        tools: tools.into_iter().collect::<Option<_>>()?,
        when: when.unwrap_or(Some(When::Ask))?,
        timeout: timeout.unwrap_or(Some(TIMEOUT))?,
        may: may.unwrap_or_else(|| Some(May::USUAL.to_vec()))?,
    })
}

fn name<'a>(section: &mut Section<'a>, names: &mut HashSet<&'a str>) -> Option<&'a str> {
    let field = section.required("name", "its word is shown and recorded under this name")?;
    let name = field.words()?;
    if !tool::is_name(name) {
        field.mistake(
            &format!("is no name for a reviewer: {name:?}"),
            "use letters, digits, _ and -, at most 64",
        );
        return None;
    }
    if !names.insert(name) {
        field.mistake(
            &format!("names a second reviewer {name:?}"),
            "give each its own name",
        );
        return None;
    }
    Some(name)
}

fn means(
    entry: &Field<'_>,
    section: &mut Section<'_>,
    place: Place<'_>,
    known: &Known<'_>,
) -> Option<Means> {
    let command = section.field("command");
    let provider = section.field("provider").is_some();
    match (command, provider) {
        (Some(field), false) => {
            for key in ["model", "instructions"] {
                if let Some(field) = section.field(key) {
                    field.mistake("goes with a provider only", "leave it out");
                }
            }
            let (program, arguments) = tool::command(&field, place)?;
            let program = std::iter::once(program.display().to_string());
            Some(Means::Program {
                command: program.chain(arguments).collect(),
                directory: place.folder.to_owned(),
            })
        }
        (None, true) => {
            let chosen = agent::provider(section, known.providers);
            let model = agent::model(section, chosen.as_ref());
            let instructions = section.field("instructions").map(|field| field.text());
            let (provider, keyless) = chosen?;
            Some(Means::Model {
                provider,
                model: model?.to_owned(),
                instructions: instructions.unwrap_or(Some(""))?.to_owned(),
                keyless,
            })
        }
        (Some(_), true) => {
            entry.mistake(
                "has both a command and a provider",
                "make two reviewers of it",
            );
            None
        }
        (None, false) => {
            let todo = "say \"command\" for a program or \"provider\" for a model";
            entry.mistake("names nothing that could review", todo);
            None
        }
    }
}

fn named_agent(field: &Field<'_>, known: &[String]) -> Option<String> {
    let name = field.text()?;
    if known.iter().any(|agent| agent == name) {
        return Some(name.to_owned());
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    field.mistake(&format!("names no agent: {name:?}"), suggest(name, &known));
    None
}

fn tools(field: &Field<'_>) -> Option<Tools> {
    match Tools::named(field.words()?) {
        Ok(tools) => Some(tools),
        Err(why) => {
            field.mistake(&format!("is no pattern: {why}"), "correct the pattern");
            None
        }
    }
}

fn may(field: &Field<'_>) -> Option<Vec<May>> {
    let words: Vec<_> = field.items()?.iter().map(|word| word.one_of(MAY)).collect();
    let words: Vec<May> = words.into_iter().collect::<Option<_>>()?;
    if words.contains(&May::Edit) && !words.contains(&May::Allow) {
        field.mistake(
            "has \"edit\" without \"allow\"",
            "add \"allow\": other arguments run only where it may let a call run",
        );
        return None;
    }
    if words.is_empty() {
        field.mistake(
            "lets it do nothing",
            "name something, or remove the reviewer",
        );
        return None;
    }
    Some(words)
}
