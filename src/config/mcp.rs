//! `[mcp.*]`: servers of other people whose tools an agent may be given.
//!
//! Owns the names in such a table and their mistakes. Values of variables are looked up by whoever
//! starts a server, so a variable that is not set is no mistake of the file.

use indexmap::IndexMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Place;
use super::sources::Sources;
use super::tool;
use crate::core::reading::{Field, Member, Section};
use crate::core::redact::Tools;
use crate::tools::mcp::listing::Asks;
use crate::tools::mcp::{Choice, Reach, Spec};

/// One server, as configured.
#[derive(Debug, Clone)]
pub struct Server {
    pub name: String,
    pub means: Means,
    pub choice: Choice,
    pub timeout: Duration,
    pub start_timeout: Duration,
}

/// How it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Means {
    Program {
        program: PathBuf,
        arguments: Vec<String>,
        /// Variables that are passed on to it.
        variables: Vec<String>,
    },
    Address {
        url: String,
        /// Names of headers, and of the variables that hold their values.
        headers: Vec<(String, String)>,
    },
}

/// The tables by name. `None` for one with a mistake: its name is known all the same.
pub(super) type Servers = IndexMap<String, Option<Arc<Server>>>;

/// What every program finds in its environment, where we have it. A server is somebody else's program:
/// it gets no more than that and what `env` names.
const USUAL: &[&str] = &[
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER",
];

const TIMEOUT: Duration = Duration::from_mins(2);
const TIMEOUTS: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_hours(24);
const START: Duration = Duration::from_secs(30);
const STARTS: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_mins(10);
/// With a tool's name and what is between, it must leave room in a model's 64 characters.
const LONGEST_NAME: usize = 32;

impl Server {
    /// The variables that only this server is to see.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let (own, headers) = match &self.means {
            Means::Program { variables, .. } => (variables.as_slice(), [].as_slice()),
            Means::Address { headers, .. } => ([].as_slice(), headers.as_slice()),
        };
        let own = own.iter().map(String::as_str);
        own.chain(headers.iter().map(|(_, variable)| variable.as_str()))
    }

    /// The variables that it is to get and that are not set.
    pub fn unset(&self, sources: &Sources) -> Vec<String> {
        let unset = |variable: &&str| sources.variable(variable).is_none();
        self.variables().filter(unset).map(str::to_owned).collect()
    }

    /// As it is started by `keeper`, our own executable, with the values of its variables.
    pub fn spec(&self, sources: &Sources, keeper: &Path) -> Spec {
        let reach = match &self.means {
            Means::Program {
                program,
                arguments,
                variables,
            } => {
                let names = USUAL.iter().copied();
                let names = names.chain(variables.iter().map(String::as_str));
                let set = names.filter_map(|name| {
                    let value = sources.variable(name)?;
                    Some((name.to_owned(), value.to_owned()))
                });
                Reach::Program {
                    keeper: keeper.to_owned(),
                    program: program.clone(),
                    arguments: arguments.clone(),
                    environment: set.collect(),
                }
            }
            Means::Address { url, headers } => {
                let value = |(name, variable): &(String, String)| {
                    let value = sources.variable(variable).ok_or_else(|| {
                        format!("the header {name} needs {variable}, which is not set; set it in the environment")
                    })?;
                    Ok((name.clone(), value.to_owned()))
                };
                let headers: Result<_, String> = headers.iter().map(value).collect();
                headers.map_or_else(Reach::Missing, |headers| Reach::Address {
                    url: url.clone(),
                    headers,
                })
            }
        };
        Spec {
            name: self.name.clone(),
            reach,
            choice: self.choice.clone(),
            timeout: self.timeout,
            start_timeout: self.start_timeout,
        }
    }
}

pub(super) fn read(members: &[Member<'_>], place: Place<'_>) -> Servers {
    let named = members.iter().map(|member| {
        let server = server(member, place).map(Arc::new);
        (member.name.to_owned(), server)
    });
    named.collect()
}

/// The variables of all servers: no tool is to see them.
pub(super) fn variables(servers: &Servers) -> Vec<String> {
    let sound = servers.values().flatten();
    let names = sound.flat_map(|server| server.variables().map(str::to_owned));
    names
        .filter(|name| !USUAL.contains(&name.as_str()))
        .collect()
}

fn server(member: &Member<'_>, place: Place<'_>) -> Option<Server> {
    let mut section = member.field.section()?;
    let named = tool::is_name(member.name) && member.name.len() <= LONGEST_NAME;
    if !named {
        let what = format!("{:?} is no name for a server", member.name);
        let todo = format!("use letters, digits, _ and -, at most {LONGEST_NAME}");
        section.mistakes().add(&member.span, what, todo);
    }
    let means = means(&member.field, &mut section, place);
    let choice = choice(&mut section);
    let timeout = section
        .field("timeout")
        .map(|field| field.duration(TIMEOUTS));
    let start_timeout = section
        .field("start_timeout")
        .map(|field| field.duration(STARTS));
    section.finish();
    named.then_some(Server {
        name: member.name.to_owned(),
        means: means?,
        choice: choice?,
        timeout: timeout.unwrap_or(Some(TIMEOUT))?,
        start_timeout: start_timeout.unwrap_or(Some(START))?,
    })
}

fn means(table: &Field<'_>, section: &mut Section<'_>, place: Place<'_>) -> Option<Means> {
    let command = section.field("command");
    let url = section.field("url");
    match (command, url) {
        (Some(command), None) => {
            out_of_place(section, &["headers"], "url");
            let program = program(&command, place);
            let arguments = texts(&section.items("args"));
            let fields = section.items("env");
            let variables: Vec<_> = fields.iter().map(variable).collect();
            Some(Means::Program {
                program: program?,
                arguments: arguments?,
                variables: variables.into_iter().collect::<Option<_>>()?,
            })
        }
        (None, Some(url)) => {
            out_of_place(section, &["args", "env"], "command");
            let url = address(&url);
            let headers = headers(section);
            Some(Means::Address {
                url: url?,
                headers: headers?,
            })
        }
        (Some(_), Some(_)) => {
            table.mistake("has both a command and a url", "make two servers of it");
            None
        }
        (None, None) => {
            let todo = "say \"command\" for a program or \"url\" for an address";
            table.mistake("says nothing of how it is reached", todo);
            None
        }
    }
}

fn out_of_place(section: &mut Section<'_>, keys: &[&'static str], with: &str) {
    for key in keys {
        if let Some(field) = section.field(key) {
            field.mistake(&format!("goes with a {with} only"), "leave it out");
        }
    }
}

