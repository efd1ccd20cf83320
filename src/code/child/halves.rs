//! Texts of a script that are no texts: half of a character, written as an escape such as `\\ud83d`.
//!
//! Owns that such a script does not start. The interpreter would put another character in its place without a
//! word, and the call that is put before a person would not be the one that the script made.

use ruff_python_ast::str_prefix::{FStringPrefix, StringLiteralPrefix};
use ruff_python_ast::visitor::{Visitor, walk_f_string};
use ruff_python_ast::{FString, InterpolatedStringElement, ModModule, StringLiteral};

use super::standing::line_at;

/// What is wrong with the first such text, and its line.
pub(super) fn halves(code: &str, module: &ModModule) -> Option<(u32, String)> {
    let mut halves = Halves { code, found: None };
    halves.visit_body(&module.body);
    let (at, escape) = halves.found?;
    let told = format!(
        "{escape} is half of a character and no text; write the character itself, or \\U and its eight digits"
    );
    Some((line_at(code, at), told))
}

struct Halves<'a> {
    code: &'a str,
    /// The byte at which the first one stands, and how it is written.
    found: Option<(usize, &'a str)>,
}

impl Halves<'_> {
    /// Looks through a part of the script in which escapes count.
    fn look(&mut self, from: usize, to: usize) {
        let Some(text) = self.code.get(from..to) else {
            return;
        };
        let mut at = 0;
        while let Some(next) = text[at..].find('\\') {
            at += next;
            let long = text[at..].starts_with("\\U");
            let digits = if long { 8 } else { 4 };
            let escape = text.get(at..at + 2 + digits);
            let code = escape
                .filter(|_| long || text[at..].starts_with("\\u"))
                .and_then(|escape| u32::from_str_radix(&escape[2..], 16).ok());
            if let (Some(0xd800..=0xdfff), Some(escape)) = (code, escape) {
                let here = (from + at, escape);
                self.found = Some(self.found.map_or(here, |first| first.min(here)));
                return;
            }
            // The backslash, and what it stands before.
            at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
        }
    }
}

impl<'a> Visitor<'a> for Halves<'_> {
    fn visit_string_literal(&mut self, literal: &'a StringLiteral) {
        if !matches!(literal.flags.prefix(), StringLiteralPrefix::Raw { .. }) {
            self.look(
                literal.range.start().to_usize(),
                literal.range.end().to_usize(),
            );
        }
    }

    fn visit_f_string(&mut self, text: &'a FString) {
        if !matches!(text.flags.prefix(), FStringPrefix::Raw { .. }) {
            for element in &text.elements {
                if let InterpolatedStringElement::Literal(literal) = element {
                    let range = literal.range;
                    self.look(range.start().to_usize(), range.end().to_usize());
                }
            }
        }
        walk_f_string(self, text);
    }
}
