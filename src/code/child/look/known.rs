//! Values as far as they are known without running the script.

use monty_types::{DictPairs, MontyObject};
use ruff_python_ast::Alias;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::{Halt, Seen};

/// How long a text or a list may become.
const LONGEST: usize = 20_000;
/// How deep a value may be to be passed on.
const DEEPEST: usize = 32;
/// Values in one argument.
const MOST: usize = 20_000;

pub(super) type Items<'a> = Rc<RefCell<Vec<Known<'a>>>>;
pub(super) type Members<'a> = Rc<RefCell<Vec<(Rc<str>, Known<'a>)>>>;

/// What is known of a value. Lists and dictionaries are shared, as in Python.
#[derive(Debug, Clone)]
pub(super) enum Known<'a> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Rc<str>),
    List(Items<'a>),
    Tuple(Rc<Vec<Known<'a>>>),
    Dict(Members<'a>),
    /// What a call gives: any value that JSON has, or something made of one.
    Unknown,
    /// The numbers of a `range`.
    Range(Rc<Vec<Known<'a>>>),
    /// An `enumerate`: of what, of how many, and whether it was gone over.
    Counted(Rc<Known<'a>>, usize, Rc<Cell<bool>>),
    /// What a call gives once it is awaited.
    Future(usize),
    Coroutine(usize),
    Gather(usize),
    /// A function of the script, by its place among the definitions.
    Defined(usize),
    /// A tool, by its place among the functions.
    Tool(usize),
    Builtin(Builtin),
    /// The module `asyncio`.
    Asyncio,
    /// Something that is there and must not be touched.
    Opaque(std::marker::PhantomData<&'a ()>),
    /// A name of a comprehension that has no value yet.
    Unbound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    Print,
    Len,
    Range,
    Str,
    List,
    Enumerate,
    Gather,
    Run,
}

impl Known<'_> {
    pub fn text(text: &str) -> Seen<Self> {
        if text.len() > LONGEST {
            Err(Halt::Lost)
        } else {
            Ok(Self::Text(text.into()))
        }
    }

    pub fn list(items: Vec<Self>) -> Seen<Self> {
        if items.len() > LONGEST {
            Err(Halt::Lost)
        } else {
            Ok(Self::List(Rc::new(RefCell::new(items))))
        }
    }

    pub const fn opaque() -> Self {
        Self::Opaque(std::marker::PhantomData)
    }

    pub fn builtin(name: &str) -> Option<Self> {
        let builtin = match name {
            "print" => Builtin::Print,
            "len" => Builtin::Len,
            "range" => Builtin::Range,
            "str" => Builtin::Str,
            "list" => Builtin::List,
            "enumerate" => Builtin::Enumerate,
            _ => return None,
        };
        Some(Self::Builtin(builtin))
    }

    /// What `asyncio` has under that name.
    pub fn of_asyncio(name: &str) -> Option<Self> {
        match name {
            "gather" => Some(Self::Builtin(Builtin::Gather)),
            "run" => Some(Self::Builtin(Builtin::Run)),
            _ => None,
        }
    }

    pub fn coroutine(&self) -> Option<usize> {
        match self {
            Self::Coroutine(at) => Some(*at),
            _ => None,
        }
    }

    pub fn bound(&self) -> Seen<Self> {
        match self {
            Self::Unbound => Err(Halt::Lost),
            known => Ok(known.clone()),
        }
    }

    /// Whether Python takes it for true.
    pub fn truth(&self) -> Seen<bool> {
        match self {
            Self::None => Ok(false),
            Self::Bool(yes) => Ok(*yes),
            Self::Int(number) => Ok(*number != 0),
            Self::Float(number) => Ok(*number != 0.0),
            Self::Text(text) => Ok(!text.is_empty()),
            Self::List(items) => Ok(!items.borrow().is_empty()),
            Self::Tuple(items) => Ok(!items.is_empty()),
            Self::Dict(members) => Ok(!members.borrow().is_empty()),
            _ => Err(Halt::Lost),
        }
    }

    /// Begins to go over it, if that can be done.
    pub fn over(self) -> Seen<Self> {
        match &self {
            Self::List(_) | Self::Tuple(_) | Self::Text(_) | Self::Range(_) => Ok(self),
            // Only once, as in Python.
            Self::Counted(_, _, gone) if !gone.replace(true) => Ok(self),
            _ => Err(Halt::Lost),
        }
    }

    /// The item of that place, if there are so many.
    pub fn nth(&self, at: usize) -> Seen<Option<Self>> {
        Ok(match self {
            Self::List(items) => items.borrow().get(at).cloned(),
            Self::Tuple(items) | Self::Range(items) => items.get(at).cloned(),
            Self::Text(text) => {
                let letter = text.chars().nth(at);
                letter.map(|c| Self::Text(c.to_string().into()))
            }
            // Whether it sees what is added meanwhile is the interpreter's business.
            Self::Counted(of, length, _) if of.length() == Some(*length) => {
                let number = i64::try_from(at).map_err(|_| Halt::Lost)?;
                let item = of.nth(at)?;
                item.map(|item| Self::Tuple(Rc::new(vec![Self::Int(number), item])))
            }
            _ => return Err(Halt::Lost),
        })
    }

    /// How many items it has.
    pub fn length(&self) -> Option<usize> {
        match self {
            Self::List(items) => Some(items.borrow().len()),
            Self::Tuple(items) | Self::Range(items) => Some(items.len()),
            Self::Text(text) => Some(text.chars().count()),
            Self::Dict(members) => Some(members.borrow().len()),
            _ => None,
        }
    }

    /// All that going over it at once gives.
    pub fn items(&self) -> Seen<Vec<Self>> {
        let over = self.clone().over()?;
        (0..).map_while(|at| over.nth(at).transpose()).collect()
    }

    /// A plain value that can be compared and printed without looking further.
    pub fn is_scalar(&self) -> bool {
        matches!(
            self,
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Text(_)
        )
    }

    /// Any value that JSON has, wholly known or not: printing or comparing it cannot raise.
    pub fn is_plain(&self) -> bool {
        self.is_scalar()
            || matches!(
                self,
                Self::Float(_) | Self::List(_) | Self::Tuple(_) | Self::Dict(_) | Self::Unknown
            )
    }

    /// Whether two scalars are the same to Python.
    pub fn equals(&self, other: &Self) -> Seen<bool> {
        match (self, other) {
            (Self::Text(one), Self::Text(two)) => Ok(one == two),
            (Self::Int(one), Self::Int(two)) => Ok(one == two),
            (Self::Bool(one), Self::Bool(two)) => Ok(one == two),
            (Self::Bool(one), Self::Int(two)) | (Self::Int(two), Self::Bool(one)) => {
                Ok(i64::from(*one) == *two)
            }
            (one, two) if one.is_scalar() && two.is_scalar() => {
                Ok(matches!((one, two), (Self::None, Self::None)))
            }
            _ => Err(Halt::Lost),
        }
    }

    /// As Python prints it.
    pub fn printed(&self) -> Option<String> {
        match self {
            Self::None => Some("None".to_owned()),
            Self::Bool(true) => Some("True".to_owned()),
            Self::Bool(false) => Some("False".to_owned()),
            Self::Int(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.to_string()),
            _ => None,
        }
    }

    /// The value that a tool would get; nothing if not all of it is known.
    pub fn object(&self) -> Seen<Option<MontyObject>> {
        let mut left = MOST;
        self.whole(DEEPEST, &mut left)
    }

    fn whole(&self, depth: usize, left: &mut usize) -> Seen<Option<MontyObject>> {
        *left = left.checked_sub(1).ok_or(Halt::Lost)?;
        let depth = depth.checked_sub(1).ok_or(Halt::Lost)?;
        let mut all = |items: &[Self]| -> Seen<Option<Vec<MontyObject>>> {
            items.iter().map(|item| item.whole(depth, left)).collect()
        };
        Ok(match self {
            Self::None => Some(MontyObject::None),
            Self::Bool(yes) => Some(MontyObject::Bool(*yes)),
            Self::Int(number) => Some(MontyObject::Int(*number)),
            Self::Float(number) => Some(MontyObject::Float(*number)),
            Self::Text(text) => Some(MontyObject::String(text.to_string())),
            Self::List(items) => all(&items.borrow())?.map(MontyObject::List),
            Self::Tuple(items) => all(items)?.map(MontyObject::Tuple),
            Self::Dict(members) => {
                let members = members.borrow();
                let pairs: Seen<Option<DictPairs>> = members
                    .iter()
                    .map(|(name, value)| {
                        let name = MontyObject::String(name.to_string());
                        Ok(value.whole(depth, left)?.map(|value| (name, value)))
                    })
                    .collect();
                pairs?.map(MontyObject::Dict)
            }
            _ => None,
        })
    }
}

/// The name that an import gives a value.
pub(super) fn bound_by(alias: &Alias) -> &str {
    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
    name.split('.').next().unwrap_or(name)
}

/// Adds to a list, for all who have it.
pub(super) fn extend<'a>(list: &Items<'a>, more: Vec<Known<'a>>) -> Seen<()> {
    let mut list = list.borrow_mut();
    if list.len() + more.len() > LONGEST {
        return Err(Halt::Lost);
    }
    list.extend(more);
    Ok(())
}
