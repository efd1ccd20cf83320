//! What is written, without the secrets in it.
//!
//! Owns what is declared to be secret in this process and what was found by it so far. Everything that
//! is written by this process and may hold a secret comes by here: steps, lines on standard output,
//! lines of the log. Where nothing is declared, all of it passes as it is.

use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::step::{Named, Step};
use super::vault::Vault;
use crate::core::call::Call;
use crate::core::redact::{Ink, Known, Redaction};
use crate::core::run::RunEvent;

/// Shared by all that write.
pub struct Veil {
    pub(super) vault: Vault,
    secrets: Mutex<Secrets>,
}

#[derive(Default)]
struct Secrets {
    declared: Redaction,
    known: Known,
}

impl fmt::Debug for Veil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Veil").finish_non_exhaustive()
    }
}

impl Veil {
    pub(super) fn new(folder: &Path, declared: Redaction) -> Self {
        let known = Known::default();
        Self {
            vault: Vault::of(folder),
            secrets: Mutex::new(Secrets { declared, known }),
        }
    }

    /// What this declares is secret too, from now on.
    pub fn declare(&self, more: &Redaction) {
        self.secrets().declared.extend(more);
    }

    /// Whether anything is declared to be secret.
    pub fn declares(&self) -> bool {
        !self.secrets().declared.is_empty()
    }

    /// Keeps in mind what is secret in a call's arguments, to find it wherever it comes to stand.
    pub fn heed(&self, tool: &str, arguments: &str) {
        self.secrets().heed(tool, arguments);
    }

    /// As `heed`, for the arguments in an event.
    pub fn heed_event(&self, event: &RunEvent) {
        self.secrets().heed_event(event);
    }

    /// As `heed`, for all arguments in a step.
    pub fn heed_step(&self, step: &Step) {
        self.secrets().heed_step(step);
    }

    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        self.veiled(|ink| ink.text(&mut text));
        text
    }

    pub fn event(&self, event: &RunEvent) -> RunEvent {
        let mut event = event.clone();
        self.secrets().heed_event(&event);
        self.veiled(|ink| ink.event(&mut event));
        event
    }

    /// The call as whoever is not to know its secrets may see it, and how many were taken out.
    pub fn call(&self, call: &Call) -> (Call, usize) {
        let mut call = call.clone();
        self.heed(&call.tool, call.arguments.text());
        let count = self.veiled(|ink| ink.call(&mut call));
        (call, count)
    }

    /// The step as it is to be written; `None` if nothing in it is secret.
    pub(super) fn step(&self, step: &Step) -> Option<Step> {
        let mut secrets = self.secrets();
        if secrets.declared.is_empty() {
            return None;
        }
        secrets.heed_step(step);
        drop(secrets);
        let mut veiled = step.clone();
        let count = self.veiled(|ink| without_secrets(&mut veiled, ink));
        (count > 0).then_some(veiled)
    }

    /// Whether there is anything secret in what a provider keeps.
    pub(super) fn is_secret(&self, suspension: &Value) -> bool {
        let mut suspension = suspension.clone();
        self.veiled(|ink| ink.json(&mut suspension)) > 0
    }

    /// How many secrets were taken out.
    fn veiled(&self, take_out: impl FnOnce(&mut Ink<'_>)) -> usize {
        let secrets = self.secrets();
        if secrets.declared.is_empty() {
            return 0;
        }
        let mut ink = Ink::new(&secrets.declared, &secrets.known, &self.vault);
        take_out(&mut ink);
        ink.count()
    }

    /// What is behind a poisoned lock is sound: it only ever grows.
    fn secrets(&self) -> MutexGuard<'_, Secrets> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Secrets {
    fn heed(&mut self, tool: &str, arguments: &str) {
        let secrets = self.declared.secrets(tool, arguments);
        self.known.learn(secrets);
    }

    fn heed_event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Called {
                tool, arguments, ..
            }
            | RunEvent::Server {
                tool, arguments, ..
            } => self.heed(tool, arguments),
            RunEvent::Arrived(call) => self.heed(&call.tool, call.arguments.text()),
            RunEvent::Stands { .. }
            | RunEvent::Reviewed { .. }
            | RunEvent::Expired { .. }
            | RunEvent::Began { .. }
            | RunEvent::State(_)
            | RunEvent::User { .. }
            | RunEvent::Text { .. }
            | RunEvent::Thinking { .. }
            | RunEvent::TextEnded { .. }
            | RunEvent::Status { .. }
            | RunEvent::Withdrawn { .. }
            | RunEvent::Output { .. }
            | RunEvent::Unknown { .. }
            | RunEvent::Note { .. }
            | RunEvent::Discarded { .. } => {}
        }
    }

    fn heed_step(&mut self, step: &Step) {
        match step {
            Step::Event(event) => self.heed_event(event),
            Step::Replied { calls, .. } => {
                for Named { wanted, .. } in calls {
                    self.heed(&wanted.tool, &wanted.arguments);
                }
            }
            Step::Arrived(call) => self.heed(&call.tool, call.arguments.text()),
            Step::Ruling(ruling) => {
                self.heed(&ruling.tool, ruling.proposed.text());
                if let Some(edited) = ruling.decision.edited() {
                    self.heed(&ruling.tool, edited.text());
                }
            }
            Step::Reviewed { tool, reviews, .. } => {
                for arguments in reviews
                    .iter()
                    .filter_map(|review| review.arguments.as_ref())
                {
                    self.heed(tool, arguments.text());
                }
            }
            Step::Expired(expiry) => self.heed(&expiry.tool, expiry.proposed.text()),
            Step::Session { .. }
            | Step::Sent { .. }
            | Step::Verdict { .. }
            | Step::Started { .. }
            | Step::Finished { .. }
            | Step::Ended { .. }
            | Step::Withdrawn(_)
            | Step::Paused { .. }
            | Step::HandedOver { .. }
            | Step::Granted(_)
            | Step::Revoked(_) => {}
        }
    }
}

fn without_secrets(step: &mut Step, ink: &mut Ink<'_>) {
    match step {
        // What a paused script needs is sealed in any case.
        Step::Session { file: None, .. }
        | Step::Started { .. }
        | Step::Paused { .. }
        | Step::HandedOver { .. } => {}
        // Of an agent of ours, the names are found again in the configuration by what is in clear.
        Step::Session {
            file: Some(_),
            agent,
            model,
            ..
        } => {
            ink.text(agent);
            ink.text(model);
        }
        Step::Event(event) => ink.event(event),
        Step::Granted(grant) => ink.text(&mut grant.text),
        Step::Revoked(revoked) => ink.text(&mut revoked.grant.text),
        Step::Sent { append } => ink.append(append),
        Step::Replied { calls, .. } => {
            for Named { wanted, .. } in calls {
                ink.wanted(wanted);
            }
        }
        Step::Verdict { basis, .. } => ink.basis(basis),
        Step::Reviewed { tool, reviews, .. } => {
            ink.reviews(Some(tool), reviews);
            ink.text(tool);
        }
        Step::Expired(expiry) => ink.expiry(expiry),
        Step::Withdrawn(withdrawal) => ink.text(&mut withdrawal.why),
        Step::Arrived(call) => ink.call(call),
        Step::Ruling(ruling) => ink.ruling(ruling),
        Step::Finished { ran, .. } => ink.ran(ran),
        Step::Ended { outcome, .. } => ink.outcome(outcome),
    }
}
