//! Running a tool: *started* is in the journal before, *finished* after.

use serde_json::Value;
use tokio::sync::{SemaphorePermit, mpsc};

use super::ask::Asking;
use super::call::One;
use super::intake::unknown_of;
use super::words;
use crate::core::arguments::Arguments;
use crate::core::call::Answers;
use crate::core::decision::{Decision, Ruling};
use crate::core::run::{CallStatus, Level, RunEvent};
use crate::core::verdict::Basis;
use crate::store::Step;
use crate::tools::{Expected, Job, Ran, Written};

/// Pieces of output that may wait to be reported.
const OUTPUT: usize = 64;

/// What is special about one execution.
#[derive(Clone)]
pub(super) struct Attempt {
    number: u32,
    approved: Option<Value>,
    expected: Expected,
}

impl Attempt {
    /// By policy's word alone.
    pub(super) const fn first() -> Self {
        Self {
            number: 0,
            approved: None,
            expected: Expected::Anything,
        }
    }

    /// Which execution of the call it is.
    pub(super) const fn number(&self) -> u32 {
        self.number
    }

    /// By policy's word and that of reviewers. The file must still be what they were shown.
    pub(super) fn reviewed(asking: &Asking, file: SameFile) -> Self {
        Self {
            expected: expected(asking, file),
            ..Self::first()
        }
    }

    /// After a person's approval. The file must still be what the shown diff started from.
    pub(super) fn approved(asking: Asking, file: SameFile, ruling: &Ruling) -> Self {
        let expected = match (&asking.preview, &ruling.file) {
            // What the operator's own arguments would change was shown, and signed.
            (Some(_), Some(shown)) => Expected::shown(shown),
            (None, _) | (Some(_), None) => expected(&asking, file),
        };
        Self {
            number: 1,
            approved: Some(asking.metadata.unwrap_or(Value::Null)),
            expected,
        }
    }
}

fn expected(asking: &Asking, file: SameFile) -> Expected {
    match (&asking.preview, file) {
        (None, _) => Expected::Anything,
        (Some(preview), SameFile::Yes) => Expected::of(preview.before.clone()),
        (Some(_), SameFile::No) => Expected::Unseen,
    }
}

/// Whether what runs is on the file that was shown.
#[derive(Clone, Copy)]
pub(super) enum SameFile {
    Yes,
    /// The operator named another one.
    No,
}

impl One<'_> {
    /// Runs the tool, unless it has run already: then its result is what the journal says. One that was
    /// started and not finished is put before a person, and never run again by itself.
    pub(super) async fn run(&self, arguments: &Arguments, attempt: Attempt) -> Ran {
        let past = &self.work.past;
        let execution = (self.id.clone(), attempt.number);
        if let Some(ran) = past.finished.get(&execution) {
            return ran.clone();
        }
        if past.started.contains(&execution) {
            self.withdraw_questions().await;
            return self
                .after_unknown(arguments, attempt, Basis::OutcomeUnknown)
                .await;
        }
        match Box::pin(self.started(arguments, attempt.clone())).await {
            // Not an end: the journal has it begun and not finished, as if the program had stopped.
            Ran::Lost(why) => {
                self.after_unknown(arguments, attempt, Basis::lost(&why))
                    .await
            }
            ran => ran,
        }
    }

    /// Runs it for the first time.
    async fn started(&self, arguments: &Arguments, attempt: Attempt) -> Ran {
        let _slot = match self.slot().await {
            Ok(slot) => slot,
            Err(ran) => return ran,
        };
        // What another process recorded, this one has not seen yet.
        let veil = self.work.journal.veil();
        veil.heed(self.tool, arguments.text());
        let (call, number) = (self.id.clone(), attempt.number);
        let digest = arguments.digest(self.tool);
        let step = Step::Started {
            call: call.clone(),
            attempt: number,
            digest,
        };
        if let Err(error) = self.work.journal.append(&self.work.session, step).await {
            return Ran::Failed(format!(
                "not run, because it could not be recorded: {error}"
            ));
        }
        self.work.reports.status(self.id, CallStatus::Running).await;
        let ran = self
            .run_with_output(self.job(arguments, attempt), number)
            .await;
        if matches!(ran, Ran::Lost(_)) {
            return ran;
        }
        let step = Step::Finished {
            call,
            attempt: number,
            ran: ran.clone(),
        };
        // Before anybody sees that it has run: who stops the program then need not be asked whether it has.
        if let Err(error) = self.work.journal.append(&self.work.session, step).await {
            tracing::error!(%error, "a finished call could not be recorded");
            let text = format!(
                "{} has run, but that could not be recorded: {error}",
                self.tool
            );
            self.work.reports.note(Level::Error, text).await;
        }
        ran
    }

    /// Asks what became of an execution that was cut off, and does what the ruling says.
    async fn after_unknown(&self, arguments: &Arguments, attempt: Attempt, basis: Basis) -> Ran {
        let id = unknown_of(self.id, attempt.number);
        let lost = matches!(basis, Basis::Lost { .. });
        let asking = Asking::plain(basis, Answers::unknown_outcome());
        let ruling = match self.put_before_person(&id, &asking).await {
            Ok(decided) => self.ruling(&id, decided).await,
            Err(ended) => Err(ended),
        };
        let Ok(ruling) = ruling else {
            return Ran::Interrupted;
        };
        match ruling.decision {
            Decision::Approve { .. } if ruling.permits() == Some(arguments) => {
                // Without the check of the file: the first execution may have changed it.
                let again = Attempt {
                    number: attempt.number + 2,
                    expected: Expected::Anything,
                    ..attempt
                };
                Box::pin(self.run(arguments, again)).await
            }
            Decision::Approve { .. } => Ran::Failed(
                "the approval does not fit this call, so it was not run again".to_owned(),
            ),
            Decision::Respond { result } => Ran::Result(result),
            Decision::Reject { reason: message }
            | Decision::Retry { message }
            | Decision::Fail { message }
                if lost =>
            {
                Ran::Failed(words::lost(&message))
            }
            Decision::Reject { reason: message }
            | Decision::Retry { message }
            | Decision::Fail { message } => Ran::Failed(words::unknown(&message)),
        }
    }

    fn job(&self, arguments: &Arguments, attempt: Attempt) -> Job {
        Job {
            call: self.id.clone(),
            tool: self.tool.to_owned(),
            arguments: arguments.clone(),
            approved: attempt.approved,
            expected: attempt.expected,
            cancel: self.work.cancel.clone(),
            questions: None,
        }
    }

    /// A place among those that run at the same time, or what the call comes to if it is not to run after
    /// all.
    pub(super) async fn slot(&self) -> Result<SemaphorePermit<'_>, Ran> {
        tokio::select! {
            biased;
            why = self.left() => Err(Ran::Failed(format!("not run: {why}"))),
            () = self.work.cancel.cancelled() => Err(Ran::Interrupted),
            slot = self.work.slots.acquire() => slot.map_err(|_| Ran::Interrupted),
        }
    }

    async fn run_with_output(&self, job: Job, number: u32) -> Ran {
        let (output, mut written) = mpsc::channel::<Written>(OUTPUT);
        let (ask, questions) = mpsc::channel(1);
        let job = Job {
            questions: Some(ask),
            ..job
        };
        let run = async move { self.work.tools.run(job, &output).await };
        let report = async {
            while let Some(Written { stream, text }) = written.recv().await {
                let call = self.id.clone();
                self.work
                    .reports
                    .send(RunEvent::Output { call, stream, text })
                    .await;
            }
        };
        tokio::join!(run, report, self.put_questions(questions, number)).0
    }
}
