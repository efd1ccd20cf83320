//! Programs that connect to something, and what they are given to send.

use super::lex::Command;
use super::run::{Run, runs};
use crate::core::finding::Kind;
use crate::policy::findings::host;
use crate::policy::findings::path;
use crate::policy::findings::spot::Spot;

/// Programs whose operands are hosts or addresses.
const CONNECT: &[&str] = &[
    "curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "sftp", "rsync", "ftp",
    "telnet", "http", "https", "xh", "aria2c", "ping", "dig", "nslookup", "host", "openssl",
    "whois", "tftp", "lftp",
];
/// Programs that bring what they get onto this machine.
const FETCH: &[&str] = &[
    "curl", "wget", "http", "https", "xh", "aria2c", "fetch", "scp", "nc", "ncat", "ftp", "lynx",
];
/// Programs that print the variables of the surroundings.
const SURROUNDINGS: &[&str] = &["env", "printenv", "set", "export", "declare"];

pub(super) fn look(text: &str, run: &Run<'_>, upstream: &[Command], spot: &mut Spot<'_>) {
    if !run.is(CONNECT) {
        return;
    }
    for word in run.operands() {
        host::word(&word.text, word.at.start, spot);
    }
    let listens = run.is(&["nc", "ncat", "netcat", "socat"]);
    if listens
        && (run.has(&["-e", "--exec", "-c"])
            || run
                .arguments()
                .iter()
                .any(|word| word.text.contains("EXEC:")))
    {
        spot.note(
            Kind::PipedToShell,
            text.get(run.range()).unwrap_or_default(),
            run.range(),
        );
    }
    if let Some(what) = secret(text, run, upstream) {
        spot.note(Kind::SendsSecrets, what, run.range());
    }
}

/// What of the operator's own would leave the machine.
fn secret(text: &str, run: &Run<'_>, upstream: &[Command]) -> Option<String> {
    for command in upstream {
        for run in runs(command) {
            let bare = run.operands().next().is_none();
            let file = run
                .arguments()
                .iter()
                .find(|word| path::holds_secret(&word.text));
            if let Some(word) = file {
                return Some(word.text.clone());
            }
            if run.is(SURROUNDINGS) && bare {
                return Some(run.name.to_owned());
            }
        }
    }
    let secret = |name: &str| {
        let upper = name.to_ascii_uppercase();
        [
            "SECRET",
            "TOKEN",
            "PASSWORD",
            "PASSWD",
            "API_KEY",
            "APIKEY",
            "ACCESS_KEY",
            "PRIVATE",
        ]
        .iter()
        .any(|part| upper.contains(part))
    };
    for word in run.arguments() {
        let file = word.text.rsplit(['@', '=']).next().unwrap_or_default();
        if word.text.contains('@') && path::holds_secret(file)
            || run.name == "scp" && path::holds_secret(&word.text)
        {
            return Some(file.to_owned());
        }
        // `$(env)` in a word, or a variable with a telling name.
        for range in &word.inner {
            let inner = text.get(range.clone()).unwrap_or_default();
            let first = inner.split_whitespace().next().unwrap_or_default();
            let words = inner.split_whitespace().any(path::holds_secret);
            if words || SURROUNDINGS.contains(&first) {
                return Some(inner.to_owned());
            }
        }
        let name = word
            .text
            .split('$')
            .skip(1)
            .map(|part| part.trim_start_matches('{'));
        let mut names = name.map(|part| {
            part.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next()
                .unwrap_or_default()
        });
        if let Some(name) = names.find(|name| secret(name)) {
            return Some(format!("${name}"));
        }
    }
    None
}

/// Whether one of the commands brings something in from a network.
pub(super) fn fetches(commands: &[Command]) -> bool {
    commands.iter().flat_map(runs).any(|run| run.is(FETCH))
}
