//! What is wrong with a text that is not JSON or not TOML, in the words of somebody who writes one.
//!
//! Owns the words, for every place where a person writes such a text. The readers find what is wrong; this says it
//! plainly, with what stands there and what to do. What it does not know it passes on as the reader says it.

use serde_json::error::Category;

use super::shown::Shown;

/// Characters of what stands there that are repeated.
const LONGEST: usize = 24;

/// What is wrong with this JSON. The place is told apart from it.
pub fn json(text: &str, error: &serde_json::Error) -> String {
    let full = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = full.strip_suffix(&place).unwrap_or(&full);
    match error.classify() {
        Category::Data => meaning(said),
        Category::Syntax | Category::Eof | Category::Io => written(text, offset(text, error), said),
    }
}

/// Line and column of an error, counted from 1, the column in characters.
pub fn place(text: &str, error: &serde_json::Error) -> (usize, usize) {
    let line = text.split('\n').nth(error.line().saturating_sub(1));
    let line = line.unwrap_or_default();
    let end = line.floor_char_boundary(error.column().saturating_sub(1));
    (error.line(), line[..end].chars().count() + 1)
}

/// The byte of the text at which the reader stopped.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before = error.line().saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    text.floor_char_boundary(start + error.column().saturating_sub(1))
}

/// What is not JSON.
fn written(text: &str, at: usize, said: &str) -> String {
    let here = here(text, at);
    match said {
        "EOF while parsing a string" => {
            "the text ends inside quotes: the closing \" is missing".to_owned()
        }
        "EOF while parsing a list" | "EOF while parsing an object" | "EOF while parsing a value" => {
            ends(text)
        }
        "expected `:`" => format!("between a name and its value stands a `:`; here is {here}"),
        "expected `,` or `]`" => {
            format!("after a value in a list comes `,` or `]`; here is {here}")
        }
        "expected `,` or `}`" => {
            format!("after a value comes `,` and the next name, or `}}`; here is {here}")
        }
        "expected ident" => format!(
            "{} is no word of JSON: write true, false or null, or put a text in double quotes",
            word(text, at)
        ),
        "expected value" => no_value(text, at, &here),
        "key must be a string" => format!("a name stands in double quotes; here is {here}"),
        "trailing comma" => "nothing follows the last `,`: take it out".to_owned(),
        "trailing characters" => format!("the value is complete before {here}: take out what follows"),
        "invalid number" => "this is no number: write it as 12, -3 or 0.5".to_owned(),
        "invalid escape" => {
            "this means nothing after a \\: write \\\\ for a backslash, \\n for a new line".to_owned()
        }
        "lone leading surrogate in hex escape"
        | "unexpected end of hex escape"
        | "invalid unicode code point" => {
            "this \\u stands for no character: write the character itself".to_owned()
        }
        "recursion limit exceeded" => "lists and objects lie too deep in each other".to_owned(),
        control if control.starts_with("control character") => {
            "a new line, a tab or another control character stands inside quotes: write \\n, \\t or \\u001b"
                .to_owned()
        }
        other => meaning(other),
    }
}

/// What stands where a value is to begin.
fn no_value(text: &str, at: usize, here: &str) -> String {
    let rest = &text[at..];
    if rest.starts_with(['}', ']', ',', ':']) {
        return format!("a value is missing before {here}");
    }
    let word = rest.split(|c: char| !c.is_alphabetic()).next();
    let lower = word.unwrap_or_default().to_lowercase();
    match lower.as_str() {
        "true" | "false" | "null" => format!("JSON writes `{lower}` in small letters"),
        "none" | "nil" | "undefined" => "JSON writes `null` for no value".to_owned(),
        _ => format!("{here} cannot begin a value: a text stands in double quotes"),
    }
}

