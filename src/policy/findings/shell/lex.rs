//! A command line as words with their places, however broken it is.
//!
//! Owns the cutting. Lenient where `policy::command_line` is strict: that one must understand a line before a rule
//! may allow it, this one must find what is in a line that nobody understands. One pass, whatever the text.

use std::ops::Range;

use super::super::decode;

/// Commands of one line that are looked at.
const MOST: usize = 400;

#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    /// With its quoting taken off; what a shell would put in its place stands as it is written.
    pub(super) text: String,
    pub(super) at: Range<usize>,
    /// Commands whose output becomes part of the word.
    pub(super) inner: Vec<Range<usize>>,
    /// Part of it is written as numbers of characters.
    pub(super) numbered: bool,
    /// What it stands for is seen only when it runs.
    pub(super) dynamic: bool,
    pub(super) quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Out,
    In,
    /// A text that stands in the line.
    Text,
}

#[derive(Debug, Clone)]
pub(super) struct Redirect {
    pub(super) direction: Direction,
    pub(super) at: Range<usize>,
    pub(super) target: Word,
    /// Of a here-document.
    pub(super) body: Option<Range<usize>>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// Where the pipe stands that it reads from.
    pub(super) pipe: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) commands: Vec<Command>,
    pub(super) too_many: bool,
}

