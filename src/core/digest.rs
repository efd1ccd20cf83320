//! The digest that binds an approval to what was shown.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// SHA-256, written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Digest(String);

impl Digest {
    /// The digest of one call: its tool's name and the exact text of its arguments.
    ///
    /// The name's length goes in first, so no two different pairs have the same input.
    pub fn of_call(tool: &str, arguments: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update((tool.len() as u64).to_be_bytes());
        hash.update(tool.as_bytes());
        hash.update(arguments.as_bytes());
        Self::from_hash(hash)
    }

    /// The digest of some bytes, such as a file's content.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(bytes);
        Self::from_hash(hash)
    }

    fn from_hash(hash: Sha256) -> Self {
        use fmt::Write as _;
        let mut text = String::with_capacity(64);
        for byte in hash.finalize() {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first eight digits, enough to compare by eye.
    pub fn short(&self) -> &str {
        &self.0[..8]
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
