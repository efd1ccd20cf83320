//! What tests share.

pub mod pty;
