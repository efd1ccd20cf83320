//! What a script prints.

use monty_types::{MontyException, PrintWriterCallback};
use std::borrow::Cow;
use std::io::stdout;
use std::process::exit;

use super::super::wire::{self, Said, Stop};

/// Lines that are told one by one before an answer; later ones are told in pieces.
const LINES: u32 = 100;
/// Bytes of such a piece.
const PIECE: usize = 4096;

/// Text since the script last spoke, and the room that is left for all of its text.
pub(super) struct Printed {
    text: String,
    room: usize,
    /// How often something was told since the last answer.
    told: u32,
}

impl Printed {
    pub fn within(room: usize) -> Self {
        Self {
            text: String::new(),
            room,
            told: 0,
        }
    }

    pub fn take(&mut self) -> String {
        self.told = 0;
        std::mem::take(&mut self.text)
    }

    /// Tells what was printed while the script runs on.
    fn tell(&mut self) {
        if self.told >= LINES && self.text.len() < PIECE {
            return;
        }
        self.told += 1;
        let printed = Said::Printed(std::mem::take(&mut self.text));
        if wire::write(&mut stdout().lock(), &printed, &[]).is_err() {
            // Nobody listens any more.
            exit(1);
        }
    }

    fn put(&mut self, bytes: usize) {
        if let Some(room) = self.room.checked_sub(bytes) {
            self.room = room;
            return;
        }
        // Here and now: an exception could be caught, and the flood would go on.
        let flood = Said::Stopped(Stop::TooMuchPrinted);
        let told = wire::write(&mut stdout().lock(), &flood, &[]);
        exit(i32::from(told.is_err()));
    }
}

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.put(output.len());
        self.text.push_str(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.put(end.len_utf8());
        self.text.push(end);
        if end == '\n' {
            self.tell();
        }
        Ok(())
    }
}
