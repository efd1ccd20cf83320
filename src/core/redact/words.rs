//! The words of this program without the secrets in them.
//!
//! Owns which of their members are texts that somebody else wrote. Names of sessions and calls, digests
//! and times stay as they are.

use std::sync::Arc;

use super::Ink;
use crate::core::call::{Call, Origin, Preview};
use crate::core::decision::{Decision, Expiry, Ruling};
use crate::core::diff::{Diff, DiffKind, DiffRow};
use crate::core::exchange::{Append, Body, Wanted};
use crate::core::review::Review;
use crate::core::run::{CallStatus, Outcome, Ran, RunEvent};
use crate::core::schema::Schema;
use crate::core::script::Script;
use crate::core::shown::Shown;
use crate::core::verdict::Basis;

impl Ink<'_> {
    pub fn event(&mut self, event: &mut RunEvent) {
        match event {
            RunEvent::State(_) => {}
            RunEvent::Began { agent, model } => {
                self.text(agent);
                self.text(model);
            }
            RunEvent::User { text, .. }
            | RunEvent::Text { piece: text, .. }
            | RunEvent::Thinking { piece: text, .. }
            | RunEvent::TextEnded { text, .. }
            | RunEvent::Withdrawn { why: text, .. }
            | RunEvent::Output { text, .. }
            | RunEvent::Note { text, .. }
            | RunEvent::Discarded { why: text, .. } => self.text(text),
            RunEvent::Called {
                tool, arguments, ..
            } => {
                self.written(tool, arguments);
                self.text(tool);
            }
            RunEvent::Status { status, .. } => self.status(status),
            RunEvent::Reviewed { reviews, .. } => self.reviews(None, reviews),
            RunEvent::Expired { tool, .. } => self.text(tool),
            RunEvent::Arrived(call) => self.call(call),
            RunEvent::Stands { script, .. } => self.script(Arc::make_mut(script)),
            RunEvent::Server {
                tool,
                arguments,
                result,
                ..
            } => {
                self.written(tool, arguments);
                self.text(tool);
                if let Some(result) = result {
                    self.text(result);
                }
            }
            RunEvent::Unknown { kind, raw, .. } => {
                self.text(kind);
                self.text(raw);
            }
        }
    }

    fn status(&mut self, status: &mut CallStatus) {
        match status {
            CallStatus::Proposed
            | CallStatus::Reviewing { .. }
            | CallStatus::Waiting
            | CallStatus::Running
            | CallStatus::Confirmed => {}
            // Which tool it is stands elsewhere, so all pointers count.
            CallStatus::Decided { edited, .. } => {
                if let Some(edited) = edited {
                    self.object(None, edited);
                }
            }
            CallStatus::Finished { outcome } => self.outcome(outcome),
        }
    }

    pub fn call(&mut self, call: &mut Call) {
        let before = self.count();
        self.arguments(&call.tool, &mut call.arguments);
        if let Some(preview) = &mut call.preview {
            if self.count() > before {
                hide(&mut preview.diff);
            }
            self.preview(preview);
        }
        self.reviews(Some(&call.tool), &mut call.reviews);
        self.text(&mut call.tool);
        self.basis(&mut call.basis);
        if let Some(metadata) = &mut call.metadata {
            self.json(metadata);
        }
        for warning in &mut call.warnings {
            self.text(warning);
        }
        if let Some(script) = &mut call.script {
            self.script(Arc::make_mut(script));
        }
        match call.origin {
            Origin::Agent | Origin::Provider => {}
            // What the configuration says of our own stands there in clear.
            Origin::File => {
                self.text(&mut call.agent);
                self.schema(call.schema.as_mut());
            }
        }
    }

    fn script(&mut self, script: &mut Script) {
        self.text(&mut script.code);
        self.text(&mut script.printed);
        for done in &mut script.done {
            self.written(&done.tool, &mut done.arguments);
            self.text(&mut done.tool);
            self.text(&mut done.result);
        }
    }

    fn schema(&mut self, schema: Option<&mut Schema>) {
        let Some(schema) = schema else { return };
        let (before, mut value) = (self.count(), schema.value().clone());
        self.json(&mut value);
        if self.count() > before {
            *schema = Schema::new(value);
        }
    }

    fn preview(&mut self, preview: &mut Preview) {
        self.text(&mut preview.path);
        if let Some(fails) = &mut preview.fails {
            self.text(fails);
        }
        // A secret may go over several rows, with unchanged ones among them.
        let side = |but: DiffKind| {
            let rows = preview.diff.rows.iter();
            let rows = rows.filter(|row| row.kind != but && row.kind != DiffKind::Hunk);
            let rows: Vec<_> = rows.map(|row| row.text.original()).collect();
            rows.join("\n")
        };
        let before = self.count();
        for mut text in [side(DiffKind::Added), side(DiffKind::Removed)] {
            self.text(&mut text);
        }
        if self.count() > before {
            hide(&mut preview.diff);
        }
    }

    pub fn ruling(&mut self, ruling: &mut Ruling) {
        self.arguments(&ruling.tool, &mut ruling.proposed);
        match &mut ruling.decision {
            Decision::Approve { arguments: None } => {}
            Decision::Approve {
                arguments: Some(edited),
            } => self.arguments(&ruling.tool, edited),
            Decision::Reject { reason: text }
            | Decision::Respond { result: text }
            | Decision::Retry { message: text }
            | Decision::Fail { message: text } => self.text(text),
        }
        self.text(&mut ruling.tool);
    }

    /// What reviewers said of a call of this tool; where it is not known, every pointer counts.
    pub fn reviews(&mut self, tool: Option<&str>, reviews: &mut [Review]) {
        for review in reviews {
            self.text(&mut review.reason);
            self.text(&mut review.note);
            if let Some(fault) = &mut review.fault {
                self.text(fault);
            }
            if let Some(arguments) = &mut review.arguments {
                self.object(tool, arguments);
            }
        }
    }

    pub fn expiry(&mut self, expiry: &mut Expiry) {
        self.arguments(&expiry.tool, &mut expiry.proposed);
        self.text(&mut expiry.tool);
    }

    pub fn outcome(&mut self, outcome: &mut Outcome) {
        match outcome {
            Outcome::Result { text }
            | Outcome::Failed { message: text }
            | Outcome::Rejected { reason: text }
            | Outcome::Responded { result: text }
            | Outcome::SentBack { message: text }
            | Outcome::Withdrawn { why: text }
            | Outcome::Refused { fault: text } => self.text(text),
            Outcome::Denied { basis } => self.basis(basis),
            Outcome::Interrupted | Outcome::Expired { .. } => {}
        }
    }

    pub fn ran(&mut self, ran: &mut Ran) {
        match ran {
            Ran::Result(text) | Ran::Failed(text) | Ran::Lost(text) => self.text(text),
            Ran::ApprovalRequired { reason, metadata } | Ran::Deferred { reason, metadata } => {
                self.text(reason);
                self.json(metadata);
            }
            Ran::Interrupted => {}
        }
    }

    pub fn basis(&mut self, basis: &mut Basis) {
        match basis {
            Basis::Rule { reason: text, .. }
            | Basis::NotUnderstood { why: text }
            | Basis::Tool { reason: text }
            | Basis::Framework { reason: text }
            | Basis::External { reason: text }
            | Basis::Reviewer { reason: text, .. }
            | Basis::Lost { why: text }
            | Basis::GrantsUnread { why: text } => self.text(text),
            Basis::Question { message, tool, .. } => {
                self.text(message);
                self.text(tool);
            }
            Basis::Grant { .. }
            | Basis::ToolDefault
            | Basis::Provider
            | Basis::Script
            | Basis::OutcomeUnknown => {}
        }
    }

    pub fn append(&mut self, append: &mut Append) {
        for answered in &mut append.answers {
            self.text(&mut answered.call.0);
            self.text(&mut answered.tool);
            match &mut answered.body {
                Body::Result(text) => self.text(text),
                Body::Confirmation { .. } => {}
            }
        }
        for message in &mut append.messages {
            self.text(message);
        }
    }

    pub fn wanted(&mut self, wanted: &mut Wanted) {
        self.written(&wanted.tool, &mut wanted.arguments);
        self.text(&mut wanted.tool);
        // The provider's own name for it; here the call has another one if this one is secret.
        self.text(&mut wanted.id.0);
    }
}

/// What is left of a diff with a secret in it: how much it changes.
fn hide(diff: &mut Diff) {
    diff.rows = vec![DiffRow {
        kind: DiffKind::Hunk,
        text: Shown::literal("redacted"),
    }];
}
