//! The rows of the review sheet. Everything that is signed is on them.

use super::blocks::{self, Block};
use super::head::{Columns, INDENT, gone, head};
use super::{edited, refused, similar};
use crate::app::state::Review;
use crate::core::decision::Decision;
use crate::core::fields;
use crate::core::pending::Waiting;
use crate::ui::pending::arguments;
use crate::ui::pending::change;
use crate::ui::pending::script::{self, Known};
use crate::ui::pending::signed::Signed;
use crate::ui::pending::strip::Strip;
use crate::ui::pending::values;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words::{self, Scene};

/// All rows of the sheet, laid out.
#[derive(Debug, Default)]
pub struct Sheet {
    pub rows: Vec<Row>,
    /// The rows at which calls begin, and how many calls do.
    pub starts: Vec<(usize, usize)>,
    /// How many of the last rows were read before, so that nobody has to have seen them here.
    pub beside: usize,
}

impl Sheet {
    pub fn of(review: &Review, width: usize, scene: Scene<'_>) -> Self {
        let blocks = blocks::blocks(review, width.saturating_sub(INDENT), scene);
        let columns = Columns::of(&blocks, width, scene);
        let mut sheet = Self::default();
        let mut last: Option<&Decision> = None;
        for block in &blocks {
            sheet.block(block, columns, last, scene);
            last = Some(block.decision());
        }
        sheet.again(&blocks, columns, scene);
        sheet
    }

    fn block(
        &mut self,
        block: &Block<'_>,
        columns: Columns,
        last: Option<&Decision>,
        scene: Scene<'_>,
    ) {
        match block {
            Block::Gone(decision) => {
                self.start(1);
                self.rows.push(gone(decision, columns, scene));
            }
            Block::Equal(calls, decision) => {
                self.equal(block, (calls, decision), columns, last, scene);
            }
            Block::Similar(calls, decision, alike) => {
                let title = similar::title(calls.len(), alike, scene);
                let head = head(calls, decision, title, columns, scene);
                let width = columns.width;
                if blocks::is_refusal(decision) {
                    self.rows.extend(head);
                    self.told(calls, decision, width, last, scene);
                    refused::rows(self, calls, alike, width, scene);
                } else if block.is_read(scene) {
                    self.start(calls.len());
                    self.rows.extend(head);
                    self.below(vec![read_before(scene)], INDENT);
                } else {
                    self.rows.extend(head);
                    similar::rows(self, calls, alike, width, scene);
                }
            }
        }
    }

