//! Sealing paused scripts for the journal.
//!
//! The key is a file of its own in the data folder, made when a script first pauses. What is sealed is
//! encrypted, since a script's memory holds results that the journal may not hold in clear, and bound to
//! its session and call, so that it fits nowhere else. A journal without its key can be read, but its
//! paused scripts cannot be gone on with.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as TEXT;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Fault, Sealed, Snapshot};

const FILE: &str = "script.key";
/// Bytes of the key.
const KEY: usize = 32;
/// What is derived from it here, so that a key used twice by mistake gives two different ones.
const USE: &[u8] = b"paused scripts, 1";

/// What seals paused scripts and opens them again.
pub struct Seal {
    path: PathBuf,
    key: OnceLock<LessSafeKey>,
}

impl Seal {
    /// The seal of this data folder. Reads nothing yet.
    pub fn of(folder: &Path) -> Self {
        Self {
            path: folder.join(FILE),
            key: OnceLock::new(),
        }
    }

    /// Seals a snapshot for this session and outer call. Makes the key if there is none.
    pub fn close(&self, snapshot: &Snapshot, session: &str, call: &str) -> Result<Sealed, Fault> {
        let key = self.of_need()?;
        // Drawn at random: 96 bits do for thousands of millions of pauses.
        let mut nonce = [0; NONCE_LEN];
        let random = SystemRandom::new().fill(&mut nonce);
        random.map_err(|_| self.unusable("the system has no random numbers"))?;
        let mut bytes = snapshot.0.clone();
        let about = Aad::from(bound(session, call));
        let sealed =
            key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), about, &mut bytes);
        sealed.map_err(|_| self.unusable("the paused script is too long"))?;
        Ok(Sealed(TEXT.encode([&nonce[..], &bytes].concat())))
    }

    /// Opens what was sealed for this session and outer call.
    pub fn open(&self, sealed: &Sealed, session: &str, call: &str) -> Result<Snapshot, Fault> {
        let key = self.key()?;
        let key = key.ok_or_else(|| {
            self.unusable("it is not there; put it back beside the journal, or run the script anew")
        })?;
        let sealed = TEXT.decode(&sealed.0).map_err(|_| Fault::Forged)?;
        let (nonce, bytes) = sealed.split_first_chunk().ok_or(Fault::Forged)?;
        let (nonce, mut bytes) = (Nonce::assume_unique_for_key(*nonce), bytes.to_vec());
        let about = Aad::from(bound(session, call));
        let opened = key.open_in_place(nonce, about, &mut bytes);
        let length = opened.map_err(|_| Fault::Forged)?.len();
        bytes.truncate(length);
        Ok(Snapshot(bytes))
    }

    /// The key, if there is one.
    fn key(&self) -> Result<Option<&LessSafeKey>, Fault> {
        if let Some(key) = self.key.get() {
            return Ok(Some(key));
        }
        let key = self.read()?;
        Ok(key.map(|key| self.key.get_or_init(|| key)))
    }

    fn of_need(&self) -> Result<&LessSafeKey, Fault> {
        if let Some(key) = self.key()? {
            return Ok(key);
        }
        self.make()?;
        let made = self.key()?;
        made.ok_or_else(|| self.unusable("it was taken away at once"))
    }

    fn read(&self) -> Result<Option<LessSafeKey>, Fault> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unusable(&error.to_string())),
        };
        let key = TEXT.decode(text.trim_end()).ok();
        let key = key.filter(|key| key.len() == KEY);
        let key = key.ok_or_else(|| self.unusable("it is no such key"))?;
        let derived = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), USE);
        let key = UnboundKey::new(&CHACHA20_POLY1305, derived.as_ref());
        let key = key.map_err(|_| self.unusable("it has another length"))?;
        Ok(Some(LessSafeKey::new(key)))
    }

    /// Makes the key. Of several processes that do so, the first one's counts.
    fn make(&self) -> Result<(), Fault> {
        let mut key = [0; KEY];
        let random = SystemRandom::new().fill(&mut key);
        random.map_err(|_| self.unusable("the system has no random numbers"))?;
        let failed = |error: std::io::Error| self.unusable(&error.to_string());
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Nobody but its owner can read such a file.
        let mut scratch = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let text = TEXT.encode(key) + "\n";
        scratch.write_all(text.as_bytes()).map_err(failed)?;
        scratch.as_file().sync_all().map_err(failed)?;
        match scratch.persist_noclobber(&self.path) {
            // The key must outlive a power cut that what it seals outlives.
            Ok(_) => File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(failed),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(failed(error.error)),
        }
    }

    fn unusable(&self, why: &str) -> Fault {
        Fault::Key {
            path: self.path.clone(),
            why: why.to_owned(),
        }
    }
}

/// A key is nothing for a log.
impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seal({})", self.path.display())
    }
}

/// The session and the call as one, so that no other two come to the same.
fn bound(session: &str, call: &str) -> Vec<u8> {
    let length = (session.len() as u64).to_be_bytes();
    [&length, session.as_bytes(), call.as_bytes()].concat()
}
