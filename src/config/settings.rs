//! `[decisions]` and `[ui]`: how the console behaves and looks.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::sources::Sources;
use crate::core::reading::Section;

/// `[decisions]`: how long a decision waits, before it can be made and before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decisions {
    /// A decision is held back this long and can be undone meanwhile.
    pub hold: Duration,
    /// The same for calls marked destructive.
    pub hold_destructive: Duration,
    /// A call takes no decision before it has been on screen this long.
    pub arming: Duration,
}

impl Default for Decisions {
    fn default() -> Self {
        Self {
            hold: Duration::ZERO,
            hold_destructive: Duration::from_secs(3),
            arming: *ARMING.start(),
        }
    }
}

/// `[ui]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    pub theme: Theme,
    pub colours: Colours,
    /// A program and its first arguments. `None`: nothing names one.
    pub editor: Option<Vec<String>>,
    pub mouse: Mouse,
}

/// Whether clicks and the wheel come to the console. While they do, selecting text takes the shift key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouse {
    #[default]
    LeftAlone,
    Used,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    Dark,
    Light,
    /// Without colours.
    Mono,
}

/// How many colours are used: no more than the terminal says it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Colours {
    #[default]
    Sixteen,
    Indexed,
    True,
}

const COLOURS: &[(&str, Colours)] = &[
    ("16", Colours::Sixteen),
    ("256", Colours::Indexed),
    ("true", Colours::True),
];

const HOLD: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_mins(10);
/// Shorter, and a key pressed for the call before would decide this one.
const ARMING: RangeInclusive<Duration> = Duration::from_millis(400)..=Duration::from_secs(10);

const THEMES: &[(&str, Theme)] = &[
    ("dark", Theme::Dark),
    ("light", Theme::Light),
    ("mono", Theme::Mono),
];

/// `None` if there is a mistake in it.
pub(super) fn decisions(root: &mut Section<'_>) -> Option<Decisions> {
    let usual = Decisions::default();
    let Some(field) = root.field("decisions") else {
        return Some(usual);
    };
    let mut section = field.section()?;
    let mut duration = |key, range, usual| match section.field(key) {
        Some(field) => field.duration(range),
        None => Some(usual),
    };
    let hold = duration("hold", HOLD, usual.hold);
    let hold_destructive = duration("hold_destructive", HOLD, usual.hold_destructive);
    let arming = duration("arming", ARMING, usual.arming);
    section.finish();
    Some(Decisions {
        hold: hold?,
        hold_destructive: hold_destructive?,
        arming: arming?,
    })
}

/// The file's word counts before the environment's.
pub(super) fn interface(root: &mut Section<'_>, sources: &Sources) -> Option<Interface> {
    let usual = Interface {
        theme: if sources.variable("NO_COLOR").is_some() || is_colourless(sources) {
            Theme::Mono
        } else {
            Theme::Dark
        },
        colours: Colours::default(),
        editor: sources
            .variable("VISUAL")
            .or_else(|| sources.variable("EDITOR"))
            .and_then(command),
        mouse: Mouse::default(),
    };
    let Some(field) = root.field("ui") else {
        return Some(usual);
    };
    let mut section = field.section()?;
    let theme = section.field("theme").map(|field| field.one_of(THEMES));
    let editor = section
        .field("editor")
        .map(|field| field.words().and_then(command));
    let mouse = section.field("mouse").map(|field| field.flag());
    let colours = section.field("colours").map(|field| field.one_of(COLOURS));
    section.finish();
    Some(Interface {
        colours: colours
            .unwrap_or(Some(usual.colours))?
            .min(offered(sources)),
        theme: theme.unwrap_or(Some(usual.theme))?,
        editor: match editor {
            Some(editor) => Some(editor?),
            None => usual.editor,
        },
        mouse: if mouse.unwrap_or(Some(false))? {
            Mouse::Used
        } else {
            Mouse::LeftAlone
        },
    })
}

/// Terminals that have never had a colour, and forms of others that say so.
fn is_colourless(sources: &Sources) -> bool {
    let term = sources.variable("TERM").unwrap_or_default();
    ["vt52", "vt100", "vt102", "vt220", "vt320"].contains(&term)
        || term.ends_with("-m")
        || term.ends_with("-mono")
}

/// The colours that this terminal says it has.
fn offered(sources: &Sources) -> Colours {
    let says = |name, word| {
        let value = sources.variable(name);
        value.is_some_and(|value| value.contains(word))
    };
    if says("COLORTERM", "truecolor") || says("COLORTERM", "24bit") || says("TERM", "direct") {
        Colours::True
    } else if says("TERM", "256color") || says("TERM", "kitty") {
        Colours::Indexed
    } else {
        Colours::Sixteen
    }
}

/// `code --wait` as a program and its arguments.
fn command(text: &str) -> Option<Vec<String>> {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}
