//! Programs that delete, take rights, stop things, or leave something behind.

use super::run::Run;
use crate::core::finding::Kind;
use crate::policy::findings::code;
use crate::policy::findings::spot::Spot;

/// Programs that are known for one thing only.
const NAMES: &[(Kind, &[&str])] = &[
    (
        Kind::Deletes,
        &[
            "rm", "rmdir", "unlink", "shred", "srm", "truncate", "wipefs", "dropdb", "del", "erase",
        ],
    ),
    (
        Kind::AsRoot,
        &["sudo", "doas", "su", "pkexec", "run0", "runas"],
    ),
    (Kind::Lasts, &["crontab", "at", "launchctl", "systemd-run"]),
    (
        Kind::OpensRights,
        &[
            "setcap", "setfacl", "visudo", "usermod", "useradd", "passwd", "chown", "chgrp",
        ],
    ),
    (
        Kind::Stops,
        &[
            "kill", "killall", "pkill", "shutdown", "reboot", "halt", "poweroff",
        ],
    ),
];

/// Programs whose words tell: all of those in one row must be there.
const WORDS: &[(Kind, &str, &[&str])] = &[
    (Kind::Deletes, "find", &["-delete"]),
    (Kind::Deletes, "git", &["clean"]),
    (Kind::Deletes, "git", &["reset", "--hard"]),
    (Kind::Deletes, "git", &["checkout", "."]),
    (Kind::Deletes, "git", &["restore"]),
    (Kind::Deletes, "git", &["branch", "-D"]),
    (Kind::Deletes, "git", &["stash", "drop"]),
    (Kind::Deletes, "git", &["stash", "clear"]),
    (Kind::Deletes, "git", &["push", "--delete"]),
    (Kind::Overwrites, "git", &["push", "--force"]),
    (Kind::Overwrites, "git", &["push", "-f"]),
    (Kind::Overwrites, "git", &["push", "--force-with-lease"]),
    (Kind::Overwrites, "git", &["push", "--mirror"]),
    (Kind::Overwrites, "git", &["filter-branch"]),
    (Kind::Overwrites, "git", &["rebase"]),
    (Kind::Deletes, "rsync", &["--delete"]),
    (Kind::Deletes, "docker", &["prune"]),
    (Kind::Deletes, "docker", &["rm"]),
    (Kind::Deletes, "docker", &["rmi"]),
    (Kind::Deletes, "kubectl", &["delete"]),
    (Kind::Deletes, "terraform", &["destroy"]),
    (Kind::Deletes, "aws", &["s3", "rm"]),
    (Kind::Deletes, "aws", &["s3", "rb"]),
    (Kind::Deletes, "gsutil", &["rm"]),
    (Kind::Deletes, "redis-cli", &["flushall"]),
    (Kind::Lasts, "systemctl", &["enable"]),
    (Kind::Stops, "systemctl", &["stop"]),
    (Kind::Lasts, "git", &["config", "--global"]),
    (Kind::AsRoot, "docker", &["--privileged"]),
];

/// Programs that are given queries.
const DATABASES: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlcmd",
    "clickhouse-client",
    "bq",
];

pub(super) fn look(text: &str, run: &Run<'_>, spot: &mut Spot<'_>) {
    let range = run.range();
    let what = || text.get(range.clone()).unwrap_or_default();
    for (kind, names) in NAMES {
        // `su` and `at` are words of other languages too, but not as a program.
        if names.contains(&run.name) {
            spot.note(*kind, what(), range.clone());
        }
    }
    let told = |words: &[&str]| words.iter().all(|wanted| run.has(&[wanted]));
    for (kind, name, words) in WORDS {
        if *name == run.name && told(words) {
            spot.note(*kind, what(), range.clone());
        }
    }
    if run.name.starts_with("mkfs")
        || run.name == "dd"
            && run
                .arguments()
                .iter()
                .any(|word| word.text.starts_with("of=/dev/"))
    {
        spot.note(Kind::Deletes, what(), range.clone());
    }
    if run.name == "git" && told(&["push"]) && run.operands().any(|word| word.text.starts_with('+'))
    {
        spot.note(Kind::Overwrites, what(), range.clone());
    }
    if run.name == "chmod" && run.operands().next().is_some_and(|mode| opens(&mode.text)) {
        spot.note(Kind::OpensRights, what(), range.clone());
    }
    if run.is(DATABASES) {
        for word in run.arguments() {
            if let Some(mut within) = spot.within(word.at.clone(), word.text.len()) {
                code::sql(&word.text, &mut within);
            }
        }
    }
}

/// A mode that lets everybody write, or lends the owner's rights.
fn opens(mode: &str) -> bool {
    let octal = mode.len() >= 3 && mode.bytes().all(|byte| byte.is_ascii_digit());
    if octal {
        let last = mode.as_bytes().last().copied().unwrap_or_default();
        let first = mode.as_bytes().first().copied().unwrap_or_default();
        return matches!(last, b'2' | b'3' | b'6' | b'7')
            || mode.len() == 4 && matches!(first, b'2'..=b'7');
    }
    mode.split(',').any(|part| {
        let (who, what) = part.split_once(['+', '=']).unwrap_or(("u", ""));
        what.contains('s')
            || what.contains('w') && who.chars().all(|c| matches!(c, 'a' | 'o' | 'g')) && who != "g"
    })
}
