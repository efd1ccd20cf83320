//! Programs that run a text: shells, interpreters, `eval`, and options of other programs that do the same.

use super::lex::{self, Command, Direction};
use super::run::Run;
use super::{commands_of, connects};
use crate::core::finding::Kind;
use crate::policy::findings::spot::Spot;
use crate::policy::findings::{code, decode};

const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "ash",
    "fish",
    "csh",
    "tcsh",
    "pwsh",
    "powershell",
];
const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "lua",
    "deno",
    "bun",
    "osascript",
];
/// Options behind which an interpreter takes its program.
const TEXTS: &[&str] = &[
    "-c",
    "-e",
    "-r",
    "-E",
    "--eval",
    "-p",
    "--command",
    "-Command",
    "-enc",
    "-EncodedCommand",
];
/// Parts of words by which other programs are made to run something.
const SIDE_DOORS: &[&str] = &[
    "--checkpoint-action=exec",
    "--to-command",
    "--use-compress-program",
    "ProxyCommand=",
    "core.pager=",
    "core.sshCommand=",
    "core.editor=",
    "alias.",
    "--upload-pack=",
    "--receive-pack=",
    "system(",
    "--rsh=",
    "-fprintf",
    "PermitLocalCommand=",
];

pub(super) fn look(
    text: &str,
    run: &Run<'_>,
    command: &Command,
    upstream: &[Command],
    spot: &mut Spot<'_>,
) {
    let shell = run.is(SHELLS);
    let interpreter = run.is(INTERPRETERS) || run.name.starts_with("python3.");
    let range = run.range();
    let what = text.get(range.clone()).unwrap_or_default();
    if shell || interpreter {
        from_pipe(text, run, command, upstream, spot);
    }
    if shell || interpreter || run.is(&["eval", "source", "."]) {
        from_network(text, run, spot);
    }
    if run.name == "eval" {
        spot.note(Kind::RunsText, what, range.clone());
        let words: Vec<&str> = run
            .arguments()
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        nested(&words.join(" "), range.clone(), spot);
    }
    if let Some(program) = run
        .after(TEXTS)
        .or_else(|| bundled(run, shell))
        .filter(|_| shell || interpreter)
    {
        spot.note(Kind::RunsText, what, range.clone());
        self::program(run, &program.text, program.at.clone(), spot);
    }
    if run.name == "ssh" {
        let words: Vec<&str> = run
            .operands()
            .skip(1)
            .map(|word| word.text.as_str())
            .collect();
        nested(&words.join(" "), range.clone(), spot);
    }
    if run.is(&["echo", "printf"]) {
        escapes(text, run, spot);
    }
    let doors = run
        .arguments()
        .iter()
        .filter(|word| SIDE_DOORS.iter().any(|door| word.text.contains(door)));
    for word in doors.take(4) {
        spot.note(Kind::RunsText, word.text.clone(), word.at.clone());
    }
}

pub(super) fn is_shell(run: &Run<'_>) -> bool {
    run.is(SHELLS)
}

/// `bash -lc …`: the letter stands among others.
fn bundled<'a>(run: &Run<'a>, shell: bool) -> Option<&'a lex::Word> {
    let at = run.arguments().iter().position(|word| {
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        shell
            && letters.len() > 1
            && letters.ends_with('c')
            && letters.bytes().all(|b| b.is_ascii_lowercase())
    })?;
    run.arguments().get(at + 1)
}

/// A program for whatever the command runs: of the shell, or in a language of its own.
fn program(run: &Run<'_>, text: &str, range: std::ops::Range<usize>, spot: &mut Spot<'_>) {
    if is_shell(run) {
        nested(text, range, spot);
    } else if let Some(mut within) = spot.within(range, text.len()) {
        code::look(text, &mut within);
    }
}

fn nested(program: &str, range: std::ops::Range<usize>, spot: &mut Spot<'_>) {
    if program.trim().is_empty() {
        return;
    }
    if let Some(mut within) = spot.within(range, program.len()) {
        commands_of(program, &mut within);
    }
}

/// A shell or interpreter that reads its program from a pipe or from the line itself.
fn from_pipe(
    text: &str,
    run: &Run<'_>,
    command: &Command,
    upstream: &[Command],
    spot: &mut Spot<'_>,
) {
    let script = run
        .operands()
        .any(|word| word.text != "-" && !word.text.starts_with("/dev/stdin"));
    if script && !run.has(&["-s"]) || run.has(&["-c", "-e"]) {
        return;
    }
    let bodies = command
        .redirects
        .iter()
        .filter(|redirect| redirect.direction == Direction::Text);
    for redirect in bodies {
        spot.note(
            Kind::PipedToShell,
            &text[redirect.at.clone()],
            redirect.at.clone(),
        );
        if let Some(body) = &redirect.body {
            let written = text.get(body.clone()).unwrap_or_default();
            program(run, written, body.clone(), spot);
        } else {
            let target = &redirect.target;
            program(run, &target.text, target.at.clone(), spot);
        }
    }
    let Some(pipe) = command.pipe else {
        return;
    };
    let range = pipe..run.range().end.max(pipe + 1);
    let start = upstream
        .first()
        .and_then(|first| first.words.first())
        .map_or(pipe, |word| word.at.start);
    let what = text.get(start..range.end).unwrap_or_default();
    let kind = if connects::fetches(upstream) {
        Kind::Download
    } else {
        Kind::PipedToShell
    };
    spot.note(kind, what, range.clone());
    if kind == Kind::Download {
        spot.note(
            Kind::PipedToShell,
            text.get(range.clone()).unwrap_or_default(),
            range.clone(),
        );
    }
    decoded(run, upstream, range, spot);
}

/// What an `echo` writes into a decoder, or straight into a shell.
fn decoded(
    reader: &Run<'_>,
    upstream: &[Command],
    range: std::ops::Range<usize>,
    spot: &mut Spot<'_>,
) {
    let Some(run) = upstream
        .iter()
        .flat_map(super::run::runs)
        .find(|run| run.is(&["echo", "printf"]))
    else {
        return;
    };
    for word in run.operands() {
        let reversed: String = word.text.chars().rev().collect();
        let plain = decode::escapes(&word.text).or_else(|| decode::base64(word.text.trim()));
        let plain = plain.or_else(|| super::is_command(&reversed).then_some(reversed));
        match plain {
            Some(plain) => decode::command(&plain, word.at.clone(), spot),
            None => program(reader, &word.text, range.clone(), spot),
        }
    }
}

/// A program that a shell gets from a network by way of a substitution.
fn from_network(text: &str, run: &Run<'_>, spot: &mut Spot<'_>) {
    for word in run.arguments() {
        for inner in &word.inner {
            let inner = text.get(inner.clone()).unwrap_or_default();
            if connects::fetches(&lex::line(inner).commands) {
                spot.note(
                    Kind::Download,
                    text.get(run.range()).unwrap_or_default(),
                    run.range(),
                );
            }
        }
    }
}

/// Escapes by number in what is printed: a text that reads differently once it is, or that steers a terminal.
fn escapes(text: &str, run: &Run<'_>, spot: &mut Spot<'_>) {
    for word in run.arguments() {
        let Some(plain) = decode::escapes(&word.text) else {
            continue;
        };
        if super::is_command(&plain) {
            decode::command(&plain, word.at.clone(), spot);
        } else {
            let written = text.get(word.at.clone()).unwrap_or_default();
            spot.note(
                Kind::Escapes,
                format!("{written} is {plain}"),
                word.at.clone(),
            );
        }
    }
}
