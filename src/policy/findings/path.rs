//! Paths: those that lead out of the workspace, and those where secrets are kept. Judged by their text alone.

use std::path::Path;

use super::spot::Spot;
use crate::core::finding::Kind;
use crate::policy::path::is_under;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Names of files and folders that hold keys and passwords.
const SECRETS: &[&str] = &[
    ".env",
    ".ssh",
    ".aws",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".npmrc",
    ".pypirc",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "shadow",
    "credentials",
    "credentials.json",
    ".vault-token",
    "environ",
    ".password-store",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    ".htpasswd",
    "keychain",
    "login.keychain",
];
/// What is written there is run or obeyed later.
const LASTING: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zprofile",
    "authorized_keys",
    "crontab",
    "cron.d",
    "cron.daily",
    "systemd",
    "sudoers",
    "sudoers.d",
    "rc.local",
    "LaunchAgents",
    "LaunchDaemons",
    "init.d",
    "ld.so.preload",
    "hooks",
    "autostart",
    ".gitconfig",
];
/// Folders at the root that no workspace is; a word that only begins with a slash may be a pattern.
const ROOTS: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/media",
    "/mnt",
    "/opt",
    "/private",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/var",
    "/Users",
    "/Library",
    "/System",
    "/Applications",
    "/Volumes",
];
const STREAMS: &[&str] = &[
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/fd",
];

/// A field that is a path.
pub(super) fn look(text: &str, access: Access, spot: &mut Spot<'_>) {
    let whole = 0..text.len();
    if holds_secret(text) {
        spot.note(Kind::SecretFile, text, whole.clone());
    }
    if text.contains("://") {
        super::host::all(text, spot);
        return;
    }
    if text.contains('\n') || text.len() > 4096 {
        return;
    }
    if access == Access::Write && lasts(text) {
        spot.note(Kind::Lasts, text, whole.clone());
    }
    if leads_out(text, spot.workspace) {
        let kind = match access {
            Access::Read => Kind::Outside,
            Access::Write => Kind::WritesOutside,
        };
        spot.note(kind, text, whole);
    }
}

/// Whether the path leads out of the workspace. Without a workspace every absolute path does.
pub(super) fn leads_out(path: &str, workspace: Option<&str>) -> bool {
    if STREAMS.contains(&path) || path.starts_with("/dev/fd/") {
        return false;
    }
    let home =
        path == "~" || path.starts_with('~') && path.contains('/') || path.starts_with("$HOME");
    if home || path.starts_with("${HOME") {
        return true;
    }
    let drive = path.as_bytes();
    if drive.len() > 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':' && drive[2] == b'\\' {
        return true;
    }
    match workspace {
        Some(workspace) => !is_under(path, ".", Path::new(workspace)),
        None => path.starts_with('/') || climbs(path),
    }
}

/// Whether more `..` than names stand before some place in it.
fn climbs(path: &str) -> bool {
    let mut depth = 0_isize;
    path.split('/').any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// Whether a word of a command line is meant as a path at all.
pub(super) fn is_path(word: &str) -> bool {
    let rooted = || {
        let first = word[1..].find('/').map_or(word, |end| &word[..=end]);
        word == "/" || ROOTS.contains(&first)
    };
    word.starts_with("../")
        || word == ".."
        || word.contains("/../")
        || word.starts_with('~')
        || word.starts_with("$HOME")
        || word.starts_with("${HOME")
        || word.starts_with('/') && rooted()
}

pub(super) fn holds_secret(path: &str) -> bool {
    if path.len() > 4096 || path.contains('\n') {
        return false;
    }
    let sample = |name: &str| {
        ["example", "sample", "template", "dist"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    path.split(['/', '\\', '=', '@', ':']).any(|part| {
        let env = part.starts_with(".env.") && !sample(part);
        let named = SECRETS.contains(&part)
            && (part.starts_with('.') || part.contains(['_', '.']) || path.contains('/'));
        let key = part
            .rsplit_once('.')
            .is_some_and(|(_, end)| matches!(end, "pem" | "p12" | "kdbx"));
        env || named || key
    })
}

pub(super) fn lasts(path: &str) -> bool {
    path.split('/').any(|part| LASTING.contains(&part))
        && (path.contains('/') || path.starts_with('.'))
}
