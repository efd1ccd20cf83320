//! The sheet of a rule that is about to be given: how much it covers, the text that will be written, and
//! what it would match.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Showed, centred, scrolled, sheet};
use crate::app::command::Command;
use crate::app::rules::{Covered, Match, Progress, Proposal, Term};
use crate::core::shown::Shown;
use crate::core::verdict::Verdict;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::{self, Scene};

const WIDEST: usize = 100;
/// Calls that are listed; the counts are of all.
const LISTED: usize = 200;

pub fn draw(buffer: &mut Buffer, body: Rect, proposal: &Proposal, scene: Scene<'_>) -> Showed {
    let width = super::width(body, WIDEST);
    let room = width.saturating_sub(4).max(1);
    let rows = rows(proposal, room, scene);
    let area = centred(body, width, rows.len() + 3);
    let titles = Titles {
        left: title(proposal, scene),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    let (list, foot) = split_top(inner, inner.height.saturating_sub(1));
    let extent = scrolled(buffer, area, list, &rows, proposal.top, scene);
    paint::row(buffer, foot, 0, &keys(proposal, scene).fitted(room));
    Showed {
        extent,
        review: extent.height > 0,
        ..Showed::default()
    }
}

/// `A rule that allows, from 2 calls`.
fn title(proposal: &Proposal, scene: Scene<'_>) -> Row {
    let look = scene.theme.focused;
    let row = Row::new()
        .with("A rule that ", look)
        .with(does(proposal.verdict), look);
    match &proposal.replaces {
        Some(before) => row
            .with(", in the place of ", look)
            .with(&Shown::label(&before.id), look),
        None => {
            row.with(", from ", look)
                .then(words::count(proposal.from.len(), "call", "calls", look))
        }
    }
}

const fn does(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allows",
        Verdict::Ask => "asks",
        Verdict::Deny => "denies",
    }
}

fn rows(proposal: &Proposal, room: usize, scene: Scene<'_>) -> Vec<Row> {
    let mut rows = choices(proposal, room, scene);
    rows.push(Row::new());
    rows.extend(written(proposal, room, scene));
    rows.push(Row::new());
    rows.extend(covers(proposal, room, scene));
    rows
}

/// How much, what and how long: every choice there is, the chosen one marked.
fn choices(proposal: &Proposal, room: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let mut rows = Vec::new();
    for (at, candidate) in proposal.candidates.iter().enumerate() {
        let (mark, look) = if at == proposal.chosen {
            ("▌ ", theme.strong)
        } else {
            ("  ", theme.dim)
        };
        let row = Row::new()
            .with(mark, theme.focused)
            .with(&Shown::label(candidate.told(proposal.verdict).0), look);
        rows.extend(row.wrapped(room, Breaks::Anywhere));
    }
    if let Some(candidate) = proposal.candidate() {
        let (_, caveat) = candidate.told(proposal.verdict);
        let row = Row::new().with(caveat, theme.warn);
        rows.extend(row.wrapped(room, Breaks::Words));
    }
    let mut terms = Row::new().with("counts for ", theme.dim);
    for (at, term) in Term::ALL.into_iter().enumerate() {
        let chosen = term == proposal.term;
        terms.push(if at > 0 { " · " } else { "" }, theme.dim);
        terms.push(if chosen { "▌" } else { "" }, theme.focused);
        terms.push(term.words(), if chosen { theme.strong } else { theme.dim });
    }
    rows.extend(terms.wrapped(room, Breaks::Words));
    rows
}

/// The exact text, and where it goes.
fn written(proposal: &Proposal, room: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let head = match proposal.term {
        Term::Always => "Written to the journal, and to grants.toml in the data folder:",
        Term::Session | Term::Hour | Term::EightHours => "Written to the journal:",
    };
    let mut rows = Row::new()
        .with(head, theme.heading)
        .wrapped(room, Breaks::Words);
    let text = Shown::laid_out(proposal.text().trim_end());
    for row in Row::split(&text, theme.code) {
        rows.extend(row.wrapped(room, Breaks::Anywhere));
    }
    if let Some(fault) = &proposal.fault {
        let row = Row::new()
            .with("✗ ", theme.bad)
            .with(&Shown::label(fault), theme.bad);
        rows.extend(row.wrapped(room, Breaks::Words));
    }
    let limits = match proposal.verdict {
        Verdict::Allow | Verdict::Ask => {
            " only. It answers what asked about these calls: what another rule asks about is asked all the \
             same, and what a rule denies stays denied."
        }
        Verdict::Deny => " only. No other rule lets run what it denies.",
    };
    let row = Row::new()
        .with("It counts in ", theme.dim)
        .with(&Shown::label(&proposal.workspace), theme.text)
        .with(limits, theme.dim);
    rows.extend(row.wrapped(room, Breaks::Words));
    rows
}

fn covers(proposal: &Proposal, room: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let head = |words, (yes, all): (usize, usize)| {
        Row::new()
            .with("Matches ", theme.heading)
            .with(yes, theme.heading)
            .with(" of ", theme.heading)
            .with(all, theme.heading)
            .with(words, theme.heading)
    };
    let mut rows = Vec::new();
    let pending = |covered: &Covered| covered.pending.is_some();
    let past = |covered: &Covered| covered.pending.is_none();
    let mut section = |words, of: &dyn Fn(&Covered) -> bool| {
        let count = proposal.count(of);
        rows.extend(head(words, count).wrapped(room, Breaks::Words));
        let listed = proposal.covers.iter().filter(|covered| of(covered));
        rows.extend(
            listed
                .take(LISTED)
                .map(|covered| call(covered, room, scene)),
        );
        if let Some(more @ 1..) = count.1.checked_sub(LISTED) {
            let row = Row::new().with("  … and ", theme.warn);
            rows.push(
                row.then(words::count(more, "call", "calls", theme.warn))
                    .with(" that are counted, not listed", theme.warn)
                    .fitted(room),
            );
        }
    };
    section(
        " pending calls of these tools; they still wait for you",
        &pending,
    );
    section(" calls of before in this session", &past);
    rows
}

fn call(covered: &Covered, room: usize, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let (mark, look, word) = match covered.matches {
        Match::Yes => ("  ✓ ", theme.good, ""),
        Match::AskedAnyway => ("  ! ", theme.warn, "another rule asks too · "),
        Match::No => ("  · ", theme.dim, "not matched · "),
    };
    Row::new()
        .with(mark, look)
        .with(word, theme.dim)
        .with(&covered.tool, theme.accent)
        .with("  ", theme.text)
        .with(&covered.summary, theme.text)
        .fitted(room)
}

fn keys(proposal: &Proposal, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let armed = scene
        .state
        .sheet_since
        .is_some_and(|since| scene.state.now.ticks.since(since) >= scene.state.settings.arming);
    let (key_look, look) = if armed {
        (theme.focused, theme.text)
    } else {
        (theme.dim, theme.dim)
    };
    if proposal.progress == Progress::Giving {
        return Row::new().with("recording …", theme.dim);
    }
    let mut row = Row::new();
    if let Some(key) = words::key(scene.state, Command::Sign) {
        let gives = if proposal.asked {
            " again signs it all the same"
        } else {
            " signs it"
        };
        row = row.with(&key, key_look).with(gives, look).with("   ", look);
    }
    if let Some(key) = words::key(scene.state, Command::Close) {
        row = row.with(&key, theme.focused).with(" leaves it", theme.text);
    }
    row
}