/// What a text that ends too early lacks.
fn ends(text: &str) -> String {
    if text.trim().is_empty() {
        return "there is no text: write a value".to_owned();
    }
    let last = text.trim_end().chars().last();
    let value = matches!(last, Some(':'));
    let missing = open(text);
    match (value, missing.is_empty()) {
        (true, true) => "the text ends where a value is to stand".to_owned(),
        (true, false) => {
            format!("the text ends where a value is to stand; `{missing}` is missing after it")
        }
        (false, true) => "the text ends before the value is complete".to_owned(),
        (false, false) => {
            format!("the text ends before the value is complete: `{missing}` is missing")
        }
    }
}

/// The brackets that would close what is open at the end.
fn open(text: &str) -> String {
    let mut open = Vec::new();
    let (mut quoted, mut characters) = (false, text.chars());
    while let Some(c) = characters.next() {
        match c {
            '\\' if quoted => {
                characters.next();
            }
            '"' => quoted = !quoted,
            '{' if !quoted => open.push('}'),
            '[' if !quoted => open.push(']'),
            '}' | ']' if !quoted => {
                open.pop();
            }
            _ => {}
        }
    }
    let more = open.len().saturating_sub(LONGEST);
    let closing: String = open.iter().rev().take(LONGEST).collect();
    if more > 0 { closing + "…" } else { closing }
}

/// `` `economy` ``: what stands at this byte, up to where a word ends.
fn here(text: &str, at: usize) -> String {
    let rest = &text[at..];
    let ends = |c: char| c.is_whitespace() || ",:[]{}\"".contains(c);
    let end = rest.find(ends).filter(|end| *end > 0);
    let first = rest.chars().next();
    let found = match (first, end) {
        (None, _) => return "the end of the text".to_owned(),
        (Some('\n' | '\r'), _) => return "the end of the line".to_owned(),
        (Some(first), None) if ends(first) => &rest[..first.len_utf8()],
        (Some(_), None) => rest,
        (Some(_), Some(end)) => &rest[..end],
    };
    quoted(found)
}

/// The whole word that the reader was in when it stopped.
fn word(text: &str, at: usize) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text[..at].trim_end_matches(is_word).len();
    let found = text[before..].split(|c| !is_word(c)).next();
    found
        .filter(|word| !word.is_empty())
        .map_or_else(|| here(text, at), quoted)
}

fn quoted(text: &str) -> String {
    let more = text.char_indices().nth(LONGEST);
    let (text, more) = more.map_or((text, ""), |(end, _)| (&text[..end], "…"));
    let text: String = text.chars().map(plain).collect();
    format!("`{text}{more}`")
}

/// A character, or how it is written where it cannot stand as it is. It may go to a terminal by a way that makes
/// nothing visible, and by one that would make the signs of `Shown` visible once more: `\u{1b}` is the same by both.
fn plain(c: char) -> String {
    let text = c.to_string();
    if Shown::label(&text).as_str() == text {
        text
    } else {
        c.escape_default().to_string()
    }
}

/// What is JSON, but not what is to stand there: `` unknown variant `maybe`, expected `a` or `b` ``.
fn meaning(said: &str) -> String {
    if said == "number out of range" {
        return "this number is too large to be kept: up to 308 digits are".to_owned();
    }
    let (first, expected) = said.split_once(", expected ").unwrap_or((said, ""));
    let instead = expected.strip_prefix("one of ").unwrap_or(expected);
    if let Some(name) = first.strip_prefix("unknown field ") {
        return match instead {
            "" | "there are no fields" => format!("nothing is called {name} here: take it out"),
            known => format!("nothing is called {name} here; there is {known}"),
        };
    }
    if let Some(word) = first.strip_prefix("unknown variant ") {
        return format!("{word} is none of the words that can stand here: write {instead}");
    }
    if let Some(name) = first.strip_prefix("missing field ") {
        return format!("{name} is missing: add it");
    }
    if let Some(name) = first.strip_prefix("duplicate field ") {
        return format!("{name} stands twice: keep one of them");
    }
    let given = first.strip_prefix("invalid type: ");
    if let Some(given) = given.or_else(|| first.strip_prefix("invalid value: ")) {
        return format!(
            "here is {}, where {} is to stand",
            kind(given),
            kind(instead)
        );
    }
    said.to_owned()
}

