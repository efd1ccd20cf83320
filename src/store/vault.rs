//! The key of what is redacted, and what is done with it: sealing what was taken out, and marks.
//!
//! The key is a file of its own in the data folder, made when something is first redacted. A copy of
//! the journal without it tells no secret; a journal that has lost it can be listed and checked, but
//! sessions with something redacted cannot be gone on with.
//!
//! What is sealed is bound to what stands beside it (`about`), so that it fits nowhere else. A mark is
//! keyed too: of a plain hash, a short secret could be found by trying all there are.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use rusqlite::{Connection, OptionalExtension as _};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::StoreError;
use crate::core::redact::Marks;

const FILE: &str = "redact.key";
/// Bytes of the key, of its name, and of a mark.
const KEY: usize = 32;
const NAME: usize = 4;
const MARK: usize = 6;

/// The key's place, and the key once it was needed.
pub(super) struct Vault {
    path: PathBuf,
    keys: OnceLock<Keys>,
}

/// What is made from the key, one for each use.
struct Keys {
    name: [u8; NAME],
    seal: LessSafeKey,
    mark: hmac::Key,
}

impl Vault {
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            path: folder.join(FILE),
            keys: OnceLock::new(),
        }
    }

    /// Makes sure that the key is the one that this journal was redacted with, if it was.
    pub(super) fn check(&self, connection: &Connection) -> Result<(), StoreError> {
        match named(connection)? {
            None => Ok(()),
            Some(name) => self.matching(&name),
        }
    }

    /// Makes sure that this journal names the key. To be called within the transaction in which
    /// something is redacted.
    pub(super) fn ready(&self, connection: &Connection) -> Result<(), StoreError> {
        if let Some(name) = named(connection)? {
            return self.matching(&name);
        }
        let name = hex(&self.of_need()?.name);
        let written = connection.execute("INSERT INTO redaction (key) VALUES (?1)", [name]);
        written
            .map(|_| ())
            .map_err(|error| StoreError::writing(&error))
    }

    fn matching(&self, name: &str) -> Result<(), StoreError> {
        if hex(&self.keys()?.name) == name {
            Ok(())
        } else {
            Err(self.other())
        }
    }

    /// The key, which must be there.
    fn keys(&self) -> Result<&Keys, StoreError> {
        if let Some(keys) = self.keys.get() {
            return Ok(keys);
        }
        let keys = self.read()?.ok_or_else(|| StoreError::KeyMissing {
            path: self.path.clone(),
        })?;
        Ok(self.keys.get_or_init(|| keys))
    }

    /// The key, made if it is not there yet. A journal that names one was checked before.
    fn of_need(&self) -> Result<&Keys, StoreError> {
        match self.keys() {
            Err(StoreError::KeyMissing { .. }) => {
                let keys = self.make()?;
                Ok(self.keys.get_or_init(|| keys))
            }
            keys => keys,
        }
    }

    fn read(&self) -> Result<Option<Keys>, StoreError> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unusable(&error.to_string())),
        };
        let key = bytes(text.trim_end()).ok_or_else(|| self.unusable("it is no such key"))?;
        self.of_key(&key).map(Some)
    }

    /// Makes the key. Of several processes that do so, the first one's counts.
    fn make(&self) -> Result<Keys, StoreError> {
        let mut key = [0; KEY];
        let random = SystemRandom::new().fill(&mut key);
        random.map_err(|_| self.unusable("the system has no random numbers"))?;
        let failed = |error: std::io::Error| self.unusable(&error.to_string());
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Nobody but its owner can read such a file.
        let mut scratch = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let text = hex(&key) + "\n";
        scratch.write_all(text.as_bytes()).map_err(failed)?;
        scratch.as_file().sync_all().map_err(failed)?;
        match scratch.persist_noclobber(&self.path) {
            // The key must outlive a power cut that what it seals outlives.
            Ok(_) => File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(failed)?,
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error.error)),
        }
        let made = self.read()?;
        made.ok_or_else(|| self.unusable("it was taken away at once"))
    }

    fn of_key(&self, key: &[u8]) -> Result<Keys, StoreError> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        let of_use = |what: &str| hmac::sign(&key, what.as_bytes());
        let (name, seal, mark) = (of_use("name"), of_use("seal"), of_use("mark"));
        let seal = UnboundKey::new(&CHACHA20_POLY1305, seal.as_ref());
        Ok(Keys {
            name: std::array::from_fn(|at| name.as_ref()[at]),
            seal: LessSafeKey::new(seal.map_err(|_| self.unusable("it has another length"))?),
            mark: hmac::Key::new(hmac::HMAC_SHA256, mark.as_ref()),
        })
    }

    /// Seals a text: the key's name, a nonce, and what only the key opens.
    pub(super) fn seal(&self, about: &[&str], text: String) -> Result<Vec<u8>, StoreError> {
        let keys = self.keys()?;
        // Drawn at random: 96 bits do for thousands of millions of texts.
        let mut nonce = [0; NONCE_LEN];
        let random = SystemRandom::new().fill(&mut nonce);
        random.map_err(|_| self.unusable("the system has no random numbers"))?;
        let mut text = text.into_bytes();
        let (nonce, about) = (Nonce::assume_unique_for_key(nonce), bound(about));
        let head = [&keys.name[..], nonce.as_ref()].concat();
        let sealed = keys
            .seal
            .seal_in_place_append_tag(nonce, Aad::from(about), &mut text);
        sealed.map_err(|_| self.unusable("the text is too long"))?;
        Ok([head, text].concat())
    }

    /// Opens what was sealed beside the same things.
    pub(super) fn open(&self, about: &[&str], sealed: &[u8]) -> Result<String, StoreError> {
        let changed = || StoreError::Unsealed;
        let keys = self.keys()?;
        let (name, rest) = sealed.split_first_chunk::<NAME>().ok_or_else(changed)?;
        if *name != keys.name {
            return Err(self.other());
        }
        let (nonce, text) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(changed)?;
        let (nonce, mut text) = (Nonce::assume_unique_for_key(*nonce), text.to_vec());
        let about = Aad::from(bound(about));
        let opened = keys.seal.open_in_place(nonce, about, &mut text);
        let opened = opened.map_err(|_| StoreError::Unsealed)?;
        String::from_utf8(opened.to_vec()).map_err(|_| StoreError::Unsealed)
    }

    fn unusable(&self, why: &str) -> StoreError {
        StoreError::KeyUnusable {
            path: self.path.clone(),
            why: why.to_owned(),
        }
    }

    fn other(&self) -> StoreError {
        StoreError::KeyOther {
            path: self.path.clone(),
        }
    }
}

/// If the key cannot be made, nothing is left that could tell equal secrets from different ones.
impl Marks for Vault {
    fn mark(&self, secret: &str) -> String {
        match self.of_need() {
            Ok(keys) => {
                let tag = hmac::sign(&keys.mark, secret.as_bytes());
                format!("[redacted {}]", hex(&tag.as_ref()[..MARK]))
            }
            Err(_) => "[redacted]".to_owned(),
        }
    }
}

/// The name of the key that this journal was redacted with.
fn named(connection: &Connection) -> Result<Option<String>, StoreError> {
    let name = connection
        .prepare_cached("SELECT key FROM redaction")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)).optional());
    name.map_err(|error| StoreError::writing(&error))
}

/// Several texts as one, so that no other texts come to the same.
fn bound(about: &[&str]) -> Vec<u8> {
    let mut all = Vec::new();
    for text in about {
        all.extend((text.len() as u64).to_be_bytes());
        all.extend(text.as_bytes());
    }
    all
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The key that was written so.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let whole = hex.len() == 2 * KEY && hex.is_ascii();
    let digits = (0..KEY).map(|at| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok());
    digits.collect::<Option<_>>().filter(|_| whole)
}
