//! Characters that show nothing or steer the terminal, and blanks that push a text out of sight.
//!
//! They are written out where they stand in any case (`core::shown`); here they are named. Joiners and
//! selectors within emoji, and joiners of scripts that are written with them, are ordinary.

use std::borrow::Cow;
use std::ops::Range;

use super::spot::Spot;
use crate::core::count;
use crate::core::finding::Kind;
use crate::core::shown::{self, lookalike};

/// Blanks in a row, or empty rows in a row, that push what follows out of sight.
const PADDING: usize = 65;
const EMPTY_ROWS: usize = 20;
/// Different characters that are told.
const MOST_KINDS: usize = 4;
/// Bytes of their names.
const LONGEST_NAMES: usize = 32;
/// Words in two alphabets that are named.
const MOST_WORDS: usize = 8;

/// What was met of one sort.
#[derive(Default)]
struct Met {
    count: usize,
    first: Range<usize>,
    /// Which they are, each once, in the order met.
    kinds: Vec<char>,
}

impl Met {
    fn at(&mut self, at: usize, c: char) {
        let here = at..at + c.len_utf8();
        // Neighbours are highlighted together.
        if self.count == 0 {
            self.first = here;
        } else if self.first.end == at {
            self.first.end = here.end;
        }
        self.count += 1;
        // One more than are told: so it shows that there are others.
        if self.kinds.len() <= MOST_KINDS && !self.kinds.contains(&c) {
            self.kinds.push(c);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Escape,
    Control,
    Direction,
    Width,
    Tag,
}

pub(super) fn look(text: &str, spot: &mut Spot<'_>) {
    let mut met = [const { None }; 5].map(|_: Option<Met>| Met::default());
    let mut tags = String::new();
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, c)| *c);
        if let Some(sort) = sort(before, c, next) {
            met[sort as usize].at(at, c);
            if sort == Sort::Tag {
                let ascii = u32::from(c).checked_sub(0xE_0000).and_then(char::from_u32);
                tags.extend(ascii.filter(|c| c.is_ascii_graphic() || *c == ' '));
            }
        }
        before = Some(c);
    }
    for (sort, met) in [
        Sort::Escape,
        Sort::Control,
        Sort::Direction,
        Sort::Width,
        Sort::Tag,
    ]
    .into_iter()
    .zip(met)
    {
        if met.count > 0 {
            spot.note(Kind::Hidden, words(sort, &met, &tags), met.first);
        }
    }
    padding(text, spot);
    for word in shown::posing(text).into_iter().take(MOST_WORDS) {
        let read = &text[word.clone()];
        spot.note(
            Kind::LookAlike,
            format!("{read} is not {}", lookalike::reading(read)),
            word,
        );
    }
}

fn words(sort: Sort, met: &Met, tags: &str) -> String {
    let of = |one: &str, many: &str| {
        let count = count::of(met.count, one, many);
        format!("{count}: {}", which(&met.kinds))
    };
    match sort {
        Sort::Escape => count::of(met.count, "terminal escape", "terminal escapes"),
        Sort::Control => count::of(met.count, "control character", "control characters"),
        Sort::Direction => of("change of direction", "changes of direction"),
        Sort::Width => of("character without width", "characters without width"),
        Sort::Tag if tags.is_empty() => of("tag", "tags"),
        Sort::Tag => format!("tags that say {tags}"),
    }
}

