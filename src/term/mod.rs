//! The terminal: the session that owns it, what its keys mean as events, the operator's editor.
//!
//! Owns every byte that goes to the terminal and every byte that comes from it, and who sits there.
//! Knows no pane and decides nothing: what a frame shows is the caller's.

pub mod cells;
pub mod editor;
pub mod input;
pub mod lines;
mod look;
pub mod mark;
mod modes;
mod panics;
mod plain;
mod screen;
pub mod session;
pub mod tty;
pub mod who;
mod wrapped;

pub use modes::{Mouse, leave};
pub use screen::{NoTerminal, Screen};
pub use session::{Extras, Session, Written};
