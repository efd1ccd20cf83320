//! Hosts: in addresses, and in the words of programs that connect to something.
//!
//! Owns what a host really is: a name in another alphabet, a number, what stands behind an `@`. Asks no network.

use std::net::Ipv4Addr;

use super::known;
use super::spot::Spot;
use crate::core::finding::Kind;
use crate::core::shown::lookalike;

/// Addresses of one text that are named.
const MOST: usize = 64;

/// Names every host, and what is odd about it.
pub(super) fn all(text: &str, spot: &mut Spot<'_>) {
    for (start, authority) in authorities(text) {
        named(authority, start, spot);
        judged(authority, start, spot);
    }
}

/// Only what is odd.
pub(super) fn odd(text: &str, spot: &mut Spot<'_>) {
    for (start, authority) in authorities(text) {
        judged(authority, start, spot);
    }
}

/// A word given to a program that connects: an address, `host`, `user@host:path`, `host:port`.
pub(super) fn word(word: &str, start: usize, spot: &mut Spot<'_>) {
    if word.contains("://") || word.starts_with('-') || word.is_empty() {
        return;
    }
    let end = word.find(['/', '?', '#']).unwrap_or(word.len());
    let authority = &word[..end];
    if is_host(host(authority)) {
        named(authority, start, spot);
        judged(authority, start, spot);
    }
}

/// What stands between `://` and the path, and where.
fn authorities(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("://").take(MOST).filter_map(|(at, _)| {
        let schemed = text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let start = at + 3;
        let stops = |c: char| {
            c.is_whitespace() || c.is_control() || "/?#\"'`<>|;,){}]".contains(c) && c != ']'
        };
        let end = text[start..]
            .find(stops)
            .map_or(text.len(), |end| start + end);
        (schemed && end > start).then(|| (start, &text[start..end]))
    })
}

/// Without the user before it and the port behind it.
fn host(authority: &str) -> &str {
    let host = authority.rsplit('@').next().unwrap_or(authority);
    if let Some(six) = host.strip_prefix('[') {
        return six.split(']').next().unwrap_or(six);
    }
    host.split(':').next().unwrap_or(host)
}

fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label
                .chars()
                .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    let named = host.contains('.')
        && host.split('.').all(label)
        && !host.ends_with(|c: char| c.is_ascii_digit());
    named || host == "localhost" || loose_address(host).is_some()
}

fn named(authority: &str, start: usize, spot: &mut Spot<'_>) {
    let host = host(authority);
    if host.is_empty() || host.starts_with(['$', '{']) {
        return;
    }
    if host == "169.254.169.254" || host == "metadata.google.internal" {
        spot.note(
            Kind::SecretFile,
            format!("{host}, the cloud's metadata"),
            start..start + authority.len(),
        );
    }
    spot.note(Kind::Network, host, start..start + authority.len());
}

fn judged(authority: &str, start: usize, spot: &mut Spot<'_>) {
    let range = start..start + authority.len();
    let host = host(authority);
    if let Some(reading) = posing(host) {
        spot.note(
            Kind::LookAlike,
            format!("{host} is not {reading}"),
            range.clone(),
        );
    }
    if let Some(known) = known::posed(host) {
        spot.note(
            Kind::LookAlike,
            format!("{host} is not {known}"),
            range.clone(),
        );
    }
    if let Some(decoded) = punycode(host) {
        spot.note(
            Kind::LookAlike,
            format!("{host} reads {decoded}"),
            range.clone(),
        );
    }
    if let Some(address) = loose_address(host).filter(|address| address.to_string() != host) {
        spot.note(Kind::OddHost, format!("{host} is {address}"), range.clone());
    }
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    if user.is_some_and(|user| user.contains(['.', '\\', '%'])) || authority.contains('\\') {
        spot.note(
            Kind::OddHost,
            format!("{authority} is {host}"),
            range.clone(),
        );
    }
    if host.contains('%') {
        spot.note(Kind::OddHost, host, range);
    }
}

/// What a name reads as, if letters of another alphabet make it read as something it is not.
fn posing(host: &str) -> Option<String> {
    if host.is_ascii() {
        return None;
    }
    let poses = |label: &str| {
        let foreign = label.chars().any(|c| lookalike::sign(c).is_some());
        let mixed = label.chars().any(|c| c.is_ascii_alphabetic());
        foreign && (mixed || lookalike::reading(label).is_ascii())
    };
    let whole = host
        .chars()
        .any(|c| !c.is_alphanumeric() && lookalike::sign(c).is_some());
    (whole || host.split('.').any(poses)).then(|| lookalike::reading(host))
}

fn punycode(host: &str) -> Option<String> {
    let labels = host.split('.').map(|label| {
        let coded = label
            .get(..4)
            .filter(|start| start.eq_ignore_ascii_case("xn--"))
            .and(label.get(4..));
        match coded.filter(|coded| coded.len() <= 64) {
            Some(coded) => idna::punycode::decode_to_string(coded).ok_or(label),
            None => Err(label),
        }
    });
    let labels: Vec<Result<String, &str>> = labels.collect();
    labels.iter().any(Result::is_ok).then(|| {
        let plain = labels
            .into_iter()
            .map(|label| label.unwrap_or_else(str::to_owned));
        plain.collect::<Vec<_>>().join(".")
    })
}

/// An address of four bytes in any of the forms that programs take: `127.1`, `0x7f000001`, `2130706433`, `0177.0.0.1`.
fn loose_address(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    // A small number alone is a port, a count or a name.
    if first.len() > 3
        || first.iter().any(|part| *part > 255)
        || (first.is_empty() && *last < 1 << 24)
    {
        return None;
    }
    let room = 8 * (4 - u32::try_from(first.len()).ok()?);
    if *last >= 1_u64 << room {
        return None;
    }
    let high = first.iter().fold(0_u64, |all, part| all << 8 | part);
    u32::try_from(high << room | last).ok().map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, radix).ok().filter(|_| plain)
}
