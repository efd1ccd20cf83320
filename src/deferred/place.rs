//! A value and where it stands in its document, so that a fault can name the place.
//!
//! Owns the reading of members, items and texts. What they mean is each form's own matter.

use serde_json::{Map, Value};

use super::imported::ReadFault;

const MEND: &str = "write the state out again, or mend it there";

/// A value of a document and the way to it. The pointer is only put together when it is asked for.
#[derive(Clone, Copy)]
pub(super) struct Place<'v, 'p> {
    value: &'v Value,
    up: Option<&'p Place<'v, 'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    /// The pointer to this place.
    Start(&'p str),
    Member(&'p str),
    Item(usize),
}

impl<'v, 'p> Place<'v, 'p> {
    /// A value that stands where the pointer says.
    pub(super) fn with_pointer(value: &'v Value, pointer: &'p str) -> Self {
        Self {
            value,
            up: None,
            step: Step::Start(pointer),
        }
    }
}

impl<'v> Place<'v, '_> {
    pub(super) fn root(document: &'v Value) -> Self {
        Self {
            value: document,
            up: None,
            step: Step::Start(""),
        }
    }

    pub(super) fn value(&self) -> &'v Value {
        self.value
    }

    /// The member of that name, unless it is missing or null, which means the same in all forms.
    pub(super) fn member<'q>(&'q self, name: &'q str) -> Option<Place<'v, 'q>> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(Place {
            value,
            up: Some(self),
            step: Step::Member(name),
        })
    }

    pub(super) fn needed<'q>(&'q self, name: &'q str) -> Result<Place<'v, 'q>, ReadFault> {
        self.member(name)
            .ok_or_else(|| self.broken(format!("`{name}` is missing")))
    }

    /// A text that names something, so it is not empty.
    pub(super) fn name(&self, member: &str) -> Result<&'v str, ReadFault> {
        let at = self.needed(member)?;
        match at.text()? {
            "" => Err(at.broken("this name is empty")),
            name => Ok(name),
        }
    }

    pub(super) fn text(&self) -> Result<&'v str, ReadFault> {
        self.value
            .as_str()
            .ok_or_else(|| self.broken("a text belongs here"))
    }

    pub(super) fn object(&self) -> Result<&'v Map<String, Value>, ReadFault> {
        self.value
            .as_object()
            .ok_or_else(|| self.broken("an object belongs here"))
    }

    pub(super) fn items<'q>(
        &'q self,
    ) -> Result<impl Iterator<Item = Place<'v, 'q>> + use<'v, 'q>, ReadFault> {
        let items = self
            .value
            .as_array()
            .ok_or_else(|| self.broken("a list belongs here"))?;
        Ok(items.iter().enumerate().map(move |(item, value)| Place {
            value,
            up: Some(self),
            step: Step::Item(item),
        }))
    }

    /// The JSON pointer to this place.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = self.up.map(Place::pointer).unwrap_or_default();
        match self.step {
            Step::Start(start) => pointer.push_str(start),
            Step::Member(name) => {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            Step::Item(item) => {
                pointer.push('/');
                pointer.push_str(&item.to_string());
            }
        }
        pointer
    }

    /// What is wrong here, where nothing but a better file helps.
    pub(super) fn broken(&self, what: impl Into<String>) -> ReadFault {
        broken(self.pointer(), what)
    }
}

pub(super) fn broken(pointer: String, what: impl Into<String>) -> ReadFault {
    ReadFault::new(pointer, what, MEND)
}
