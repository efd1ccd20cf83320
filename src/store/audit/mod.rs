//! The audit log: who let what run, in a chain that shows when it was tampered with.
//!
//! Owns the records, the chain and its check. A record is written in the transaction of the step it is
//! about: each ruling, each verdict of the policy that let a call run or denied it, and each pause of a
//! script: of what a paused script needs to go on, its digest is in the chain.
//!
//! # The canonical form
//!
//! A record is one line of JSON: the members of [`Record`] in their order, without white space, a missing
//! value as `null`. It is stored and exported as that text and hashed byte for byte; nobody has to lay it
//! out again to check it.
//!
//! `hash` is SHA-256, in 64 lower-case hexadecimal digits, of `prev`, a newline and the record's text.
//! `prev` is the hash of the record before, and 64 zeros for the first. Records are numbered from 1
//! without a gap. A line of an export is `{"prev":"…","record":{…},"hash":"…"}`, without white space.
//!
//! What is declared to be secret is redacted before it is hashed: the chain holds whether or not the key
//! is there. `digest` is that of the real arguments, so that whoever has them can show that they were it.
//!
//! # What it shows, and what not
//!
//! A changed, removed, added or moved record breaks the chain at the first such record. Whoever can write
//! the file can also make a new chain from any record on, or cut its end: that shows against a head hash
//! that was kept elsewhere (`audit export` prints it, `audit verify --head` takes it). The check of the
//! database also compares the records with the journal's rulings.

mod aside;
mod basis;
mod chain;
mod csv;
mod pause;
mod reading;
mod record;
pub(super) mod writing;

pub use chain::{Broken, Chain, Checked, Link, START};
pub use csv::write_csv;
pub use record::{By, Record, Signed};
