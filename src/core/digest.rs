//! The digest that binds an approval to what was shown.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// SHA-256, written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Digest(String);

/// Why a text is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 lower-case hexadecimal digits")]
pub struct NoDigest;

/// A stored digest is checked when it is read: a file is not trusted.
impl TryFrom<String> for Digest {
    type Error = NoDigest;

    fn try_from(text: String) -> Result<Self, NoDigest> {
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(digit) {
            Ok(Self(text))
        } else {
            Err(NoDigest)
        }
    }
}

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
