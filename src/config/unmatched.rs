//! Patterns of the configuration that match no tool: no mistakes, for another program may have such a tool, but
//! they do nothing here.
//!
//! Owns what they are held against. What a server offers is known only to whoever has asked it.

use super::Config;
use super::agent::Agent;
use super::sources::Sources;
use super::tool::ToolChoice;
use crate::core::mistake::{Mistake, Mistakes, suggest};
use crate::core::reading::{self, Field, Section};
use crate::core::redact::Tools;
use crate::tools::code::RUN_CODE;

/// What each server offers that was asked, by the names that rules know.
pub type Offered = Vec<(String, Vec<String>)>;

/// What a pattern is held against.
struct Against<'a> {
    tools: Vec<&'a str>,
    /// Servers of which nobody knows what they offer.
    unasked: Vec<&'a str>,
}

/// Each of them with its place, in the order of the file.
pub fn unmatched(config: &Config, sources: &Sources, offered: &Offered) -> Vec<Mistake> {
    let Ok(source) = sources.source() else {
        return Vec::new();
    };
    let found = Mistakes::new(source.name.clone(), &source.text);
    if let Some(table) = reading::parse(&source.text, &found) {
        let mut root = Section::root(&table, &found);
        for member in root.members("agents") {
            if let Some(agent) = config.agents.get(member.name) {
                of_scripts(&member.field, &Against::of([agent], offered));
            }
        }
        // What a provider runs itself has names that only it knows.
        let is_known = |agent: &Agent| agent.server_tools.is_empty();
        if !config.agents.is_empty() && config.agents.values().all(is_known) {
            let all = Against::of(config.agents.values(), offered);
            of_tables(&root.items("rules"), "tool", &all);
            of_tables(&root.items("reviewers"), "tools", &all);
            of_tables(&root.items("redact"), "tool", &all);
        }
    }
    found.into_vec()
}

fn of_scripts(agent: &Field<'_>, against: &Against<'_>) {
    let code = agent.section().and_then(|mut agent| agent.field("code"));
    // `code = true` names nothing.
    let table = code.filter(|code| code.json().is_some_and(|value| value.is_object()));
    if let Some(mut section) = table.and_then(|code| code.section()) {
        for list in ["include", "exclude"] {
            section
                .items(list)
                .iter()
                .for_each(|item| against.hold(item));
        }
    }
}

fn of_tables(tables: &[Field<'_>], key: &'static str, against: &Against<'_>) {
    for table in tables {
        let field = table.section().and_then(|mut table| table.field(key));
        for item in field.iter().flat_map(Field::one_or_more) {
            against.hold(&item);
        }
    }
}

impl<'a> Against<'a> {
    fn of(agents: impl IntoIterator<Item = &'a Agent>, offered: &'a Offered) -> Self {
        let mut against = Self {
            tools: Vec::new(),
            unasked: Vec::new(),
        };
        for agent in agents {
            let own = agent.tools.iter().map(ToolChoice::name);
            against.tools.extend(own);
            against.tools.extend(agent.code.iter().map(|_| RUN_CODE));
            for server in &agent.mcp {
                match offered.iter().find(|(name, _)| *name == server.name) {
                    Some((_, tools)) => {
                        against.tools.extend(tools.iter().map(String::as_str));
                    }
                    None => against.unasked.push(&server.name),
                }
            }
        }
        against
    }

    fn hold(&self, field: &Field<'_>) {
        let Some(pattern) = field.text() else { return };
        let Ok(tools) = Tools::named(pattern) else {
            return;
        };
        let fits = self.tools.iter().any(|name| tools.have(name));
        let may_fit = |server: &&str| may_match(pattern, server);
        if pattern == "*" || fits || self.unasked.iter().any(may_fit) {
            return;
        }
        field.mistake(
            &format!("matches no tool of the agents here: {pattern:?}"),
            suggest(pattern, &self.tools),
        );
    }
}

/// Whether the pattern may match a tool of this server, whatever its tools are.
fn may_match(pattern: &str, server: &str) -> bool {
    let end = pattern.find(['*', '?', '[', '{', '\\']);
    let begins = &pattern[..end.unwrap_or(pattern.len())];
    let own = format!("{server}.");
    begins.starts_with(&own) || end.is_some() && own.starts_with(begins)
}
