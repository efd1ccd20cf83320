//! The mistakes a person is told of. They are defined in `core`, since the policy, the keymap and the
//! scenarios are read in the same way; this is their place for whoever checks a configuration.

pub use crate::core::mistake::{Mistake, Mistakes, listed, suggest};
