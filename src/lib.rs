//! Countersign: a full-screen console for the second signature on what AI agents want to do.

pub mod agent;
pub mod app;
pub mod config;
pub mod core;
pub mod policy;
pub mod provider;
pub mod runtime;
pub mod store;
pub mod term;
pub mod tools;
pub mod ui;
