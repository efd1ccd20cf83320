//! What a rule denies that is made of command lines.
//!
//! A command that is not to run is not to run in a longer line either, nor with other spaces between its
//! words; so such a rule names the command and not the bytes of the call. Owns only that form.

use super::{Source, any};
use crate::policy::command_line;
use crate::policy::written::{self, Written};

/// A rule that denies, where it is another one than would allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Denied {
    pub covers: String,
    pub caveat: &'static str,
    /// `None`: the same rule, which only finds more when it denies.
    pub rule: Option<Written>,
}

const COMMAND: &str =
    "Alone or in a longer line, quoted or spaced in another way. Other arguments may be anything.";
const WORDS: &str =
    "Further words may be options too. Other arguments may be anything. In a longer line as well.";

/// Calls that are denied together by what they run. More would make a rule that nobody reads.
const MOST: usize = 16;

/// The commands themselves, where each line is one command and nothing else.
pub(super) fn commands(sources: &[Source<'_>]) -> Option<Denied> {
    let pointer = sources.first()?.command_line?;
    let mut lines = Vec::new();
    for source in sources {
        let line = command(source).filter(|_| source.command_line == Some(pointer))?;
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let (test, value, covers) = match lines.as_slice() {
        [only] => (
            "equals",
            written::quoted(only),
            format!("the command `{only}`"),
        ),
        lines if lines.len() <= MOST => {
            let lines: Vec<String> = lines.iter().map(|line| written::literally(line)).collect();
            let covers = format!("just these {} commands", lines.len());
            ("regex", written::quoted(&lines.join("|")), covers)
        }
        _ => return None,
    };
    let mut rule = any(sources);
    rule.conditions = vec![written::condition(pointer, test, &value)];
    Some(Denied {
        covers,
        caveat: COMMAND,
        rule: Some(rule),
    })
}

/// The same first words.
pub(super) fn words(covers: &str) -> Denied {
    Denied {
        covers: covers.to_owned(),
        caveat: WORDS,
        rule: None,
    }
}

/// The words of a line that is one command, as a rule that denies knows them.
fn command(source: &Source<'_>) -> Option<String> {
    let text = source.arguments.value().pointer(source.command_line?)?;
    let text = text.as_str()?;
    let line = command_line::take_apart(text);
    let ([only], None) = (line.parts.as_slice(), &line.fault) else {
        return None;
    };
    // Without redirections, which are no words.
    let whole = text.split_whitespace().eq(only.written.split_whitespace());
    (whole && !only.words.is_empty()).then(|| only.words.join(" "))
}
