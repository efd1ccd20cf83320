//! `[events]`: who is told of what happens.

use reqwest::Url;
use reqwest::header::HeaderName;
use std::path::PathBuf;

use super::{Place, tool};
use crate::core::reading::{Field, Section};

/// Where events go; nowhere, by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Absolute. It need not be there.
    pub file: Option<PathBuf>,
    /// A program that reads them line by line, and its arguments.
    pub command: Option<Vec<String>>,
    pub webhook: Option<Webhook>,
    /// Where the program runs: the folder of the configuration file.
    pub directory: PathBuf,
}

/// An address that each event is sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub url: String,
    /// A header's name, and the environment variable with its value.
    pub header: Option<(String, String)>,
}

impl Events {
    pub const fn is_empty(&self) -> bool {
        self.file.is_none() && self.command.is_none() && self.webhook.is_none()
    }
}

/// `None` if there is a mistake in it.
pub(super) fn read(root: &mut Section<'_>, place: Place<'_>) -> Option<Events> {
    let Some(field) = root.field("events") else {
        return Some(Events::default());
    };
    let mut section = field.section()?;
    let file = section.field("file").map(|field| file(&field, place));
    let command = section.field("command").map(|field| {
        let (program, arguments) = tool::command(&field, place)?;
        let program = std::iter::once(program.display().to_string());
        Some(program.chain(arguments).collect::<Vec<_>>())
    });
    let webhook = section.field("webhook").map(|field| webhook(&field));
    section.finish();
    Some(Events {
        file: file.map_or(Some(None), |file| file.map(Some))?,
        command: command.map_or(Some(None), |command| command.map(Some))?,
        webhook: webhook.map_or(Some(None), |webhook| webhook.map(Some))?,
        directory: place.folder.to_owned(),
    })
}

/// Relative paths count from the file's folder.
fn file(field: &Field<'_>, place: Place<'_>) -> Option<PathBuf> {
    let path: PathBuf = place.folder.join(field.words()?).components().collect();
    let there = |path: Option<&std::path::Path>| path.is_some_and(std::path::Path::is_dir);
    if path.is_dir() || !there(path.parent()) {
        field.mistake(
            "names no file that could be written",
            "name a file in a folder that is there; the path counts from this file's folder",
        );
        return None;
    }
    Some(path)
}

fn webhook(field: &Field<'_>) -> Option<Webhook> {
    let mut section = field.section()?;
    let url = section
        .required("url", "write { url = \"https://…\" }")
        .and_then(|field| url(&field));
    let header = section.field("header");
    let value = section.field("header_env");
    section.finish();
    let header = match (header, value) {
        (None, None) => None,
        (Some(header), Some(value)) => {
            let name = header.words()?;
            if HeaderName::from_bytes(name.as_bytes()).is_err() {
                header.mistake(
                    &format!("is no name of a header: {name:?}"),
                    "write one such as \"authorization\"",
                );
                return None;
            }
            Some((name.to_owned(), value.words()?.to_owned()))
        }
        (Some(lonely), None) => {
            lonely.mistake(
                "has no value",
                "name the environment variable that holds it in header_env",
            );
            return None;
        }
        (None, Some(lonely)) => {
            lonely.mistake("has no header", "name the header it is for in header");
            return None;
        }
    };
    Some(Webhook { url: url?, header })
}

fn url(field: &Field<'_>) -> Option<String> {
    let text = field.words()?;
    let fault = match Url::parse(text) {
        Err(error) => format!("is no address: {error}"),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            "must begin with http:// or https://".to_owned()
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            "has a name or a password in it".to_owned()
        }
        Ok(_) => return Some(text.to_owned()),
    };
    field.mistake(
        &fault,
        "write one such as \"https://hooks.example.org/countersign\"; a key goes into header_env",
    );
    None
}
