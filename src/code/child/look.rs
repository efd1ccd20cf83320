//! What can be known of a script without running it.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt};
use ruff_python_parser::parse_module;

use super::super::wire::{Declared, Made};

/// Whether the script awaits anything: then what a call gives has to be awaited. One that never
/// does has its calls run where they stand.
pub(super) fn is_concurrent(code: &str) -> bool {
    let Ok(parsed) = parse_module(code) else {
        // The interpreter says what is wrong with it.
        return false;
    };
    let mut awaits = Awaits(false);
    awaits.visit_body(parsed.suite());
    awaits.0
}

struct Awaits(bool);

impl<'a> Visitor<'a> for Awaits {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(import) => {
                self.0 |= import
                    .names
                    .iter()
                    .any(|name| name.name.as_str() == "asyncio")
            }
            Stmt::ImportFrom(import) => {
                self.0 |= import
                    .module
                    .as_ref()
                    .is_some_and(|name| name.as_str() == "asyncio")
            }
            _ => {}
        }
        ruff_python_ast::visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.0 |= matches!(expr, Expr::Await(_));
        walk_expr(self, expr);
    }
}

/// The calls that the script will make whatever they give.
pub(super) fn ahead(code: &str, functions: &[Declared], most: u32) -> Vec<Made> {
    let _ = (code, functions, most);
    Vec::new()
}
