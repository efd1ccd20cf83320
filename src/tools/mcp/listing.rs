//! What a server offers, checked: which of its tools are taken in, and what changed since it was last
//! asked.
//!
//! Names, descriptions, schemas and hints are a server's own word: they are kept within bounds, and
//! nothing in them makes policy laxer.

use crate::core::count;
use indexmap::IndexMap;
use rmcp::model::{Tool as Listed, ToolAnnotations};
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

use super::naming;
use crate::core::call::{Claim, Risk};
use crate::core::digest::Digest;
use crate::core::name::quoted;
use crate::core::redact::Tools;
use crate::core::schema::Schema;
use crate::core::verdict::Verdict;
use crate::tools::Tool;

/// The most tools that are taken in from one server.
pub const MOST: usize = 512;
/// The most bytes of a description that a model is given.
const DESCRIPTION: usize = 16 * 1024;
/// The most bytes of a schema.
const SCHEMA: usize = 256 * 1024;

/// Which tools of a server an agent gets, and which of those ask.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub include: Option<Vec<Tools>>,
    pub exclude: Vec<Tools>,
    pub asks: Asks,
    /// How long a call may wait for a person; `None`: as long as the agent says.
    pub expires: Option<Duration>,
}

/// Which calls ask where no rule speaks of them.
#[derive(Debug, Clone, Default)]
pub enum Asks {
    #[default]
    All,
    None,
    These(Vec<Tools>),
}

impl Choice {
    fn takes(&self, tool: &str) -> bool {
        let named = |tools: &[Tools]| tools.iter().any(|tools| tools.have(tool));
        self.include.as_deref().is_none_or(named) && !named(&self.exclude)
    }

    /// The patterns that match none of these.
    fn idle(&self, listed: &[Listed]) -> Vec<String> {
        let asks = match &self.asks {
            Asks::These(tools) => tools.as_slice(),
            Asks::All | Asks::None => &[],
        };
        let lists = [
            ("include", self.include.as_deref().unwrap_or_default()),
            ("exclude", &self.exclude),
            ("requires_confirmation", asks),
        ];
        let idle = |tools: &&Tools| !listed.iter().any(|tool| tools.have(&tool.name));
        let named = lists.into_iter().flat_map(|(key, patterns)| {
            let idle = patterns.iter().filter(idle);
            idle.map(move |pattern| format!("{key} {:?}", pattern.written()))
        });
        named.collect()
    }

    fn default(&self, tool: &str) -> Verdict {
        let asks = match &self.asks {
            Asks::All => true,
            Asks::None => false,
            Asks::These(tools) => tools.iter().any(|tools| tools.have(tool)),
        };
        if asks { Verdict::Ask } else { Verdict::Allow }
    }
}

/// One tool of a server.
#[derive(Debug, Clone)]
pub struct Offered {
    pub tool: Tool,
    /// Of all that the server says of it.
    pub print: Digest,
    parts: Parts,
}

/// The digest of each part of what a server says of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parts {
    description: Digest,
    schema: Digest,
    annotations: Digest,
}

/// All that one server offers, by its own names.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub offered: IndexMap<String, Offered>,
    /// What is not taken in although it was wanted, and why. Untrusted text.
    pub left_out: Vec<String>,
    /// Patterns of the configuration that match nothing of what the server has, each with its key.
    pub idle: Vec<String>,
}

/// What a server said of each tool when it was first asked.
pub type First = HashMap<String, Digest>;

impl Listing {
    /// What is not as it was at `first` asks, whatever the configuration lets run: that was said of
    /// other tools.
    pub fn read(server: &str, listed: Vec<Listed>, choice: &Choice, first: Option<&First>) -> Self {
        let mut listing = Self {
            idle: choice.idle(&listed),
            ..Self::default()
        };
        for tool in listed {
            if !choice.takes(&tool.name) {
                continue;
            }
            match offered(server, &tool, choice, first) {
                Ok(_) if listing.offered.len() >= MOST => {
                    let what = format!("{}: more than {MOST} tools", tool.name);
                    listing.left_out.push(what);
                    break;
                }
                Ok(offered) if !listing.offered.contains_key(tool.name.as_ref()) => {
                    listing.offered.insert(tool.name.into_owned(), offered);
                }
                Ok(_) => {
                    let what = format!("a second tool {}", quoted(&tool.name));
                    listing.left_out.push(what);
                }
                Err(why) => {
                    let name: String = tool.name.chars().take(64).collect();
                    listing.left_out.push(format!("{name:?}: {why}"));
                }
            }
        }
        listing
    }

