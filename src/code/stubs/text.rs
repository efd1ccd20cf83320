//! Texts of others inside Python source.

use serde_json::Value;
use std::fmt::Write as _;

/// How deep a default is written out.
const DEEPEST: usize = 8;

/// The body of a stub: its docstring.
pub(super) fn docs(description: &str, parameters: &[(String, &str)]) -> String {
    let mut text = description.trim().to_owned();
    if !parameters.is_empty() {
        text.push_str("\n\nArgs:");
        for (name, told) in parameters {
            let _ = write!(text, "\n    {name}: {}", one_line(told));
        }
    }
    let lines: Vec<_> = text
        .trim()
        .lines()
        .map(|line| format!("    {line}").trim_end().to_owned())
        .collect();
    let text = escaped(lines.join("\n").trim());
    if text.is_empty() {
        "    ...".to_owned()
    } else {
        format!("    \"\"\"{text}\"\"\"")
    }
}

/// A comment behind a line.
pub(super) fn comment(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() {
        text
    } else {
        format!("  # {}", plain(&text))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Inside a docstring.
fn escaped(text: &str) -> String {
    let mut written = String::new();
    let mut quotes = 0;
    for c in plain(&text.replace('\\', "\\\\")).chars() {
        quotes = if c == '"' { quotes + 1 } else { 0 };
        // Three in a row would end it.
        if quotes == 3 {
            written.push('\\');
            quotes = 0;
        }
        written.push(c);
    }
    if quotes > 0 {
        // And one before the closing quotes would take the first of them.
        written.insert(written.len() - 1, '\\');
    }
    written
}

/// What cannot be seen, or is no text of Python, as its escape. Line breaks stay.
fn plain(text: &str) -> String {
    text.chars().fold(String::new(), |mut plain, c| {
        if c == '\n' || !unseen(c) {
            plain.push(c);
        } else {
            escape(&mut plain, c);
        }
        plain
    })
}

/// A string as Python writes it.
pub(super) fn string(text: &str) -> String {
    let mut written = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                written.push('\\');
                written.push(c);
            }
            '\n' => written.push_str("\\n"),
            c if unseen(c) => escape(&mut written, c),
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

/// A value of JSON as Python writes it.
pub(super) fn literal(value: &Value) -> String {
    at(value, DEEPEST)
}

fn at(value: &Value, depth: usize) -> String {
    let Some(depth) = depth.checked_sub(1) else {
        return "...".to_owned();
    };
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| at(item, depth)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{}: {}", string(name), at(value, depth)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Controls, and what changes the direction or the look of what stands beside it.
fn unseen(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    c.is_control() || hidden
}

fn escape(written: &mut String, c: char) {
    let code = u32::from(c);
    // Writing to a String cannot fail.
    let _ = if code > 0xffff {
        write!(written, "\\U{code:08x}")
    } else {
        write!(written, "\\u{code:04x}")
    };
}
