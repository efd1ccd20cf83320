//! Regular expressions that a person wrote in a file: compiled within bounds, or said in one row why not.

use regex::{Regex, RegexBuilder};

/// A larger compiled pattern is a mistake of whoever wrote it.
const SIZE: usize = 1 << 20;

/// Compiles what the builder was given.
pub fn compile(builder: &mut RegexBuilder) -> Result<Regex, String> {
    builder
        .size_limit(SIZE)
        .build()
        .map_err(|error| last_row(&error.to_string()))
}

/// The parser draws the pattern over several rows; the last one says what is wrong.
fn last_row(text: &str) -> String {
    let row = text.lines().last().unwrap_or(text).trim();
    row.strip_prefix("error: ").unwrap_or(row).to_owned()
}
