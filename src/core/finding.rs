//! What a look at a call's arguments finds, before a person reads them.
//!
//! Owns the words, their order by gravity, and how many are kept. A finding is a hint for the eye and never a
//! verdict: nothing is decided by it, and its absence says nothing. Who looks is `policy::findings`.

use std::ops::Range;

/// What was found, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Characters that show nothing or steer the terminal, blanks that push a text out of sight.
    Hidden,
    /// An encoded text that is a command once it is decoded.
    Decoded,
    /// What was fetched from a network is run.
    Download,
    PipedToShell,
    /// Too long, too deep or too many to look into.
    Unread,
    SendsSecrets,
    Deletes,
    AsRoot,
    LookAlike,
    /// A host written so that it does not read as what it is.
    OddHost,
    Secret,
    SecretFile,
    WritesOutside,
    /// Goes on after the call has ended.
    Lasts,
    OpensRights,
    Overwrites,
    Stops,
    /// A text is run as a program.
    RunsText,
    /// Later words mean something else.
    Redefines,
    /// Characters written as their numbers.
    Escapes,
    /// Not a complete command line.
    Unparsed,
    Network,
    Outside,
    Redirects,
}

impl Kind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hidden => "hidden text",
            Self::Decoded => "hidden command",
            Self::Download => "runs a download",
            Self::PipedToShell => "pipe into a shell",
            Self::Unread => "not looked into",
            Self::SendsSecrets => "sends secrets",
            Self::Deletes => "deletes",
            Self::AsRoot => "as another user",
            Self::LookAlike => "look-alike",
            Self::OddHost => "disguised host",
            Self::Secret => "holds a secret",
            Self::SecretFile => "reads secrets",
            Self::WritesOutside => "writes outside",
            Self::Lasts => "outlasts the call",
            Self::OpensRights => "opens rights",
            Self::Overwrites => "rewrites history",
            Self::Stops => "stops programs",
            Self::RunsText => "runs a text",
            Self::Redefines => "redefines commands",
            Self::Escapes => "escapes",
            Self::Unparsed => "not a whole command",
            Self::Network => "network",
            Self::Outside => "outside the workspace",
            Self::Redirects => "redirection",
        }
    }

    /// Whether it stands before all else that is said of a call.
    pub fn is_grave(self) -> bool {
        self <= Self::WritesOutside
    }
}

/// A part of one string of the arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// JSON pointer to the string.
    pub pointer: String,
    /// Bytes of the string's own characters, without quotes or escapes.
    pub range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// The host, the file, the command. Untrusted text, not long.
    pub what: String,
    /// `None` for what is not a part of one string, such as a key.
    pub place: Option<Place>,
}

/// What was found in one call, the gravest first, each thing once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    more: usize,
}

/// Findings of one call that are kept; of the others only the number is.
const MOST: usize = 40;
/// Characters of what was found that are kept.
const LONGEST: usize = 60;

impl Findings {
    pub fn new(mut found: Vec<Finding>) -> Self {
        found.sort_by_key(|finding| finding.kind);
        let mut kept: Vec<Finding> = Vec::new();
        let mut more = 0;
        for mut finding in found {
            finding.what = excerpt(&finding.what);
            let same = |other: &Finding| other.kind == finding.kind && other.what == finding.what;
            if kept.iter().any(same) {
                continue;
            }
            if kept.len() < MOST {
                kept.push(finding);
            } else {
                more += 1;
            }
        }
        Self { kept, more }
    }

    pub fn gravest(&self) -> Option<Kind> {
        self.kept.first().map(|finding| finding.kind)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Finding> {
        self.kept.iter()
    }

    /// Those that are not kept.
    pub const fn more(&self) -> usize {
        self.more
    }

    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// The start of it, on one row, with single blanks.
fn excerpt(text: &str) -> String {
    let mut out = String::new();
    for (at, word) in text
        .split([' ', '\n', '\t'])
        .filter(|word| !word.is_empty())
        .enumerate()
    {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > 4 * LONGEST {
            break;
        }
    }
    match out.char_indices().nth(LONGEST) {
        Some((at, _)) => {
            out.truncate(at);
            out + "…"
        }
        None => out,
    }
}
