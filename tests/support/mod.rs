//! What tests share.

pub mod pty;
pub mod source;
