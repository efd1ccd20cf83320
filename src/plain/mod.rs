//! The console as lines of text: for a screen reader, and for a terminal that can do nothing but print.
//!
//! Owns the words that are printed and the words that are read. Reads no terminal and prints nothing;
//! what follows from an answer is `app`'s, by the same rules as for keys.

mod fields;
mod question;
mod said;
mod told;

pub use fields::{Fields, Filled};
pub use question::{once_more, question, schema, what_else};
pub use said::{Said, choices, yes};
pub use told::{history, told};
