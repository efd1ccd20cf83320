//! Which version of the run state a document is, and what each can say.

use super::super::cursor::At;
use super::super::imported::ReadFault;

/// A version `1.N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32);

/// The newest whose fields are known here.
const NEWEST: Version = Version(21);

impl Version {
    pub(super) fn read(root: &At<'_>) -> Result<Self, ReadFault> {
        let at = root.need("$schemaVersion")?;
        let text = at.text()?;
        let minor = text.strip_prefix("1.").and_then(|minor| {
            let digits = minor.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| minor.parse().ok()).flatten()
        });
        match minor.map(Self) {
            Some(version) if version <= NEWEST => Ok(version),
            Some(_) | None => Err(ReadFault::new(
                at.place(),
                format!(
                    "this is version {text} of the run state; versions 1.0 to 1.{} are known",
                    NEWEST.0
                ),
                "decide it in its own program, or with a newer version of this one",
            )),
        }
    }

    /// A rejection can carry a message.
    pub(super) fn has_messages(self) -> bool {
        self >= Self(6)
    }

    /// Decisions on the calls of hosted servers are kept by server.
    pub(super) fn has_hosted(self) -> bool {
        self >= Self(14)
    }

    /// A decision counts only for a call that the state has a record of.
    pub(super) fn has_invocations(self) -> bool {
        self >= Self(15)
    }

    /// Decisions on functions are kept by agent, so that a lasting one can be trusted.
    pub(super) fn has_owners(self) -> bool {
        self >= Self(18)
    }
}
