//! A script that runs in a child process.
//!
//! Owns one script from its start to its end: what it waits for, what it printed, and the process that
//! holds the rest. Does not know Python.

use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;

use super::process::Process;
use super::record::Record;
use super::wire::{Answer, Order, Said, Stop};
use super::{Fault, Function, Limits, Pause, Reply, Snapshot, Stand, Wanted, depth};

/// A script's process. It is killed when this is dropped.
#[derive(Debug)]
pub struct Script {
    process: Process,
    live: Option<watch::Sender<String>>,
    record: Record,
    limits: Limits,
    /// What had been spent when this process began.
    before: u64,
}

impl Script {
    /// Runs `code` as far as it goes. `program` is our own executable.
    pub async fn start(
        program: &Path,
        code: &str,
        functions: &[Function],
        limits: &Limits,
    ) -> Result<(Self, Stand), Fault> {
        Self::start_live(program, (code, functions), limits, None).await
    }

    /// As `start`; `live` is given all that it prints, as it prints it.
    pub async fn start_live(
        program: &Path,
        (code, functions): (&str, &[Function]),
        limits: &Limits,
        live: Option<watch::Sender<String>>,
    ) -> Result<(Self, Stand), Fault> {
        let record = Record::new(code, functions);
        let mut script = Self::of(program, (record, code), limits, live).await?;
        let order = script.record.start(limits);
        let stand = script.ask(&order, &[]).await?;
        Ok((script, stand))
    }

    /// Goes on with a paused script in a new process. It stands where it stood: nothing of it runs
    /// until there is a reply.
    pub async fn restore(
        program: &Path,
        snapshot: &Snapshot,
        limits: &Limits,
    ) -> Result<(Self, Stand), Fault> {
        Self::restore_live(program, snapshot, limits, None).await
    }

    /// As `restore`; `live` is given all that it printed and prints.
    pub async fn restore_live(
        program: &Path,
        snapshot: &Snapshot,
        limits: &Limits,
        live: Option<watch::Sender<String>>,
    ) -> Result<(Self, Stand), Fault> {
        let (record, bytes) = Record::of(snapshot)?;
        let mut script = Self::of(program, (record.clone(), ""), limits, live).await?;
        let order = record.restore(limits);
        let stand = script.ask(&order, bytes).await?;
        // The same calls, and no more.
        match stand {
            Stand::Paused(pause) if pause.calls == record.calls() => {
                let pause = Pause {
                    snapshot: snapshot.clone(),
                    ..pause
                };
                script.record = record;
                Ok((script, Stand::Paused(pause)))
            }
            Stand::Paused(_) | Stand::Done { .. } | Stand::Failed { .. } => {
                Err(Fault::Unreadable {
                    why: "it does not stand where it stood".to_owned(),
                })
            }
        }
    }

    async fn of(
        program: &Path,
        (record, code): (Record, &str),
        limits: &Limits,
        live: Option<watch::Sender<String>>,
    ) -> Result<Self, Fault> {
        if code.len() > limits.code {
            return Err(Fault::CodeTooLong { limit: limits.code });
        }
        Ok(Self {
            process: Process::start(program, limits, live.clone()).await?,
            live,
            before: record.spent,
            record,
            limits: limits.clone(),
        })
    }

    /// Answers some or all of the calls that the script waits for, by number, and lets it run as far as
    /// it goes. A reply to a call that it does not wait for is left aside, and of several errors all but the first:
    /// the interpreter loses one of two that come at once. The script still waits for those calls then.
    ///
    /// After a fault the script is over.
    pub async fn reply(&mut self, replies: Vec<(u32, Reply)>) -> Result<Stand, Fault> {
        let (mut told, mut raised) = (Vec::new(), false);
        for (number, reply) in replies {
            let is_error = matches!(reply, Reply::Raise(_));
            if self.record.waits().contains(&number) && !(is_error && raised) {
                raised |= is_error;
                self.record.answered(number);
                told.push((number, answer(reply)));
            }
        }
        self.ask(&Order::Reply { replies: told }, &[]).await
    }

    /// The number of its process, while that runs.
    pub fn id(&self) -> Option<u32> {
        self.process.id()
    }

