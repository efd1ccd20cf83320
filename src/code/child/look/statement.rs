//! Statements, one after the other.

use super::expression::add;
use super::known::{Known, bound_by, extend};
use super::{Flow, Halt, Look, Seen, stored};
use ruff_python_ast::{Expr, Operator, Stmt, StmtFor, StmtFunctionDef, StmtIf, StmtTry, StmtWhile};

/// Modules that are there, and whose import does nothing else.
const MODULES: &[&str] = &["json", "math", "re", "typing"];

impl<'a> Look<'a> {
    pub(super) fn body(&mut self, body: &'a [Stmt]) -> Seen<Flow<'a>> {
        for statement in body {
            match self.deeper(|look| look.statement(statement))? {
                Flow::Next => {}
                flow @ (Flow::Break | Flow::Continue | Flow::Return(_)) => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &'a Stmt) -> Seen<Flow<'a>> {
        match statement {
            Stmt::Pass(_) => {}
            Stmt::Break(_) => return Ok(Flow::Break),
            Stmt::Continue(_) => return Ok(Flow::Continue),
            Stmt::Return(back) => {
                let value = back
                    .value
                    .as_ref()
                    .map_or(Ok(Known::None), |value| self.value(value));
                return value.map(Flow::Return);
            }
            Stmt::Expr(expression) => {
                self.value(&expression.value)?;
            }
            Stmt::Assign(assign) => {
                let value = self.value(&assign.value)?;
                for target in &assign.targets {
                    self.assign(target, value.clone())?;
                }
            }
            Stmt::AnnAssign(assign) if plain_annotation(&assign.annotation) => {
                if let Some(value) = &assign.value {
                    let value = self.value(value)?;
                    self.assign(&assign.target, value)?;
                }
            }
            Stmt::AugAssign(assign) => self.augment(&assign.target, assign.op, &assign.value)?,
            Stmt::For(each) => return self.each(each),
            Stmt::While(each) => return self.while_true(each),
            Stmt::If(branch) => return self.branch(branch),
            Stmt::Try(attempt) => return self.attempt(attempt),
            Stmt::Assert(assert) => {
                if !self.value(&assert.test)?.truth()? {
                    return Err(Halt::Lost);
                }
            }
            Stmt::Import(import) => {
                for name in &import.names {
                    let module = module(name.name.as_str())?;
                    self.set(bound_by(name), module);
                }
            }
            Stmt::ImportFrom(import) => {
                let asyncio = import
                    .module
                    .as_ref()
                    .is_some_and(|name| name.as_str() == "asyncio");
                for name in &import.names {
                    let value = Known::of_asyncio(name.name.as_str())
                        .filter(|_| asyncio && import.level == 0);
                    self.set(bound_by(name), value.ok_or(Halt::Lost)?);
                }
            }
            Stmt::FunctionDef(function) => self.define(function)?,
            _ => return Err(Halt::Lost),
        }
        Ok(Flow::Next)
    }

    /// Only a plain function of the script itself is gone into when it is called.
    fn define(&mut self, function: &'a StmtFunctionDef) -> Seen<()> {
        let parameters = &function.parameters;
        let all = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .chain(&parameters.kwonlyargs);
        let defaults = all.clone().any(|parameter| parameter.default.is_some());
        if !function.decorator_list.is_empty() || defaults || function.type_params.is_some() {
            return Err(Halt::Lost);
        }
        let simple = parameters.posonlyargs.is_empty()
            && parameters.kwonlyargs.is_empty()
            && parameters.vararg.is_none()
            && parameters.kwarg.is_none()
            && self.frames.is_empty()
            && stored(&function.body).iter().all(|name| name.is_ascii())
            && super::call::is_plain(&function.body);
        let value = if simple {
            self.definitions.push(function);
            Known::Defined(self.definitions.len() - 1)
        } else {
            Known::opaque()
        };
        self.set(function.name.as_str(), value);
        Ok(())
    }

    pub(super) fn assign(&mut self, target: &'a Expr, value: Known<'a>) -> Seen<()> {
        match target {
            Expr::Name(name) => self.set(name.id.as_str(), value),
            Expr::Tuple(targets) => self.unpack(&targets.elts, &value)?,
            Expr::List(targets) => self.unpack(&targets.elts, &value)?,
            Expr::Subscript(place) => {
                let (container, key) = (self.value(&place.value)?, self.value(&place.slice)?);
                let (Known::Dict(members), Known::Text(key)) = (container, key) else {
                    return Err(Halt::Lost);
                };
                let mut members = members.borrow_mut();
                match members.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, old)) => *old = value,
                    None => members.push((key, value)),
                }
            }
            _ => return Err(Halt::Lost),
        }
        Ok(())
    }

    fn unpack(&mut self, targets: &'a [Expr], value: &Known<'a>) -> Seen<()> {
        let items = value.items()?;
        if items.len() != targets.len() {
            return Err(Halt::Lost);
        }
        targets
            .iter()
            .zip(items)
            .try_for_each(|(target, item)| self.assign(target, item))
    }

    fn augment(&mut self, target: &'a Expr, operator: Operator, value: &'a Expr) -> Seen<()> {
        let Expr::Name(name) = target else {
            return Err(Halt::Lost);
        };
        let name = name.id.as_str();
        let (old, value) = (self.get(name)?, self.value(value)?);
        if let (Known::List(old), Known::List(more), Operator::Add) = (&old, &value, operator) {
            // In place: whoever else has this list sees it.
            let more = more.borrow().clone();
            return extend(old, more);
        }
        if operator != Operator::Add {
            return Err(Halt::Lost);
        }
        let sum = add(&old, &value)?;
        self.set(name, sum);
        Ok(())
    }

    fn each(&mut self, each: &'a StmtFor) -> Seen<Flow<'a>> {
        if each.is_async {
            return Err(Halt::Lost);
        }
        let over = self.value(&each.iter)?.over()?;
        let mut at = 0;
        // Looked at anew each time: the body may add to the list it goes over.
        while let Some(item) = over.nth(at)? {
            at += 1;
            self.assign(&each.target, item)?;
            match self.body(&each.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                back @ Flow::Return(_) => return Ok(back),
            }
        }
        self.body(&each.orelse)
    }

    fn while_true(&mut self, each: &'a StmtWhile) -> Seen<Flow<'a>> {
        while self.value(&each.test)?.truth()? {
            match self.body(&each.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                back @ Flow::Return(_) => return Ok(back),
            }
        }
        self.body(&each.orelse)
    }

    fn branch(&mut self, branch: &'a StmtIf) -> Seen<Flow<'a>> {
        if self.value(&branch.test)?.truth()? {
            return self.body(&branch.body);
        }
        for clause in &branch.elif_else_clauses {
            let taken = match &clause.test {
                Some(test) => self.value(test)?.truth()?,
                None => true,
            };
            if taken {
                return self.body(&clause.body);
            }
        }
        Ok(Flow::Next)
    }

    /// Nothing that is gone through here raises: what could ends the look.
    fn attempt(&mut self, attempt: &'a StmtTry) -> Seen<Flow<'a>> {
        let mut flow = self.body(&attempt.body)?;
        if matches!(flow, Flow::Next) {
            flow = self.body(&attempt.orelse)?;
        }
        match self.body(&attempt.finalbody)? {
            Flow::Next => Ok(flow),
            last => Ok(last),
        }
    }
}

/// What an import of that module gives.
fn module<'a>(name: &str) -> Seen<Known<'a>> {
    match name {
        "asyncio" => Ok(Known::Asyncio),
        name if MODULES.contains(&name) => Ok(Known::opaque()),
        _ => Err(Halt::Lost),
    }
}

/// An annotation that cannot fail, should it be looked at.
fn plain_annotation(annotation: &Expr) -> bool {
    let names = [
        "str", "int", "float", "bool", "list", "dict", "tuple", "set",
    ];
    match annotation {
        Expr::Name(name) => names.contains(&name.id.as_str()),
        Expr::Subscript(of) => plain_annotation(&of.value) && plain_annotation(&of.slice),
        Expr::Tuple(parts) => parts.elts.iter().all(plain_annotation),
        _ => false,
    }
}
