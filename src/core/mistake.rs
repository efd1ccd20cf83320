//! A mistake in a file that a person wrote: where it is, what is wrong, what to do.
//!
//! Owns the form of a mistake and the way from a byte of the text to its line and column. Reads no
//! file and decides nothing: whoever finds mistakes collects all of them and shows them in one go.

use indexmap::IndexSet;
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// The file as the person named it, or the environment variable at fault.
    pub file: String,
    /// Counted from 1; 0 where the whole file is at fault.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    pub what: String,
    /// What to do now.
    pub todo: String,
}

impl Mistake {
    /// A mistake that has no place in the text.
    pub fn of_the_whole(
        file: impl Into<String>,
        what: impl Into<String>,
        todo: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            line: 0,
            column: 0,
            what: what.into(),
            todo: todo.into(),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}; {}", self.what, self.todo)
    }
}

/// The mistakes found so far in one text. Shared by all that read the text, hence `&self` everywhere.
#[derive(Debug)]
pub struct Mistakes<'t> {
    file: String,
    text: &'t str,
    list: RefCell<Vec<Mistake>>,
}

impl<'t> Mistakes<'t> {
    pub fn new(file: impl Into<String>, text: &'t str) -> Self {
        Self {
            file: file.into(),
            text,
            list: RefCell::default(),
        }
    }

    /// Adds a mistake at the place of `span`, in bytes of the text.
    pub fn add(&self, span: &Range<usize>, what: impl Into<String>, todo: impl Into<String>) {
        let mistake = self.describe(span, what, todo);
        self.list.borrow_mut().push(mistake);
    }

    /// A mistake at the place of `span` that does not count unless someone says so later.
    pub fn describe(
        &self,
        span: &Range<usize>,
        what: impl Into<String>,
        todo: impl Into<String>,
    ) -> Mistake {
        let (line, column) = place(self.text, span.start);
        Mistake {
            file: self.file.clone(),
            line,
            column,
            what: what.into(),
            todo: todo.into(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    /// All of them, in the order of the text.
    pub fn into_vec(self) -> Vec<Mistake> {
        let mut list = self.list.into_inner();
        list.sort_by_key(|mistake| (mistake.line, mistake.column));
        list
    }
}

fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let row = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, row.chars().count() + 1)
}

/// `did you mean "model"?` if a known word is near, else the known words, each once.
pub fn suggest(word: &str, known: &[&str]) -> String {
    let known: &[&str] = &known
        .iter()
        .copied()
        .collect::<IndexSet<_>>()
        .into_iter()
        .collect::<Vec<_>>();
    match similar::get_close_matches(word, known, 1, 0.6).first() {
        Some(near) => format!("did you mean {near:?}?"),
        None if known.is_empty() => "remove it".to_owned(),
        None => format!("use one of {}", listed(known)),
    }
}

/// `"a", "b" or "c"`.
pub fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
