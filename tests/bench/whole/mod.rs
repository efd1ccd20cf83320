//! The whole program, measured from outside: what comes out of its pseudo-terminal and when, and what
//! the system says of its process. Owns no figure: each benchmark says what it measures.
//!
//! A time is taken right after the bytes were read, before anybody looks at them. Beside every figure
//! that depends on the machine stands that of a bare program, started and read in the same way.

#![allow(dead_code, reason = "each benchmark takes what it needs")]

pub mod bare;
pub mod home;
pub mod process;
pub mod program;
pub mod say;

#[allow(unused_imports, reason = "each benchmark takes what it needs")]
pub use self::{
    bare::bare,
    home::Home,
    program::{Program, Start},
    say::{Figures, millis, say},
};
