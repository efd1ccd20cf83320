//! Telling the forms apart: no recorded document of any framework is taken for another's.

use countersign::deferred::{self, Format};
use serde_json::Value;
use std::path::Path;

use crate::support::states::all;

/// The recorded documents that are states; the others are results, or cases of states.
fn states() -> Vec<(Format, String, Value)> {
    let folders = [
        (Format::Mistral, "mistral"),
        (Format::PydanticAi, "pydantic-ai"),
        (Format::Langchain, "langchain"),
        (Format::OpenAiAgents, "openai-agents"),
        (Format::AgentFramework, "agent-framework"),
        (Format::Native, "native"),
    ];
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/deferred");
    let there = folders
        .into_iter()
        .filter(|(_, folder)| place.join(folder).exists());
    there
        .flat_map(|(format, folder)| {
            all(folder)
                .into_iter()
                .map(move |(name, value)| (format, name, value))
        })
        .collect()
}

#[test]
fn no_recorded_document_nor_any_part_of_one_could_be_of_two_forms() {
    let mut ambiguous = Vec::new();
    for (_, name, document) in states() {
        let mut parts = vec![&document];
        while let Some(part) = parts.pop() {
            let read = deferred::read(&part.to_string(), None);
            if let Err(fault) = &read
                && fault.what.starts_with("this could be any of")
            {
                ambiguous.push(format!("{name}: {fault}"));
            }
            match part {
                Value::Object(members) => {
                    parts.extend(members.values().filter(|v| v.is_object() || v.is_array()));
                }
                Value::Array(items) => {
                    parts.extend(items.iter().filter(|v| v.is_object() || v.is_array()));
                }
                _ => {}
            }
        }
    }
    assert_eq!(ambiguous, [""; 0]);
}

#[test]
fn every_recorded_state_is_taken_for_what_it_is() {
    let strange: Vec<_> = states()
        .into_iter()
        .filter_map(|(format, name, document)| {
            let read = deferred::read(&document.to_string(), None).ok()?;
            (read.format() != format).then(|| format!("{name}: {}", read.format()))
        })
        .collect();
    assert_eq!(strange, [""; 0]);
}
