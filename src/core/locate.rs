//! Where in a JSON text a value stands, so that a fault can be shown at its place.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// The byte offset of the value a JSON pointer names; `None` if it is not there.
pub fn pointer(text: &str, pointer: &str) -> Option<usize> {
    let token = |token: &str| token.replace("~1", "/").replace("~0", "~");
    let path: Vec<String> = pointer.split('/').skip(1).map(token).collect();
    span(text, &path).map(|span| span.start)
}

/// The bytes of the value at the end of this path of names and numbers; `None` if it is not there.
pub fn span(text: &str, path: &[String]) -> Option<Range<usize>> {
    let mut at: &RawValue = serde_json::from_str(text).ok()?;
    for token in path {
        at = child(at.get(), token)?;
    }
    // `RawValue` borrows from `text`, so the difference of the addresses is the offset.
    let start = (at.get().as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    Some(start..start + at.get().len())
}

/// Row and column, in characters, both counted from 0.
pub fn row_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let row = before.matches('\n').count();
    let line = before.rsplit('\n').next().unwrap_or_default();
    (row, line.chars().count())
}

fn child<'a>(text: &'a str, token: &str) -> Option<&'a RawValue> {
    if let Ok(Members(members)) = serde_json::from_str::<Members<'a>>(text) {
        return members
            .into_iter()
            .find(|(name, _)| name == token)
            .map(|(_, value)| value);
    }
    let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    items.get(token.parse::<usize>().ok()?).copied()
}

/// An object's members in their order, their text untouched.
pub struct Members<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
