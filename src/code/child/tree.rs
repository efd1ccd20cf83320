//! What the interpreter writes of itself, without what nobody asks for.
//!
//! The interpreter does not tell where it stands, but it can be written out. This takes from that
//! only the members that are named and never visits the others, so that the size of a script's memory
//! hardly matters. The names are those of exactly the version in `Cargo.toml`.

use serde::Serialize;
use serde::ser::{self, Serializer};
use std::fmt;

/// A part of what was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    /// Not asked for, or nothing that is.
    Nothing,
    Number(u64),
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
    Fields(Vec<(&'static str, Tree)>),
    /// One of several forms.
    Form(&'static str, Box<Tree>),
}

/// Names of members, in parts.
type Names = &'static [&'static [&'static str]];

impl Tree {
    /// What is asked for, of something written.
    pub fn of<T: Serialize + ?Sized>(written: &T, wanted: Names) -> Self {
        written
            .serialize(Picker { wanted })
            .unwrap_or(Self::Nothing)
    }

    /// The member of that name.
    pub fn get(&self, name: &str) -> &Self {
        const NOTHING: &Tree = &Tree::Nothing;
        match self {
            Self::Fields(fields) => fields
                .iter()
                .find(|(field, _)| *field == name)
                .map_or(NOTHING, |(_, tree)| tree),
            Self::Form(_, inner) => inner.get(name),
            Self::Nothing | Self::Number(_) | Self::List(_) | Self::Map(_) => NOTHING,
        }
    }

    pub fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The entry of a map with that key.
    pub fn entry(&self, key: u64) -> &Self {
        const NOTHING: &Tree = &Tree::Nothing;
        match self {
            Self::Map(entries) => entries
                .iter()
                .find(|(name, _)| name.number() == Some(key))
                .map_or(NOTHING, |(_, tree)| tree),
            _ => NOTHING,
        }
    }

    /// The keys of a map that are numbers.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        let entries = match self {
            Self::Map(entries) => entries.as_slice(),
            _ => &[],
        };
        entries.iter().filter_map(|(key, _)| key.number())
    }

    /// What is in it, if it has this form.
    pub fn form(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Form(form, inner) if *form == name => Some(inner),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Picker {
    wanted: Names,
}

impl Picker {
    fn wants(self, name: &str) -> bool {
        self.wanted.iter().any(|names| names.contains(&name))
    }
}

/// Nothing can go wrong in taking a part; the interface asks for a type.
#[derive(Debug)]
struct Never;

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not written")
    }
}
impl std::error::Error for Never {}
impl ser::Error for Never {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Parts as they come.
struct Parts {
    picker: Picker,
    form: Option<&'static str>,
    list: Vec<Tree>,
    keys: Vec<Tree>,
    fields: Vec<(&'static str, Tree)>,
}

impl Parts {
    fn of(picker: Picker, form: Option<&'static str>) -> Self {
        Self {
            picker,
            form,
            list: Vec::new(),
            keys: Vec::new(),
            fields: Vec::new(),
        }
    }

    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        // The parts of a form that nobody asks for are not visited.
        let wanted = self.form.is_none_or(|form| self.picker.wants(form));
        self.list.push(if wanted {
            value.serialize(self.picker)?
        } else {
            Tree::Nothing
        });
        Ok(())
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Never> {
        if self.picker.wants(name) {
            self.fields.push((name, value.serialize(self.picker)?));
        }
        Ok(())
    }

    fn formed(form: Option<&'static str>, tree: Tree) -> Tree {
        match form {
            Some(form) => Tree::Form(form, Box::new(tree)),
            None => tree,
        }
    }
}

macro_rules! nothing {
    ($($name:ident: $of:ty),*) => { $(
        fn $name(self, _: $of) -> Result<Tree, Never> { Ok(Tree::Nothing) }
    )* };
}
macro_rules! number {
    ($($name:ident: $of:ty),*) => { $(
        fn $name(self, number: $of) -> Result<Tree, Never> {
            Ok(u64::try_from(number).map_or(Tree::Nothing, Tree::Number))
        }
    )* };
}

impl Serializer for Picker {
    type Ok = Tree;
    type Error = Never;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    nothing!(serialize_bool: bool, serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8], serialize_unit_struct: &'static str);
    number!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);

    fn serialize_none(self) -> Result<Tree, Never> {
        Ok(Tree::Nothing)
    }
    fn serialize_unit(self) -> Result<Tree, Never> {
        Ok(Tree::Nothing)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Tree, Never> {
        value.serialize(self)
    }
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        form: &'static str,
    ) -> Result<Tree, Never> {
        Ok(Tree::Form(form, Box::new(Tree::Nothing)))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Tree, Never> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        form: &'static str,
        value: &T,
    ) -> Result<Tree, Never> {
        let inner = if self.wants(form) {
            value.serialize(self)?
        } else {
            Tree::Nothing
        };
        Ok(Tree::Form(form, Box::new(inner)))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, Never> {
        Ok(Parts::of(self, None))
    }
    fn serialize_tuple(self, _: usize) -> Result<Parts, Never> {
        Ok(Parts::of(self, None))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts, Never> {
        Ok(Parts::of(self, None))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        form: &'static str,
        _: usize,
    ) -> Result<Parts, Never> {
        Ok(Parts::of(self, Some(form)))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Parts, Never> {
        Ok(Parts::of(self, None))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts, Never> {
        Ok(Parts::of(self, None))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        form: &'static str,
        _: usize,
    ) -> Result<Parts, Never> {
        Ok(Parts::of(self, Some(form)))
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! listed {
    ($($kind:ident :: $add:ident),*) => { $(
        impl ser::$kind for Parts {
            type Ok = Tree;
            type Error = Never;
            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> { self.add(value) }
            fn end(self) -> Result<Tree, Never> { Ok(Self::formed(self.form, Tree::List(self.list))) }
        }
    )* };
}
listed!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! named {
    ($($kind:ident),*) => { $(
        impl ser::$kind for Parts {
            type Ok = Tree;
            type Error = Never;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Never> { self.field(name, value) }
            fn end(self) -> Result<Tree, Never> { Ok(Self::formed(self.form, Tree::Fields(self.fields))) }
        }
    )* };
}
named!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Parts {
    type Ok = Tree;
    type Error = Never;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        self.keys.push(key.serialize(self.picker)?);
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        self.add(value)
    }
    fn end(self) -> Result<Tree, Never> {
        Ok(Tree::Map(self.keys.into_iter().zip(self.list).collect()))
    }
}
