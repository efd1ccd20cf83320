//! Records as a table for a spreadsheet. Nothing in it can be taken for a formula or a new row; the exact
//! text of each record is in the other export.

use csv::Writer;
use std::borrow::Cow;
use std::io::Write;

use super::chain::Link;
use super::record::Record;
use crate::core::shown::Shown;

const COLUMNS: [&str; 20] = [
    "number",
    "at",
    "session",
    "agent",
    "call",
    "tool",
    "decision",
    "how",
    "batch",
    "user",
    "host",
    "client",
    "basis",
    "digest",
    "proposed",
    "sent",
    "words",
    "shown_for",
    "prev",
    "hash",
];

/// What a spreadsheet takes for the beginning of a formula.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// Writes a row of names, then one for each record.
pub fn write_csv(out: impl Write, records: &[(Link, Record)]) -> Result<(), csv::Error> {
    let mut table = Writer::from_writer(out);
    table.write_record(COLUMNS)?;
    for (link, record) in records {
        let cells = cells(link, record);
        table.write_record(cells.iter().map(|cell| safe(cell).into_owned()))?;
    }
    table.flush()?;
    Ok(())
}

fn cells(link: &Link, record: &Record) -> [String; COLUMNS.len()] {
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
    let number = |number: Option<usize>| number.map(|number| number.to_string());
    [
        record.number.to_string(),
        record.at.to_string(),
        record.session.0.clone(),
        record.agent.clone(),
        record.call.0.clone(),
        record.tool.clone(),
        record.decision.to_string(),
        record.how.to_string(),
        number(record.batch).unwrap_or_default(),
        or_nothing(&record.user),
        or_nothing(&record.host),
        record
            .client
            .map_or_else(String::new, |client| client.to_string()),
        record.basis.clone(),
        record.digest.to_string(),
        record.proposed.clone(),
        or_nothing(&record.sent),
        or_nothing(&record.words),
        record.shown_for.to_string(),
        link.prev.clone(),
        link.hash.clone(),
    ]
}

/// On one row, with everything unusual written out, and never a formula.
fn safe(cell: &str) -> Cow<'_, str> {
    let shown = Shown::label(cell);
    let text = shown.as_str();
    if text.trim_start().starts_with(FORMULA) {
        return Cow::Owned(format!("'{text}"));
    }
    if text == cell {
        Cow::Borrowed(cell)
    } else {
        Cow::Owned(text.to_owned())
    }
}
