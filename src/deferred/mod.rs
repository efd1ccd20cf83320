//! Deferred state as files: what waits for a decision, and what was decided.
//!
//! Owns the forms, one module for each framework, and the way to tell them apart. Pure: reads and
//! writes values, not files. Runs nothing, asks nobody.
#![warn(clippy::wildcard_enum_match_arm)]

mod agent_framework;
mod cursor;
mod decided;
mod format;
mod identity;
mod imported;
mod langchain;
mod mistral;
pub mod native;
mod openai_agents;
mod proposed;
mod pydantic_ai;

pub use decided::Decided;
pub use format::{Format, read};
pub use imported::{Imported, ImportedCall, Past, ReadFault, WriteFault};
