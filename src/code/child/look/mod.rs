//! What can be known of a script without running it.
//!
//! The calls that a script will make whatever its calls give are found by going through its tree with the
//! values that are known, and `Unknown` for the others. Whatever could raise because of an unknown
//! value, or is simply not understood, ends the look: what was found until then stays true. Numbers are
//! those that the calls will have, so a call whose arguments are not known still counts.

mod call;
mod expression;
mod known;
mod statement;

use monty::MontyRun;
use monty_types::CompileOptions;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_python_parser::parse_module;
use std::collections::{HashMap, HashSet};

use super::super::wire::{Declared, Made};
use super::awaited::Awaited;
use super::halves::halves;
use super::value::Telling;
use known::Known;

/// The calls that the script will make and wait for whatever they give, by number: among the first
/// `most`, with arguments of at most `room` bytes.
pub(super) fn ahead(code: &str, functions: &[Declared], most: u32, room: usize) -> Vec<Made> {
    let name = "script.py";
    let compiled = MontyRun::new(code.to_owned(), name, Vec::new(), CompileOptions::default());
    let (Ok(_), Ok(parsed)) = (compiled, parse_module(code)) else {
        // It will not run at all.
        return Vec::new();
    };
    if halves(code, parsed.syntax()).is_some() {
        // Nor will this one.
        return Vec::new();
    }
    let stored = stored(parsed.suite());
    if !stored.iter().all(|name| name.is_ascii()) {
        // How other names are spelled in the end is the interpreter's business.
        return Vec::new();
    }
    let mut look = Look {
        code,
        functions,
        awaited: Awaited::of(parsed.syntax()),
        most,
        telling: Telling::within(room),
        number: 0,
        found: Vec::new(),
        steps: STEPS,
        depth: DEPTH,
        stored,
        globals: HashMap::new(),
        frames: Vec::new(),
        inner: Vec::new(),
        definitions: Vec::new(),
        coroutines: Vec::new(),
        gathers: Vec::new(),
        futures: Vec::new(),
        in_task: false,
    };
    // However it ends, what was found was found.
    let _ = look.body(parsed.suite());
    look.found.sort_by_key(|made| made.number);
    look.found
}

/// Parts of the tree that are gone through in all, and how deep.
const STEPS: u32 = 20_000;
const DEPTH: u32 = 120;

/// Why the look ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halt {
    /// What follows is not known.
    Lost,
    /// A task of a gather waits for a call; the others go on.
    Blocked,
}

type Seen<T> = Result<T, Halt>;

/// What a statement leads to.
enum Flow<'a> {
    Next,
    Break,
    Continue,
    Return(Known<'a>),
}

/// A function that runs.
struct Frame<'a> {
    /// The names that are its own, whether they have a value yet or not.
    own: HashSet<&'a str>,
    values: HashMap<&'a str, Known<'a>>,
    /// The comprehensions that were open when it was called; it does not see them.
    hides: usize,
}

/// What a call gave that has to be awaited.
struct Future {
    /// The call, until it is waited for: one that never is, is never asked for.
    made: Option<Made>,
    /// It was waited for, and so has its result.
    met: bool,
}

/// A look at a script.
struct Look<'a> {
    code: &'a str,
    functions: &'a [Declared],
    awaited: Awaited,
    most: u32,
    /// The room for arguments, of all calls together.
    telling: Telling,
    number: u32,
    found: Vec<Made>,
    steps: u32,
    depth: u32,
    /// The names that the script itself gives a value somewhere.
    stored: HashSet<&'a str>,
    globals: HashMap<&'a str, Known<'a>>,
    frames: Vec<Frame<'a>>,
    /// Names of open comprehensions.
    inner: Vec<(&'a str, Known<'a>)>,
    definitions: Vec<&'a StmtFunctionDef>,
    /// What is waited for once: a function and its arguments, until it is run.
    coroutines: Vec<Option<(usize, Vec<Known<'a>>)>>,
    gathers: Vec<Option<Vec<Known<'a>>>>,
    futures: Vec<Future>,
    in_task: bool,
}

impl<'a> Look<'a> {
    fn step(&mut self) -> Seen<()> {
        self.steps = self.steps.checked_sub(1).ok_or(Halt::Lost)?;
        Ok(())
    }

    /// Goes one deeper for as long as `inside` takes.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Seen<T>) -> Seen<T> {
        self.step()?;
        self.depth = self.depth.checked_sub(1).ok_or(Halt::Lost)?;
        let seen = inside(self);
        self.depth += 1;
        seen
    }

    fn set(&mut self, name: &'a str, value: Known<'a>) {
        match self.frames.last_mut() {
            Some(frame) => frame.values.insert(name, value),
            None => self.globals.insert(name, value),
        };
    }

    fn get(&self, name: &'a str) -> Seen<Known<'a>> {
        let hidden = self.frames.last().map_or(0, |frame| frame.hides);
        let inner = self
            .inner
            .iter()
            .skip(hidden)
            .rev()
            .find(|(inner, _)| *inner == name);
        if let Some((_, value)) = inner {
            return value.bound();
        }
        if let Some(frame) = self.frames.last().filter(|frame| frame.own.contains(name)) {
            return frame.values.get(name).cloned().ok_or(Halt::Lost);
        }
        if let Some(value) = self.globals.get(name) {
            return Ok(value.clone());
        }
        if self.stored.contains(name) {
            return Err(Halt::Lost);
        }
        let tool = self
            .functions
            .iter()
            .position(|function| function.name == name);
        tool.map(Known::Tool)
            .or_else(|| Known::builtin(name))
            .ok_or(Halt::Lost)
    }
}

/// The names that these statements give a value, not looking into functions and classes.
fn stored(body: &[Stmt]) -> HashSet<&str> {
    let mut stores = Stores(HashSet::new());
    stores.visit_body(body);
    stores.0
}

struct Stores<'a>(HashSet<&'a str>);

impl<'a> Visitor<'a> for Stores<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.0.insert(function.name.as_str());
            }
            Stmt::ClassDef(class) => {
                self.0.insert(class.name.as_str());
            }
            Stmt::Import(import) => self.0.extend(import.names.iter().map(known::bound_by)),
            Stmt::ImportFrom(import) => self.0.extend(import.names.iter().map(known::bound_by)),
            Stmt::Try(attempt) => {
                for ruff_python_ast::ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
                    self.0.extend(
                        handler
                            .name
                            .as_ref()
                            .map(ruff_python_ast::Identifier::as_str),
                    );
                }
                walk_stmt(self, stmt);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr
            && name.ctx.is_store()
        {
            self.0.insert(name.id.as_str());
        }
        walk_expr(self, expr);
    }
}
