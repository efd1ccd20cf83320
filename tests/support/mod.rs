//! What tests share.

pub mod agent;
pub mod chat;
pub mod code;
pub mod console;
pub mod conversation;
pub mod deferred;
pub mod desk;
pub mod headless;
pub mod mcp;
pub mod model;
pub mod pty;
pub mod raw;
pub mod replay;
pub mod source;
pub mod states;
pub mod ui_scene;
pub mod witness;
