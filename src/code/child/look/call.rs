//! Calls: of tools, of the script's own functions, of a few that Python brings; and what is awaited.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::super::wire::Made;
use super::super::arguments::arguments;
use super::super::awaited::{Place, place};
use super::super::standing::line_at;
use super::known::{Builtin, Known, extend};
use super::{Flow, Frame, Future, Halt, Look, Seen, stored};
use monty_types::MontyObject;

/// How many items a `range` may have.
const LONGEST: i64 = 2000;

/// Arguments as they are given.
struct Given<'a> {
    positional: Vec<Known<'a>>,
    named: Vec<(Rc<str>, Known<'a>)>,
}

impl<'a> Look<'a> {
    pub(super) fn call(&mut self, call: &'a ExprCall) -> Seen<Known<'a>> {
        if let Expr::Attribute(method) = &*call.func
            && method.attr.as_str() == "append"
        {
            return self.append(&method.value, call);
        }
        let called = match &*call.func {
            Expr::Name(name) => self.get(name.id.as_str())?,
            Expr::Attribute(of) => match self.value(&of.value)? {
                Known::Asyncio => Known::of_asyncio(of.attr.as_str()).ok_or(Halt::Lost)?,
                _ => return Err(Halt::Lost),
            },
            _ => return Err(Halt::Lost),
        };
        let callable = matches!(
            called,
            Known::Tool(_) | Known::Defined(_) | Known::Builtin(_)
        );
        if !callable {
            return Err(Halt::Lost);
        }
        let given = self.given(call)?;
        match called {
            Known::Tool(at) => self.tool(at, &given, place(call)),
            Known::Defined(at) => self.defined(at, given),
            Known::Builtin(builtin) if given.named.is_empty() => {
                self.builtin(builtin, given.positional)
            }
            _ => Err(Halt::Lost),
        }
    }

    fn append(&mut self, list: &'a Expr, call: &'a ExprCall) -> Seen<Known<'a>> {
        let Known::List(items) = self.value(list)? else {
            return Err(Halt::Lost);
        };
        let given = self.given(call)?;
        match (
            <[Known<'a>; 1]>::try_from(given.positional),
            given.named.is_empty(),
        ) {
            (Ok([item]), true) => {
                extend(&items, vec![item])?;
                Ok(Known::None)
            }
            _ => Err(Halt::Lost),
        }
    }

    fn given(&mut self, call: &'a ExprCall) -> Seen<Given<'a>> {
        let arguments = &call.arguments;
        let first_named = arguments
            .keywords
            .first()
            .map(|keyword| keyword.range.start());
        let starred = arguments.args.iter().filter_map(Expr::as_starred_expr);
        if let Some(first) = first_named
            && starred
                .into_iter()
                .any(|starred| starred.range.start() > first)
        {
            // Who is evaluated first is a question of taste.
            return Err(Halt::Lost);
        }
        let positional = self.spread(&arguments.args)?;
        let mut named = Vec::new();
        for keyword in &arguments.keywords {
            // How others are spelled in the end is the interpreter's business.
            if keyword.arg.as_ref().is_some_and(|name| !name.is_ascii()) {
                return Err(Halt::Lost);
            }
            let value = self.value(&keyword.value)?;
            match (&keyword.arg, value) {
                (Some(name), value) => named.push((Rc::from(name.as_str()), value)),
                (None, Known::Dict(members)) => named.extend(members.borrow().iter().cloned()),
                (None, _) => return Err(Halt::Lost),
            }
        }
        Ok(Given { positional, named })
    }

    /// A call of a tool: counted always, found if all of its arguments are known.
    fn tool(&mut self, at: usize, given: &Given<'a>, place: Place) -> Seen<Known<'a>> {
        let function = self.functions.get(at).ok_or(Halt::Lost)?;
        let mut known = true;
        let mut object = |value: &Known<'a>| -> Seen<MontyObject> {
            let object = value.object()?;
            known &= object.is_some();
            Ok(object.unwrap_or(MontyObject::None))
        };
        let positional: Seen<Vec<_>> = given.positional.iter().map(&mut object).collect();
        let named: Seen<Vec<_>> = given
            .named
            .iter()
            .map(|(name, value)| Ok((MontyObject::String(name.to_string()), object(value)?)))
            .collect();
        let arguments =
            arguments(function, positional?, named?, &mut self.telling).map_err(|_| Halt::Lost)?;
        if self.number >= self.most {
            return Err(Halt::Lost);
        }
        self.number += 1;
        let made = known.then(|| Made {
            number: self.number,
            call: self.number,
            function: function.name.clone(),
            arguments,
            line: line_at(self.code, place.0),
        });
        if self.awaited.holds(place) {
            self.futures.push(Future { made, met: false });
            return Ok(Known::Future(self.futures.len() - 1));
        }
        self.found.extend(made);
        Ok(Known::Unknown)
    }

    fn defined(&mut self, at: usize, given: Given<'a>) -> Seen<Known<'a>> {
        let function = *self.definitions.get(at).ok_or(Halt::Lost)?;
        let parameters = &function.parameters.args;
        let mut values: Vec<Option<Known<'a>>> = given.positional.into_iter().map(Some).collect();
        if values.len() > parameters.len() {
            return Err(Halt::Lost);
        }
        values.resize(parameters.len(), None);
        for (name, value) in given.named {
            let at = parameters
                .iter()
                .position(|parameter| parameter.parameter.name.as_str() == &*name);
            let place = at.and_then(|at| values.get_mut(at)).ok_or(Halt::Lost)?;
            if place.replace(value).is_some() {
                return Err(Halt::Lost);
            }
        }
        let values: Option<Vec<_>> = values.into_iter().collect();
        let values = values.ok_or(Halt::Lost)?;
        if function.is_async {
            self.coroutines.push(Some((at, values)));
            return Ok(Known::Coroutine(self.coroutines.len() - 1));
        }
        self.enter(at, values)
    }

    /// Goes through a function of the script.
    fn enter(&mut self, at: usize, values: Vec<Known<'a>>) -> Seen<Known<'a>> {
        let function = *self.definitions.get(at).ok_or(Halt::Lost)?;
        let names: Vec<&'a str> = function
            .parameters
            .args
            .iter()
            .map(|parameter| parameter.parameter.name.as_str())
            .collect();
        let mut own: HashSet<&'a str> = stored(&function.body);
        own.extend(&names);
        let values: HashMap<_, _> = names.into_iter().zip(values).collect();
        self.frames.push(Frame {
            own,
            values,
            hides: self.inner.len(),
        });
        let flow = self.deeper(|look| look.body(&function.body));
        self.frames.pop();
        match flow? {
            Flow::Return(value) => Ok(value),
            Flow::Next | Flow::Break | Flow::Continue => Ok(Known::None),
        }
    }

    fn builtin(&mut self, builtin: Builtin, given: Vec<Known<'a>>) -> Seen<Known<'a>> {
        match (builtin, given.as_slice()) {
            (Builtin::Print, given) if given.iter().all(Known::is_plain) => Ok(Known::None),
            (Builtin::Len, [of]) => {
                let length = of.length().ok_or(Halt::Lost)?;
                i64::try_from(length)
                    .map(Known::Int)
                    .map_err(|_| Halt::Lost)
            }
            (Builtin::Str, [value]) if value.is_plain() => value
                .printed()
                .map_or(Ok(Known::Unknown), |text| Known::text(&text)),
            (Builtin::List, []) => Known::list(Vec::new()),
            (Builtin::List, [of]) => Known::list(of.items()?),
            (Builtin::Enumerate, [of]) => {
                let length = of.length().ok_or(Halt::Lost)?;
                let of = Rc::new(of.clone().over()?);
                Ok(Known::Counted(of, length, Rc::default()))
            }
            (Builtin::Range, [Known::Int(end)]) => range(0, *end),
            (Builtin::Range, [Known::Int(start), Known::Int(end)]) => range(*start, *end),
            (Builtin::Gather, _) => {
                let awaitable =
                    |known: &Known<'a>| matches!(known, Known::Future(_) | Known::Coroutine(_));
                if !given.iter().all(awaitable) {
                    return Err(Halt::Lost);
                }
                self.gathers.push(Some(given));
                Ok(Known::Gather(self.gathers.len() - 1))
            }
            (Builtin::Run, [awaited]) => self.wait(awaited),
            _ => Err(Halt::Lost),
        }
    }

    /// What comes of awaiting it.
    pub(super) fn wait(&mut self, awaited: &Known<'a>) -> Seen<Known<'a>> {
        match *awaited {
            Known::Future(at) => {
                let had = self.meet(at)?;
                if self.in_task && !had {
                    Err(Halt::Blocked)
                } else {
                    Ok(Known::Unknown)
                }
            }
            Known::Coroutine(at) => {
                let (at, values) = self
                    .coroutines
                    .get_mut(at)
                    .and_then(Option::take)
                    .ok_or(Halt::Lost)?;
                self.enter(at, values)
            }
            Known::Gather(at) => {
                let members = self
                    .gathers
                    .get_mut(at)
                    .and_then(Option::take)
                    .ok_or(Halt::Lost)?;
                self.gather(&members)
            }
            _ => Err(Halt::Lost),
        }
    }

    /// The script waits for this call; whether it has its result already.
    fn meet(&mut self, at: usize) -> Seen<bool> {
        let future = self.futures.get_mut(at).ok_or(Halt::Lost)?;
        self.found.extend(future.made.take());
        Ok(std::mem::replace(&mut future.met, true))
    }

    fn gather(&mut self, members: &[Known<'a>]) -> Seen<Known<'a>> {
        if self.in_task {
            // Its own tasks come after all that are there already.
            return Err(Halt::Blocked);
        }
        let tasks: Vec<_> = members.iter().filter_map(Known::coroutine).collect();
        if tasks.is_empty() {
            let results = members.iter().map(|member| self.wait(member));
            return Known::list(results.collect::<Seen<_>>()?);
        }
        // One that raises at once takes the others with it, and nothing is asked for.
        let before = self.found.len();
        let all = self.wave(members, tasks);
        if all.is_err() {
            self.found.truncate(before);
        }
        Err(Halt::Lost)
    }

    /// Each task runs to its first call; who goes on first then depends on whose answer comes first.
    fn wave(&mut self, members: &[Known<'a>], tasks: Vec<usize>) -> Seen<()> {
        for member in members {
            if let Known::Future(at) = member {
                self.meet(*at)?;
            }
        }
        self.in_task = true;
        for at in tasks {
            let coroutine = self.coroutines.get_mut(at).and_then(Option::take);
            let (at, values) = coroutine.ok_or(Halt::Lost)?;
            match self.enter(at, values) {
                Ok(_) | Err(Halt::Blocked) => {}
                Err(Halt::Lost) => return Err(Halt::Lost),
            }
        }
        Ok(())
    }
}

fn range<'a>(start: i64, end: i64) -> Seen<Known<'a>> {
    let length = end.checked_sub(start).ok_or(Halt::Lost)?;
    if length > LONGEST {
        return Err(Halt::Lost);
    }
    Ok(Known::Range(Rc::new(
        (start..end).map(Known::Int).collect(),
    )))
}

/// Whether a function's body can be gone through when it is called: no generator, and no names of others.
pub(super) fn is_plain(body: &[Stmt]) -> bool {
    let mut odd = Odd(false);
    odd.visit_body(body);
    !odd.0
}

struct Odd(bool);

impl<'a> Visitor<'a> for Odd {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let odd = matches!(
            stmt,
            Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::FunctionDef(_) | Stmt::ClassDef(_)
        );
        self.0 |= odd;
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.0 |= matches!(expr, Expr::Yield(_) | Expr::YieldFrom(_));
        walk_expr(self, expr);
    }
}
