//! Characters that look like a letter or digit of ASCII and are none.
//!
//! Owns a small table of those that are met: Cyrillic, Greek, Armenian and Cherokee letters, full-width and
//! mathematical forms, punctuation that reads as a slash, a dot or a colon. Judges no text: whether such a character
//! is out of place is for the caller, since in a text of its own script it is an ordinary letter.

use unicode_normalization::UnicodeNormalization as _;

/// Characters of a text that are told by number.
const NUMBERS: usize = 8;

/// What the character looks like; `None` for ASCII itself and for what looks like nothing in it.
pub fn ascii(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    wide(c).or_else(|| mathematical(c)).or_else(|| letter(c))
}

/// As `ascii`, and also signs that stand for a slash, a dot or a colon. For names of hosts and files, where the
/// sign decides where a name ends.
pub fn sign(c: char) -> Option<char> {
    ascii(c).or(match c {
        '\u{2044}' | '\u{2215}' | '\u{29F8}' | '\u{2571}' => Some('/'),
        '\u{3002}' | '\u{FF61}' | '\u{2024}' | '\u{A60E}' => Some('.'),
        '\u{2236}' | '\u{A789}' | '\u{02D0}' => Some(':'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        'ı' => Some('i'),
        'ɡ' => Some('g'),
        'ɑ' => Some('a'),
        'ℓ' => Some('l'),
        _ => None,
    })
}

/// The text as it reads: what looks like ASCII as what it looks like, in lower case.
pub fn reading(text: &str) -> String {
    let plain = text.chars().map(|c| sign(c).unwrap_or(c));
    let folded = plain.flat_map(char::to_lowercase);
    folded
        .map(|c| match c {
            '0' => 'o',
            '1' => 'l',
            c => c,
        })
        .collect()
}

/// The text as it looks: signs as what they look like, marks put together with their letters. Unlike `reading`, it
/// tells letter cases and digits apart.
pub fn looks(text: &str) -> String {
    let plain = text.chars().map(|c| sign(c).unwrap_or(c));
    plain.nfkc().collect()
}

/// The characters that are not of ASCII, by number: `U+0065` is not told of, `U+0301` is.
pub fn numbers(text: &str) -> String {
    let odd = text.chars().filter(|c| !c.is_ascii());
    let mut numbers: Vec<String> = odd.map(|c| format!("U+{:04X}", u32::from(c))).collect();
    let more = numbers.len().saturating_sub(NUMBERS);
    numbers.truncate(NUMBERS);
    if more > 0 {
        numbers.push(format!("and {more} more"));
    }
    numbers.join(" ")
}

fn wide(c: char) -> Option<char> {
    let code = u32::from(c);
    if !(0xFF01..=0xFF5E).contains(&code) {
        return None;
    }
    char::from_u32(code - 0xFEE0)
}

/// Bold, italic, script and other letters of mathematics, each alphabet after the other.
fn mathematical(c: char) -> Option<char> {
    let code = u32::from(c);
    let (at, alphabet): (u32, &[u8]) = match code {
        0x1D400..=0x1D6A3 => (
            (code - 0x1D400) % 52,
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        ),
        0x1D7CE..=0x1D7FF => ((code - 0x1D7CE) % 10, b"0123456789"),
        _ => return None,
    };
    let at = usize::try_from(at).ok()?;
    alphabet.get(at).map(|byte| char::from(*byte))
}

const fn letter(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' => 'a',
        'А' | 'Α' | 'Ꭺ' => 'A',
        'Ь' => 'b',
        'В' | 'Β' | 'Ᏼ' => 'B',
        'с' | 'ϲ' => 'c',
        'С' | 'Ϲ' | 'Ꮯ' => 'C',
        'ԁ' => 'd',
        'Ꭰ' => 'D',
        'е' | 'ҽ' => 'e',
        'Е' | 'Ε' | 'Ꭼ' => 'E',
        'ց' => 'g',
        'Ԍ' | 'Ꮐ' => 'G',
        'һ' | 'հ' => 'h',
        'Н' | 'Η' | 'Ꮋ' => 'H',
        'і' | 'ι' => 'i',
        'І' | 'Ι' | 'Ӏ' => 'I',
        'ј' | 'ϳ' => 'j',
        'Ј' | 'Ꭻ' => 'J',
        'κ' => 'k',
        'К' | 'Κ' | 'Ꮶ' => 'K',
        'ӏ' => 'l',
        'Ꮮ' => 'L',
        'М' | 'Μ' | 'Ꮇ' => 'M',
        'ո' | 'η' => 'n',
        'Ν' => 'N',
        'о' | 'ο' | 'օ' | 'σ' => 'o',
        'О' | 'Ο' | 'Օ' => 'O',
        'р' | 'ρ' => 'p',
        'Р' | 'Ρ' | 'Ꮲ' => 'P',
        'ԛ' | 'զ' => 'q',
        'Ԛ' => 'Q',
        'г' => 'r',
        'Ꮢ' => 'R',
        'ѕ' => 's',
        'Ѕ' | 'Տ' | 'Ꮪ' => 'S',
        'Т' | 'Τ' | 'Ꭲ' => 'T',
        'υ' | 'ս' => 'u',
        'Ս' => 'U',
        'ѵ' | 'ν' => 'v',
        'Ѵ' | 'Ꮩ' => 'V',
        'ԝ' | 'ա' => 'w',
        'Ԝ' | 'Ꮃ' => 'W',
        'х' | 'χ' => 'x',
        'Х' | 'Χ' => 'X',
        'у' | 'ү' | 'γ' => 'y',
        'У' | 'Υ' | 'Ү' => 'Y',
        'Ζ' | 'Ꮓ' => 'Z',
        _ => return None,
    })
}
