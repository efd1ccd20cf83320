//! File, environment and flags, checked once into a `Config` that the rest trusts.
//!
//! Owns the names in `countersign.toml`, their defaults and their mistakes, which are told all at
//! once. Looks at the disk (does this folder, this program exist?) but starts nothing and writes
//! nothing. Knows no provider's client and no tool's inside: its types are plain.

pub mod agent;
pub mod attention;
mod code;
pub mod events;
pub mod mcp;
pub mod mistake;
pub mod provider;
mod redact;
pub mod reviewer;
pub mod server_tools;
pub mod settings;
pub mod sources;
pub mod tool;
pub mod unmatched;

use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::core::reading::{self, Section};
use crate::core::redact::Redaction;
use crate::core::verdict::RuleSource;
use crate::policy::file::Proof;
use crate::policy::{self, Policy};
use agent::Agent;
use events::Events;
use mistake::{Mistake, Mistakes, suggest};
use provider::Scenario;
use reviewer::Reviewer;
use settings::{Decisions, Interface};
use sources::{Source, Sources};

/// Everything that was configured, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// `None`: there is no file, and the built-in offline scenario is used.
    pub file: Option<PathBuf>,
    pub data_dir: PathBuf,
    /// The user's own keys. The file need not be there.
    pub keymap: PathBuf,
    /// Empty: a run has to name its agents.
    pub default_agent: String,
    pub agents: IndexMap<String, Agent>,
    pub policy: Arc<Policy>,
    pub decisions: Decisions,
    pub interface: Interface,
    /// Who looks at calls before a person does, in the order of the file.
    pub reviewers: Vec<Reviewer>,
    /// The servers that agents may be given, in the order of the file.
    pub mcp: Vec<Arc<mcp::Server>>,
    /// Who is told of what happens.
    pub events: Events,
    pub attention: attention::Attention,
    /// What is never written in clear.
    pub redaction: Redaction,
    key_variables: Vec<String>,
}

impl Config {
    /// What the file is called where a mistake has no better place.
    pub fn file_name(&self) -> String {
        self.file.as_deref().map_or_else(
            || "the built-in configuration".to_owned(),
            |file| file.display().to_string(),
        )
    }

    /// The environment variables that hold providers' keys, whoever uses them: no tool is to see them.
    pub fn key_variables(&self) -> impl Iterator<Item = String> {
        self.key_variables.iter().cloned()
    }

    /// The agent that was asked for, or the default one.
    pub fn agent(&self, name: Option<&str>) -> Result<&Agent, Mistake> {
        let name = name.unwrap_or(&self.default_agent);
        self.agents.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.agents.keys().map(String::as_str).collect();
            if known.is_empty() {
                let todo = "add [agents.NAME], or remove the file to try the built-in rehearsal";
                return Mistake::of_the_whole(self.file_name(), "no agent is configured", todo);
            }
            if name.is_empty() {
                let what = "there are several agents and no \"default_agent\"";
                let known = mistake::listed(&known);
                let todo = format!("name one of {known} after `run`, or set it to one of them");
                return Mistake::of_the_whole(self.file_name(), what, todo);
            }
            let what = format!("there is no agent {name:?}");
            Mistake::of_the_whole(self.file_name(), what, suggest(name, &known))
        })
    }
}

/// What a configuration comes to, and what it names that is still to be checked by others.
pub struct Checked {
    /// `Err` holds every mistake, in the order of the file.
    pub config: Result<Config, Vec<Mistake>>,
    /// The scenarios of the providers, each once; they are known whatever else is wrong.
    pub scenarios: Vec<Scenario>,
}

/// Reads and checks everything. `Err` holds every mistake, in the order of the file.
pub fn load(sources: &Sources) -> Result<Config, Vec<Mistake>> {
    examine(sources).config
}

/// As `load`, for whoever goes on after a mistake.
pub fn examine(sources: &Sources) -> Checked {
    let source = match sources.source() {
        Ok(source) => source,
        Err(mistake) => {
            return Checked {
                config: Err(vec![mistake]),
                scenarios: Vec::new(),
            };
        }
    };
    let mistakes = Mistakes::new(source.name.clone(), &source.text);
    let built_in = policy::file::built_in(&tool::command_line, Proof::Given);
    let mut scenarios = Vec::new();
    let read = reading::parse(&source.text, &mistakes).and_then(|table| {
        let root = Section::root(&table, &mistakes);
        read(root, &source, sources, &mut scenarios)
    });
    let config = match (read, built_in) {
        (Some(read), Ok(built_in)) if mistakes.is_empty() => Ok(read.finish(built_in)),
        (_, built_in) => {
            let mut all = mistakes.into_vec();
            all.extend(built_in.err().unwrap_or_default());
            Err(all)
        }
    };
    Checked { config, scenarios }
}

