//! What tests share.

pub mod model;
pub mod pty;
pub mod raw;
pub mod replay;
pub mod ui_scene;
