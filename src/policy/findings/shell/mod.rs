//! Command lines: what their commands would do, and what is hidden in them.
//!
//! Owns the order of the look. What each program is known for stands in the files below.

mod changes;
mod connects;
mod lex;
mod run;
mod runs;
mod writes;

use super::decode;
use super::spot::Spot;
use crate::core::finding::Kind;
use crate::core::shown::lookalike;
use crate::policy::command_line;
use lex::{Command, Word};
use run::Run;

/// Programs by which a decoded text is known to be a command.
const KNOWN: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "rm",
    "curl",
    "wget",
    "nc",
    "ncat",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "sudo",
    "cat",
    "chmod",
    "chown",
    "cp",
    "mv",
    "dd",
    "echo",
    "printf",
    "eval",
    "exec",
    "export",
    "source",
    "git",
    "ssh",
    "scp",
    "rsync",
    "tar",
    "find",
    "xargs",
    "kill",
    "crontab",
    "mkfs",
    "shutdown",
    "env",
    "ls",
    "touch",
    "tee",
    "socat",
    "powershell",
    "cmd",
    "nohup",
    "base64",
    "openssl",
    "docker",
    "kubectl",
    "mkdir",
    "ln",
    "sed",
    "awk",
    "cd",
];

/// Whether a text begins as a command does that somebody would want to hide.
pub(super) fn is_command(text: &str) -> bool {
    let start = text.trim_start();
    if start.starts_with("#!/") {
        return true;
    }
    let word: &str = start
        .split([' ', '\t', '\n', ';', '|', '&', '<', '>', '('])
        .next()
        .unwrap_or_default();
    let arguments = start.len() > word.len();
    arguments && KNOWN.contains(&run::name(word))
}

/// A text that is a command line.
pub(super) fn look(text: &str, spot: &mut Spot<'_>) {
    unparsed(text, spot);
    commands(text, spot);
    super::host::all(text, spot);
    decode::tokens(text, spot);
    if text.replace(' ', "").contains(":(){:|:&};:") {
        spot.note(Kind::Stops, "fork bomb", 0..text.len());
    }
}

/// The words of one command, given as a list.
pub(super) fn look_at_words(words: &[&str], spot: &mut Spot<'_>) {
    let text = words.join(" ");
    let mut start = 0;
    let mut command = Command::default();
    for word in words {
        command.words.push(Word {
            text: (*word).to_owned(),
            at: start..start + word.len(),
            quoted: true,
            ..Word::default()
        });
        start += word.len() + 1;
    }
    each(&text, &[command], spot);
    super::host::all(&text, spot);
    decode::tokens(&text, spot);
}

/// What no shell would take, or what is more than may be parsed: nobody knows what it would do.
fn unparsed(text: &str, spot: &mut Spot<'_>) {
    if text.trim().is_empty() || text.trim_start().starts_with('#') {
        return;
    }
    let line = command_line::take_apart(text);
    if let Some(why) = line.fault.filter(|_| line.parts.is_empty()) {
        spot.note(Kind::Unparsed, why, 0..0);
    }
}

/// What is hidden from the eye may be hidden from the cutting too, so spaces by name are put in first.
fn commands(text: &str, spot: &mut Spot<'_>) {
    for name in ["${IFS}", "$IFS"] {
        if let Some(at) = text.find(name) {
            spot.note(
                Kind::Escapes,
                format!("{name} is a space"),
                at..at + name.len(),
            );
            // A shell ends the word there, and so do we; a blank for each byte keeps every place.
            let spaced = text
                .replace("${IFS}", "      ")
                .replace("$IFS$9", "      ")
                .replace("$IFS", "    ");
            return cut(&spaced, spot);
        }
    }
    cut(text, spot);
}

fn cut(text: &str, spot: &mut Spot<'_>) {
    let line = lex::line(text);
    if line.too_many {
        spot.note(Kind::Unread, "more commands than are looked at", 0..0);
    }
    each(text, &line.commands, spot);
}