/// Every mistake in the configuration and the policy: what `countersign check` tells.
pub fn check(sources: &Sources) -> Vec<Mistake> {
    load(sources).err().unwrap_or_default()
}

/// What was read, and what the built-in rules are still to be added to.
struct Read {
    config: Config,
    rules: Vec<policy::rule::Rule>,
    default_policy: bool,
}

impl Read {
    fn finish(self, built_in: Vec<policy::rule::Rule>) -> Config {
        let built_in = if self.default_policy {
            built_in
        } else {
            Vec::new()
        };
        Config {
            policy: Arc::new(Policy::new(self.rules, built_in)),
            ..self.config
        }
    }
}

/// Where things in the file are looked for.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    /// The folder of the file: relative paths in it count from there.
    folder: &'a Path,
    sources: &'a Sources,
}

fn read(
    mut root: Section<'_>,
    source: &Source,
    sources: &Sources,
    scenarios: &mut Vec<Scenario>,
) -> Option<Read> {
    let place = Place {
        folder: &source.folder,
        sources,
    };
    let providers = provider::read(&root.members("providers"), place);
    scenarios.extend(provider::scenarios(&providers));
    let tools = tool::read(&root.members("tools"), place);
    let servers = mcp::read(&root.members("mcp"), place);
    let agents = agent::read(
        &root.members("agents"),
        place,
        &agent::Known {
            providers: &providers,
            tools: &tools,
            servers: &servers,
        },
    );
    let decisions = settings::decisions(&mut root);
    let interface = settings::interface(&mut root, sources);
    let attention = attention::read(&mut root, sources);
    let rules = policy::file::read(
        &root.items("rules"),
        RuleSource::Configuration,
        policy::file::Known {
            command_lines: &tool::command_line,
            agents: &agents.names,
            proof: Proof::Needed,
        },
    );
    let reviewers = reviewer::read(
        &root.items("reviewers"),
        place,
        &reviewer::Known {
            providers: &providers,
            agents: &agents.names,
        },
    );
    let events = events::read(&mut root, place);
    let redaction = redact::read(&root.items("redact"));
    let default_policy = root.field("default_policy").map(|field| field.flag());
    let data_dir = sources.data_dir();
    let default_agent = default_agent(&mut root, &agents);
    root.finish();
    Some(Read {
        rules,
        default_policy: default_policy.map_or(Some(true), |flag| flag)?,
        config: Config {
            file: source.path.clone(),
            data_dir,
            keymap: sources.keymap(),
            default_agent: default_agent?,
            agents: agents.sound?,
            policy: Arc::default(),
            decisions: decisions?,
            interface: interface?,
            reviewers: reviewers?,
            key_variables: [
                key_variables(&providers, attention.as_ref(), events.as_ref()),
                mcp::variables(&servers),
            ]
            .concat(),
            mcp: servers.into_values().collect::<Option<_>>()?,
            events: events?,
            redaction,
            attention: attention?,
        },
    })
}

/// The variables that hold keys, of providers and of whoever is told outside.
fn key_variables(
    providers: &provider::Providers,
    attention: Option<&attention::Attention>,
    events: Option<&Events>,
) -> Vec<String> {
    let webhook = attention.and_then(|attention| attention.webhook.as_ref());
    let outside = webhook.and_then(|webhook| webhook.key_env.clone());
    let mut names = provider::key_variables(providers);
    names.extend(outside);
    let webhook = events.and_then(|events| events.webhook.as_ref());
    let header = webhook.and_then(|webhook| webhook.header.as_ref());
    names.extend(header.map(|(_, variable)| variable.clone()));
    names
}

/// The one named, or the only one there is.
fn default_agent(root: &mut Section<'_>, agents: &agent::Agents) -> Option<String> {
    let known: Vec<&str> = agents.names.iter().map(String::as_str).collect();
    match root.field("default_agent") {
        Some(field) => {
            let name = field.text()?;
            if !known.contains(&name) {
                field.mistake(&format!("names no agent: {name:?}"), suggest(name, &known));
                return None;
            }
            Some(name.to_owned())
        }
        None => match known.as_slice() {
            [only] => Some((*only).to_owned()),
            // A file may hold rules and settings alone, and of several agents a run may name one.
            [] | [_, _, ..] => Some(String::new()),
        },
    }
}
