//! MCP servers: programs and addresses of other people that offer tools.
//!
//! Owns how a server is reached, kept running and spoken to, and what of its word is believed: nothing
//! that would make policy laxer. A call that a server was running when it was lost is never run again
//! by itself: what came of it is not known, and a person is asked. Does not decide whether a call may
//! run.

mod address;
mod call;
pub mod content;
mod ears;
mod keep;
mod length;
mod link;
pub mod listing;
pub mod naming;
mod question;
mod server;
mod servers;
mod stderr;

use std::path::PathBuf;
use std::time::Duration;

use crate::core::run::Level;
pub use listing::Choice;
pub use servers::{Remote, Servers};

/// A server, as configured.
#[derive(Debug, Clone)]
pub struct Spec {
    pub name: String,
    pub reach: Reach,
    pub choice: Choice,
    /// How long one call may take, without the time that a person takes to answer a question.
    pub timeout: Duration,
    /// How long it may take to start.
    pub start_timeout: Duration,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum Reach {
    /// A program, spoken to over its stdin and stdout.
    Program {
        /// Our own executable, which ends the program when nobody else can.
        keeper: PathBuf,
        program: PathBuf,
        arguments: Vec<String>,
        /// All that it finds in its environment.
        environment: Vec<(String, String)>,
    },
    /// An address, by streamable HTTP.
    Address {
        url: String,
        /// Names and values.
        headers: Vec<(String, String)>,
    },
    /// Not at all: this is missing.
    Missing(String),
}

/// Something that the operator should know of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub level: Level,
    /// Untrusted text may be in it.
    pub text: String,
}

/// The beginning of a text that a server sent, on one line.
fn excerpt(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        None => line,
        Some((end, _)) => format!("{} …", &line[..end]),
    }
}
