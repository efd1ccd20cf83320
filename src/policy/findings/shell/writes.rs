//! Files that a command writes, and those it reads where secrets are kept or outside the workspace.

use std::ops::Range;

use super::lex::{Command, Direction, Word};
use super::run::{Run, runs};
use crate::core::finding::Kind;
use crate::policy::findings::path;
use crate::policy::findings::spot::Spot;

/// Programs that write what their last operand names.
const LAST: &[&str] = &["cp", "mv", "install", "ln", "rsync", "scp"];
/// Programs that write what any of their operands names.
const ALL: &[&str] = &[
    "tee", "mkdir", "touch", "chmod", "chown", "chgrp", "truncate", "rm", "rmdir", "unlink",
    "shred", "mkfifo",
];
/// Options that are followed by a file to write.
const OUT: &[&str] = &[
    "-o",
    "-O",
    "--output",
    "--output-document",
    "-C",
    "-d",
    "--directory",
    "--target-directory",
    "-t",
];
/// Programs for which those options mean that.
const WITH_OUT: &[&str] = &[
    "curl", "wget", "tar", "unzip", "gcc", "cc", "clang", "sort", "openssl", "gpg",
];

pub(super) fn redirects(text: &str, command: &Command, spot: &mut Spot<'_>) {
    for redirect in &command.redirects {
        let target = redirect.target.text.as_str();
        let joined = target
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        if target.is_empty()
            || joined
            || matches!(target, "/dev/null" | "/dev/stderr" | "/dev/stdout")
        {
            continue;
        }
        if let Some(address) = target
            .strip_prefix("/dev/tcp/")
            .or_else(|| target.strip_prefix("/dev/udp/"))
        {
            let address = address.replace('/', ":");
            spot.note(Kind::Network, address.clone(), redirect.at.clone());
            if runs(command).iter().any(super::runs::is_shell) {
                spot.note(Kind::PipedToShell, address, redirect.at.clone());
            }
            continue;
        }
        match redirect.direction {
            Direction::Out => {
                let written = text.get(redirect.at.clone()).unwrap_or_default();
                spot.note(Kind::Redirects, written, redirect.at.clone());
                written_to(target, redirect.at.clone(), spot);
            }
            Direction::In => read(&redirect.target, spot),
            Direction::Text => {}
        }
    }
}

pub(super) fn look(run: &Run<'_>, spot: &mut Spot<'_>) {
    let last = run.operands().last().map(|word| word.at.clone());
    let mut out_follows = false;
    for word in run.arguments() {
        let writes = out_follows
            || run.is(ALL)
            || run.is(LAST) && last.as_ref() == Some(&word.at)
            || run.name == "sed" && run.has(&["-i", "--in-place"]);
        out_follows = run.is(WITH_OUT) && OUT.contains(&word.text.as_str());
        if let Some(path) = word.text.strip_prefix("of=") {
            written_to(path, word.at.clone(), spot);
        } else if writes && !word.text.starts_with('-') {
            if path::is_path(&word.text) {
                written_to(&word.text, word.at.clone(), spot);
            }
        } else if !is_script(word) {
            read(word, spot);
        }
    }
}

/// A word that is itself a command or a program is looked at as one.
fn is_script(word: &Word) -> bool {
    word.text.contains(['\n', ';', '|', ' ']) || !word.inner.is_empty()
}

fn written_to(target: &str, range: Range<usize>, spot: &mut Spot<'_>) {
    if path::lasts(target) {
        spot.note(Kind::Lasts, target, range.clone());
    }
    if path::leads_out(target, spot.workspace) {
        spot.note(Kind::WritesOutside, target, range);
    }
}

fn read(word: &Word, spot: &mut Spot<'_>) {
    let value = word
        .text
        .split_once('=')
        .map_or(word.text.as_str(), |(_, value)| value);
    let value = value.trim_start_matches('@');
    if path::holds_secret(value) {
        spot.note(Kind::SecretFile, value, word.at.clone());
    }
    let program = value.starts_with("/bin/") || value.starts_with("/usr/bin/");
    if !program && path::is_path(value) && path::leads_out(value, spot.workspace) {
        spot.note(Kind::Outside, value, word.at.clone());
    }
}
