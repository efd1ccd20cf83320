//! The first words of command lines that are one plain command.
//!
//! Owns which first words are offered. What is no word of its own, or would let an option take any word, is not.

use super::denied;
use super::{Breadth, Candidate, Rule, Source, any};
use crate::policy::command_line;
use crate::policy::written;

const OPTIONS: &str = "Further words may be options too. Other arguments may be anything. Never part of a longer line.";

/// A program alone may do anything: its first word is part of what is let run.
const LEAST: usize = 2;

/// Words that mean themselves, whatever the shell.
const PLAIN: &str = "[A-Za-z0-9_./:=@%+,-]+";

fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    !word.is_empty() && word.chars().all(plain)
}

/// The program with its first words, from all but the last down to one after the program; of a line of two
/// words both. Only for command lines that are one plain command, of a program that does not run others.
pub(super) fn words(sources: &[Source<'_>]) -> Vec<Candidate> {
    let Some(common) = common_words(sources) else {
        return Vec::new();
    };
    let Some(pointer) = sources.first().and_then(|source| source.command_line) else {
        return Vec::new();
    };
    let candidate = |count: usize| {
        let fixed = common[..count].join(" ");
        let pattern = format!("{}( {PLAIN})*", written::literally(&fixed));
        let mut rule = any(sources);
        rule.conditions = vec![written::condition(
            pointer,
            "regex",
            &written::quoted(&pattern),
        )];
        let covers = format!("`{fixed}` with any further plain words");
        Candidate {
            breadth: Breadth::Words,
            denied: Some(denied::words(&covers)),
            covers,
            caveat: OPTIONS,
            rule: Rule::Made(rule),
        }
    };
    let counts = (LEAST..=common.len()).rev();
    let whole = |count: &usize| !is_cut(&common, *count);
    counts.filter(whole).map(candidate).collect()
}

/// Whether the last of so many words is an option that may take the next one, whatever that is: `git -C` would
/// let any folder through, and any command in it.
fn is_cut(words: &[String], count: usize) -> bool {
    let option = |word: &String| word.starts_with('-') && !word.contains('=');
    let next = words.get(count).is_some_and(option);
    words[..count].last().is_some_and(option) && !next
}

fn common_words(sources: &[Source<'_>]) -> Option<Vec<String>> {
    let mut common: Option<Vec<String>> = None;
    for source in sources {
        let text = source.arguments.value().pointer(source.command_line?)?;
        let words = command_line::plain_words(text.as_str()?)?;
        if !words.iter().all(|word| is_plain(word)) {
            return None;
        }
        common = Some(match common {
            // The last of several words is most often what the command is about.
            None if sources.len() == 1 && words.len() > LEAST => words[..words.len() - 1].to_vec(),
            None => words,
            Some(common) => {
                let same = common.iter().zip(&words).take_while(|(a, b)| a == b);
                same.map(|(word, _)| word.clone()).collect()
            }
        });
    }
    common
}
