//! Errors of awaited calls, raised where the call stands also in a task of a gather.
//!
//! Owns what is done so that a script can catch them there. The interpreter gives an error of a call that a task
//! awaits to the gather of that task and drops the task, so that no `try` in it sees the error; one that comes
//! out of a gather it raises where that is awaited. So in a coroutine `await f()` is run as
//! `(await asyncio.gather(f()))[0]`. Lines stay what they are, and tracebacks show the script as it is written.

use monty_types::{MontyException, StackFrame};
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Alias, Expr, ModModule, Stmt};

use std::collections::HashMap;
use std::sync::Arc;

use super::super::wire::Declared;
use super::awaited::{Place, place};

/// The script as it is run.
pub(super) fn catchable(code: &str, module: &ModModule, functions: &[Declared]) -> String {
    let Some(gather) = gather(module) else {
        return code.to_owned();
    };
    let mut calls = Calls {
        functions,
        within: false,
        found: Vec::new(),
    };
    calls.visit_body(&module.body);
    let mut edits = Vec::new();
    for (from, (start, end)) in calls.found {
        edits.push((from, "("));
        edits.push((start, gather.as_str()));
        edits.push((end, "))[0]"));
    }
    written(code, edits)
}

/// The text with other text put in at these places.
fn written(code: &str, mut edits: Vec<(usize, &str)>) -> String {
    edits.sort_by_key(|(at, _)| *at);
    let mut text = String::with_capacity(code.len() + edits.len() * 8);
    let mut done = 0;
    for (at, put) in edits {
        text.push_str(code.get(done..at).unwrap_or_default());
        text.push_str(put);
        done = at;
    }
    text.push_str(code.get(done..).unwrap_or_default());
    text
}

/// How the script itself calls a gather anywhere, with the bracket that opens. Without one it has no tasks.
fn gather(module: &ModModule) -> Option<String> {
    let mut found = None;
    for stmt in &module.body {
        let (names, of): (&[Alias], fn(&str) -> String) = match stmt {
            Stmt::Import(import) => (&import.names, |name| format!("{name}.gather(")),
            Stmt::ImportFrom(import)
                if import
                    .module
                    .as_ref()
                    .is_some_and(|name| name.as_str() == "asyncio") =>
            {
                (&import.names, |name| format!("{name}("))
            }
            _ => continue,
        };
        let wanted = if stmt.is_import_stmt() {
            "asyncio"
        } else {
            "gather"
        };
        let alias = names.iter().find(|alias| alias.name.as_str() == wanted);
        found = found.or(alias.map(|alias| {
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            (name.to_owned(), of(name))
        }));
    }
    let (name, call) = found?;
    let mut other = Other(&name, false);
    other.visit_body(&module.body);
    (!other.1 && name.is_ascii()).then_some(call)
}

/// Whether a name is something else somewhere.
struct Other<'n>(&'n str, bool);

impl<'a> Visitor<'a> for Other<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                let mut parameters = function.parameters.iter();
                self.1 |= function.name.as_str() == self.0
                    || parameters.any(|parameter| parameter.name().as_str() == self.0);
            }
            Stmt::ClassDef(class) => self.1 |= class.name.as_str() == self.0,
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        let ours = matches!(alias.name.as_str(), "asyncio" | "gather");
        self.1 |= name.as_str() == self.0 && !ours;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            self.1 |= name.ctx.is_store() && name.id.as_str() == self.0;
        }
        walk_expr(self, expr);
    }
}

/// What is awaited in coroutines and may be a call of a tool.
struct Calls<'f> {
    functions: &'f [Declared],
    within: bool,
    /// Where it is awaited, and where it stands.
    found: Vec<(usize, Place)>,
}

impl Calls<'_> {
    /// Where a call of a tool stands, or a name that one may have been given.
    fn operand(&self, value: &Expr) -> Option<Place> {
        match value {
            Expr::Call(call) => {
                let name = call.func.as_name_expr()?.id.as_str();
                let known = self.functions.iter().any(|known| known.name == name);
                known.then(|| place(call))
            }
            Expr::Name(name) => Some((name.range.start().to_usize(), name.range.end().to_usize())),
            _ => None,
        }
    }
}

impl<'a> Visitor<'a> for Calls<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let outside = self.within;
        if let Stmt::FunctionDef(function) = stmt {
            self.within = function.is_async;
        }
        walk_stmt(self, stmt);
        self.within = outside;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            // What stands in a text cannot be written differently everywhere.
            Expr::FString(_) | Expr::TString(_) => return,
            Expr::Await(awaited) if self.within => {
                // Not in brackets of its own.
                let place = self.operand(&awaited.value);
                let place = place.filter(|(_, end)| *end == awaited.range.end().to_usize());
                let from = awaited.range.start().to_usize();
                self.found.extend(place.map(|place| (from, place)));
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}

/// An exception whose traceback shows the script as it is written.
pub(super) fn as_written(exception: MontyException, run: &str, code: &str) -> MontyException {
    if run == code {
        return exception;
    }
    // Each line once: a traceback may have the same one a thousand times.
    let lines = run.lines().zip(code.lines());
    let changed: HashMap<u32, Arc<str>> = (1..)
        .zip(lines)
        .filter(|(_, (run, written))| run != written)
        .map(|(line, (_, written))| (line, Arc::from(written)))
        .collect();
    let frames = exception.traceback().iter().map(|frame| {
        let mut frame: StackFrame = frame.clone();
        if let Some(written) = changed.get(&frame.start.line) {
            frame.preview_line = frame.preview_line.is_some().then(|| written.clone());
            frame.end = frame.start;
            frame.hide_caret = true;
        }
        frame
    });
    let frames = frames.collect();
    let message = exception.message().map(str::to_owned);
    let data = exception.data().clone();
    MontyException::with_traceback(exception.exc_type(), message, frames).with_data(data)
}
