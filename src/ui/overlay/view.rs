//! One call on the whole screen, with everything that is known of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

use super::{Showed, scrolled, sheet};
use crate::core::call::{Answer, Call, Origin};
use crate::core::fields;
use crate::core::name;
use crate::core::pending::Waiting;
use crate::core::shown::Shown;
use crate::core::verdict::Basis;
use crate::ui::border::{Titles, inside};
use crate::ui::paint;
use crate::ui::pending::script::Known;
use crate::ui::pending::signed::Signed;
use crate::ui::pending::strip::Strip;
use crate::ui::pending::{Laid, Layouts, laid, values};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words::{self, Scene};

/// Columns of the names of facts.
const NAMES: usize = 11;

#[derive(Debug, Default)]
pub struct Kept {
    arguments: Layouts,
    /// The rows as drawn, and the arguments they begin with, by which they are known to be current.
    whole: Option<Whole>,
}

#[derive(Debug)]
struct Whole {
    begins: Rc<[Row]>,
    laid: Laid,
}

pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    top: usize,
    scene: Scene<'_>,
    kept: &mut Kept,
) -> Showed {
    let theme = scene.theme;
    let Some(waiting) = scene.state.selected() else {
        let inner = sheet(buffer, body, Titles::default(), scene);
        paint::row(
            buffer,
            inner,
            0,
            &Row::new().with("This call no longer waits.", theme.dim),
        );
        return Showed::default();
    };
    let since = scene.state.now.ticks.since(waiting.since);
    let mut right = words::stage(waiting, scene);
    if right.is_empty() {
        right = Row::new()
            .with("‖ waiting ", theme.warn)
            .with(&words::wait(since), theme.warn);
    }
    let left = Row::new()
        .with(&waiting.tool, theme.focused)
        .with(" · ", theme.dim)
        .with(&Shown::label(&waiting.call.basis.words()), theme.warn);
    let titles = Titles {
        left,
        right,
        ..Titles::default()
    };
    let inner = sheet(buffer, body, titles, scene);
    let Laid { rows, beside } = rows(waiting, usize::from(inside(body).width), scene, kept);
    let extent = scrolled(buffer, body, inner, &rows, top, scene);
    let call = (extent.height > 0).then(|| waiting.call.key.clone());
    Showed {
        extent,
        beside,
        call,
        ..Showed::default()
    }
}

fn rows(waiting: &Waiting, width: usize, scene: Scene<'_>, kept: &mut Kept) -> Laid {
    let arguments = kept.arguments.rows(waiting, Strip::Whole, width, scene);
    if let Some(Whole { begins, laid }) = &kept.whole
        && Rc::ptr_eq(begins, &arguments.rows)
    {
        return laid.clone();
    }
    let laid = with_facts(waiting, &arguments, width, scene.theme);
    kept.whole = Some(Whole {
        begins: arguments.rows,
        laid: laid.clone(),
    });
    laid
}

/// Everything that is known of a call, as the full view shows it, but for the text of its tool's schema.
pub fn whole(waiting: &Waiting, script: &Known, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = laid(Signed::plain(waiting), Strip::Whole, script, width, theme)
        .rows
        .to_vec();
    rows.push(Row::new());
    rows.extend(facts(&waiting.call, width, theme));
    rows.extend(fits(&waiting.call, width, theme));
    rows
}

fn with_facts(waiting: &Waiting, arguments: &Laid, width: usize, theme: &Theme) -> Laid {
    let mut rows = arguments.rows.to_vec();
    rows.push(Row::new());
    rows.extend(facts(&waiting.call, width, theme));
    rows.extend(fits(&waiting.call, width, theme));
    rows.extend(schema(&waiting.call, width, theme));
    // What follows on what nobody has to have seen is no more than that.
    let follows = rows.len() - arguments.rows.len();
    let beside = match arguments.beside {
        0 => 0,
        beside => beside + follows,
    };
    Laid {
        rows: rows.into(),
        beside,
    }
}

