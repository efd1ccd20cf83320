//! The journal: what happened, written before it takes effect.
//!
//! Owns the database file and the one thread that writes to it. Decides nothing: it says whether a
//! step is recorded, and the first ruling on a call is the only one that ever is.

pub mod announce;
mod answers;
pub mod audit;
mod book;
mod fault;
mod fresh;
pub mod lease;
mod place;
pub mod projection;
pub mod reading;
mod row;
mod sqlite;
pub mod standing;
pub mod step;
pub mod told;
mod vault;
mod veil;
mod writer;

pub use fault::StoreError;
pub use place::is_begun;
pub use reading::Reader;
pub use step::Step;
pub use veil::Veil;
pub use writer::{Journal, Writer};

/// The journal's file in the data folder.
pub const FILE: &str = "journal.db";

/// Whether a ruling is now in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    Now,
    /// The call was decided before: who, when and what, in words.
    Before {
        by: String,
    },
}
