//! Which calls of a script give something to be awaited, and which give their result where they stand.
//!
//! Owns that question, decided for each call by itself from what the script does with the value of it: a call
//! is awaited if its value is what an `await`, `asyncio.gather` or `asyncio.run` takes, by itself, in a list, or
//! through names. All else needs the result at once. Names are looked at without their scopes: one that is
//! awaited anywhere counts as awaited everywhere.

use ruff_python_ast::visitor::{Visitor, walk_body, walk_expr, walk_stmt};
use ruff_python_ast::{Alias, Expr, ExprCall, ModModule, Parameters, Stmt, StmtFunctionDef};
use std::collections::{HashMap, HashSet};

/// Functions that give what is in their arguments.
const THROUGH: &[&str] = &[
    "list",
    "tuple",
    "set",
    "dict",
    "zip",
    "enumerate",
    "reversed",
    "iter",
    "next",
    "filter",
    "map",
    "sorted",
];
/// Methods that put their arguments into what they are called on.
const INTO: &[&str] = &[
    "append",
    "add",
    "extend",
    "insert",
    "appendleft",
    "update",
    "setdefault",
];

/// The bytes of the script that a call is, from and to.
pub(super) type Place = (usize, usize);

/// The calls of a script that are awaited.
#[derive(Debug, Default)]
pub(super) struct Awaited(HashSet<Place>);

impl Awaited {
    pub fn of(module: &ModModule) -> Self {
        let mut flow = Flow::default();
        flow.visit_body(&module.body);
        flow.pass_arguments();
        Self(flow.follow())
    }

    pub fn holds(&self, place: Place) -> bool {
        self.0.contains(&place)
    }
}

pub(super) fn place(call: &ExprCall) -> Place {
    let end = call.arguments.range.end();
    (call.range_start.to_usize(), end.to_usize())
}

/// Where values go.
#[derive(Default)]
struct Flow<'a> {
    /// What is awaited where it stands.
    roots: Vec<&'a Expr>,
    /// What a name is given somewhere; for a function, what it returns.
    given: HashMap<&'a str, Vec<&'a Expr>>,
    parameters: HashMap<&'a str, &'a Parameters>,
    calls: Vec<&'a ExprCall>,
    /// The functions around what is looked at; `None`: what one returns is awaited with it already.
    within: Vec<Option<&'a str>>,
    /// Names of the module `asyncio`, and of what is imported from it.
    asyncio: HashSet<&'a str>,
    from_asyncio: HashSet<&'a str>,
}

impl<'a> Flow<'a> {
    fn give(&mut self, target: &'a Expr, value: &'a Expr) {
        match target {
            Expr::Tuple(targets) => self.give_each(&targets.elts, value),
            Expr::List(targets) => self.give_each(&targets.elts, value),
            Expr::Starred(starred) => self.give(&starred.value, value),
            target => {
                if let Some(name) = root(target) {
                    self.given.entry(name).or_default().push(value);
                }
            }
        }
    }

    fn give_each(&mut self, targets: &'a [Expr], value: &'a Expr) {
        let values = match value {
            Expr::Tuple(values) => values.elts.as_slice(),
            Expr::List(values) => values.elts.as_slice(),
            _ => &[],
        };
        let paired = values.len() == targets.len() && !values.iter().any(Expr::is_starred_expr);
        for (at, target) in targets.iter().enumerate() {
            let value = values.get(at).filter(|_| paired).unwrap_or(value);
            self.give(target, value);
        }
    }

    fn give_back(&mut self, value: Option<&'a Expr>) {
        if let (Some(Some(function)), Some(value)) = (self.within.last().copied(), value) {
            self.given.entry(function).or_default().push(value);
        }
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        let name = function.name.as_str();
        self.parameters.insert(name, &function.parameters);
        self.within.push((!function.is_async).then_some(name));
        walk_body(self, &function.body);
        self.within.pop();
    }

    fn import(&mut self, of: &'a [Alias]) {
        for alias in of.iter().filter(|alias| alias.name.as_str() == "asyncio") {
            self.asyncio.insert(bound(alias));
        }
    }

    fn call(&mut self, call: &'a ExprCall) {
        if let Expr::Attribute(method) = &*call.func
            && INTO.contains(&method.attr.as_str())
        {
            for argument in &call.arguments.args {
                self.give(&method.value, argument);
            }
        }
        self.calls.push(call);
    }

    /// Whether a function is one of `asyncio`: it awaits what it is given.
    fn awaits(&self, function: &Expr) -> bool {
        match function {
            Expr::Name(name) => self.from_asyncio.contains(name.id.as_str()),
            Expr::Attribute(method) => method
                .value
                .as_name_expr()
                .is_some_and(|of| self.asyncio.contains(of.id.as_str())),
            _ => false,
        }
    }