fn facts(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let asked = matches!(call.basis, Basis::Question { .. });
    let origin = match call.origin {
        Origin::Agent if asked => "an MCP server, while it runs a call of this program's agent",
        Origin::Agent => "this program's own agent, which runs the tool",
        Origin::Provider => "the model's provider, which runs the tool once it is confirmed",
        Origin::File => "a program that waits for what this one writes",
    };
    let word = |text: &Shown| Row::new().with(text, theme.text);
    let mut facts: Vec<(&'static str, Row)> = vec![
        ("tool", word(&Shown::label(&call.name()))),
        ("agent", word(&name::shown(&call.agent))),
        ("comes from", Row::new().with(origin, theme.text)),
        ("waits since", word(&Shown::label(&local(call)))),
        ("you can", answers(call, theme)),
    ];
    if !call.risks.is_empty() {
        let mut row = Row::new();
        for (at, risk) in call.risks.iter().enumerate() {
            row = row
                .with(if at > 0 { " · " } else { "" }, theme.dim)
                .with(risk.word(), theme.warn);
        }
        facts.push(("says it is", row));
    }
    if let Some(parent) = &call.parent {
        facts.push(("made from", word(&Shown::label(&parent.0))));
    }
    facts.push(("digest", word(&Shown::label(call.digest().as_str()))));
    facts.push(("call", word(&Shown::label(&call.key.call.0))));
    facts.push(("session", word(&Shown::label(&call.key.session.0))));
    let room = width.saturating_sub(NAMES + 2).max(1);
    let laid = facts.into_iter().flat_map(|(name, row)| {
        let mut lead = Row::new().with(name, theme.dim);
        row.wrapped(room, Breaks::Kept)
            .into_iter()
            .map(move |part| std::mem::take(&mut lead).padded(NAMES + 2).then(part))
    });
    laid.collect()
}

/// The moment of arrival on the operator's clock.
fn local(call: &Call) -> String {
    let zoned = call.arrived.to_zoned(jiff::tz::TimeZone::UTC);
    zoned.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// What a person can do with the call, each as a sentence would say it.
fn answers(call: &Call, theme: &Theme) -> Row {
    let asked = matches!(call.basis, Basis::Question { .. });
    let mut row = Row::new();
    for answer in [
        Answer::Approve,
        Answer::Edit,
        Answer::Reject,
        Answer::Respond,
        Answer::Retry,
        Answer::Fail,
        Answer::AlwaysArguments,
        Answer::AlwaysTool,
        Answer::NeverArguments,
        Answer::NeverTool,
    ] {
        if call.answers.take(answer) {
            let gap = if row.is_empty() { "" } else { ", " };
            let words = if asked {
                to_question(answer)
            } else {
                to_call(call, answer)
            };
            row = row.with(gap, theme.dim).with(words, theme.text);
        }
    }
    row
}

const fn to_question(answer: Answer) -> &'static str {
    match answer {
        Answer::Approve => "send the answer as it stands",
        Answer::Edit => "write the answer",
        Answer::Reject | Answer::Reason => "decline",
        Answer::Fail => "cancel",
        Answer::Respond
        | Answer::Retry
        | Answer::AlwaysArguments
        | Answer::AlwaysTool
        | Answer::NeverArguments
        | Answer::NeverTool => to_any(answer),
    }
}

fn to_call(call: &Call, answer: Answer) -> &'static str {
    let reason = call.answers.take(Answer::Reason);
    match answer {
        Answer::Approve if call.basis.is_unknown() => "run it again",
        Answer::Reject if call.is_script() && reason => "drop the script and say why",
        Answer::Reject if call.is_script() => "drop the script",
        Answer::Reject if reason => "reject it and say why",
        Answer::Approve
        | Answer::Edit
        | Answer::Reject
        | Answer::Reason
        | Answer::Respond
        | Answer::Retry
        | Answer::Fail
        | Answer::AlwaysArguments
        | Answer::AlwaysTool
        | Answer::NeverArguments
        | Answer::NeverTool => to_any(answer),
    }
}

const fn to_any(answer: Answer) -> &'static str {
    match answer {
        Answer::Approve => "approve it",
        Answer::Edit => "change its arguments first",
        Answer::Reject | Answer::Reason => "reject it",
        Answer::Respond => "give its result yourself",
        Answer::Retry => "send it back with a message",
        Answer::Fail => "say that it failed",
        Answer::AlwaysArguments => "approve it with these arguments from now on",
        Answer::AlwaysTool => "approve every call of its tool from now on",
        Answer::NeverArguments => "reject it with these arguments from now on",
        Answer::NeverTool => "reject every call of its tool from now on",
    }
}

/// What the arguments break of the tool's schema.
fn fits(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let Some(schema) = &call.schema else {
        return Vec::new();
    };
    let mut rows = vec![Row::new()];
    let violations = schema.check(call.arguments.value());
    if violations.is_empty() {
        let fit = if matches!(call.basis, Basis::Question { .. }) {
            "✓ the answer fits what the server asks for"
        } else {
            "✓ the arguments fit the tool's schema"
        };
        rows.push(Row::new().with(fit, theme.good));
    }
    for violation in violations {
        let row = Row::new()
            .with("✗ ", theme.bad)
            .with(&Shown::label(&violation.to_string()), theme.text);
        rows.extend(row.wrapped(width, Breaks::Words));
    }
    rows
}

/// The text of the tool's schema; nothing where there is none.
pub fn schema(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let Some(schema) = &call.schema else {
        return Vec::new();
    };
    let text = Shown::laid_out(&fields::pretty(&schema.value().to_string()));
    values::block(&text, width, theme)
}
