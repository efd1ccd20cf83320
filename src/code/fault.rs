//! Why a script could not be run, or not to its end.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a script ended without an answer of its own. Read by the operator and by the model.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error(
        "the script ran for more than {limit:?} and was stopped; let it do less, or in several scripts"
    )]
    TimeUp { limit: Duration },
    #[error(
        "the script needed more than {} MiB of memory and was stopped; let it work on less at a time", .limit / (1024 * 1024)
    )]
    MemoryFull { limit: u64 },
    #[error(
        "the script made more than {limit} calls and was stopped; let it make fewer, or split it"
    )]
    TooManyCalls { limit: u32 },
    #[error(
        "the script printed more than {limit} bytes and was stopped; let it print less, or return what matters"
    )]
    TooMuchPrinted { limit: usize },
    #[error("the script's result is larger than {limit} bytes; return less of it")]
    ResultTooLarge { limit: usize },
    #[error("the arguments of call {number}, {function}, are larger than {limit} bytes; pass less")]
    ArgumentsTooLarge {
        number: u32,
        function: String,
        limit: usize,
    },
    #[error(
        "the script cannot be paused: what it holds is larger than {limit} bytes; let it keep less while it calls"
    )]
    SnapshotTooLarge { limit: usize },
    #[error("the script is longer than {limit} bytes; split it")]
    CodeTooLong { limit: usize },
    #[error("the script is nested too deeply to be run; write it flatter")]
    TooDeep,
    #[error(
        "the process that ran the script ended: {how}; the calls that it had made have run, so a script that goes on must leave them out"
    )]
    Crashed { how: String },
    #[error(
        "the process that runs scripts said what it may not ({what}) and was stopped; run the script again"
    )]
    Unexpected { what: String },
    #[error("the paused script is forged, damaged or of another call; it is not gone on with")]
    Forged,
    #[error("the paused script cannot be read ({why}); run the script anew")]
    Unreadable { why: String },
    #[error("the key of paused scripts, {}, cannot be used: {why}", .path.display())]
    Key { path: PathBuf, why: String },
    #[error("no process for the script could be started: {0}")]
    NotStarted(#[source] io::Error),
}
