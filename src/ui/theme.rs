//! What things look like. Owns every colour. Unless others are asked for, only the sixteen ANSI ones, so
//! that the operator's terminal decides what they are. No state is told by a colour alone.

use ratatui::style::{Color, Modifier, Style};

/// The colours a theme may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colours {
    /// The terminal's own sixteen.
    #[default]
    Ansi,
    /// The fixed ones among 256.
    Indexed,
    True,
}

/// What the five colours of a theme are.
#[derive(Debug, Clone, Copy)]
struct Palette {
    accent: Color,
    good: Color,
    warn: Color,
    bad: Color,
    code: Color,
}

impl Palette {
    const fn indexed([accent, good, warn, bad, code]: [u8; 5]) -> Self {
        Self {
            accent: Color::Indexed(accent),
            good: Color::Indexed(good),
            warn: Color::Indexed(warn),
            bad: Color::Indexed(bad),
            code: Color::Indexed(code),
        }
    }

    const fn of([accent, good, warn, bad, code]: [u32; 5]) -> Self {
        Self {
            accent: Color::from_u32(accent),
            good: Color::from_u32(good),
            warn: Color::from_u32(warn),
            bad: Color::from_u32(bad),
            code: Color::from_u32(code),
        }
    }
}

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
        Self::coloured(Palette {
            accent: Color::Cyan,
            good: Color::Green,
            warn: Color::Yellow,
            bad: Color::Red,
            code: Color::Magenta,
        })
    }

    /// The dark theme in these colours.
    pub const fn dark_in(colours: Colours) -> Self {
        match colours {
            Colours::Ansi => Self::dark(),
            Colours::Indexed => Self::coloured(Palette::indexed([80, 114, 179, 210, 183])),
            Colours::True => Self::coloured(Palette::of([
                0x005f_d7d7,
                0x0087_d787,
                0x00e0_b060,
                0x00ff_8787,
                0x00d7_afff,
            ])),
        }
    }

    /// The light theme in these colours.
    pub const fn light_in(colours: Colours) -> Self {
        match colours {
            Colours::Ansi => Self::light(),
            Colours::Indexed => Self::coloured(Palette::indexed([24, 22, 94, 124, 54])),
            Colours::True => Self::coloured(Palette::of([
                0x0000_5f87,
                0x0000_5f00,
                0x0080_4a00,
                0x00af_0000,
                0x005f_0087,
            ])),
        }
    }

    /// For a light background: no yellow and no cyan, which nobody can read there.
    pub const fn light() -> Self {
        Self::coloured(Palette {
            accent: Color::Blue,
            good: Color::Green,
            warn: Color::Magenta,
            bad: Color::Red,
            code: Color::Blue,
        })
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

    const fn coloured(palette: Palette) -> Self {
        let Palette {
            accent,
            good,
            warn,
            bad,
            code,
        } = palette;
        Self {
            text: PLAIN,
            dim: DIM,
            strong: BOLD,
            accent: PLAIN.fg(accent),
            good: PLAIN.fg(good),
            warn: PLAIN.fg(warn),
            bad: PLAIN.fg(bad),
            code: PLAIN.fg(code),
            heading: BOLD.fg(accent),
            border: DIM,
            focused: BOLD.fg(accent),
            place: PLAIN.add_modifier(Modifier::REVERSED).fg(bad),
        }
    }
}
