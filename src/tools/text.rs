//! Bytes from a process as text: decoded as they come, and kept within bounds for the model.

/// Decodes UTF-8 that arrives in pieces. What is not UTF-8 becomes U+FFFD; a character cut in two by
/// a border between pieces does not.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The beginning of a character whose rest has not come yet: at most three bytes.
    begun: Vec<u8>,
}

impl Decoder {
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut joined = std::mem::take(&mut self.begun);
        joined.extend_from_slice(bytes);
        let mut text = String::with_capacity(joined.len());
        let mut chunks = joined.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let cut = chunks.peek().is_none() && is_begun(chunk.invalid());
            if cut {
                self.begun = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }

    /// What is left when no more comes: a character that never got its rest.
    pub(super) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.begun);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

/// Whether these bytes could still become a character.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The beginning and the end of a text of any length, and how much was between.
#[derive(Debug)]
pub(super) struct Bounded {
    half: usize,
    head: String,
    tail: String,
    /// Bytes that were given to `push`.
    total: u64,
}

impl Bounded {
    /// Keeps at most `limit` bytes, half of them from the end.
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            half: limit / 2,
            head: String::new(),
            tail: String::new(),
            total: 0,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.total += text.len() as u64;
        let mut rest = text;
        if self.tail.is_empty() {
            let room = self.half - self.head.len();
            let (fits, over) = text.split_at(boundary_before(text, room));
            self.head.push_str(fits);
            rest = over;
        }
        self.tail.push_str(rest);
        // Cut only once the tail is twice too long: each byte is then moved once, not at every piece.
        if self.tail.len() > 2 * self.half {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let over = self.tail.len().saturating_sub(self.half);
        let cut = boundary_after(&self.tail, over);
        self.tail.drain(..cut);
    }

    /// All of it, if nothing was left out.
    pub(super) fn whole(&self) -> Option<String> {
        let kept = (self.head.len() + self.tail.len()) as u64;
        (kept == self.total && self.tail.len() <= self.half)
            .then(|| format!("{}{}", self.head, self.tail))
    }

    /// The text, with a line in the place of what was left out.
    pub(super) fn finish(mut self) -> String {
        self.trim();
        let left_out = self.total - (self.head.len() + self.tail.len()) as u64;
        if left_out == 0 {
            return self.head + &self.tail;
        }
        let (head, tail) = (self.head, self.tail);
        format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
    }
}

/// The last border between characters at or before `at`.
fn boundary_before(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The first border between characters at or after `at`.
fn boundary_after(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}