    /// All that was read before stands below what was not: nothing that is signed is left out, and nobody has
    /// to go through it once more.
    fn again(&mut self, blocks: &[Block<'_>], columns: Columns, scene: Scene<'_>) {
        let (rows, starts) = (self.rows.len(), self.starts.len());
        for block in blocks.iter().filter(|block| block.is_read(scene)) {
            let words = Row::new().with("all of it", scene.theme.dim);
            self.rows.push(Row::new());
            match block {
                Block::Gone(_) => {}
                Block::Equal(calls, decision) => {
                    self.rows
                        .extend(head(calls, decision, words, columns, scene));
                    if let Some(first) = calls.first() {
                        let room = columns.width.saturating_sub(INDENT);
                        self.below(all(*first, room, scene.theme), INDENT);
                    }
                }
                Block::Similar(calls, decision, alike) => {
                    self.rows
                        .extend(head(calls, decision, words, columns, scene));
                    similar::rows(self, calls, alike, columns.width, scene);
                }
            }
        }
        self.beside = self.rows.len() - rows;
        self.starts.truncate(starts);
    }

    /// Calls begin at the next row.
    pub fn start(&mut self, calls: usize) {
        self.starts.push((self.rows.len(), calls));
    }

    /// Adds rows below a call's own.
    pub fn below(&mut self, rows: Vec<Row>, indent: usize) {
        let rows = rows.into_iter();
        self.rows
            .extend(rows.map(|row| Row::new().padded(indent).then(row)));
    }

    fn equal(
        &mut self,
        block: &Block<'_>,
        (calls, decision): (&[Signed<'_>], &Decision),
        columns: Columns,
        last: Option<&Decision>,
        scene: Scene<'_>,
    ) {
        let Some(first) = calls.first().copied() else {
            return;
        };
        let (room, theme) = (columns.width.saturating_sub(INDENT), scene.theme);
        self.start(calls.len());
        let edited = decision.edited().map(fields::summary);
        let summary = edited.as_ref().unwrap_or(&first.call.summary);
        let summary = Row::new().with(summary, theme.text);
        self.rows
            .extend(head(calls, decision, summary, columns, scene));
        if are_of_several(calls) {
            self.below(from(calls, room, scene), INDENT);
        }
        self.below(script(first.call, room, scene), INDENT);
        if blocks::is_refusal(decision) {
            self.told(calls, decision, columns.width, last, scene);
            return;
        }
        self.below(arguments::above(first.call, room, theme), INDENT);
        self.below(in_another_order(calls, room, theme), INDENT);
        self.told(calls, decision, columns.width, last, scene);
        if !block.is_read(scene) {
            self.below(arguments::body(first, Strip::Named, room, theme), INDENT);
            return;
        }
        // What was read says nothing of what has taken its place.
        if first.is_edited() {
            self.below(arguments::found(first, Strip::Named, room, theme), INDENT);
            self.below(change::preview(first, room, theme), INDENT);
        }
        self.below(vec![read_before(scene)], INDENT);
    }

    /// What the decision carries. A reason that several calls share is shown once, below the first of them.
    fn told(
        &mut self,
        calls: &[Signed<'_>],
        decision: &Decision,
        width: usize,
        last: Option<&Decision>,
        scene: Scene<'_>,
    ) {
        let Some(first) = calls.first() else { return };
        if last == Some(decision) && blocks::is_refusal(decision) {
            return;
        }
        let room = width.saturating_sub(INDENT);
        let proposed = &first.call.call.arguments;
        if decision.edited().is_some() {
            let words = Row::new().with("what you changed of it", scene.theme.dim);
            self.below(words.wrapped(room, Breaks::Words), INDENT);
        }
        let changes = blocks::changes(*first);
        let rows = if changes.is_empty() {
            arguments::decision(proposed, decision, room, scene.theme)
        } else {
            edited::rows(&changes, room, scene.theme)
        };
        self.below(rows, INDENT);
    }
}

/// That some of equal calls name their arguments in another order, or write them in another way: what they say
/// is the same.
pub fn in_another_order(calls: &[Signed<'_>], width: usize, theme: &Theme) -> Vec<Row> {
    let Some((first, others)) = calls.split_first() else {
        return Vec::new();
    };
    let written = fields::editable(first.arguments());
    let differs = |other: &&Signed<'_>| {
        let (other, first) = (other.arguments(), first.arguments());
        other.text() != first.text() && fields::editable(other) != written
    };
    let count = others.iter().filter(differs).count();
    if count == 0 {
        return Vec::new();
    }
    let row = words::count(count, "of them writes", "of them write", theme.dim);
    row.with(
        " the same in another order or with other escapes",
        theme.dim,
    )
    .wrapped(width, Breaks::Words)
}

/// Which script makes the call, or what a decision on a script itself does.
pub fn script(waiting: &Waiting, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let known = Known::of(waiting, scene.state);
    let row = if waiting.call.is_script() {
        Some(script::drops(&known, scene.theme))
    } else {
        script::of(&waiting.call, &known, scene.theme)
    };
    row.map_or_else(Vec::new, |row| row.wrapped(width, Breaks::Words))
}

/// Whether the calls are of more than one session.
pub fn are_of_several(calls: &[Signed<'_>]) -> bool {
    let mut sessions = calls.iter().map(|signed| &signed.key().session);
    let first = sessions.next();
    sessions.any(|session| Some(session) != first)
}

/// Which sessions want equal calls, and how many of them, where there are several sessions.
pub fn from(calls: &[Signed<'_>], width: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let mut found: indexmap::IndexMap<Row, usize> = indexmap::IndexMap::new();
    for signed in calls {
        *found.entry(words::agent(signed.call, scene)).or_default() += 1;
    }
    if found.keys().all(Row::is_empty) {
        return Vec::new();
    }
    let mut row = Row::new().with("from ", theme.dim);
    for (at, (agent, calls)) in found.into_iter().enumerate() {
        row = row
            .with(if at > 0 { ", " } else { "" }, theme.dim)
            .then(agent);
        if calls > 1 {
            row = row.with(" ×", theme.dim).with(calls, theme.dim);
        }
    }
    row.wrapped(width, Breaks::Words)
}

/// All that runs. What edited arguments would change stands above already.
fn all(signed: Signed<'_>, width: usize, theme: &Theme) -> Vec<Row> {
    if signed.is_edited() {
        return values::values(&signed.fields(), signed.marks(), width, theme);
    }
    arguments::rows(signed, Strip::Named, width, theme)
}

/// Below an approval of what was read before.
fn read_before(scene: Scene<'_>) -> Row {
    Row::new().with("read before; all of it stands at the end", scene.theme.dim)
}
