//! Deferred state as files: what waits for a decision, and what was decided.
//!
//! Owns the forms. Pure: reads and writes values, not files. Runs nothing.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod native;
