//! The programs that one command would start: its own, and those that its program starts in turn.
//!
//! Owns the way through keywords, assignments and programs that run their arguments.

use std::ops::Range;

use super::lex::{Command, Word};

/// One program with its arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) name: &'a str,
    /// The program's own word, then its arguments.
    pub(super) words: &'a [Word],
}

impl<'a> Run<'a> {
    pub(super) fn arguments(&self) -> &'a [Word] {
        self.words.get(1..).unwrap_or_default()
    }

    pub(super) fn range(&self) -> Range<usize> {
        match (self.words.first(), self.words.last()) {
            (Some(first), Some(last)) => first.at.start..last.at.end,
            _ => 0..0,
        }
    }

    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name)
    }

    /// Whether one of the arguments is this, or one of short options holds this letter.
    pub(super) fn has(&self, options: &[&str]) -> bool {
        self.arguments().iter().any(|word| {
            options.iter().any(|option| {
                let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
                let bundle = letter.is_some_and(|letter| {
                    let short = word
                        .text
                        .strip_prefix('-')
                        .filter(|short| !short.starts_with('-'));
                    short.is_some_and(|short| {
                        short.len() < 8
                            && short.bytes().all(|b| b.is_ascii_alphabetic())
                            && short.contains(letter)
                    })
                });
                bundle || word.text == *option
            })
        })
    }

    /// The arguments that are no options.
    pub(super) fn operands(&self) -> impl Iterator<Item = &'a Word> + use<'a> {
        self.arguments()
            .iter()
            .filter(|word| !word.text.starts_with('-') || word.text == "-")
    }

    /// The argument after this option.
    pub(super) fn after(&self, options: &[&str]) -> Option<&'a Word> {
        let at = self
            .arguments()
            .iter()
            .position(|word| options.contains(&word.text.as_str()))?;
        self.arguments().get(at + 1)
    }
}

const KEYWORDS: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time",
    "coproc", "esac", "function",
];

/// Programs that run what follows, and their options that take a value.
const RUNNERS: &[(&str, &[&str])] = &[
    (
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-D", "-R"],
    ),
    ("doas", &["-u", "-C"]),
    ("pkexec", &["--user"]),
    ("run0", &["-u", "--user"]),
    ("env", &["-u", "-C"]),
    ("nice", &["-n"]),
    ("ionice", &["-c", "-n"]),
    ("timeout", &["-s", "-k"]),
    (
        "xargs",
        &["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E", "-i"],
    ),
    ("parallel", &["-j"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("flock", &["-w"]),
    ("chroot", &[]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("exec", &["-a"]),
    ("command", &[]),
    ("builtin", &[]),
    ("busybox", &[]),
    ("watch", &["-n"]),
    ("strace", &["-o", "-e"]),
    ("unshare", &[]),
];

/// Those of them whose first operand is not the program.
const ONE_BEFORE: &[&str] = &["timeout", "flock", "chroot"];

/// Programs in programs that are followed.
const DEEPEST: usize = 8;

pub(super) fn runs(command: &Command) -> Vec<Run<'_>> {
    let words = command.words.as_slice();
    let keyword = |word: &Word| !word.quoted && KEYWORDS.contains(&word.text.as_str());
    let start = words
        .iter()
        .take_while(|word| keyword(word) || is_assignment(word))
        .count();
    let mut runs = Vec::new();
    let mut starts = vec![start];
    while let Some(start) = starts.pop() {
        let Some(words) = words.get(start..).filter(|words| !words.is_empty()) else {
            continue;
        };
        let run = Run {
            name: name(&words[0].text),
            words,
        };
        if runs.len() < DEEPEST {
            starts.extend(inner(&run).map(|at| start + at));
            runs.push(run);
        }
    }
    runs
}

pub(super) fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

pub(super) fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else {
        return false;
    };
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '+';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(letter)
}

/// Where among its words the program stands that this one runs.
fn inner(run: &Run<'_>) -> Option<usize> {
    if run.name == "find" || run.name == "fd" {
        let starts = |word: &Word| {
            matches!(
                word.text.as_str(),
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X"
            )
        };
        return run.words.iter().position(starts).map(|at| at + 1);
    }
    let (_, valued) = RUNNERS.iter().find(|(name, _)| *name == run.name)?;
    let mut at = 1;
    let mut before = usize::from(ONE_BEFORE.contains(&run.name));
    while let Some(word) = run.words.get(at) {
        if valued.contains(&word.text.as_str()) {
            at += 2;
        } else if word.text.starts_with('-') || is_assignment(word) {
            at += 1;
        } else if before > 0 {
            before -= 1;
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}
