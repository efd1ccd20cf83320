//! Which process runs a session's agent: one at a time.
//!
//! A lease is a lock on a file of the session. The system releases it when its owner ends, however that
//! happens, so a session whose owner is gone can be taken over at once, and one whose owner is merely
//! slow or stopped cannot: no heartbeat could tell the two apart, and none has to wake the machine.

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, create_dir_all};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::core::call::SessionId;

/// The folder of the locks in the data folder.
const FOLDER: &str = "leases";

/// The right to run a session's agent, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lease {
    _file: File,
}

/// The process that runs a session, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Who and which process, for a person.
    pub words: String,
    /// Where other consoles can reach it; `None` if nowhere.
    pub socket: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error("the session is run by {owner}; `countersign attach` watches it from here")]
    Held { owner: String },
    #[error("cannot lock {path}: {why}; check that the data folder can be written")]
    Failed { path: PathBuf, why: String },
}

impl Lease {
    /// Takes the lease of a session for `owner`.
    pub fn take(folder: &Path, session: &SessionId, owner: &Owner) -> Result<Self, LeaseError> {
        let path = path_of(folder, session);
        let failed = |why: std::io::Error| LeaseError::Failed {
            path: path.clone(),
            why: why.to_string(),
        };
        create_dir_all(folder.join(FOLDER)).map_err(failed)?;
        let options = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .clone();
        let mut file = options.open(&path).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(LeaseError::Held {
                    owner: described(&mut file).words,
                });
            }
            Err(error) => return Err(failed(error.into())),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .map_err(failed)?;
        serde_json::to_writer(&mut file, owner).map_err(|error| failed(error.into()))?;
        file.flush().map_err(failed)?;
        Ok(Self { _file: file })
    }

    /// Who runs a session now, if anybody does.
    pub fn owner(folder: &Path, session: &SessionId) -> Option<Owner> {
        let mut file = File::open(path_of(folder, session)).ok()?;
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => Some(described(&mut file)),
            _ => None,
        }
    }
}

fn described(file: &mut File) -> Owner {
    let mut text = String::new();
    let read = file.read_to_string(&mut text).ok();
    read.and_then(|_| serde_json::from_str(&text).ok())
        .unwrap_or_else(|| Owner {
            words: "another process".to_owned(),
            socket: None,
        })
}

/// The id is ours, but it comes back from a command line: only its plain characters name the file.
fn path_of(folder: &Path, session: &SessionId) -> PathBuf {
    let name: String = session
        .0
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    folder.join(FOLDER).join(format!("{name}.lock"))
}
