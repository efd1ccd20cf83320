//! The risk strip: what a look at the arguments found, above them.
//!
//! Owns how much of it is named. In the panes the gravest, in two rows, and how many more there are; on the review
//! sheet all of it, one after the other; in the full view all of it, each with its field. Whether anything is found is for `core::finding`.

use ratatui::style::Style;

use crate::core::finding::{Finding, Findings, Kind};
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// Rows of the strip where the arguments have to share the room.
const ROWS: usize = 2;
/// Blanks below the mark, for the rows after the first.
const INDENT: usize = 2;

/// How much the strip says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strip {
    Short,
    Named,
    Whole,
}

pub fn rows(findings: &Findings, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    match strip {
        _ if findings.is_empty() => Vec::new(),
        Strip::Short => {
            let all: Vec<&Finding> = findings.iter().collect();
            short(&all, findings.more(), width, theme)
        }
        Strip::Named => {
            let all: Vec<&Finding> = findings.iter().collect();
            named(&all, findings.more(), width, theme)
        }
        Strip::Whole => whole(findings, width, theme),
    }
}

pub fn look(kind: Kind, theme: &Theme) -> Style {
    if kind.is_grave() {
        theme.bad
    } else {
        theme.warn
    }
}

/// `deletes: rm -rf build`.
fn item(finding: &Finding, theme: &Theme) -> Row {
    let row = Row::new().with(finding.kind.word(), look(finding.kind, theme));
    if finding.what.is_empty() {
        return row;
    }
    row.with(": ", theme.dim)
        .with(&Shown::label(&finding.what), theme.text)
}

/// As many as fit, the gravest first, and the number of the others, with those that are `unkept`.
fn short(findings: &[&Finding], unkept: usize, width: usize, theme: &Theme) -> Vec<Row> {
    let all = findings.len() + unkept;
    if all == 0 {
        return Vec::new();
    }
    let mut rows = vec![Row::new().with("! ", theme.bad)];
    let mut named = 0;
    for finding in findings {
        let item = item(finding, theme);
        let last = rows.len() == ROWS;
        let others = all - named - 1;
        // Room for the number of those that are not named.
        let reserved = if last && others > 0 {
            more(others, theme).width()
        } else {
            0
        };
        let Some(row) = rows.last_mut() else { break };
        let begun = row.width() > INDENT;
        let gap = if begun { 3 } else { 0 };
        if row.width() + gap + item.width() + reserved <= width {
            if begun {
                row.push(" · ", theme.dim);
            }
            row.append(item);
        } else if !last && begun {
            let reserved = if others > 0 {
                more(others, theme).width()
            } else {
                0
            };
            let room = width.saturating_sub(INDENT + reserved);
            rows.push(Row::new().padded(INDENT).then(item.fitted(room)));
        } else if !begun {
            let room = width.saturating_sub(row.width() + reserved);
            row.append(item.fitted(room));
        } else {
            break;
        }
        named += 1;
    }
    if let Some(row) = rows.last_mut().filter(|_| named < all) {
        row.append(more(all - named, theme));
    }
    rows
}

/// All of them, over as many rows as that takes, and the number of those that are `unkept`.
pub fn named(findings: &[&Finding], unkept: usize, width: usize, theme: &Theme) -> Vec<Row> {
    if findings.is_empty() && unkept == 0 {
        return Vec::new();
    }
    let room = width.saturating_sub(INDENT).max(1);
    let mut items: Vec<Row> = findings
        .iter()
        .map(|finding| item(finding, theme))
        .collect();
    if unkept > 0 {
        let row = Row::new()
            .with("and ", theme.warn)
            .with(unkept, theme.warn)
            .with(" more of this kind or a lesser one", theme.warn);
        items.push(row);
    }
    let mut rows: Vec<Row> = Vec::new();
    for item in items {
        let begun = rows.last().map_or(0, Row::width);
        if let Some(row) = rows.last_mut().filter(|_| begun + 3 + item.width() <= room) {
            row.push(" · ", theme.dim);
            row.append(item);
        } else {
            rows.extend(item.wrapped(room, Breaks::Kept));
        }
    }
    let mark = |(at, row): (usize, Row)| {
        let lead = Row::new().with(if at == 0 { "! " } else { "  " }, theme.bad);
        lead.then(row)
    };
    rows.into_iter().enumerate().map(mark).collect()
}

/// ` · +3 more`.
fn more(count: usize, theme: &Theme) -> Row {
    Row::new()
        .with(" · +", theme.warn)
        .with(count, theme.warn)
        .with(" more", theme.warn)
}

fn whole(findings: &Findings, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = Vec::new();
    for finding in findings.iter() {
        let mut row = Row::new().with("! ", theme.bad).then(item(finding, theme));
        if let Some(place) = &finding.place {
            row = row
                .with(" in ", theme.dim)
                .with(&Shown::label(&place.pointer), theme.dim);
        }
        let parts = row.wrapped(width.saturating_sub(INDENT).max(1), Breaks::Kept);
        rows.extend(parts.into_iter().enumerate().map(|(at, part)| match at {
            0 => part,
            _ => Row::new().padded(INDENT).then(part),
        }));
    }
    if findings.more() > 0 {
        rows.push(Row::new().padded(INDENT).then(more(findings.more(), theme)));
    }
    let said = "Found by a look at the text, which decides nothing and can miss anything.";
    rows.extend(
        Row::new()
            .with(said, theme.dim)
            .wrapped(width, Breaks::Words),
    );
    rows.push(Row::new());
    rows
}