    /// Gives the parameters of the script's functions what they are called with.
    fn pass_arguments(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            if self.awaits(&call.func) {
                self.roots.extend(&call.arguments.args);
            }
            let name = match &*call.func {
                Expr::Name(name) => name.id.as_str(),
                _ => continue,
            };
            let Some(parameters) = self.parameters.get(name).copied() else {
                continue;
            };
            let plain = parameters.posonlyargs.iter().chain(&parameters.args);
            let mut names = plain.map(|parameter| parameter.parameter.name.as_str());
            let rest = parameters.vararg.as_ref().map(|rest| rest.name.as_str());
            for argument in &call.arguments.args {
                if let Some(name) = names.next().or(rest) {
                    self.given.entry(name).or_default().push(argument);
                }
            }
            for keyword in &call.arguments.keywords {
                if let Some(name) = &keyword.arg {
                    let given = self.given.entry(name.as_str()).or_default();
                    given.push(&keyword.value);
                }
            }
        }
    }

    /// The places of all calls whose values are awaited.
    fn follow(self) -> HashSet<Place> {
        let mut awaited = HashSet::new();
        let (mut names, mut seen) = (HashSet::new(), HashSet::new());
        let mut next = self.roots;
        while let Some(value) = next.pop() {
            if !seen.insert(std::ptr::from_ref(value)) {
                continue;
            }
            let name = match value {
                Expr::Name(name) => Some(name.id.as_str()),
                Expr::Call(call) => {
                    awaited.insert(place(call));
                    through(call, &mut next)
                }
                value => {
                    parts(value, &mut next);
                    None
                }
            };
            if let Some(name) = name.filter(|name| names.insert(*name)) {
                next.extend(self.given.get(name).into_iter().flatten());
            }
        }
        awaited
    }
}

impl<'a> Visitor<'a> for Flow<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => return self.function(function),
            Stmt::Import(import) => self.import(&import.names),
            Stmt::ImportFrom(import)
                if import
                    .module
                    .as_ref()
                    .is_some_and(|name| name.as_str() == "asyncio") =>
            {
                self.from_asyncio.extend(import.names.iter().map(bound));
            }
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.give(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.give(&assign.target, value);
                }
            }
            Stmt::AugAssign(assign) => self.give(&assign.target, &assign.value),
            Stmt::For(each) => self.give(&each.target, &each.iter),
            Stmt::Return(back) => self.give_back(back.value.as_deref()),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Await(awaited) => self.roots.push(&awaited.value),
            Expr::Call(call) => self.call(call),
            Expr::Named(named) => self.give(&named.target, &named.value),
            Expr::Yield(back) => self.give_back(back.value.as_deref()),
            Expr::YieldFrom(back) => self.give_back(Some(&back.value)),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn visit_comprehension(&mut self, of: &'a ruff_python_ast::Comprehension) {
        self.give(&of.target, &of.iter);
        ruff_python_ast::visitor::walk_comprehension(self, of);
    }
}

/// What the value of a call is made of, and the name that gives it.
fn through<'a>(call: &'a ExprCall, next: &mut Vec<&'a Expr>) -> Option<&'a str> {
    match &*call.func {
        Expr::Name(name) if THROUGH.contains(&name.id.as_str()) => {
            next.extend(&call.arguments.args);
            next.extend(call.arguments.keywords.iter().map(|keyword| &keyword.value));
            None
        }
        Expr::Name(name) => Some(name.id.as_str()),
        // Out of what it is called on, or the function of a class.
        Expr::Attribute(method) => {
            next.push(&method.value);
            Some(method.attr.as_str())
        }
        called => {
            next.push(called);
            None
        }
    }
}

/// The parts of a value that it may be, or that are in it.
fn parts<'a>(value: &'a Expr, next: &mut Vec<&'a Expr>) {
    match value {
        Expr::Attribute(of) => next.push(&of.value),
        Expr::Subscript(of) => next.push(&of.value),
        Expr::Starred(of) => next.push(&of.value),
        Expr::Named(named) => next.push(&named.value),
        Expr::If(choice) => next.extend([&*choice.body, &*choice.orelse]),
        Expr::BoolOp(chain) => next.extend(&chain.values),
        Expr::BinOp(sum) => next.extend([&*sum.left, &*sum.right]),
        Expr::List(list) => next.extend(&list.elts),
        Expr::Tuple(tuple) => next.extend(&tuple.elts),
        Expr::Set(set) => next.extend(&set.elts),
        Expr::Dict(dict) => next.extend(dict.items.iter().map(|item| &item.value)),
        Expr::ListComp(each) => next.push(&each.elt),
        Expr::SetComp(each) => next.push(&each.elt),
        Expr::Generator(each) => next.push(&each.elt),
        Expr::DictComp(each) => next.extend([&*each.value]),
        Expr::Lambda(function) => next.push(&function.body),
        _ => {}
    }
}

/// The name that a target is, or is a part of.
fn root(target: &Expr) -> Option<&str> {
    let mut at = target;
    loop {
        at = match at {
            Expr::Name(name) => return Some(name.id.as_str()),
            Expr::Attribute(of) => &of.value,
            Expr::Subscript(of) => &of.value,
            _ => return None,
        };
    }
}

/// The name that an import gives.
fn bound(alias: &Alias) -> &str {
    alias.asname.as_ref().unwrap_or(&alias.name).as_str()
}