/// What they are: by name, or by number where the names would take too much room.
fn which(kinds: &[char]) -> String {
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    for name in kinds.iter().map(|c| name(*c)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let names = names.join(", ");
    if kinds.len() <= MOST_KINDS && names.len() <= LONGEST_NAMES {
        return names;
    }
    let number = |c: &char| format!("U+{:04X}", u32::from(*c));
    let numbers: Vec<String> = kinds.iter().take(MOST_KINDS).map(number).collect();
    let more = if kinds.len() > MOST_KINDS { " …" } else { "" };
    format!("{}{more}", numbers.join(" "))
}

/// What a character is that cannot be seen.
fn name(c: char) -> Cow<'static, str> {
    let known = match c {
        '\u{AD}' => "soft hyphen",
        '\u{34F}' => "grapheme joiner",
        '\u{61C}' => "Arabic letter mark",
        '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' => "Hangul filler",
        '\u{180B}'..='\u{180D}'
        | '\u{180F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{E0100}'..='\u{E01EF}' => "variation selector",
        '\u{180E}' => "vowel separator",
        '\u{200B}' => "zero width space",
        '\u{200C}' => "zero width non-joiner",
        '\u{200D}' => "zero width joiner",
        '\u{200E}' => "left-to-right mark",
        '\u{200F}' => "right-to-left mark",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202A}' | '\u{202B}' => "embedding",
        '\u{202C}' | '\u{2069}' => "end of a direction",
        '\u{202D}' => "left-to-right override",
        '\u{202E}' => "right-to-left override",
        '\u{2060}' => "word joiner",
        '\u{2066}'..='\u{2068}' => "isolate",
        '\u{2800}' => "empty Braille cell",
        '\u{FEFF}' => "byte order mark",
        c => return format!("U+{:04X}", u32::from(c)).into(),
    };
    known.into()
}

/// Whether the character shows nothing, wherever it stands.
pub(super) fn steers(c: char) -> bool {
    sort(Some('a'), c, Some('a')).is_some()
}

fn sort(before: Option<char>, c: char, next: Option<char>) -> Option<Sort> {
    match c {
        '\u{1B}' | '\u{9B}' | '\u{9D}' | '\u{90}' => Some(Sort::Escape),
        '\n' | '\t' => None,
        '\r' if next == Some('\n') => None,
        c if c.is_control() => Some(Sort::Control),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some(Sort::Direction),
        '\u{E0000}'..='\u{E007F}' => Some(Sort::Tag),
        '\u{200C}' | '\u{200D}' if joins(before) && joins(next) => None,
        '\u{FE0E}' | '\u{FE0F}' if before.is_some_and(|c| !c.is_alphabetic()) => None,
        '\u{FEFF}' if before.is_none() => None,
        '\u{61C}' | '\u{200E}' | '\u{200F}' if from_the_right(before) || from_the_right(next) => {
            None
        }
        '\u{2028}'
        | '\u{2029}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{FEFF}'
        | '\u{AD}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{180B}'..='\u{180F}'
        | '\u{3164}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{FFA0}'
        | '\u{2800}'
        | '\u{E0100}'..='\u{E01EF}' => Some(Sort::Width),
        _ => None,
    }
}

/// Letters of scripts that are written from right to left, beside which a mark of direction is ordinary.
fn from_the_right(c: Option<char>) -> bool {
    c.is_some_and(|c| matches!(c, '\u{590}'..='\u{61B}' | '\u{61D}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'))
}

/// Emoji and letters of scripts that are joined.
fn joins(c: Option<char>) -> bool {
    c.is_some_and(|c| u32::from(c) >= 0x600 && !matches!(c, '\u{2000}'..='\u{206F}'))
}

fn padding(text: &str, spot: &mut Spot<'_>) {
    let mut at = 0;
    while let Some(found) = text[at..].find("        ") {
        let start = at + found;
        let run = text[start..]
            .bytes()
            .take_while(|byte| *byte == b' ')
            .count();
        at = start + run;
        if run >= PADDING && !text[at..].trim_start().is_empty() {
            spot.note(Kind::Hidden, format!("behind {run} spaces"), start..at);
        }
    }
    let mut empty = 0;
    let mut offset = 0;
    for row in text.split('\n') {
        if row.trim().is_empty() {
            empty += 1;
        } else {
            if empty >= EMPTY_ROWS {
                let end = offset + row.len().min(1);
                spot.note(
                    Kind::Hidden,
                    format!("behind {empty} empty rows"),
                    offset..text.ceil_char_boundary(end),
                );
            }
            empty = 0;
        }
        offset += row.len() + 1;
    }
}
