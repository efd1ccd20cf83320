//! `[[redact]]`: what is never written in clear.

use crate::core::reading::Field;
use crate::core::redact::{Pointer, Redaction, Tools};

/// All entries. One with a mistake is told of and left out: nothing runs then.
pub(super) fn read(entries: &[Field<'_>]) -> Redaction {
    let mut redaction = Redaction::default();
    for entry in entries {
        // Told already, if there is nothing to take.
        let _ = take(entry, &mut redaction);
    }
    redaction
}

fn take(entry: &Field<'_>, redaction: &mut Redaction) -> Option<()> {
    let mut section = entry.section()?;
    let pointer = section.field("pointer");
    let pattern = section.field("pattern");
    let tool = section.field("tool");
    section.finish();
    match (pointer, pattern) {
        (Some(pointer), None) => redaction.pointer(named(&pointer, tool.as_ref())?),
        (None, Some(pattern)) => {
            if let Some(tool) = tool {
                tool.mistake("goes with a pointer only", "leave it out");
            }
            if let Err(why) = redaction.pattern(pattern.text()?) {
                pattern.mistake(&format!("is no pattern: {why}"), "correct the pattern");
            }
        }
        (Some(_), Some(_)) => {
            entry.mistake("has both a pointer and a pattern", "make two entries of it");
        }
        (None, None) => {
            entry.mistake("names nothing", "say \"pointer\" or \"pattern\"");
        }
    }
    Some(())
}

fn named(field: &Field<'_>, tool: Option<&Field<'_>>) -> Option<Pointer> {
    let (pointer, tools) = (pointer(field), tool.map(tools));
    match tools {
        None => pointer,
        Some(tools) => Some(pointer?.only_of(Some(tools?))),
    }
}

fn pointer(field: &Field<'_>) -> Option<Pointer> {
    let text = field.text()?;
    let why = match Pointer::parse(text) {
        Ok(pointer) => return Some(pointer),
        Err(why) => why,
    };
    let todo = if text.starts_with('/') {
        "write ~0 for ~ and ~1 for a slash in a name".to_owned()
    } else {
        format!("write \"/{text}\"")
    };
    field.mistake(&format!("is no JSON pointer, {why}"), todo);
    None
}

fn tools(field: &Field<'_>) -> Option<Tools> {
    match Tools::named(field.words()?) {
        Ok(tools) => Some(tools),
        Err(why) => {
            field.mistake(&format!("is no pattern: {why}"), "correct the pattern");
            None
        }
    }
}
