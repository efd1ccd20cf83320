//! `[agents.*]`: who is run, on which model, with which tools.

use indexmap::IndexMap;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::Place;
use super::code;
use super::mcp::{Server, Servers};
use super::mistake::{Mistake, suggest};
use super::provider::{Endpoint, ProviderChoice, Providers};
use super::server_tools;
use super::sources::Sources;
use super::tool::{self, ToolChoice, Tools};
use crate::core::reading::{Field, Member, Section};
use crate::tools::Builtin;
use crate::tools::code::CodeTool;

/// One agent, as configured.
#[derive(Debug, Clone)]
pub struct Agent {
    pub name: String,
    pub provider: ProviderChoice,
    pub model: String,
    /// Empty if there are none.
    pub instructions: String,
    pub stream: bool,
    /// Absolute. That of the built-in agent lies in the data folder and may have to be made.
    pub workspace: PathBuf,
    pub tools: Vec<ToolChoice>,
    /// Whether its model may run scripts that call them, and how.
    pub code: Option<CodeTool>,
    /// The servers whose tools it gets too.
    pub mcp: Vec<Arc<Server>>,
    /// Sent to the provider as they are.
    pub server_tools: Vec<Value>,
    /// Responses of the model in one run.
    pub max_rounds: usize,
    /// Calls that run side by side.
    pub max_parallel: usize,
    /// How long a call may wait for a person; `None`: for ever.
    pub expires: Option<Duration>,
    /// What to say if the key is missing: where its provider is named in the file.
    keyless: Option<Mistake>,
}

const ROUNDS: usize = 50;
const PARALLEL: usize = 8;

impl Agent {
    /// The mistake of an agent whose key is not in the environment. Only the agent that is about to
    /// run needs its key, so `load` does not ask for it.
    pub fn missing_key(&self, sources: &Sources) -> Option<Mistake> {
        let set = |endpoint: &Endpoint| {
            let name = endpoint.api_key_env.as_deref();
            name.is_none_or(|name| sources.variable(name).is_some())
        };
        match &self.provider {
            ProviderChoice::Mistral(endpoint) | ProviderChoice::OpenAi(endpoint) => {
                self.keyless.clone().filter(|_| !set(endpoint))
            }
            ProviderChoice::Script(_) => None,
        }
    }
}

/// What an agent's table may name.
pub(super) struct Known<'a> {
    pub providers: &'a Providers,
    pub tools: &'a Tools,
    pub servers: &'a Servers,
}

/// All agents: their names, and the agents themselves if none has a mistake.
pub(super) struct Agents {
    pub names: Vec<String>,
    pub sound: Option<IndexMap<String, Agent>>,
}

pub(super) fn read(members: &[Member<'_>], place: Place<'_>, known: &Known<'_>) -> Agents {
    let read: Vec<Option<Agent>> = members
        .iter()
        .map(|member| agent(member, place, known))
        .collect();
    let sound: Option<Vec<Agent>> = read.into_iter().collect();
    Agents {
        names: members
            .iter()
            .map(|member| member.name.to_owned())
            .collect(),
        sound: sound.map(|agents| {
            let named = agents.into_iter().map(|agent| (agent.name.clone(), agent));
            named.collect()
        }),
    }
}

fn agent(member: &Member<'_>, place: Place<'_>, known: &Known<'_>) -> Option<Agent> {
    let mut section = member.field.section()?;
    let named = tool::is_name(member.name);
    if !named {
        let what = format!("{:?} is no name for an agent", member.name);
        let todo = "use letters, digits, _ and -, at most 64";
        section.mistakes().add(&member.span, what, todo);
    }
    let provider = provider(&mut section, known.providers);
    let model = model(&mut section, provider.as_ref());
    let instructions = section.field("instructions").map(|field| field.text());
    let stream = section.field("stream").map(|field| field.flag());
    let workspace = workspace(&mut section, place);
    let tools = tools(&section.items("tools"), known.tools);
    let code = section.field("code").map(|field| code::read(&field));
    let servers = servers(&section.items("mcp"), known.servers);
    let server_tools = server_tools(&mut section, provider.as_ref());
    let max_rounds = section
        .field("max_rounds")
        .map(|field| field.number(1..=1000));
    let max_parallel = section
        .field("max_parallel")
        .map(|field| field.number(1..=64));
    let expires = section
        .field("expires")
        .map(|field| field.duration(tool::EXPIRES));
    section.finish();
    let (provider, keyless) = provider?;
    named.then_some(Agent {
        name: member.name.to_owned(),
        provider,
        model: model?.to_owned(),
        instructions: instructions.unwrap_or(Some(""))?.to_owned(),
        stream: stream.unwrap_or(Some(true))?,
        workspace: workspace?,
        tools: tools?,
        code: code.unwrap_or(Some(code::Mode::Off))?.tool(),
        mcp: servers?,
        server_tools: server_tools?,
        max_rounds: max_rounds.unwrap_or(Some(ROUNDS))?,
        max_parallel: max_parallel.unwrap_or(Some(PARALLEL))?,
        expires: expires.map_or(Some(None), |expires| expires.map(Some))?,
        keyless,
    })
}

/// The provider named, and what to say if its key is missing.
pub(super) fn provider(
    section: &mut Section<'_>,
    providers: &Providers,
) -> Option<(ProviderChoice, Option<Mistake>)> {
    let field = section.required("provider", "say \"mistral\", \"openai\" or \"script\"")?;
    let name = field.text()?;
    let Some(provider) = providers.get(name) else {
        let known: Vec<&str> = providers.keys().map(String::as_str).collect();
        field.mistake(
            &format!("names no provider: {name:?}"),
            suggest(name, &known),
        );
        return None;
    };
    let provider = provider.clone()?;
    let keyless = match &provider {
        ProviderChoice::Mistral(endpoint) | ProviderChoice::OpenAi(endpoint) => {
            endpoint.api_key_env.as_ref().map(|variable| {
                let what = format!("{} needs a key, and {variable} is not set", field.path());
                let todo = format!("set {variable} in the environment");
                section.mistakes().describe(&field.span(), what, todo)
            })
        }
        ProviderChoice::Script(_) => None,
    };
    Some((provider, keyless))
}

/// A script needs no model; everyone else must name one.
pub(super) fn model<'a>(
    section: &mut Section<'a>,
    provider: Option<&(ProviderChoice, Option<Mistake>)>,
) -> Option<&'a str> {
    match provider {
        Some((ProviderChoice::Script(_), _)) | None => match section.field("model") {
            Some(field) => field.words(),
            None => Some("script"),
        },
        Some((ProviderChoice::Mistral(_) | ProviderChoice::OpenAi(_), _)) => section
            .required("model", "name the model that is to answer")
            .and_then(|field| field.words()),
    }
}

