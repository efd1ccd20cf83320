//! A place in a document: the value there, and the JSON pointer that a fault names.
//!
//! Owns the words for what is missing or of another kind. Knows no form.

use serde_json::{Map, Value};
use std::collections::HashSet;

use super::imported::ReadFault;
use crate::core::arguments::Arguments;
use crate::core::call::CallId;

/// What to do about a document that is not as its framework writes it.
const AGAIN: &str = "write the state out again as the framework does";

/// A value in a document and where it stands.
#[derive(Debug, Clone)]
pub(super) struct At<'a> {
    pub(super) value: &'a Value,
    place: String,
}

impl<'a> At<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        let place = String::new();
        Self { value, place }
    }

    /// A value that stands at this place of a document.
    pub(super) fn within(value: &'a Value, place: &str) -> Self {
        let place = place.to_owned();
        Self { value, place }
    }

    /// The JSON pointer of the place; empty for the whole document.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The member of this name; `None` if there is none or it is null.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        let name = name.replace('~', "~0").replace('/', "~1");
        let place = format!("{}/{name}", self.place);
        Some(Self { value, place })
    }

    pub(super) fn need(&self, name: &str) -> Result<Self, ReadFault> {
        self.member(name)
            .ok_or_else(|| self.fault(format!("`{name}` is missing")))
    }

    pub(super) fn object(&self) -> Result<&'a Map<String, Value>, ReadFault> {
        let object = self.value.as_object();
        object.ok_or_else(|| self.unlike("an object"))
    }

    pub(super) fn items(&self) -> Result<impl Iterator<Item = Self> + use<'a>, ReadFault> {
        let items = self.value.as_array();
        let items = items.ok_or_else(|| self.unlike("a list"))?;
        let place = self.place.clone();
        Ok(items.iter().enumerate().map(move |(at, value)| Self {
            value,
            place: format!("{place}/{at}"),
        }))
    }

    pub(super) fn text(&self) -> Result<&'a str, ReadFault> {
        let text = self.value.as_str();
        text.ok_or_else(|| self.unlike("a string"))
    }

    /// A text that names something, so it is not empty.
    pub(super) fn name(&self) -> Result<&'a str, ReadFault> {
        let text = self.text()?;
        if text.is_empty() {
            return Err(self.fault("this is empty, and names nothing"));
        }
        Ok(text)
    }

    /// The arguments of a call, which some write as an object and others as the text of one.
    pub(super) fn arguments(&self) -> Result<Arguments, ReadFault> {
        let arguments = match self.value.as_str() {
            Some(text) => Arguments::parse(text),
            None => Arguments::from_value(self.value),
        };
        arguments.map_err(|fault| self.fault(format!("the arguments cannot be read: {fault}")))
    }

    pub(super) fn fault(&self, what: impl Into<String>) -> ReadFault {
        ReadFault::new(self.place.clone(), what, AGAIN)
    }

    fn unlike(&self, wanted: &str) -> ReadFault {
        self.fault(format!("this should be {wanted}"))
    }
}

/// The ids of the calls read so far: a decision must name one call.
#[derive(Debug, Default)]
pub(super) struct Ids(HashSet<CallId>);

impl Ids {
    pub(super) fn take(&mut self, id: &CallId, at: &At<'_>) -> Result<(), ReadFault> {
        if self.0.insert(id.clone()) {
            return Ok(());
        }
        let what = format!("another call has the id `{id}` too");
        let todo = "give each call an id of its own";
        Err(ReadFault::new(at.place(), what, todo))
    }
}
