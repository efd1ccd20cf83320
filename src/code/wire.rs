//! The words between this process and the one that runs a script.
//!
//! A frame is two lengths and two parts: JSON, and bytes that only the child can read. Both lengths are
//! checked against what the reader allows before anything is read.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Read, Write};

use super::Limits;
use super::names::Parameter;

/// What a child takes at most of us: larger than any of our limits, small enough to be sure.
pub(super) const FROM_PARENT: Room = Room {
    words: 1 << 30,
    bytes: 1 << 30,
};

/// How long the two parts of a frame may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub words: usize,
    pub bytes: usize,
}

impl Room {
    /// What a child may say at once. A character takes up to six bytes as JSON.
    pub fn within(limits: &Limits) -> Self {
        let told = limits
            .result
            .saturating_mul(2)
            .saturating_add(limits.printed);
        Self {
            words: told.saturating_mul(6).saturating_add(1 << 20),
            bytes: limits.snapshot,
        }
    }

    /// The two lengths, if they fit.
    pub fn lengths(self, head: [u8; HEAD]) -> Option<(usize, usize)> {
        let length = |bytes: &[u8; 4]| usize::try_from(u32::from_be_bytes(*bytes)).ok();
        let (words, bytes) = (length(head.first_chunk()?)?, length(head.last_chunk()?)?);
        (words <= self.words && bytes <= self.bytes).then_some((words, bytes))
    }
}

/// The bytes of the two lengths.
pub(super) const HEAD: usize = 8;

/// A frame as it is written.
pub(super) fn frame(words: &impl Serialize, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let words = serde_json::to_vec(words)?;
    let length = |part: &[u8]| u32::try_from(part.len()).map_err(|_| io::ErrorKind::InvalidInput);
    let mut all = Vec::with_capacity(HEAD + words.len() + bytes.len());
    all.extend(length(&words)?.to_be_bytes());
    all.extend(length(bytes)?.to_be_bytes());
    all.extend(&words);
    all.extend(bytes);
    Ok(all)
}

/// The next frame, in the child.
pub(super) fn read(from: &mut impl Read, room: Room) -> io::Result<(Order, Vec<u8>)> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head)?;
    let (words, bytes) = room.lengths(head).ok_or(io::ErrorKind::InvalidData)?;
    let mut all = vec![0; words + bytes];
    from.read_exact(&mut all)?;
    let bytes = all.split_off(words);
    Ok((serde_json::from_slice(&all)?, bytes))
}

/// A frame, in the child.
pub(super) fn write(to: &mut impl Write, said: &Said, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&frame(said, bytes)?)?;
    to.flush()
}

/// A function as the child knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Declared {
    pub name: String,
    /// The parameters in the order of positional arguments.
    pub parameters: Vec<Parameter>,
}

/// What the child holds itself to. What it does not, its parent or the system does.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Bounds {
    /// Microseconds of running that are left.
    pub time: u64,
    pub memory: u64,
    /// Calls, printed bytes and so on that are left.
    pub calls: u32,
    pub printed: usize,
    pub result: usize,
    pub snapshot: usize,
}

/// What a child is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    Start {
        code: String,
        functions: Vec<Declared>,
        bounds: Bounds,
    },
    /// Go on with the script in the bytes.
    Restore {
        code: String,
        functions: Vec<Declared>,
        bounds: Bounds,
        /// Calls made so far.
        made: u32,
        /// The calls that are not answered: their number, and the interpreter's.
        open: Vec<(u32, u32)>,
        /// Calls that were never waited for.
        unmet: Vec<Unmet>,
    },
    Reply {
        /// By number.
        replies: Vec<(u32, Answer)>,
    },
    LookAhead {
        code: String,
        functions: Vec<Declared>,
        bounds: Bounds,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Value(Value),
    Raise(String),
}

/// A call that was made and not waited for yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Unmet {
    pub number: u32,
    pub function: String,
    pub line: u32,
}

/// A call as the child tells of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Made {
    pub number: u32,
    /// The interpreter's number.
    pub call: u32,
    pub function: String,
    pub arguments: Value,
    pub line: u32,
}

/// What a child says. Not one word of it is believed unseen.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Said {
    /// What was printed, before the answer that is still to come.
    Printed(String),
    Paused {
        /// New calls.
        made: Vec<Made>,
        /// The numbers of all calls that may be answered now.
        waits: Vec<u32>,
        /// Those that it waits for too, but that can only be answered after these.
        later: Vec<u32>,
        line: u32,
        /// What was printed since it last spoke.
        printed: String,
        /// Microseconds of running since it was started.
        spent: u64,
    },
    Done {
        result: Value,
        printed: String,
    },
    Failed {
        traceback: String,
        printed: String,
    },
    Foreseen(Vec<Made>),
    Stopped(Stop),
}

/// Why the child gave up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stop {
    TimeUp,
    TooManyCalls,
    TooMuchPrinted,
    ResultTooLarge,
    ArgumentsTooLarge { number: u32, function: String },
    SnapshotTooLarge,
    Unreadable { why: String },
}
