//! What a script prints, shown as it prints it.
//!
//! Owns how much of it was shown. What the model is given of it is not its business.

use tokio::sync::watch;

use super::Cut;
use crate::agent::call::One;
use crate::core::output::Stream;
use crate::core::run::RunEvent;

pub(super) struct Printout<'a> {
    one: &'a One<'a>,
    /// All that it printed, while it runs.
    live: watch::Sender<String>,
    /// Bytes of it that were shown.
    shown: usize,
}

impl<'a> Printout<'a> {
    pub(super) fn of(one: &'a One<'a>) -> Self {
        Self {
            one,
            live: watch::Sender::new(String::new()),
            shown: 0,
        }
    }

    /// Where a process puts what is printed.
    pub(super) fn live(&self) -> watch::Sender<String> {
        self.live.clone()
    }

    /// Lets a script run, and shows what it prints meanwhile.
    pub(super) async fn during<T>(&mut self, runs: impl Future<Output = T>) -> Result<T, Cut> {
        let mut live = self.live.subscribe();
        let cancel = self.one.work.cancel.clone();
        tokio::pin!(runs);
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(Cut::Interrupted),
                ran = &mut runs => return Ok(ran),
                Ok(()) = live.changed() => {
                    let printed = live.borrow_and_update().clone();
                    self.show(&printed).await;
                }
            }
        }
    }

    /// Shows what the script has printed since.
    pub(super) async fn show(&mut self, printed: &str) {
        let Some(new) = printed.get(self.shown..).filter(|new| !new.is_empty()) else {
            return;
        };
        self.shown = printed.len();
        self.output(Stream::Out, new.to_owned()).await;
    }

    /// As `show`; a script that printed shows its end below that.
    pub(super) async fn show_end(&mut self, printed: &str, stream: Stream, end: &str) {
        self.show(printed).await;
        if self.shown > 0 {
            let line = if printed.ends_with('\n') { "" } else { "\n" };
            self.output(stream, format!("{line}{end}\n")).await;
        }
    }

    async fn output(&self, stream: Stream, text: String) {
        let call = self.one.id.clone();
        let event = RunEvent::Output { call, stream, text };
        self.one.work.reports.send(event).await;
    }
}
