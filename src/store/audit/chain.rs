//! The chain: links, the lines they are exported as, and the check of them.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::Record;
use crate::core::digest::Digest;

/// Stands for the hash of the record before the first.
pub const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A record with its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub prev: String,
    /// The canonical text.
    pub record: String,
    pub hash: String,
}

/// A chain that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub records: i64,
    /// The hash of the last record.
    pub head: String,
}

/// Where a chain does not hold. Each names the first record at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    #[error("record {number} cannot be read: {why}")]
    Unreadable { number: i64, why: String },
    #[error("record {number} is not in its place: record {found} stands there")]
    Place { number: i64, found: i64 },
    #[error("record {number} was changed: its hash does not fit what it says")]
    Changed { number: i64 },
    #[error("record {number} does not follow on the record before it")]
    Follows { number: i64 },
    #[error(
        "record {number} is missing or was written anew: the head {head} that was kept is not in the chain"
    )]
    Head { number: i64, head: String },
    #[error("record {number} is not what the journal's ruling says")]
    Journal { number: i64 },
    #[error(
        "record {number} is missing: the journal has a ruling on {call} that is not in the log"
    )]
    Missing { number: i64, call: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    prev: &'a str,
    #[serde(borrow)]
    record: &'a RawValue,
    hash: &'a str,
}

impl Link {
    /// The link that follows on `prev`.
    pub(super) fn new(prev: String, record: String) -> Self {
        let hash = hash_of(&prev, &record);
        Self { prev, record, hash }
    }

    /// The line of an export.
    pub fn line(&self) -> String {
        let Self { prev, record, hash } = self;
        format!(r#"{{"prev":"{prev}","record":{record},"hash":"{hash}"}}"#)
    }

    /// Reads a line of an export, which must be just as it was written.
    pub fn of_line(text: &str) -> Result<Self, String> {
        let read: Line<'_> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let link = Self {
            prev: read.prev.to_owned(),
            record: read.record.get().to_owned(),
            hash: read.hash.to_owned(),
        };
        if link.line() == text {
            Ok(link)
        } else {
            Err("the line is not laid out as it was exported".to_owned())
        }
    }

    pub fn record(&self) -> Result<Record, String> {
        serde_json::from_str(&self.record).map_err(|error| error.to_string())
    }
}

fn hash_of(prev: &str, record: &str) -> String {
    Digest::of_bytes(format!("{prev}\n{record}").as_bytes()).to_string()
}

/// A chain that is being checked, record by record.
#[derive(Debug)]
pub struct Chain<'a> {
    checked: Checked,
    /// The head that was kept, until it comes by.
    wanted: Option<&'a str>,
}

impl<'a> Chain<'a> {
    /// Begins at the first record. `head` is a hash that must come by.
    pub fn new(head: Option<&'a str>) -> Self {
        let checked = Checked {
            records: 0,
            head: START.to_owned(),
        };
        Self {
            checked,
            wanted: head.filter(|head| *head != START),
        }
    }

    /// The number of the record that comes next.
    pub const fn next(&self) -> i64 {
        self.checked.records + 1
    }

    /// Takes the next record.
    pub fn take(&mut self, link: &Link) -> Result<Record, Broken> {
        let number = self.next();
        let record = link.record();
        if let Ok(Record { number: found, .. }) = record
            && found != number
        {
            return Err(Broken::Place { number, found });
        }
        if hash_of(&link.prev, &link.record) != link.hash {
            return Err(Broken::Changed { number });
        }
        if link.prev != self.checked.head {
            return Err(Broken::Follows { number });
        }
        let record = record.map_err(|why| Broken::Unreadable { number, why })?;
        self.checked.records = number;
        self.checked.head.clone_from(&link.hash);
        self.wanted = self.wanted.filter(|head| *head != link.hash);
        Ok(record)
    }

    /// What was checked, if the head that was kept came by.
    pub fn end(self) -> Result<Checked, Broken> {
        match self.wanted {
            None => Ok(self.checked),
            Some(head) => Err(Broken::Head {
                number: self.checked.records + 1,
                head: head.to_owned(),
            }),
        }
    }
}
