//! The text of a script, each line with its number, and a mark at the one it stands on.

use crate::core::script::Script;
use crate::core::shown::Shown;
use crate::ui::pending::strip::Strip;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// Lines above and below the one that it stands on, where they have to share the room.
const AROUND: usize = 2;
/// Below this width there is hardly any height either: the line itself comes first.
const NARROW: usize = 50;
/// Characters of such a line that are shown there.
const LONGEST: usize = 200;

/// The lines as an editor counts them: a break at the end begins no further one.
pub(super) fn lines(script: &Script) -> impl Iterator<Item = &str> {
    let text = script.code.strip_suffix('\n').unwrap_or(&script.code);
    text.split('\n')
}

/// The lines, or those around the one on which the call is made. Where the script itself stands on another
/// one, that has a mark of its own.
pub(super) fn rows(
    script: &Script,
    stands: Option<u32>,
    (strip, width): (Strip, usize),
    theme: &Theme,
) -> Vec<Row> {
    if script.code.is_empty() {
        let words = "its text was not sent along with this call";
        return Row::new()
            .with(words, theme.warn)
            .wrapped(width, Breaks::Words);
    }
    let all = lines(script).count();
    let line = script.line.and_then(|line| usize::try_from(line).ok());
    let line = line.filter(|line| (1..=all).contains(line));
    let (first, last) = match strip {
        Strip::Whole => (1, all),
        Strip::Short | Strip::Named => {
            let above = if width < NARROW { 0 } else { AROUND };
            around(line, above, all)
        }
    };
    let mut rows = Vec::new();
    if first > 1 {
        rows.push(super::more(first - 1, "line above", "lines above", theme));
    }
    let digits = last.to_string().len();
    for (at, text) in lines(script).enumerate().take(last).skip(first - 1) {
        let here = line == Some(at + 1);
        let (mark, look) = if here {
            ("▸", theme.warn)
        } else if stands.is_some_and(|line| usize::try_from(line) == Ok(at + 1)) {
            ("▹", theme.text)
        } else {
            (" ", theme.dim)
        };
        let number = Row::new().with(at + 1, look);
        let lead = Row::new()
            .with(mark, look)
            .padded(1 + digits.saturating_sub(number.width()))
            .then(number);
        let text = match strip {
            Strip::Short | Strip::Named => cut(text, theme),
            Strip::Whole => Row::new().with(&Shown::label(text), theme.code),
        };
        rows.extend(numbered(text, lead, width, theme));
    }
    if last < all {
        rows.push(super::more(all - last, "line below", "lines below", theme));
    }
    rows
}

/// As many lines as there would be with one in the middle, of which so many are above it.
fn around(line: Option<usize>, above: usize, all: usize) -> (usize, usize) {
    const SIZE: usize = 2 * AROUND + 1;
    let first = line.unwrap_or(1).saturating_sub(above);
    let last = (all + 1).saturating_sub(SIZE - (AROUND - above));
    let first = first.min(last).max(1);
    (first, (first + SIZE - 1).min(all))
}

fn cut(text: &str, theme: &Theme) -> Row {
    let Some((end, _)) = text.char_indices().nth(LONGEST) else {
        return Row::new().with(&Shown::label(text), theme.code);
    };
    let left = text[end..].chars().count();
    Row::new()
        .with(&Shown::label(&text[..end]), theme.code)
        .with(" ", theme.dim)
        .then(super::more(
            left,
            "more character",
            "more characters",
            theme,
        ))
}

/// Before a text that is not ours, and before what goes on from the row above.
pub(super) const GUTTER: [&str; 2] = ["│ ", "┆ "];

/// A row behind one sign, and what does not fit behind the other: nothing in it can look like words of ours.
pub(super) fn behind(
    row: Row,
    [first, next]: [&'static str; 2],
    width: usize,
    theme: &Theme,
) -> Vec<Row> {
    let room = width.saturating_sub(2).max(1);
    let parts = row.wrapped(room, Breaks::Kept).into_iter().enumerate();
    let lay = |(at, part): (usize, Row)| {
        let sign = if at == 0 { first } else { next };
        Row::new().with(sign, theme.dim).then(part)
    };
    parts.map(lay).collect()
}

/// A line of the script behind its number.
fn numbered(row: Row, lead: Row, width: usize, theme: &Theme) -> Vec<Row> {
    let column = lead.width() + 1;
    let mut lead = Some(lead);
    let parts = behind(row, GUTTER, width.saturating_sub(column), theme).into_iter();
    let lay = |part| lead.take().unwrap_or_default().padded(column).then(part);
    parts.map(lay).collect()
}