fn each(text: &str, commands: &[Command], spot: &mut Spot<'_>) {
    for (at, command) in commands.iter().enumerate() {
        // Those that write into this one, the nearest last.
        let piped = commands[..=at]
            .iter()
            .rev()
            .take_while(|command| command.pipe.is_some())
            .count();
        let upstream = &commands[at - piped.min(at)..at];
        hidden_words(text, command, spot);
        redefined(command, spot);
        writes::redirects(text, command, spot);
        for run in run::runs(command) {
            changes::look(text, &run, spot);
            connects::look(text, &run, upstream, spot);
            writes::look(&run, spot);
            runs::look(text, &run, command, upstream, spot);
        }
        substituted(text, command, spot);
    }
}

/// Commands within the words of a command, and in here-documents that a shell is given.
fn substituted(text: &str, command: &Command, spot: &mut Spot<'_>) {
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    for word in command.words.iter().chain(targets) {
        for range in &word.inner {
            let inner = text.get(range.clone()).unwrap_or_default();
            if let Some(mut within) = spot.within(range.clone(), inner.len()) {
                commands_of(inner, &mut within);
            }
        }
    }
}

/// As `look`, for a part of a text that is looked at as a whole too.
pub(super) fn commands_of(text: &str, spot: &mut Spot<'_>) {
    commands(text, spot);
}

/// Words that do not read as what they are.
fn hidden_words(text: &str, command: &Command, spot: &mut Spot<'_>) {
    for word in &command.words {
        if word.numbered {
            spot.note(
                Kind::Escapes,
                format!("{} is {}", &text[word.at.clone()], word.text),
                word.at.clone(),
            );
        }
        if let Some(odd) = word
            .text
            .chars()
            .find(|c| c.is_whitespace() && !c.is_ascii())
        {
            spot.note(
                Kind::Hidden,
                format!("a space that is U+{:04X}", u32::from(odd)),
                word.at.clone(),
            );
        }
    }
    let Some(program) = run::runs(command).first().map(|run| run.words[0].clone()) else {
        return;
    };
    let reading = lookalike::reading(&program.text);
    if !program.text.is_ascii() && reading.is_ascii() {
        spot.note(
            Kind::LookAlike,
            format!("{} is not {reading}", program.text),
            program.at.clone(),
        );
    }
    if let Some(words) = braces(&program.text) {
        spot.note(
            Kind::Escapes,
            format!("{} is {words}", program.text),
            program.at.clone(),
        );
        if let Some(mut within) = spot.within(program.at.clone(), words.len()) {
            commands(&words, &mut within);
        }
    }
    if program.dynamic {
        spot.note(
            Kind::RunsText,
            format!("what {} gives", program.text),
            program.at,
        );
    }
}

/// `{rm,-rf,/}` as the words it stands for.
fn braces(program: &str) -> Option<String> {
    let inner = program.strip_prefix('{')?.strip_suffix('}')?;
    inner.contains(',').then(|| inner.replace(',', " "))
}

/// Words that change what later ones mean.
fn redefined(command: &Command, spot: &mut Spot<'_>) {
    const VARIABLES: &[&str] = &[
        "PATH",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "IFS",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "PERL5OPT",
    ];
    for word in command.words.iter().filter(|word| run::is_assignment(word)) {
        let (name, value) = word.text.split_once('=').unwrap_or_default();
        if VARIABLES.contains(&name) {
            spot.note(Kind::Redefines, &word.text, word.at.clone());
        }
        let first = run::runs(command)
            .first()
            .map(|run: &Run<'_>| run.name.to_owned());
        if first.as_deref() == Some("alias") {
            spot.note(
                Kind::Redefines,
                format!("{name} is {value}"),
                word.at.clone(),
            );
            if let Some(mut within) = spot.within(word.at.clone(), value.len()) {
                commands(value, &mut within);
            }
        }
    }
}
