//! Texts written in another form: base64, hexadecimal, escapes by number.
//!
//! Owns the decoding and the question whether what comes out is a command.

use super::shell;
use super::spot::Spot;
use crate::core::finding::Kind;

/// Characters of a coded text that is worth decoding.
const SHORTEST: usize = 12;
const LONGEST: usize = 32 * 1024;

/// Every coded text in this one that is a command once it is decoded.
pub(super) fn tokens(text: &str, spot: &mut Spot<'_>) {
    let coded = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if coded(c) {
            continue;
        }
        let token = &text[start..at];
        if (SHORTEST..=LONGEST).contains(&token.len()) {
            let decoded = hexadecimal(token).or_else(|| base64(token));
            if let Some(decoded) = decoded.filter(|decoded| shell::is_command(decoded)) {
                command(&decoded, start..at, spot);
            }
        }
        start = at + c.len_utf8();
    }
}

/// A decoded command, and what is found in it.
pub(super) fn command(decoded: &str, range: std::ops::Range<usize>, spot: &mut Spot<'_>) {
    spot.note(Kind::Decoded, decoded.trim(), range.clone());
    if let Some(mut within) = spot.within(range, decoded.len()) {
        shell::look(decoded, &mut within);
    }
}

/// A text of printable characters in base64 of either alphabet, padded or not.
pub(super) fn base64(token: &str) -> Option<String> {
    let token = token.trim_end_matches('=');
    if token.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(token.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0);
    for byte in token.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.extend(u8::try_from(held >> bits));
            held &= (1 << bits) - 1;
        }
    }
    printable(bytes)
}

fn hexadecimal(token: &str) -> Option<String> {
    let digits = token.strip_prefix("0x").unwrap_or(token);
    if digits.len() % 2 == 1 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = (0..digits.len()).step_by(2);
    let bytes: Option<Vec<u8>> = pairs
        .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
        .collect();
    printable(bytes?)
}

fn printable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    (!text.contains(odd)).then_some(text)
}

/// A text with its escapes by number taken off: `\x72\x6d`, `\162\155`, `\u0072`, `\e`. `None` if it has none.
pub(super) fn escapes(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut any = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        if let Some((c, length)) = numbered(tail) {
            out.push(c);
            any = true;
            rest = &tail[length..];
        } else {
            out.push('\\');
            rest = tail;
        }
    }
    out.push_str(rest);
    any.then_some(out)
}

/// The character behind a backslash that names it by its number, and the bytes of the name.
fn numbered(tail: &str) -> Option<(char, usize)> {
    let digits = |from: usize, most: usize, radix: u32| {
        let run = tail[from..]
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .count();
        let code = u32::from_str_radix(tail.get(from..from + run)?, radix).ok()?;
        Some((char::from_u32(code)?, from + run))
    };
    match tail.as_bytes().first()? {
        b'x' => digits(1, 2, 16),
        b'u' => digits(1, 4, 16),
        b'U' => digits(1, 8, 16),
        b'0'..=b'7' => digits(0, 4, 8).filter(|(_, length)| *length > 2),
        b'e' | b'E' => {
            (!tail[1..].starts_with(|c: char| c.is_ascii_alphabetic())).then_some(('\u{1B}', 1))
        }
        _ => None,
    }
}
