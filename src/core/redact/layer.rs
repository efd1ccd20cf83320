//! A text as it reads once its JSON escapes are undone, and where each piece of it stood.
//!
//! A secret with a quote in it stands otherwise in the JSON text of arguments, and otherwise again in a
//! result that repeats that text. Nothing says which texts are JSON, so all of them are looked through
//! in this way too: an escape that was none can only hide too much.

use std::ops::Range;

/// One reading of a text.
pub(super) struct Layer {
    pub(super) text: String,
    /// Where in the first text each byte began; one more for the end.
    at: Vec<usize>,
}

impl Layer {
    /// The reading of `text`, if it reads otherwise.
    pub(super) fn of(text: &str) -> Option<Self> {
        Self::read(text, |at| at)
    }

    /// The reading of this reading, if it reads otherwise.
    pub(super) fn next(&self) -> Option<Self> {
        Self::read(&self.text, |at| self.at[at])
    }

    /// Where a piece of this reading stood in the first text.
    pub(super) fn place(&self, piece: &Range<usize>) -> Range<usize> {
        self.at[piece.start]..self.at[piece.end]
    }

    fn read(text: &str, place: impl Fn(usize) -> usize) -> Option<Self> {
        if !text.contains('\\') {
            return None;
        }
        let mut layer = Self {
            text: String::with_capacity(text.len()),
            at: Vec::with_capacity(text.len() + 1),
        };
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let (read, length) = escape(&text[at..]).unwrap_or((c, c.len_utf8()));
            layer.text.push(read);
            layer.at.resize(layer.text.len(), place(at));
            at += length;
        }
        layer.at.push(place(at));
        (layer.text != text).then_some(layer)
    }
}

/// The character that an escape at the start of `text` stands for, and how long the escape is.
fn escape(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('\\')?;
    let plain = match rest.as_bytes().first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text),
        _ => return None,
    };
    Some((plain, 2))
}

fn unicode(text: &str) -> Option<(char, usize)> {
    let first = unit(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    let second = unit(text.get(6..)?)?;
    let both = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let c = char::decode_utf16(both).next()?.ok()?;
    Some((c, 12))
}

/// `\u0041`
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
}