pub(super) fn line(text: &str) -> Line {
    let mut lexer = Lexer {
        text,
        at: 0,
        command: Command::default(),
        line: Line::default(),
        bodies: Vec::new(),
    };
    while lexer.at < text.len() && !lexer.line.too_many {
        lexer.step();
    }
    lexer.end_command(None);
    lexer.line
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    command: Command,
    line: Line,
    /// Here-documents whose text comes after this row: the command, its redirection, the last row, tabs taken off.
    bodies: Vec<(usize, usize, String, bool)>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self) {
        match self.peek(0) {
            Some(b' ' | b'\t' | b'\r') => self.at += 1,
            Some(b'\\') if self.peek(1) == Some(b'\n') => self.at += 2,
            Some(b'\n') => {
                self.at += 1;
                self.end_command(None);
                self.here_documents();
            }
            Some(b'#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            Some(b'|') => {
                let pipe = (self.peek(1) != Some(b'|')).then_some(self.at);
                self.at += if matches!(self.peek(1), Some(b'|' | b'&')) {
                    2
                } else {
                    1
                };
                self.end_command(pipe);
            }
            Some(b'&') if self.peek(1) == Some(b'>') => self.redirect(self.at),
            Some(b';' | b'&' | b'(' | b')') => {
                self.at += 1;
                self.end_command(None);
            }
            Some(b'<' | b'>') => self.redirect(self.at),
            Some(_) => self.word_or_number(),
            None => {}
        }
    }

    /// Digits right before a redirection belong to it.
    fn word_or_number(&mut self) {
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && matches!(self.peek(digits), Some(b'<' | b'>')) {
            self.at += digits;
            return self.redirect(start);
        }
        let word = self.word();
        self.command.words.push(word);
    }

    fn end_command(&mut self, next_pipe: Option<usize>) {
        let command = std::mem::take(&mut self.command);
        self.command.pipe = next_pipe;
        if command.words.is_empty() && command.redirects.is_empty() {
            // A pipe goes on over row breaks.
            self.command.pipe = next_pipe.or(command.pipe);
            return;
        }
        if self.line.commands.len() >= MOST {
            self.line.too_many = true;
            return;
        }
        self.line.commands.push(command);
    }

    fn redirect(&mut self, start: usize) {
        let rest = self.rest();
        let operators: [(&str, Direction); 12] = [
            ("&>>", Direction::Out),
            ("&>", Direction::Out),
            ("<<<", Direction::Text),
            ("<<-", Direction::Text),
            ("<<", Direction::Text),
            ("<>", Direction::Out),
            ("<&", Direction::In),
            (">>", Direction::Out),
            (">|", Direction::Out),
            (">&", Direction::Out),
            ("<", Direction::In),
            (">", Direction::Out),
        ];
        let found = operators
            .into_iter()
            .find(|(sign, _)| rest.starts_with(sign));
        let Some((sign, direction)) = found else {
            self.at += 1;
            return;
        };
        self.at += sign.len();
        if matches!(sign, "<" | ">") && self.peek(0) == Some(b'(') {
            return self.substituted(start);
        }
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let target = self.word();
        if sign.starts_with("<<") && sign != "<<<" {
            let place = (self.line.commands.len(), self.command.redirects.len());
            self.bodies
                .push((place.0, place.1, target.text.clone(), sign == "<<-"));
        }
        self.command.redirects.push(Redirect {
            direction,
            at: start..self.at,
            target,
            body: None,
        });
    }

    /// `<(…)`: a word that stands for a file.
    fn substituted(&mut self, start: usize) {
        let end = closing(self.text, self.at + 1, b')');
        let inner = self.at + 1..end.saturating_sub(1).max(self.at + 1);
        let word = Word {
            text: self.text.get(start..end).unwrap_or_default().to_owned(),
            at: start..end,
            inner: Vec::from([inner]),
            dynamic: true,
            ..Word::default()
        };
        self.at = end;
        self.command.words.push(word);
    }

    fn here_documents(&mut self) {
        for (command, redirect, last, tabs) in std::mem::take(&mut self.bodies) {
            let start = self.at;
            let mut end = self.text.len();
            for row in self.text[start..].split_inclusive('\n') {
                let plain = row.strip_suffix('\n').unwrap_or(row);
                let plain = if tabs {
                    plain.trim_start_matches('\t')
                } else {
                    plain
                };
                end = self.at;
                self.at += row.len();
                if plain == last {
                    break;
                }
                end = self.at;
            }
            let command = self.line.commands.get_mut(command);
            if let Some(redirect) = command.and_then(|command| command.redirects.get_mut(redirect))
            {
                redirect.body = Some(start..end);
            }
        }
    }

    fn word(&mut self) -> Word {
        let mut word = Word {
            at: self.at..self.at,
            ..Word::default()
        };
        while let Some(c) = self.rest().chars().next() {
            match c {
                ' ' | '\t' | '\n' | '\r' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\\' => {
                    self.at += 1;
                    if let Some(c) = self.rest().chars().next() {
                        self.at += c.len_utf8();
                        word.text.extend((c != '\n').then_some(c));
                    }
                }
                '\'' => self.single(&mut word),
                '"' => self.double(&mut word),
                '$' | '`' => self.dollar(&mut word),
                _ => {
                    word.text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        word.at.end = self.at;
        word
    }

    fn single(&mut self, word: &mut Word) {
        let start = self.at + 1;
        let end = self.text[start..]
            .find('\'')
            .map_or(self.text.len(), |end| start + end);
        word.text.push_str(&self.text[start..end]);
        word.quoted = true;
        self.at = (end + 1).min(self.text.len());
    }

    fn double(&mut self, word: &mut Word) {
        word.quoted = true;
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    let next = self.rest()[1..].chars().next();
                    self.at += 1 + next.map_or(0, char::len_utf8);
                    match next {
                        Some('\n') | None => {}
                        Some(c @ ('"' | '\\' | '$' | '`')) => word.text.push(c),
                        Some(c) => word.text.extend(['\\', c]),
                    }
                }
                '$' if self.peek(1) == Some(b'\'') => {
                    word.text.push('$');
                    self.at += 1;
                }
                '$' | '`' => self.dollar(word),
                _ => {
                    word.text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// What begins with `$` or a backtick.
    fn dollar(&mut self, word: &mut Word) {
        let start = self.at;
        let inner = match (self.peek(0), self.peek(1)) {
            (Some(b'`'), _) => {
                self.at = closing(self.text, start + 1, b'`');
                Some(start + 1..self.at.saturating_sub(1).max(start + 1))
            }
            (_, Some(b'(')) => {
                self.at = closing(self.text, start + 2, b')');
                Some(start + 2..self.at.saturating_sub(1).max(start + 2))
            }
            (_, Some(b'\'')) => return self.numbered(word),
            (_, Some(b'{')) => {
                self.at = closing(self.text, start + 2, b'}');
                None
            }
            _ => {
                self.at += 1;
                let name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                self.at += self.rest().chars().take_while(name).count();
                None
            }
        };
        word.inner.extend(inner);
        word.dynamic |= self.at > start + 1;
        word.text.push_str(&self.text[start..self.at]);
    }

    /// `$'…'`, in which characters are written by their numbers.
    fn numbered(&mut self, word: &mut Word) {
        let start = self.at + 2;
        let mut escaped = false;
        let ends = |c: char| {
            let ends = c == '\'' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        };
        let end = self.text[start..]
            .find(ends)
            .map_or(self.text.len(), |end| start + end);
        let raw = &self.text[start..end];
        match decode::escapes(raw) {
            Some(plain) => {
                word.text.push_str(&plain);
                word.numbered = true;
            }
            None => word.text.push_str(raw),
        }
        word.quoted = true;
        self.at = (end + 1).min(self.text.len());
    }
}

/// Past the bracket or backtick that closes what is open before `from`; the end of the text if none does.
fn closing(text: &str, from: usize, close: u8) -> usize {
    let open = match close {
        b')' => b'(',
        b'}' => b'{',
        _ => 0,
    };
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut quote) = (0_usize, from, 0);
    while let Some(byte) = bytes.get(at).copied() {
        at += 1;
        if byte == b'\\' && quote != b'\'' {
            at += 1;
        } else if quote != 0 {
            quote = if byte == quote { 0 } else { quote };
        } else if byte == close {
            if depth == 0 {
                return text.floor_char_boundary(at);
            }
            depth -= 1;
        } else if byte == open {
            depth += 1;
        } else if matches!(byte, b'\'' | b'"') && close != b'`' {
            quote = byte;
        }
    }
    text.len()
}