    pub fn first(&self) -> First {
        let prints = self.offered.iter();
        prints
            .map(|(name, offered)| (name.clone(), offered.print.clone()))
            .collect()
    }

    /// What is other than `before`, a line for each tool, and nothing of what is as it was.
    pub fn changes_since(&self, before: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        for (name, now) in &self.offered {
            match before.offered.get(name) {
                None => changes.push(format!("{name} is new; it asks")),
                Some(then) if then.print != now.print => {
                    let parts = then.parts.other_than(&now.parts).join(" and ");
                    changes.push(format!(
                        "{name} has another {parts} than before; it asks from now on"
                    ));
                }
                Some(_) => {}
            }
        }
        let gone = before.offered.keys();
        let gone = gone.filter(|name| !self.offered.contains_key(*name));
        changes.extend(gone.map(|name| format!("{name} is gone")));
        let is_new = |what: &&String| !before.left_out.contains(what);
        let newly = self.left_out.iter().filter(is_new);
        changes.extend(newly.map(|what| format!("not taken in: {what}")));
        changes
    }
}

impl Parts {
    fn other_than(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            (self.description != other.description, "description"),
            (self.schema != other.schema, "schema"),
            (self.annotations != other.annotations, "set of hints"),
        ];
        let other = parts.into_iter().filter(|(changed, _)| *changed);
        other.map(|(_, name)| name).collect()
    }
}

fn offered(
    server: &str,
    listed: &Listed,
    choice: &Choice,
    first: Option<&First>,
) -> Result<Offered, String> {
    if !naming::is_usable(&listed.name) {
        return Err("a tool's name is letters, digits, _ - . and /, at most 128".to_owned());
    }
    let schema = schema(Value::Object(listed.input_schema.as_ref().clone()))?;
    let said = |value: Value| Digest::of_bytes(value.to_string().as_bytes());
    let hints = serde_json::to_value(&listed.annotations).unwrap_or_default();
    let parts = Parts {
        description: said(serde_json::json!([listed.title, listed.description])),
        schema: said(schema.value().clone()),
        annotations: said(hints),
    };
    let whole = [&parts.description, &parts.schema, &parts.annotations].map(Digest::as_str);
    let print = Digest::of_bytes(whole.concat().as_bytes());
    let as_first = first.is_none_or(|first| first.get(listed.name.as_ref()) == Some(&print));
    let default = if as_first {
        choice.default(&listed.name)
    } else {
        Verdict::Ask
    };
    Ok(Offered {
        tool: Tool {
            name: naming::own(server, &listed.name),
            description: description(listed),
            schema,
            risks: claims(listed.annotations.as_ref()),
            default,
            command_line: None,
            expires: choice.expires,
        },
        print,
        parts,
    })
}

fn schema(value: Value) -> Result<Schema, String> {
    if value.get("type").and_then(Value::as_str) != Some("object") {
        return Err("its schema does not say `object`, and arguments are one".to_owned());
    }
    let size = value.to_string().len();
    if size > SCHEMA {
        return Err(format!(
            "its schema is {} bytes; {} are taken",
            count::number(size),
            count::number(SCHEMA)
        ));
    }
    Schema::compile(value).map_err(|why| {
        let why: String = why.chars().take(200).collect();
        format!("its schema cannot be used: {why}")
    })
}

fn description(listed: &Listed) -> String {
    let said = listed.description.as_deref().or(listed.title.as_deref());
    let said = said.unwrap_or_default();
    if said.len() <= DESCRIPTION {
        return said.to_owned();
    }
    let kept = &said[..said.floor_char_boundary(DESCRIPTION)];
    format!("{kept} [… {} bytes left out]", said.len() - kept.len())
}

/// What a server says outright. What it leaves open is not taken for a claim.
pub fn claims(hints: Option<&ToolAnnotations>) -> Vec<Risk> {
    let Some(hints) = hints else {
        return Vec::new();
    };
    let claims = [
        (hints.destructive_hint, Claim::Destructive),
        (hints.open_world_hint, Claim::OpenWorld),
        (hints.idempotent_hint, Claim::Idempotent),
        (hints.read_only_hint, Claim::ReadOnly),
    ];
    let said = claims.into_iter().filter(|(hint, _)| *hint == Some(true));
    said.map(|(_, claim)| Risk::Claimed(claim)).collect()
}
