//! The words of the program as types: calls, decisions, conversations, visible text.
//!
//! Owns what the other layers talk about. Does no I/O, reads no clock, knows no terminal
//! and imports nothing else of this crate.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod alike;
pub mod arguments;
pub mod asked;
pub mod assign;
pub mod attention;
pub mod call;
pub mod changes;
pub mod conversation;
pub mod count;
pub mod decision;
pub mod diff;
pub mod digest;
pub mod exchange;
pub mod fields;
pub mod filter;
pub mod finding;
pub mod locate;
pub mod mistake;
pub mod name;
pub mod output;
pub mod pattern;
pub mod pending;
pub mod places;
pub mod preview;
pub mod reading;
pub mod redact;
pub mod review;
pub mod run;
pub mod schema;
pub mod script;
pub mod session;
pub mod shown;
pub mod syntax;
pub mod time;
pub mod told;
pub mod verdict;
