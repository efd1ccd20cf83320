//! Code mode: paused scripts from somebody who has the key. Even those harm only the child's process.

use crate::support::code::{limits, paused, program, start, value};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as TEXT;
use countersign::code::{Fault, Script, Seal, Sealed, Snapshot, Stand};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::hmac;
use tempfile::TempDir;

/// A data folder whose key is known.
struct Known {
    folder: TempDir,
    key: LessSafeKey,
}

impl Known {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        let key = [7; 32];
        std::fs::write(folder.path().join("script.key"), TEXT.encode(key)).expect("it is written");
        let derived = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, &key),
            b"paused scripts, 1",
        );
        let key = UnboundKey::new(&CHACHA20_POLY1305, derived.as_ref()).expect("it has its length");
        Self {
            folder,
            key: LessSafeKey::new(key),
        }
    }

    fn about() -> Aad<Vec<u8>> {
        Aad::from([&7_u64.to_be_bytes()[..], b"session", b"call"].concat())
    }

    /// What is in a snapshot.
    fn bytes(&self, snapshot: &Snapshot) -> Vec<u8> {
        let sealed = Seal::of(self.folder.path()).close(snapshot, "session", "call");
        let sealed = TEXT
            .decode(sealed.expect("it is sealed").0)
            .expect("it is text");
        let (nonce, rest) = sealed.split_first_chunk().expect("it is whole");
        let (nonce, mut rest) = (Nonce::assume_unique_for_key(*nonce), rest.to_vec());
        let opened = self.key.open_in_place(nonce, Self::about(), &mut rest);
        opened.expect("it is ours").to_vec()
    }

    /// A snapshot with this in it.
    fn snapshot(&self, mut bytes: Vec<u8>) -> Snapshot {
        let nonce = [1; 12];
        let sealed = self.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Self::about(),
            &mut bytes,
        );
        sealed.expect("it is sealed");
        let sealed = Sealed(TEXT.encode([&nonce[..], &bytes].concat()));
        let opened = Seal::of(self.folder.path()).open(&sealed, "session", "call");
        opened.expect("it fits")
    }
}

async fn restore(snapshot: &Snapshot) -> Result<(Script, Stand), Fault> {
    Script::restore(program(), snapshot, &limits()).await
}

const CODE: &str = "import asyncio\nx = ['a', 1, {'k': 2.5}]\nt = read_file('t')\nawait asyncio.gather(read_file('a'), delete_file('b'))\nawait t";

#[tokio::test]
async fn a_script_of_another_version_or_form_is_not_read() {
    let known = Known::new();
    let snapshot = paused(start(CODE).await.1).snapshot;
    let whole = known.bytes(&snapshot);
    assert!(restore(&known.snapshot(whole.clone())).await.is_ok());
    let text = String::from_utf8_lossy(&whole).into_owned();
    let at = text.find("\"engine\":\"").expect("it says so");
    let mut other = whole.clone();
    other[at + 10] = b'9';
    let magic = whole
        .windows(6)
        .position(|six| six == b"MONTY\0")
        .expect("it is there");
    let mut newer = whole.clone();
    newer[magic + 6] = 99;
    for (bytes, why) in [
        (other, "another version of this program has written it"),
        (newer, "dump format version 99, this build reads 8"),
        (
            whole[..whole.len() - 1].to_vec(),
            "malformed dump payload: Hit the end of buffer, expected more data",
        ),
        (whole[..magic].to_vec(), "not a monty dump"),
        (whole[..magic - 1].to_vec(), "it is not whole"),
        (whole[..3].to_vec(), "it is not whole"),
        (Vec::new(), "it is not whole"),
        (
            [&2_u32.to_be_bytes()[..], b"{}"].concat(),
            "it has another form",
        ),
    ] {
        let fault = restore(&known.snapshot(bytes)).await.err();
        assert!(
            matches!(&fault, Some(Fault::Unreadable { why: told }) if told == why),
            "{why}: {fault:?}"
        );
    }
}

#[tokio::test]
async fn a_damaged_script_harms_only_its_own_process() {
    let known = Known::new();
    let snapshot = paused(start(CODE).await.1).snapshot;
    let whole = known.bytes(&snapshot);
    let magic = whole
        .windows(6)
        .position(|six| six == b"MONTY\0")
        .expect("it is there");
    let step = (whole.len() - magic) / 60;
    for at in (magic..whole.len()).step_by(step.max(1)) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        // Whatever comes of it: an answer, and never a call that was not there.
        if let Ok((mut script, stand)) = restore(&known.snapshot(damaged)).await {
            let calls = paused(stand).calls;
            assert_eq!(
                calls.iter().map(|call| call.number).collect::<Vec<_>>(),
                [2, 3]
            );
            let replies = calls
                .iter()
                .map(|call| value(call.number, 1.into()))
                .collect();
            let _ = script.reply(replies).await;
        }
    }
}

#[tokio::test]
async fn an_answer_that_nobody_waits_for_any_more_ends_the_script() {
    let (mut script, _) =
        start("read_file('a')\nx = 0\nwhile x < 200000:\n    x += 1\nread_file('b')").await;
    let mut reply = Box::pin(script.reply(vec![value(1, 1.into())]));
    assert!(futures::poll!(&mut reply).is_pending());
    drop(reply);
    let ended = script.reply(vec![value(2, 2.into())]).await;
    assert!(matches!(ended, Err(Fault::Crashed { .. })), "{ended:?}");
}
