//! Lines on their way into a file, without the secrets in them.

use std::io::{self, Write};
use std::sync::Arc;

use crate::store::Veil;

/// A file that gets each line in one piece.
pub struct Veiled<W> {
    file: W,
    veil: Arc<Veil>,
}

impl<W: Write> Veiled<W> {
    pub const fn new(file: W, veil: Arc<Veil>) -> Self {
        Self { file, veil }
    }
}

impl<W: Write> Write for Veiled<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = self.veil.text(&String::from_utf8_lossy(line));
        self.file.write_all(text.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
