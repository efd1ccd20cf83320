//! What running a call would change of a file, and the file that was shown for it.
//!
//! Owns the values. Works out no diff (`diff`) and looks at no file (`tools`).

use serde::{Deserialize, Serialize};

use super::diff::Diff;
use super::digest::Digest;

/// What running the call would change, worked out before anyone is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// The file, relative to the workspace. Untrusted text.
    pub path: String,
    /// Why the call would certainly fail, and then there is nothing in `diff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails: Option<String>,
    pub diff: Diff,
    /// The digest of the content the diff starts from; `None` if there is no such file yet.
    /// The tool refuses to run if the file has changed since.
    pub before: Option<Digest>,
}

/// A file as it was when a change of it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownFile {
    /// There was none.
    Absent,
    Content(Digest),
}

impl Preview {
    /// The file that the change starts from; `None` if there would be no change.
    pub fn file(&self) -> Option<ShownFile> {
        let before = self.before.clone();
        let file = before.map_or(ShownFile::Absent, ShownFile::Content);
        self.fails.is_none().then_some(file)
    }
}
