//! Code mode: a script of the model that calls the agent's tools as functions.
//!
//! Owns the words of it ([`Function`], [`Stand`], [`Pause`], [`Reply`]), the child process that runs a
//! script ([`Script`]), what a paused script is kept as ([`Snapshot`], sealed by [`Seal`]), and what the
//! model is told of the functions ([`stubs`]). Does not decide whether a call may run, does not run
//! it and keeps nothing: the agent does.
//!
//! The interpreter is a Python written in Rust. It is never run in this process: a script can make it
//! overflow its stack, fill the memory or compute for ever. It runs in a child of our own binary that has
//! no environment, no files and hard limits, and whatever that child says is checked like any stranger's
//! words.

pub mod child;
mod depth;
mod fault;
mod limits;
mod names;
mod process;
mod record;
mod script;
mod seal;
mod snapshot;
mod stubs;
mod wire;

use serde_json::Value;
use std::collections::BTreeSet;

pub use fault::Fault;
pub use limits::Limits;
pub use names::{identifier, identifiers};
pub use script::Script;
pub use seal::Seal;
pub use snapshot::{Sealed, Snapshot};
pub use stubs::stubs;

/// A tool as a script calls it.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name in the script, a Python identifier: see [`identifiers`].
    pub name: String,
    /// What the tool is called outside.
    pub tool: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
    pub description: String,
}

/// Where a script stands after it has run as far as it can.
#[derive(Debug, Clone, PartialEq)]
pub enum Stand {
    /// It waits for calls.
    Paused(Pause),
    /// It came to its end.
    Done {
        /// The value of the last expression, `null` if the script does not end with one.
        result: Value,
        /// All it printed.
        printed: String,
    },
    /// An exception that the script did not catch.
    Failed {
        /// As Python writes it; for the model.
        traceback: String,
        /// All it printed.
        printed: String,
    },
}

/// A script that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Pause {
    /// All the calls that the script waits for now, by number. Never empty.
    pub calls: Vec<Wanted>,
    /// The numbers of those whose answers let it go on. The others can only be answered after these.
    pub takes: BTreeSet<u32>,
    /// The line the script stands on, from 1.
    pub line: u32,
    /// All it printed so far.
    pub printed: String,
    /// Everything that is needed to go on from here in another process.
    pub snapshot: Snapshot,
}

/// A call that a script waits for.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Wanted {
    /// From 1, in the order in which the script made its calls. The same in every run of the same
    /// script that gets the same replies.
    pub number: u32,
    /// As the script calls it.
    pub function: String,
    /// What the tool is called outside.
    pub tool: String,
    /// An object. Positional arguments stand under the names that the tool's schema gives them.
    pub arguments: Value,
    /// The line of the call, from 1.
    pub line: u32,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// What the call gives. A string is a `str`, an object a `dict`, and so on.
    Value(Value),
    /// The message of a `RuntimeError` that is raised where the call stands.
    Raise(String),
}