/// Without symlinks, so that paths can be compared by their text. The file's folder by default.
fn workspace(section: &mut Section<'_>, place: Place<'_>) -> Option<PathBuf> {
    let field = section.field("workspace");
    let written = match &field {
        Some(field) => field.words()?,
        None => ".",
    };
    let found = std::fs::canonicalize(place.folder.join(written));
    if let Some(folder) = found.ok().filter(|folder| folder.is_dir()) {
        return Some(folder);
    }
    let what = format!("{}.workspace names no folder: {written:?}", section.path());
    let todo = "make it, or correct the path, which counts from this file's folder";
    let span = field.map_or_else(|| section.span(), |field| field.span());
    section.mistakes().add(&span, what, todo);
    None
}

/// Groups are spelt out; a tool that is named twice is a mistake.
fn tools(fields: &[Field<'_>], known: &Tools) -> Option<Vec<ToolChoice>> {
    let named: Vec<_> = fields.iter().map(|field| choices(field, known)).collect();
    let sound = named.iter().all(Option::is_some);
    let mut chosen: Vec<ToolChoice> = Vec::new();
    let mut twice = false;
    for (field, choices) in fields.iter().zip(named) {
        for choice in choices.into_iter().flatten() {
            if chosen.iter().any(|other| other.name() == choice.name()) {
                field.mistake(
                    &format!("names {:?} a second time", choice.name()),
                    "leave it out",
                );
                twice = true;
            } else {
                chosen.push(choice);
            }
        }
    }
    (sound && !twice).then_some(chosen)
}

/// The tool or tools of one name.
fn choices(field: &Field<'_>, known: &Tools) -> Option<Vec<ToolChoice>> {
    let name = field.text()?;
    if name == tool::FILES {
        return Some(Builtin::FILES.map(ToolChoice::BuiltIn).to_vec());
    }
    if let Some(built_in) = Builtin::ALL.into_iter().find(|tool| tool.name() == name) {
        return Some(vec![ToolChoice::BuiltIn(built_in)]);
    }
    if let Some(tool) = known.get(name) {
        return Some(vec![ToolChoice::Command(tool.clone()?)]);
    }
    let built_in = Builtin::ALL.iter().map(|tool| tool.name());
    let configured = known.keys().map(String::as_str);
    let names: Vec<&str> = configured.chain(built_in).chain([tool::FILES]).collect();
    field.mistake(&format!("names no tool: {name:?}"), suggest(name, &names));
    None
}

/// A server that is named twice is a mistake.
fn servers(fields: &[Field<'_>], known: &Servers) -> Option<Vec<Arc<Server>>> {
    let mut chosen: Vec<Arc<Server>> = Vec::new();
    let mut sound = true;
    for field in fields {
        let Some(name) = field.text() else {
            sound = false;
            continue;
        };
        match known.get(name) {
            None => {
                let known: Vec<&str> = known.keys().map(String::as_str).collect();
                let what = format!("names no MCP server: {name:?}");
                let todo = if known.is_empty() {
                    format!("add [mcp.{name}]")
                } else {
                    suggest(name, &known)
                };
                field.mistake(&what, todo);
                sound = false;
            }
            Some(_) if chosen.iter().any(|server| server.name == name) => {
                field.mistake(&format!("names {name:?} a second time"), "leave it out");
                sound = false;
            }
            Some(Some(server)) => chosen.push(server.clone()),
            // Its own table says what is wrong.
            Some(None) => sound = false,
        }
    }
    sound.then_some(chosen)
}

/// Only Mistral runs tools itself.
fn server_tools(
    section: &mut Section<'_>,
    provider: Option<&(ProviderChoice, Option<Mistake>)>,
) -> Option<Vec<Value>> {
    let Some(field) = section.field("server_tools") else {
        return Some(Vec::new());
    };
    let read: Vec<_> = field.items()?.iter().map(server_tools::read).collect();
    match provider {
        Some((ProviderChoice::Mistral(_), _)) | None => {}
        Some((ProviderChoice::OpenAi(_) | ProviderChoice::Script(_), _)) => {
            field.mistake(
                "are run by Mistral only",
                "leave them out, or choose the provider \"mistral\"",
            );
            return None;
        }
    }
    read.into_iter().collect()
}
