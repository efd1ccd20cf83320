//! The console as a pure machine: events in, state changed, effects out.
//!
//! Owns what keys mean, what may be decided when, and what follows from it. Performs nothing, draws
//! nothing, reads no clock.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod attention;
pub mod available;
pub mod batch;
pub mod command;
pub mod draft;
pub mod effect;
pub mod event;
pub mod given;
pub mod key;
pub mod keymap;
pub mod mouse;
pub mod offered;
pub mod press;
pub mod proposal;
pub mod refusal;
pub mod rewritten;
pub mod rules;
mod seen;
pub mod sessions;
pub mod state;
pub mod update;

pub use update::update;
