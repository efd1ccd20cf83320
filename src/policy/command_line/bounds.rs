//! What is refused before any parser sees it: texts that would cost time or stack, or that shells
//! read differently than the parser does.
//!
//! The limits are far above what people write. Counting ignores quoting: a text could otherwise hide
//! its nesting from the count.

/// Bytes of a line.
const LENGTH: usize = 16 * 1024;
/// Brackets and `case`: the parser's time doubles with each one it has to look behind.
const OPENINGS: usize = 10;
/// Words, braces and square brackets that open a construct, each of which costs stack.
const KEYWORDS: usize = 24;
/// Digits beside a redirection or a tilde; the parser cannot hold larger numbers.
const DIGITS: usize = 9;

pub(super) fn check(text: &str) -> Result<(), String> {
    if text.len() > LENGTH {
        return Err(format!("it is longer than {LENGTH} bytes"));
    }
    if let Some(odd) = text.chars().find(|c| is_odd(*c)) {
        return Err(format!("it holds the character U+{:04X}", u32::from(odd)));
    }
    let count = |counted: fn(&str) -> bool| words(text).filter(|word| counted(word)).count();
    if text.matches(['(', '`']).count() + count(|word| word == "case") > OPENINGS {
        return Err(format!("it holds more than {OPENINGS} opening brackets"));
    }
    if text.matches(['{', '[']).count() + count(opens) > KEYWORDS {
        return Err("it nests too many commands in each other".to_owned());
    }
    if has_huge_number(text) {
        return Err("it holds a file descriptor or tilde number that is too large".to_owned());
    }
    Ok(())
}

/// Controls, and white space that is a letter to a shell.
fn is_odd(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || (c.is_whitespace() && !c.is_ascii())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')'))
}

fn opens(word: &str) -> bool {
    matches!(
        word,
        "if" | "elif" | "while" | "until" | "for" | "select" | "!" | "time" | "coproc" | "function"
    )
}

fn has_huge_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let run = bytes[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let before = start.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(start + run);
        let beside = matches!(
            before,
            Some(b'~' | b'+' | b'-' | b'&' | b'<' | b'>' | b'$' | b'{')
        ) || matches!(after, Some(b'<' | b'>'));
        if run > DIGITS && beside {
            return true;
        }
        start += run + 1;
    }
    false
}
