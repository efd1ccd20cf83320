//! A script's process: begun, let rest while a person is waited for, and gone on with.
//!
//! Owns when there is a process, and that what it needs to go on is written before anything comes of a
//! pause.

use std::time::Duration;

use super::Cut;
use super::printout::Printout;
use super::row::Row;
use crate::agent::call::One;
use crate::code::{Fault, Pause, Reply, Script, Seal, Sealed, Stand};
use crate::core::digest::Digest;
use crate::store::Step;
use crate::tools::code::Code;

/// How long a process is kept that waits for a person. Whoever signs several calls of a script one after
/// the other should not have to wait for a new one each time.
const LINGER: Duration = Duration::from_secs(2);

pub(super) struct Process<'a> {
    one: &'a One<'a>,
    code: &'a Code,
    text: &'a str,
    seal: Seal,
    script: Option<Script>,
    printout: Printout<'a>,
    /// The number of the newest pause that is written.
    pauses: u32,
    /// The pause that it was gone on from, which is written already.
    restored: bool,
}

impl<'a> Process<'a> {
    pub(super) fn of(one: &'a One<'a>, code: &'a Code, text: &'a str) -> Self {
        Self {
            one,
            code,
            text,
            seal: Seal::of(&code.tool.folder),
            script: None,
            printout: Printout::of(one),
            pauses: 0,
            restored: false,
        }
    }

    /// Starts the script, or goes on with it from its last pause. One that never paused has called nothing,
    /// and is started anew.
    pub(super) async fn begin(&mut self) -> Result<Stand, Cut> {
        let program = &self.code.tool.program;
        let limits = &self.code.tool.limits;
        let Some((number, digest)) = self.one.work.past.paused.get(self.one.id) else {
            let script = (self.text, self.code.functions.as_slice());
            let live = Some(self.printout.live());
            let start = Script::start_live(program, script, limits, live);
            return self.compute(start).await;
        };
        let kept = self.one.work.past.kept.get(self.one.id);
        let sealed = kept
            .filter(|(kept, sealed)| {
                kept == number && Digest::of_bytes(sealed.as_bytes()) == *digest
            })
            .map(|(_, sealed)| Sealed(sealed.clone()))
            .ok_or(Fault::Forged)?;
        let work = &self.one.work;
        let snapshot = self.seal.open(&sealed, &work.session.0, &self.one.id.0)?;
        self.pauses = *number;
        self.restored = true;
        let live = Some(self.printout.live());
        let restore = Script::restore_live(program, &snapshot, limits, live);
        let stand = self.compute(restore).await?;
        match stand {
            stand @ Stand::Paused(_) => Ok(stand),
            Stand::Done { .. } | Stand::Failed { .. } => Err(Fault::Forged.into()),
        }
    }

    /// Writes a pause. Its calls must not be opened before.
    pub(super) async fn keep(&mut self, pause: &Pause) -> Result<(), Cut> {
        if std::mem::take(&mut self.restored) {
            return Ok(());
        }
        let work = &self.one.work;
        let call = &self.one.id.0;
        let Sealed(sealed) = self.seal.close(&pause.snapshot, &work.session.0, call)?;
        self.pauses += 1;
        let step = Step::Paused {
            call: self.one.id.clone(),
            number: self.pauses,
            digest: Digest::of_bytes(sealed.as_bytes()),
            sealed,
        };
        let written = work.journal.append(&work.session, step).await;
        written.map_err(|error| {
            Cut::Fault(format!(
                "the script was stopped, because where it stands could not be recorded: {error}"
            ))
        })
    }

    pub(super) async fn go_on(
        &mut self,
        pause: &Pause,
        replies: Vec<(u32, Reply)>,
    ) -> Result<Stand, Cut> {
        if self.script.is_none() {
            let tool = &self.code.tool;
            let live = Some(self.printout.live());
            let restore = Script::restore_live(&tool.program, &pause.snapshot, &tool.limits, live);
            self.compute(restore).await?;
        }
        let Some(script) = &mut self.script else {
            return Err(Fault::Forged.into());
        };
        let _slot = self.one.slot().await.map_err(|_| Cut::Interrupted)?;
        Ok(self.printout.during(script.reply(replies)).await??)
    }

    /// Lets a new process compute, as one of those that run at the same time.
    async fn compute(
        &mut self,
        started: impl Future<Output = Result<(Script, Stand), Fault>>,
    ) -> Result<Stand, Cut> {
        let _slot = self.one.slot().await.map_err(|_| Cut::Interrupted)?;
        let (script, stand) = self.printout.during(started).await??;
        self.script = Some(script);
        Ok(stand)
    }

    /// Returns when the process has waited for long enough; never, if there is none.
    pub(super) async fn linger(&self) {
        match self.script {
            Some(_) => tokio::time::sleep(LINGER).await,
            None => std::future::pending().await,
        }
    }

    /// Ends the process if a person is waited for.
    pub(super) async fn rest(&mut self, row: &Row) {
        if row.is_there().await {
            self.script = None;
        }
    }

    pub(super) fn printout(&mut self) -> &mut Printout<'a> {
        &mut self.printout
    }

    pub(super) fn stop(&mut self) {
        self.script = None;
    }
}