/// A kind of value in plain words, with the value if there is one: `` string "7" ``, `u32`, `a map`.
fn kind(said: &str) -> String {
    let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
    let with = |word: &str| match rest {
        "" => word.to_owned(),
        value => format!("{word} {value}"),
    };
    match (word, rest) {
        ("string", _) => with("the text"),
        ("integer" | "floating", _) => with("the number").replace("point ", ""),
        ("boolean", _) => with("the word"),
        ("sequence", _) | ("a", "sequence") => "a list".to_owned(),
        ("map" | "struct", _) | ("a", "map") => "an object".to_owned(),
        ("null" | "unit", _) => "null".to_owned(),
        ("a", "string" | "borrowed string") => "a text".to_owned(),
        ("a", "boolean") => "true or false".to_owned(),
        ("u8" | "u16" | "u32" | "u64" | "usize", _) => "a whole number from 0 on".to_owned(),
        ("i8" | "i16" | "i32" | "i64" | "isize", _) => "a whole number".to_owned(),
        ("f32" | "f64", _) => "a number".to_owned(),
        _ => said.to_owned(),
    }
}

/// What is wrong with this TOML, and what to do, from the reader's words and what stands at the place.
pub fn toml(said: &str, rest: &str) -> (String, String) {
    let (what, expected) = said.split_once(", expected ").unwrap_or((said, ""));
    let is_empty = rest
        .trim_start_matches([' ', '\t'])
        .starts_with(['\n', '\r', '#']);
    let (what, todo) = match what {
        "string values must be quoted" if is_empty || rest.is_empty() => {
            ("the value is missing", "write it after the `=`")
        }
        "missing escaped value" => (
            "this means nothing after a \\",
            "write \\\\ for a backslash, or put the text in single quotes",
        ),
        "unclosed table" => ("this heading is not closed", "write `]` at its end"),
        "unclosed array table" => ("this heading is not closed", "write `]]` at its end"),
        "unclosed array" => ("this list is not closed", "write `]` at its end"),
        "unclosed inline table" => ("this table is not closed", "write `}` at its end"),
        "key with no value" => ("this name has no value", "write it as name = value"),
        "missing value for key" | "missing value" => {
            ("the value is missing", "write it after the `=`")
        }
        "string values must be quoted" | "invalid boolean" | "invalid value" => (
            "this is no value",
            "put a text in quotes; without quotes stand numbers, dates, true and false",
        ),
        "duplicate key" => ("this name stands twice", "keep one of them"),
        "extra `=`" | "extra assignment between key-value pairs" | "unexpected `=` in array" => {
            ("there is a `=` too many", "take it out")
        }
        "extra comma in array" | "extra comma in inline table" => {
            ("there is a `,` too many", "take it out")
        }
        "missing comma between array elements" | "missing comma between key-value pairs" => {
            ("a `,` is missing", "write it between the values")
        }
        "missing assignment between key-value pairs" => {
            ("a `=` is missing", "write it as name = value")
        }
        "invalid literal string" => (
            "the quotes are not closed",
            "write `'` at the end of the text",
        ),
        "invalid basic string" => (
            "the text in quotes cannot be read",
            "close it with `\"` on the same line, and write \\\\ for a backslash",
        ),
        "unexpected content" | "unexpected key or value" => (
            "something follows that does not belong here",
            "put it on a line of its own",
        ),
        "invalid unquoted key" | "unquoted keys cannot be empty" => (
            "this is no name",
            "write letters, digits, `_` and `-`, or put it in quotes",
        ),
        "unexpected leading zero" => ("a number does not begin with 0", "take the 0 out"),
        _ => return as_it_is(what, expected),
    };
    (what.to_owned(), todo.to_owned())
}

fn as_it_is(what: &str, expected: &str) -> (String, String) {
    let todo = match expected {
        "" | "nothing" => "correct the TOML here".to_owned(),
        expected => format!("write {expected} here"),
    };
    (what.to_owned(), todo)
}
