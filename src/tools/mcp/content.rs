//! What a server answered to a call, in words for the model.
//!
//! Owns that nothing is dropped silently: what is no text is described. The answer is bounded as that
//! of any tool.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::core::run::Ran;
use crate::tools::shell::RESULT;
use crate::tools::text::Bounded;

/// An answer as the end of a call: `isError` is a failure, not a success.
pub fn ran(answer: &CallToolResult) -> Ran {
    let text = bounded(&text(answer));
    if answer.is_error == Some(true) {
        let said = if text.trim().is_empty() {
            "the server says that it failed, and nothing more".to_owned()
        } else {
            text
        };
        return Ran::Failed(said);
    }
    Ran::Result(text)
}

/// An answer in a form that this program does not know, as it came.
pub fn unknown(answer: &Value) -> Ran {
    let words = format!("[the answer has a form that is not known; as it came:]\n{answer}");
    let text = bounded(&words);
    if answer.get("isError") == Some(&Value::Bool(true)) {
        Ran::Failed(text)
    } else {
        Ran::Result(text)
    }
}

fn bounded(text: &str) -> String {
    let mut kept = Bounded::new(RESULT);
    kept.push(text);
    kept.finish()
}

fn text(answer: &CallToolResult) -> String {
    let mut parts: Vec<String> = answer.content.iter().map(block).collect();
    if let Some(structured) = &answer.structured_content
        && !parts.iter().any(|part| says(part, structured))
    {
        parts.push(structured.to_string());
    }
    parts.join("\n")
}

/// Servers are asked to write structured content out as text as well; some put the text into a member.
fn says(part: &str, structured: &Value) -> bool {
    let wrapped = structured.as_object().and_then(|object| {
        let mut members = object.values();
        let only = members.next().and_then(Value::as_str);
        only.filter(|_| members.next().is_none())
    });
    wrapped == Some(part)
        || serde_json::from_str::<Value>(part).is_ok_and(|value| value == *structured)
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => data("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => data("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => resource(&embedded.resource),
        ContentBlock::ResourceLink(link) => {
            let kind = kind(link.mime_type.as_deref());
            format!("[link to the resource {} {}{kind}]", link.name, link.uri)
        }
        // The enum is not ours, and open.
        _ => "[content of a kind that is not known]".to_owned(),
    }
}

fn resource(resource: &ResourceContents) -> String {
    match resource {
        ResourceContents::TextResourceContents {
            uri,
            mime_type,
            text,
            ..
        } => format!("[resource {uri}{}]\n{text}", kind(mime_type.as_deref())),
        ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob,
            ..
        } => format!(
            "[resource {uri}{}, {} bytes, not shown]",
            kind(mime_type.as_deref()),
            decoded(blob)
        ),
        _ => "[resource of a kind that is not known]".to_owned(),
    }
}

fn data(what: &str, mime: &str, base64: &str) -> String {
    format!("[{what} {mime}, {} bytes, not shown]", decoded(base64))
}

fn kind(mime: Option<&str>) -> String {
    mime.map_or_else(String::new, |mime| format!(" ({mime})"))
}

/// How many bytes a text in base64 stands for.
fn decoded(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits / 4 * 3 + digits % 4 * 3 / 4
}
