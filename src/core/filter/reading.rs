//! From a filter's text to its parts. Knows quotes and signs, not what the names mean.

use super::FilterFault;

/// How a part compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `:`, contains.
    Has,
    /// `=`, is.
    Is,
    /// `>`
    Above,
    /// `<`
    Below,
}

/// One part: `word`, `name:word`, `-name=word`, `"two words"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// As it was written.
    pub written: String,
    pub negated: bool,
    /// What stands before the sign, and the sign.
    pub name: Option<(String, Sign)>,
    pub word: String,
    /// Some of it stood in quotes, so a word of the language is only text.
    pub quoted: bool,
}

/// The parts of a text, in order. A part that cannot be taken apart is a fault.
pub fn parts(text: &str) -> impl Iterator<Item = Result<Part, FilterFault>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let (part, left) = part(rest);
        rest = left;
        Some(part)
    })
}

fn part(text: &str) -> (Result<Part, FilterFault>, &str) {
    let bare = text.strip_prefix(['-', '!']);
    let start = bare.unwrap_or(text);
    let mut part = Part {
        written: String::new(),
        negated: bare.is_some(),
        name: None,
        word: String::new(),
        quoted: false,
    };
    let mut quote = false;
    let mut characters = start.char_indices();
    let mut end = text.len();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => {
                quote = !quote;
                part.quoted = true;
            }
            '\\' if quote => part.word.extend(characters.next().map(|(_, c)| c)),
            c if quote => part.word.push(c),
            c if c.is_whitespace() => {
                end = text.len() - start.len() + at;
                break;
            }
            c => match sign(c, &part) {
                Some(sign) => {
                    part.name = Some((std::mem::take(&mut part.word), sign));
                    part.quoted = false;
                }
                None => part.word.push(c),
            },
        }
    }
    let (written, left) = text.split_at(end);
    written.clone_into(&mut part.written);
    let fault = |what: &str| FilterFault {
        part: written.to_owned(),
        what: what.to_owned(),
    };
    let result = if quote {
        Err(fault("the quote is not closed"))
    } else if part.name.is_none() && part.word.is_empty() {
        Err(fault(if part.quoted {
            "there is no text between the quotes"
        } else {
            "say what is not to be listed, as in -tool:send_mail"
        }))
    } else {
        Ok(part)
    };
    (result, left)
}

/// The sign that ends a part's name. `<` and `>` do so only after `age`: elsewhere they are text.
fn sign(c: char, part: &Part) -> Option<Sign> {
    if part.name.is_some() || part.word.is_empty() {
        return None;
    }
    match c {
        ':' => Some(Sign::Has),
        '=' => Some(Sign::Is),
        '>' if part.word == "age" && !part.quoted => Some(Sign::Above),
        '<' if part.word == "age" && !part.quoted => Some(Sign::Below),
        _ => None,
    }
}
