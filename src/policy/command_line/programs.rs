//! What is known of programs by name: those that run other commands, and those that change what
//! later commands mean.

/// Words of a command after which another command may begin.
pub(super) const MOST_STARTS: usize = 32;

/// Programs that run the command in their arguments; the words after them are looked at as well.
const RUN_THEIR_ARGUMENTS: &[&str] = &[
    "builtin", "busybox", "chroot", "command", "doas", "env", "exec", "find", "flock", "ionice",
    "nice", "nohup", "nsenter", "parallel", "setsid", "ssh", "stdbuf", "strace", "su", "sudo",
    "taskset", "time", "timeout", "unshare", "watch", "xargs",
];

/// Words of the grammar. They only stand first in a piece of a line that could not be parsed.
const KEYWORDS: &[&str] = &[
    "!", "coproc", "do", "elif", "else", "if", "then", "until", "while",
];

/// Shells: what they run stands in a text or comes from their input.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "zsh",
];

/// Built-in commands that run text or change what later words mean.
const CHANGE_THE_SHELL: &[&str] = &[
    ".", "alias", "declare", "enable", "eval", "export", "fc", "hash", "local", "readonly", "set",
    "shopt", "source", "trap", "typeset", "unalias", "unset",
];

/// The name behind the folders; `None` if there are none.
pub(super) fn bare_name(program: &str) -> Option<&str> {
    let (_, name) = program.rsplit_once('/')?;
    (!name.is_empty()).then_some(name)
}

pub(super) fn runs_its_arguments(words: &[String]) -> bool {
    let lists = [RUN_THEIR_ARGUMENTS, SHELLS, KEYWORDS];
    name(words).is_some_and(|name| lists.iter().any(|list| list.contains(&name)))
}

/// Why a rule cannot see what the command does, if so.
pub(super) fn fault(words: &[String]) -> Option<String> {
    let name = name(words)?;
    if CHANGE_THE_SHELL.contains(&name) {
        return Some(format!("{name} changes what other commands mean"));
    }
    let starts = if runs_its_arguments(words) {
        words.len()
    } else {
        1
    };
    if starts > MOST_STARTS {
        return Some(format!(
            "{name} has too many words to look for a command in"
        ));
    }
    let mut inner = (0..starts).filter(|start| is_shell_with_text(&words[*start..]));
    let shell = inner.next()?;
    Some(format!("{} runs commands out of a text", words[shell]))
}

/// A shell that is not simply given a script: `sh -c …`, `sh -s`, `sh`.
fn is_shell_with_text(words: &[String]) -> bool {
    let shell = name(words).is_some_and(|name| SHELLS.contains(&name) || name == "eval");
    let script = words
        .get(1)
        .is_some_and(|first| !first.starts_with(['-', '+']));
    shell && !script
}

fn name(words: &[String]) -> Option<&str> {
    let program = words.first()?;
    Some(bare_name(program).unwrap_or(program))
}