    /// The calls that `code` will make whatever its calls give, without running any of them. A call whose
    /// arguments are not known beforehand is not among them; all have the numbers that they will have.
    pub async fn look_ahead(
        program: &Path,
        code: &str,
        functions: &[Function],
        limits: &Limits,
    ) -> Result<Vec<Wanted>, Fault> {
        let mut script =
            Self::of(program, (Record::new(code, functions), code), limits, None).await?;
        let order = script.record.look_ahead(limits);
        let (said, _) = script.process.ask(&order, &[], limits.time).await?;
        match said {
            Said::Foreseen(made) => script.record.foreseen(&made, limits).map_err(odd),
            Said::Stopped(stop) => Err(script.fault(stop)),
            Said::Paused { .. } | Said::Done { .. } | Said::Failed { .. } | Said::Printed(_) => {
                Err(odd("an answer to another question"))
            }
        }
    }

    async fn ask(&mut self, order: &Order, bytes: &[u8]) -> Result<Stand, Fault> {
        let left = self
            .limits
            .time
            .saturating_sub(Duration::from_micros(self.record.spent));
        if let Some(live) = &self.live {
            live.send_replace(self.record.printed.clone());
        }
        let (said, bytes) = self.process.ask(order, bytes, left).await?;
        let printed = self.process.printed();
        self.print(&printed)?;
        self.stand(said, &bytes)
    }

    /// What was said, if it can be.
    fn stand(&mut self, said: Said, bytes: &[u8]) -> Result<Stand, Fault> {
        match said {
            Said::Paused {
                made,
                waits,
                later,
                line,
                printed,
                spent,
            } => {
                let calls = (waits, later);
                self.record.paused(made, calls, &self.limits).map_err(odd)?;
                self.print(&printed)?;
                // The clock of a script never goes back.
                self.record.spent = self.before.saturating_add(spent).max(self.record.spent);
                self.record.line = self.record.line_of(line);
                Ok(Stand::Paused(Pause {
                    calls: self.record.calls(),
                    takes: self.record.waits().clone(),
                    line: self.record.line,
                    printed: self.record.printed.clone(),
                    snapshot: self.record.snapshot(bytes)?,
                }))
            }
            Said::Done { result, printed } => {
                self.print(&printed)?;
                Ok(Stand::Done {
                    result,
                    printed: self.record.printed.clone(),
                })
            }
            Said::Failed { traceback, printed } => {
                self.print(&printed)?;
                Ok(Stand::Failed {
                    traceback,
                    printed: self.record.printed.clone(),
                })
            }
            Said::Stopped(stop) => Err(self.fault(stop)),
            Said::Foreseen(_) | Said::Printed(_) => Err(odd("an answer to another question")),
        }
    }

    fn print(&mut self, printed: &str) -> Result<(), Fault> {
        self.record.printed.push_str(printed);
        // Warnings may come on top, one for each call.
        let most = self.limits.printed.saturating_add(WARNINGS);
        if self.record.printed.len() > most {
            Err(odd("more than it may print"))
        } else {
            Ok(())
        }
    }

    fn fault(&self, stop: Stop) -> Fault {
        let limits = &self.limits;
        match stop {
            Stop::TimeUp => Fault::TimeUp { limit: limits.time },
            Stop::TooManyCalls => Fault::TooManyCalls {
                limit: limits.calls,
            },
            Stop::TooMuchPrinted => Fault::TooMuchPrinted {
                limit: limits.printed,
            },
            Stop::ResultTooLarge => Fault::ResultTooLarge {
                limit: limits.result,
            },
            Stop::ArgumentsTooLarge { number, function } => Fault::ArgumentsTooLarge {
                number,
                function,
                limit: limits.result,
            },
            Stop::SnapshotTooLarge => Fault::SnapshotTooLarge {
                limit: limits.snapshot,
            },
            Stop::Unreadable { why } => Fault::Unreadable { why },
        }
    }
}

/// Room for what Python says of calls that were never awaited.
const WARNINGS: usize = 64 * 1024;

fn odd(what: super::record::Odd) -> Fault {
    Fault::Unexpected {
        what: what.to_owned(),
    }
}

fn answer(reply: Reply) -> Answer {
    match reply {
        Reply::Value(value) => Answer::Value(depth::bounded(value)),
        Reply::Raise(message) => Answer::Raise(message),
    }
}
