//! Keys, tokens and passwords, by the shapes they are known to have.

use regex::Regex;
use std::sync::LazyLock;

use super::spot::Spot;
use crate::core::finding::Kind;

/// What it is called, and its shape. Linear in the text, whatever stands in it. A class that leaves out the blanks of
/// every script takes half a megabyte where it repeats; these leave out the common ones, and so find no less.
const SHAPES: &[(&str, &str)] = &[
    (
        "private key",
        r"-----BEGIN [A-Z ]{0,24}PRIVATE KEY( BLOCK)?-----",
    ),
    ("AWS key", r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    (
        "GitHub token",
        r"\b(gh[pousr]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{30,})",
    ),
    ("GitLab token", r"\bglpat-[0-9A-Za-z_\-]{20,}"),
    ("Slack token", r"\bxox[abprs]-[0-9A-Za-z\-]{10,}"),
    ("API key", r"\bsk-[0-9A-Za-z_\-]{20,}"),
    ("Google key", r"\bAIza[0-9A-Za-z_\-]{35}"),
    ("npm token", r"\bnpm_[0-9A-Za-z]{36}"),
    (
        "web token",
        r"\beyJ[0-9A-Za-z_\-]{8,}\.eyJ[0-9A-Za-z_\-]{8,}\.[0-9A-Za-z_\-]*",
    ),
    ("bearer token", r"[Bb]earer [0-9A-Za-z._\-]{20,}"),
    (
        "password in an address",
        r"://[^/\t-\r :@]{1,64}:[^/\t-\r :@]{1,64}@",
    ),
    (
        "password",
        r#"(?i)\b[a-z_]*(password|passwd|secret|api_?key|access_?token|auth_?token)['"]?\s?[=:]\s?['"]?[^\t-\r '"$<>{}*]{8,}"#,
    ),
];

static PATTERNS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let compiled =
        |(name, shape): &(&'static str, &str)| Regex::new(shape).ok().map(|regex| (*name, regex));
    SHAPES.iter().filter_map(compiled).collect()
});

pub(super) fn look(text: &str, spot: &mut Spot<'_>) {
    if text.len() < 12 {
        return;
    }
    for (name, pattern) in PATTERNS.iter() {
        for found in pattern.find_iter(text).take(4) {
            spot.note(Kind::Secret, *name, found.range());
        }
    }
}
