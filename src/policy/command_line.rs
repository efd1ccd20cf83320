//! A shell command line, taken apart into the simple commands it would run.
//!
//! Owns what counts as understood. The parsing itself is `brush-parser`'s, behind bounds that keep
//! hostile input from costing time or stack (`bounds`). A line that is not understood still yields
//! pieces, so that a rule which denies can find what it looks for. Runs nothing, expands nothing.

mod bounds;
mod programs;
mod walk;
mod word;

use std::io::Cursor;

/// What a line consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The simple commands, in order.
    pub parts: Vec<Part>,
    /// Why a person must look at the line, whatever the rules allow.
    pub fault: Option<String>,
    /// Only for a line that is not understood: its text cut at everything that could separate
    /// commands, quoting ignored. Good enough to find what is denied, never to allow anything.
    pub pieces: Vec<String>,
}

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The words as they are written, with one space between them.
    pub written: String,
    /// The words with their quoting taken off.
    pub words: Vec<String>,
}

/// Pieces of one line that are looked at; hostile lines have more.
const MOST_PIECES: usize = 1024;

/// Takes a command line apart. Takes bounded time for any text.
pub fn take_apart(text: &str) -> Line {
    let mut line = match bounds::check(text) {
        Err(why) => Line {
            fault: Some(why),
            ..Line::default()
        },
        Ok(()) => parse(text),
    };
    if line.fault.is_some() {
        line.pieces = pieces(text);
    }
    line
}

/// The words of a line that is one simple command and nothing else, written as they are meant, of a
/// program that runs no other. `None` for any other line.
pub fn plain_words(text: &str) -> Option<Vec<String>> {
    let line = take_apart(text);
    let ([only], None) = (line.parts.as_slice(), &line.fault) else {
        return None;
    };
    let plain = only.written == text.trim() && only.words.join(" ") == only.written;
    (plain && !programs::runs_its_arguments(&only.words)).then(|| only.words.clone())
}

fn parse(text: &str) -> Line {
    let options = brush_parser::ParserOptions {
        // As in `sh`: with it on, `!(a)` would be one word here and a subshell there.
        enable_extended_globbing: false,
        ..brush_parser::ParserOptions::default()
    };
    let mut parser = brush_parser::Parser::new(Cursor::new(text.as_bytes()), &options);
    match parser.parse_program() {
        Ok(program) => walk::walk(text, &program),
        Err(_) => Line {
            fault: Some("it is not a complete command line".to_owned()),
            ..Line::default()
        },
    }
}

impl Part {
    /// Every text under which a strict rule may recognise the command: as written, without quoting,
    /// with the program's bare name, and what follows a program that runs its arguments (`sudo rm`).
    pub fn guises(&self) -> Vec<String> {
        let mut guises = vec![self.written.clone()];
        let starts = if programs::runs_its_arguments(&self.words) {
            self.words.len().min(programs::MOST_STARTS)
        } else {
            1
        };
        for start in 0..starts {
            let plain = self.words[start..].join(" ");
            if let Some(name) = programs::bare_name(&self.words[start]) {
                let mut words = self.words[start..].to_vec();
                name.clone_into(&mut words[0]);
                guises.push(words.join(" "));
            }
            guises.push(plain);
        }
        guises.dedup();
        guises
    }
}

/// Cuts at everything that separates commands or opens a substitution. Each piece counts as it is
/// written and, with quotes and backslashes taken off, in every guise of a command.
fn pieces(text: &str) -> Vec<String> {
    let cut = text.split([';', '&', '|', '\n', '(', ')', '{', '}', '`', '<', '>']);
    let mut pieces = Vec::new();
    for piece in cut.map(|piece| piece.trim().trim_end_matches('$').trim()) {
        if pieces.len() >= MOST_PIECES {
            break;
        }
        let bare = piece.replace(['"', '\'', '\\'], "");
        let words: Vec<String> = bare.split_whitespace().map(str::to_owned).collect();
        if !words.is_empty() {
            let written = piece.to_owned();
            pieces.extend(Part { written, words }.guises());
        }
    }
    pieces
}
