//! What things look like. Owns every colour; only the sixteen ANSI ones, so that the operator's
//! terminal decides what they are. No state is told by a colour alone.

use ratatui::style::{Color, Modifier, Style};

/// The looks of the console, by what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub text: Style,
    /// Words and signs of ours that may step back.
    pub dim: Style,
    pub strong: Style,
    /// Names: tools, keys, links, what is in focus.
    pub accent: Style,
    pub good: Style,
    pub warn: Style,
    pub bad: Style,
    pub code: Style,
    pub heading: Style,
    pub border: Style,
    pub focused: Style,
    /// A place in a text, such as the character at fault.
    pub place: Style,
}

const PLAIN: Style = Style::new();
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

impl Theme {
    /// For a dark background; the default.
    pub const fn dark() -> Self {
        Self::coloured(Color::Cyan, Color::Yellow, Color::Magenta)
    }

    /// For a light background: no yellow and no cyan, which nobody can read there.
    pub const fn light() -> Self {
        Self::coloured(Color::Blue, Color::Magenta, Color::Blue)
    }

    /// No colours at all, as `NO_COLOR` wants it: bold, dim and reverse only.
    pub const fn mono() -> Self {
        Self {
            text: PLAIN,
            dim: DIM,
            strong: BOLD,
            accent: BOLD,
            good: PLAIN,
            warn: BOLD,
            bad: BOLD,
            code: BOLD,
            heading: BOLD,
            border: DIM,
            focused: BOLD,
            place: PLAIN.add_modifier(Modifier::REVERSED),
        }
    }

    const fn coloured(accent: Color, warn: Color, code: Color) -> Self {
        Self {
            text: PLAIN,
            dim: DIM,
            strong: BOLD,
            accent: PLAIN.fg(accent),
            good: PLAIN.fg(Color::Green),
            warn: PLAIN.fg(warn),
            bad: PLAIN.fg(Color::Red),
            code: PLAIN.fg(code),
            heading: BOLD.fg(accent),
            border: DIM,
            focused: BOLD.fg(accent),
            place: PLAIN.add_modifier(Modifier::REVERSED).fg(Color::Red),
        }
    }
}
