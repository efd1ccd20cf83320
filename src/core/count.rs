//! Numbers of things, in words: `1 call`, `12,345 calls`.
//!
//! Owns how a number is written wherever a person reads it. Data that programs read have numbers as they are.

use std::fmt::Display;

/// A whole number with thousands set apart: `12,345`.
pub fn number(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of something.
pub fn of(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}
