//! Expressions, in the order in which Python evaluates them.

use ruff_python_ast::{
    CmpOp, Comprehension, ConversionFlag, Expr, ExprBoolOp, ExprCompare, ExprDict, ExprFString,
    ExprListComp, ExprSubscript, FStringPart, InterpolatedStringElement, Number, Operator, UnaryOp,
};
use std::cell::RefCell;
use std::rc::Rc;

use super::known::Known;
use super::{Halt, Look, Seen};

impl<'a> Look<'a> {
    pub(super) fn value(&mut self, expression: &'a Expr) -> Seen<Known<'a>> {
        self.deeper(|look| look.evaluate(expression))
    }

    fn evaluate(&mut self, expression: &'a Expr) -> Seen<Known<'a>> {
        match expression {
            Expr::NoneLiteral(_) => Ok(Known::None),
            Expr::BooleanLiteral(literal) => Ok(Known::Bool(literal.value)),
            Expr::StringLiteral(literal) => Known::text(literal.value.to_str()),
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(number) => number.as_i64().map(Known::Int).ok_or(Halt::Lost),
                Number::Float(number) => Ok(Known::Float(*number)),
                Number::Complex { .. } => Err(Halt::Lost),
            },
            Expr::FString(text) => self.f_string(text),
            Expr::Name(name) => self.get(name.id.as_str()),
            Expr::List(list) => Known::list(self.spread(&list.elts)?),
            Expr::Tuple(tuple) => Ok(Known::Tuple(Rc::new(self.spread(&tuple.elts)?))),
            Expr::Dict(dict) => self.dict(dict),
            Expr::ListComp(comprehension) => self.comprehension(comprehension),
            Expr::UnaryOp(unary) => {
                let operand = self.value(&unary.operand)?;
                match (unary.op, operand) {
                    (UnaryOp::Not, Known::Unknown) => Ok(Known::Unknown),
                    (UnaryOp::Not, operand) => operand.truth().map(|yes| Known::Bool(!yes)),
                    (UnaryOp::USub, Known::Int(number)) => {
                        number.checked_neg().map(Known::Int).ok_or(Halt::Lost)
                    }
                    (UnaryOp::USub, Known::Float(number)) => Ok(Known::Float(-number)),
                    _ => Err(Halt::Lost),
                }
            }
            Expr::BinOp(binary) => {
                let (left, right) = (self.value(&binary.left)?, self.value(&binary.right)?);
                match binary.op {
                    Operator::Add => add(&left, &right),
                    Operator::Sub => whole(&left, &right, i64::checked_sub),
                    Operator::Mult => whole(&left, &right, i64::checked_mul),
                    _ => Err(Halt::Lost),
                }
            }
            Expr::BoolOp(chain) => self.chain(chain),
            Expr::Compare(compare) => self.compare(compare),
            Expr::If(choice) => {
                let taken = self.value(&choice.test)?.truth()?;
                self.value(if taken { &choice.body } else { &choice.orelse })
            }
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::Call(call) => self.call(call),
            Expr::Await(awaited) => {
                let awaited = self.value(&awaited.value)?;
                self.wait(&awaited)
            }
            _ => Err(Halt::Lost),
        }
    }

    /// Items of a list or arguments, with `*` spread out.
    pub(super) fn spread(&mut self, items: &'a [Expr]) -> Seen<Vec<Known<'a>>> {
        let mut all = Vec::new();
        for item in items {
            match item {
                Expr::Starred(starred) => all.extend(self.value(&starred.value)?.items()?),
                item => all.push(self.value(item)?),
            }
        }
        Ok(all)
    }

    fn dict(&mut self, dict: &'a ExprDict) -> Seen<Known<'a>> {
        let mut members: Vec<(Rc<str>, Known<'a>)> = Vec::new();
        for item in &dict.items {
            let key = item.key.as_ref().ok_or(Halt::Lost)?;
            let Known::Text(key) = self.value(key)? else {
                return Err(Halt::Lost);
            };
            let value = self.value(&item.value)?;
            match members.iter_mut().find(|(name, _)| *name == key) {
                Some((_, old)) => *old = value,
                None => members.push((key, value)),
            }
        }
        Ok(Known::Dict(Rc::new(RefCell::new(members))))
    }

    fn f_string(&mut self, text: &'a ExprFString) -> Seen<Known<'a>> {
        let mut printed = Some(String::new());
        for part in &text.value {
            match part {
                FStringPart::Literal(literal) => push(&mut printed, Some(literal.as_str())),
                FStringPart::FString(inner) => {
                    for element in &inner.elements {
                        self.f_element(element, &mut printed)?;
                    }
                }
            }
        }
        printed.map_or(Ok(Known::Unknown), |printed| Known::text(&printed))
    }

    fn f_element(
        &mut self,
        element: &'a InterpolatedStringElement,
        printed: &mut Option<String>,
    ) -> Seen<()> {
        match element {
            InterpolatedStringElement::Literal(literal) => push(printed, Some(&*literal.value)),
            InterpolatedStringElement::Interpolation(inner) => {
                let as_text =
                    matches!(inner.conversion, ConversionFlag::None | ConversionFlag::Str);
                if !as_text || inner.debug_text.is_some() || inner.format_spec.is_some() {
                    return Err(Halt::Lost);
                }
                let value = self.value(&inner.expression)?;
                if !value.is_plain() {
                    return Err(Halt::Lost);
                }
                push(printed, value.printed().as_deref());
            }
        }
        Ok(())
    }

    /// `and`, `or`: what is not evaluated makes no calls.
    fn chain(&mut self, chain: &'a ExprBoolOp) -> Seen<Known<'a>> {
        let mut last = Known::None;
        for value in &chain.values {
            last = self.value(value)?;
            let truth = match last.truth() {
                Ok(truth) => truth,
                // The end of the chain is its value, whatever it is.
                Err(_) if std::ptr::eq(value, chain.values.last().unwrap_or(value)) => {
                    return Ok(last);
                }
                Err(halt) => return Err(halt),
            };
            if truth == chain.op.is_or() {
                return Ok(last);
            }
        }
        Ok(last)
    }

    fn compare(&mut self, compare: &'a ExprCompare) -> Seen<Known<'a>> {
        let left = self.value(&compare.left)?;
        let ([operator], [right]) = (&*compare.ops, &*compare.comparators) else {
            return Err(Halt::Lost);
        };
        let right = self.value(right)?;
        let known = match operator {
            CmpOp::Eq | CmpOp::NotEq if left.is_plain() && right.is_plain() => {
                left.equals(&right).ok()
            }
            // Of texts and numbers, identity is the interpreter's business.
            CmpOp::Is | CmpOp::IsNot if left.is_plain() && matches!(right, Known::None) => {
                (!matches!(left, Known::Unknown)).then_some(matches!(left, Known::None))
            }
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => {
                return order(*operator, &left, &right);
            }
            CmpOp::In | CmpOp::NotIn => return within(*operator, &left, &right),
            _ => return Err(Halt::Lost),
        };
        let wanted = matches!(operator, CmpOp::Eq | CmpOp::Is);
        Ok(known.map_or(Known::Unknown, |same| Known::Bool(same == wanted)))
    }

    fn subscript(&mut self, subscript: &'a ExprSubscript) -> Seen<Known<'a>> {
        let (container, key) = (self.value(&subscript.value)?, self.value(&subscript.slice)?);
        let found = match (&container, &key) {
            (Known::Dict(members), Known::Text(key)) => members
                .borrow()
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value.clone()),
            (Known::List(_) | Known::Tuple(_), Known::Int(at)) => {
                let items = container.items()?;
                let length = i64::try_from(items.len()).map_err(|_| Halt::Lost)?;
                let at = if *at < 0 {
                    at.checked_add(length).ok_or(Halt::Lost)?
                } else {
                    *at
                };
                usize::try_from(at)
                    .ok()
                    .and_then(|at| items.get(at).cloned())
            }
            _ => None,
        };
        found.ok_or(Halt::Lost)
    }

    fn comprehension(&mut self, comprehension: &'a ExprListComp) -> Seen<Known<'a>> {
        let open = self.inner.len();
        let mut items = Vec::new();
        let seen = self.generate(&comprehension.generators, &comprehension.elt, &mut items);
        self.inner.truncate(open);
        seen?;
        Known::list(items)
    }

    fn generate(
        &mut self,
        generators: &'a [Comprehension],
        item: &'a Expr,
        items: &mut Vec<Known<'a>>,
    ) -> Seen<()> {
        let Some((first, rest)) = generators.split_first() else {
            items.push(self.value(item)?);
            return Ok(());
        };
        if first.is_async {
            return Err(Halt::Lost);
        }
        let over = self.value(&first.iter)?.over()?;
        let open = self.inner.len();
        let mut at = 0;
        'items: while let Some(value) = over.nth(at)? {
            at += 1;
            self.inner.truncate(open);
            self.bind(&first.target, value)?;
            for later in rest {
                self.unbind(&later.target)?;
            }
            for condition in &first.ifs {
                if !self.value(condition)?.truth()? {
                    continue 'items;
                }
            }
            self.deeper(|look| look.generate(rest, item, items))?;
        }
        Ok(())
    }

    /// Gives a name of a comprehension its value.
    fn bind(&mut self, target: &'a Expr, value: Known<'a>) -> Seen<()> {
        match target {
            Expr::Name(name) => {
                self.inner.push((name.id.as_str(), value));
                Ok(())
            }
            Expr::Tuple(targets) => {
                let items = value.items()?;
                if items.len() != targets.elts.len() {
                    return Err(Halt::Lost);
                }
                targets
                    .elts
                    .iter()
                    .zip(items)
                    .try_for_each(|(target, item)| self.bind(target, item))
            }
            _ => Err(Halt::Lost),
        }
    }

    fn unbind(&mut self, target: &'a Expr) -> Seen<()> {
        match target {
            Expr::Name(name) => {
                self.inner.push((name.id.as_str(), Known::Unbound));
                Ok(())
            }
            Expr::Tuple(targets) => targets
                .elts
                .iter()
                .try_for_each(|target| self.unbind(target)),
            _ => Err(Halt::Lost),
        }
    }
}

fn push(printed: &mut Option<String>, part: Option<&str>) {
    match (printed.as_mut(), part) {
        (Some(text), Some(part)) => text.push_str(part),
        _ => *printed = None,
    }
}

/// `+` of what can be added without raising.
pub(super) fn add<'a>(left: &Known<'a>, right: &Known<'a>) -> Seen<Known<'a>> {
    match (left, right) {
        (Known::Text(left), Known::Text(right)) => Known::text(&format!("{left}{right}")),
        (Known::List(left), Known::List(right)) => {
            let (left, right) = (left.borrow(), right.borrow());
            Known::list(left.iter().chain(right.iter()).cloned().collect())
        }
        _ => whole(left, right, i64::checked_add),
    }
}

fn whole<'a>(
    left: &Known<'a>,
    right: &Known<'a>,
    of: fn(i64, i64) -> Option<i64>,
) -> Seen<Known<'a>> {
    match (left, right) {
        (Known::Int(left), Known::Int(right)) => {
            of(*left, *right).map(Known::Int).ok_or(Halt::Lost)
        }
        _ => Err(Halt::Lost),
    }
}

fn order<'a>(operator: CmpOp, left: &Known<'a>, right: &Known<'a>) -> Seen<Known<'a>> {
    let order = match (left, right) {
        (Known::Int(left), Known::Int(right)) => left.cmp(right),
        (Known::Text(left), Known::Text(right)) => left.cmp(right),
        _ => return Err(Halt::Lost),
    };
    Ok(Known::Bool(match operator {
        CmpOp::Lt => order.is_lt(),
        CmpOp::LtE => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }))
}

fn within<'a>(operator: CmpOp, left: &Known<'a>, right: &Known<'a>) -> Seen<Known<'a>> {
    let found = match (left, right) {
        (Known::Text(left), Known::Text(right)) => right.contains(&**left),
        (Known::Text(left), Known::Dict(members)) => {
            members.borrow().iter().any(|(name, _)| name == left)
        }
        (left, Known::List(_) | Known::Tuple(_)) => {
            let same: Seen<Vec<bool>> = right
                .items()?
                .iter()
                .map(|item| left.equals(item))
                .collect();
            same?.contains(&true)
        }
        _ => return Err(Halt::Lost),
    };
    Ok(Known::Bool(found == matches!(operator, CmpOp::In)))
}
