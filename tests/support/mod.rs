//! What tests share.

pub mod desk;
pub mod model;
pub mod pty;
pub mod raw;
pub mod replay;
