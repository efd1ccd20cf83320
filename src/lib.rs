//! Countersign: a full-screen console for the second signature on what AI agents want to do.
//!
//! # Layers
//!
//! A functional core and an imperative shell. The pure layers do no I/O, know no terminal and read no
//! clock; the time is an event.
//!
//! - [`core`]: the words. Calls, decisions, conversations, visible text.
//! - [`deferred`]: what waits and what was decided, as files.
//! - [`policy`]: what may run, what must be asked about, what is denied.
//! - [`app`]: the console as a pure machine: `update(&mut State, Event) -> Vec<Effect>`.
//! - [`ui`]: draws `&State` and reports what was really on screen.
//! - [`plain`]: the same `&State` as lines of text, for a person who reads line by line.
//! - [`term`]: owns the terminal; turns its keys into events.
//! - [`provider`], [`tools`], [`store`]: models, tools, the journal.
//! - [`code`]: scripts that call tools, in a process of their own.
//! - [`events`]: tells other systems of what is in the journal.
//! - [`agent`]: one run. Reports events and takes commands over channels.
//! - [`config`]: file, environment and flags, checked once.
//! - [`runtime`]: the one loop. It alone performs effects, and only it and the binary see everything.
//!
//! # One decision, from key to agent
//!
//! A key acts on a call that is selected, has been on screen long enough and whose origin takes that
//! answer. `update` makes a ruling with the digest of what was shown and asks for it to be recorded. Only
//! when the journal has it is it delivered to the agent, which checks the digest, writes *started*, runs
//! the tool and writes *finished*.
//!
//! # What never happens
//!
//! Nothing runs that is not recorded, and nothing that is declared to be secret is recorded in clear.
//! Nothing but [`app::update()`] changes the state. No untrusted text reaches the screen but as
//! [`core::shown::Shown`].

pub mod agent;
pub mod app;
pub mod code;
pub mod config;
pub mod core;
pub mod deferred;
pub mod events;
pub mod plain;
pub mod policy;
pub mod provider;
pub mod runtime;
pub mod store;
pub mod term;
pub mod tools;
pub mod ui;
