//! What a script prints.

use monty_types::{MontyException, PrintWriterCallback};
use std::borrow::Cow;
use std::io::stdout;
use std::process::exit;

use super::super::wire::{self, Said, Stop};

/// Text since the script last spoke, and the room that is left for all of its text.
pub(super) struct Printed {
    text: String,
    room: usize,
}

impl Printed {
    pub fn within(room: usize) -> Self {
        Self {
            text: String::new(),
            room,
        }
    }

    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
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
        Ok(())
    }
}