fn program(field: &Field<'_>, place: Place<'_>) -> Option<PathBuf> {
    let name = field.words()?;
    match tool::find(name, place) {
        Ok(program) => Some(program),
        Err(why) => {
            let todo = "name the program alone, and its arguments in \"args\"; a path counts from this file's folder";
            field.mistake(&format!("cannot run: {why}"), todo);
            None
        }
    }
}

fn texts(fields: &[Field<'_>]) -> Option<Vec<String>> {
    let read: Vec<_> = fields.iter().map(Field::text).collect();
    let texts: Vec<&str> = read.into_iter().collect::<Option<_>>()?;
    Some(texts.into_iter().map(str::to_owned).collect())
}

fn variable(field: &Field<'_>) -> Option<String> {
    let name = field.text()?;
    let sound = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(sound) {
        // A secret put here by mistake must not be printed.
        let what = "is no name of an environment variable";
        field.mistake(
            what,
            "name the variable that holds the value, not the value",
        );
        return None;
    }
    Some(name.to_owned())
}

fn address(field: &Field<'_>) -> Option<String> {
    let text = field.words()?;
    let todo = "write one such as \"https://mcp.example.org/mcp\"";
    let url = match reqwest::Url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            field.mistake(&format!("is no address: {error}"), todo);
            return None;
        }
    };
    let fault = if !matches!(url.scheme(), "http" | "https") {
        Some("must begin with http:// or https://")
    } else if !url.username().is_empty() || url.password().is_some() {
        Some("must not hold a password")
    } else if url.fragment().is_some() {
        Some("must not hold a #")
    } else {
        None
    };
    if let Some(what) = fault {
        field.mistake(what, todo);
        return None;
    }
    Some(text.to_owned())
}

fn headers(section: &mut Section<'_>) -> Option<Vec<(String, String)>> {
    let members = section.members("headers");
    let read: Vec<_> = members
        .iter()
        .map(|member| {
            let variable = variable(&member.field)?;
            if reqwest::header::HeaderName::from_bytes(member.name.as_bytes()).is_err() {
                let what = format!("{:?} is no name of a header", member.name);
                let todo = "write one such as Authorization";
                section.mistakes().add(&member.span, what, todo);
                return None;
            }
            Some((member.name.to_owned(), variable))
        })
        .collect();
    read.into_iter().collect()
}

fn choice(section: &mut Section<'_>) -> Option<Choice> {
    let include = section.field("include");
    let exclude = section.field("exclude");
    if let (Some(_), Some(exclude)) = (&include, &exclude) {
        exclude.mistake("stands beside include", "keep one of the two");
        return None;
    }
    let include = include.map(|field| patterns(&field));
    let exclude = exclude.map(|field| patterns(&field));
    let asks = section
        .field("requires_confirmation")
        .map(|field| asks(&field));
    let expires = section
        .field("expires")
        .map(|field| field.duration(tool::EXPIRES));
    Some(Choice {
        include: include.map_or(Some(None), |include| include.map(Some))?,
        exclude: exclude.unwrap_or_else(|| Some(Vec::new()))?,
        asks: asks.unwrap_or(Some(Asks::All))?,
        expires: expires.map_or(Some(None), |expires| expires.map(Some))?,
    })
}

/// `true`, `false`, or the tools that ask.
fn asks(field: &Field<'_>) -> Option<Asks> {
    match field.json()? {
        serde_json::Value::Bool(true) => Some(Asks::All),
        serde_json::Value::Bool(false) => Some(Asks::None),
        serde_json::Value::Array(_) => patterns(field).map(Asks::These),
        _ => {
            let todo = "write true, false, or a list of tools such as [\"write_*\"]";
            field.mistake("must be true, false or a list", todo);
            None
        }
    }
}

fn patterns(field: &Field<'_>) -> Option<Vec<Tools>> {
    let items = field.items()?;
    let read: Vec<_> = items.iter().map(pattern).collect();
    read.into_iter().collect()
}

fn pattern(field: &Field<'_>) -> Option<Tools> {
    match Tools::named(field.words()?) {
        Ok(tools) => Some(tools),
        Err(why) => {
            field.mistake(&format!("is no pattern: {why}"), "correct the pattern");
            None
        }
    }
}
