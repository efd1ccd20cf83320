//! Secrets that were seen, so that they are found wherever else they come to stand: in a result that
//! repeats the arguments, in what the model says of them.

use aho_corasick::AhoCorasick;
use indexmap::IndexSet;
use std::fmt;
use std::ops::Range;

/// Shorter values are not looked for elsewhere: they would stand in half of all texts.
const LEAST: usize = 4;
/// The same for single lines of a value of several.
const LEAST_OF_A_LINE: usize = 8;
/// Where this program, or Rust, cuts a text that it quotes.
const CUTS: [&str; 3] = ["…", "\n[…", "[...]"];
/// More signs of each kind are somebody else's.
const MOST_CUTS: usize = 64;

pub(super) fn is_long(secret: &str) -> bool {
    secret.chars().nth(LEAST - 1).is_some()
}

/// Values that are secret wherever they stand.
#[derive(Default)]
pub struct Known {
    values: IndexSet<String>,
    /// All of them, to be looked for at once; `None` if there are none, or too many for that.
    search: Option<AhoCorasick>,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({} values)", self.values.len())
    }
}

impl Known {
    pub fn learn(&mut self, secrets: Vec<String>) {
        let before = self.values.len();
        for secret in secrets {
            if secret.contains('\n') {
                let lines = secret.lines().map(str::trim);
                let long = lines.filter(|line| line.len() >= LEAST_OF_A_LINE);
                self.values.extend(long.map(str::to_owned));
            }
            if is_long(&secret) {
                self.values.insert(secret);
            }
        }
        if self.values.len() > before {
            self.search = AhoCorasick::new(&self.values).ok();
        }
    }

    /// Where they stand in a text, and what stands there. Of those that overlap, all is one.
    pub(super) fn found<'s>(&'s self, text: &'s str) -> Vec<(Range<usize>, &'s str)> {
        let mut places: Vec<Range<usize>> = Vec::new();
        if let Some(search) = &self.search {
            // In the order of their ends.
            for next in search.find_overlapping_iter(text) {
                let mut place = next.range();
                while let Some(last) = places.pop_if(|last| last.end > place.start) {
                    place.start = place.start.min(last.start);
                }
                places.push(place);
            }
        } else {
            let each = self.values.iter();
            let all = each.flat_map(|value| text.match_indices(value.as_str()));
            places.extend(all.map(|(at, value)| at..at + value.len()));
        }
        let whole = places
            .into_iter()
            .map(|place| (place.clone(), &text[place]));
        whole.chain(self.cut(text)).collect()
    }

    /// Beginnings of them, where a text was cut.
    fn cut<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (Range<usize>, &'s str)> + 's {
        let cuts = CUTS.iter();
        let cuts = cuts.flat_map(|cut| text.match_indices(cut).take(MOST_CUTS));
        cuts.flat_map(move |(at, _)| {
            let before = text[..at].trim_end();
            self.values.iter().filter_map(move |value| {
                let ends = value.char_indices().map(|(end, _)| end);
                let end = ends
                    .rev()
                    .find(|end| *end >= LEAST && before.ends_with(&value[..*end]))?;
                Some((before.len() - end..before.len(), value.as_str()))
            })
        })
    }
}
