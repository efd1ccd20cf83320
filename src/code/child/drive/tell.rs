//! What a script that stands has to say.

use monty::{SessionRef, dump};
use monty_types::MontyObject;

use super::super::super::wire::{Said, Stop};
use super::super::value::Telling;
use super::{At, Drive, NAME};

/// Bytes of a traceback that are told, half of them from its end.
const TRACEBACK: usize = 32 * 1024;

impl Drive {
    /// What there is to say, and the bytes of the paused script.
    pub fn said(&mut self) -> Result<(Said, Vec<u8>), Stop> {
        let done = At::Ended(Ok(MontyObject::None));
        match &self.at {
            At::Stopped(stop) => return Err(stop.clone()),
            At::Paused {
                progress,
                line,
                waits,
                later,
            } => {
                let bytes = dump(NAME, None, SessionRef::Running(progress));
                let bytes = bytes.map_err(|error| Stop::Unreadable {
                    why: error.to_string(),
                })?;
                if bytes.len() > self.bounds.snapshot {
                    return Err(Stop::SnapshotTooLarge);
                }
                let said = Said::Paused {
                    made: std::mem::take(&mut self.new),
                    waits: waits.iter().copied().collect(),
                    later: later.iter().copied().collect(),
                    line: *line,
                    printed: self.printed.take(),
                    spent: u64::try_from(self.spent.as_micros()).unwrap_or(u64::MAX),
                };
                return Ok((said, bytes));
            }
            At::Ended(_) => {}
        }
        let At::Ended(ended) = std::mem::replace(&mut self.at, done) else {
            return Err(Stop::Unreadable {
                why: "it stands nowhere".to_owned(),
            });
        };
        let printed = self.printed.take() + &self.never_awaited();
        let said = match ended {
            Ok(result) => {
                let told = Telling::within(self.bounds.result).tell(result);
                let result = told.map_err(|_| Stop::ResultTooLarge)?;
                Said::Done { result, printed }
            }
            Err(exception) => Said::Failed {
                traceback: clipped(&exception.to_string()),
                printed,
            },
        };
        Ok((said, Vec::new()))
    }

    /// What Python says of calls that were made and not awaited: they were not run.
    fn never_awaited(&self) -> String {
        let warned = self.unmet.iter().map(|call| {
            format!(
                "{NAME}:{}: RuntimeWarning: coroutine '{}' was never awaited\n",
                call.line, call.function
            )
        });
        warned.collect()
    }
}

/// A traceback that fits: its beginning, where the script is named, and its end, where the fault is.
fn clipped(traceback: &str) -> String {
    if traceback.len() <= TRACEBACK {
        return traceback.to_owned();
    }
    let start = traceback.floor_char_boundary(TRACEBACK / 2);
    let end = traceback.ceil_char_boundary(traceback.len() - TRACEBACK / 2);
    let left_out = end - start;
    format!(
        "{}\n… {left_out} bytes are left out …\n{}",
        &traceback[..start],
        &traceback[end..]
    )
}
