//! The file of the rules that were given until they are revoked: `grants.toml` in the data folder.
//!
//! Owns its form. It may be edited by hand, so it is checked whenever it is read, and a mistake in it means
//! that none of it counts. Written as a whole or not at all, by one process at a time.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use super::StoreError;
use crate::core::call::{CallId, SessionId};
use crate::core::mistake::{Mistake, Mistakes};
use crate::core::reading::{self, Field, Section};
use crate::core::verdict::Question;
use crate::policy::grant::{Given, Grant, Lasts};

/// The file's name in the data folder.
pub const FILE: &str = "grants.toml";

const HEAD: &str = "\
# Rules that operators gave until they are revoked; see `countersign rules`.
# Each counts for its agent in its workspace. What is changed here counts for the next call that is judged;
# a mistake here means that no given rule counts, and `countersign check` names it.
";

/// The rules in the file of a data folder; none if there is no file.
pub fn read(folder: &Path) -> Result<Vec<Grant>, Vec<Mistake>> {
    let path = folder.join(FILE);
    let name = path.display().to_string();
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&name, &text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => {
            let what = format!("the given rules cannot be read: {error}");
            Err(vec![Mistake::of_the_whole(
                name,
                what,
                "make it readable, or remove it",
            )])
        }
    }
}

fn parse(name: &str, text: &str) -> Result<Vec<Grant>, Vec<Mistake>> {
    let mistakes = Mistakes::new(name, text);
    let grants = reading::parse(text, &mistakes).map(|table| {
        let mut root = Section::root(&table, &mistakes);
        let grants: Vec<Grant> = root.items("grants").iter().filter_map(grant).collect();
        root.finish();
        grants
    });
    if mistakes.is_empty() {
        Ok(grants.unwrap_or_default())
    } else {
        Err(mistakes.into_vec())
    }
}

fn grant(field: &Field<'_>) -> Option<Grant> {
    let mut section = field.section()?;
    let mut text = |key, todo| {
        let field = section.required(key, todo)?;
        field.words().map(str::to_owned)
    };
    let id = text("id", "give it a name of its own");
    let who = text("by", "say who gave it");
    let session = text("session", "name the session it was given in");
    let workspace = text("workspace", "name the folder it counts in");
    let at = section.required("at", "say when it was given");
    let at = at.and_then(|field| {
        let parsed = field.text()?.parse().ok();
        if parsed.is_none() {
            field.mistake("is no time", "write it as in 2026-11-20T09:30:00Z");
        }
        parsed
    });
    let answers = section.items("answers");
    let answers: Vec<_> = answers
        .iter()
        .map(|field| Some(question(field.text()?)))
        .collect();
    let from = section.items("from");
    let from: Vec<_> = from
        .iter()
        .map(|field| Some(CallId(field.text()?.to_owned())))
        .collect();
    let rule = section.required("rule", "write the rule");
    section.finish();
    let rule = rule?;
    let grant = Grant {
        id: id?,
        text: rule.text()?.to_owned(),
        lasts: Lasts::Always,
        session: SessionId(session?),
        from: from.into_iter().collect::<Option<_>>()?,
        workspace: workspace?,
        answers: answers.into_iter().collect::<Option<_>>()?,
        who: who?,
        at: at?,
    };
    if let Err(mistakes) = Given::read(grant.clone()) {
        for mistake in mistakes {
            rule.mistake(&format!("is no sound rule: {}", mistake.what), mistake.todo);
        }
    }
    Some(grant)
}

fn question(text: &str) -> Question {
    match text {
        "default" => Question::Default,
        "not understood" => Question::NotUnderstood,
        print => Question::Rule(print.to_owned()),
    }
}

fn written(question: &Question) -> &str {
    match question {
        Question::Default => "default",
        Question::NotUnderstood => "not understood",
        Question::Rule(print) => print,
    }
}

/// Adds a rule.
pub(super) fn add(folder: &Path, grant: Grant) -> Result<(), StoreError> {
    change(folder, |grants| grants.push(grant))
}

/// Takes a rule out, if it is there.
pub(super) fn remove(folder: &Path, id: &str) -> Result<(), StoreError> {
    if !folder.join(FILE).exists() {
        return Ok(());
    }
    change(folder, |grants| grants.retain(|grant| grant.id != id))
}

fn change(folder: &Path, change: impl FnOnce(&mut Vec<Grant>)) -> Result<(), StoreError> {
    let failed = |why: String| StoreError::Standing {
        path: folder.join(FILE),
        why,
    };
    let io = |error: std::io::Error| failed(error.to_string());
    // Of several processes, the next one reads what this one wrote. Never removed: others may wait on it.
    let turn = File::create(folder.join("grants.lock")).map_err(io)?;
    turn.lock().map_err(io)?;
    let mut grants = read(folder).map_err(|mistakes| {
        let first = mistakes.first().map(ToString::to_string);
        failed(first.unwrap_or_default())
    })?;
    change(&mut grants);
    let mut scratch = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    let text = laid_out(&grants);
    // What would not be read back as it is must not be written.
    if parse(FILE, &text).as_ref() != Ok(&grants) {
        return Err(failed("the rule cannot be written as TOML".to_owned()));
    }
    scratch.write_all(text.as_bytes()).map_err(io)?;
    scratch.as_file().sync_all().map_err(io)?;
    scratch
        .persist(folder.join(FILE))
        .map_err(|error| io(error.error))?;
    // The rename must outlive a power cut too.
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(io)
}

fn laid_out(grants: &[Grant]) -> String {
    let mut text = HEAD.to_owned();
    let one = |text: &str| toml::Value::from(text).to_string();
    for grant in grants {
        let answers: Vec<_> = grant
            .answers
            .iter()
            .map(|question| one(written(question)))
            .collect();
        let from: Vec<_> = grant.from.iter().map(|call| one(&call.0)).collect();
        // Writing to a String cannot fail. The rule stands there as it was shown.
        let _ = write!(
            text,
            "\n[[grants]]\nid = {}\nby = {}\nat = {}\nsession = {}\nworkspace = {}\nfrom = [{}]\nanswers = [{}]\nrule = '''\n{}'''\n",
            one(&grant.id),
            one(&grant.who),
            one(&grant.at.to_string()),
            one(&grant.session.0),
            one(&grant.workspace),
            from.join(", "),
            answers.join(", "),
            grant.text,
        );
    }
    text
}
