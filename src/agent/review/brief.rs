//! What a reviewer is told of a call: the form of its question.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::Path;

use crate::core::call::{Call, Preview};
use crate::core::diff::DiffKind;
use crate::core::verdict::Verdict;

const FORMAT: &str = "countersign.review";
const VERSION: u32 = 1;

/// A call, and what stands around it.
pub(super) struct Brief<'a> {
    pub(super) reviewer: &'a str,
    pub(super) call: &'a Call,
    pub(super) verdict: Verdict,
    pub(super) workspace: &'a Path,
    /// What the operator said last.
    pub(super) asked: &'a str,
}

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    version: u32,
    reviewer: &'a str,
    session: &'a str,
    agent: &'a str,
    workspace: &'a Path,
    call: &'a str,
    tool: &'a str,
    /// As they would run, whatever their layout.
    arguments: &'a RawValue,
    digest: &'a str,
    verdict: Verdict,
    basis: String,
    reason: Option<&'a str>,
    risks: Vec<&'static str>,
    warnings: &'a [String],
    change: Option<Change<'a>>,
    asked: &'a str,
}

/// What a file edit would do.
#[derive(Serialize)]
struct Change<'a> {
    path: &'a str,
    diff: String,
}

impl Brief<'_> {
    /// One line of JSON.
    pub(super) fn text(&self) -> String {
        let call = self.call;
        // The text was parsed before.
        let arguments = serde_json::from_str::<&RawValue>(call.arguments.text());
        let digest = call.digest();
        let written = Written {
            format: FORMAT,
            version: VERSION,
            reviewer: self.reviewer,
            session: &call.key.session.0,
            agent: &call.agent,
            workspace: self.workspace,
            call: &call.key.call.0,
            tool: &call.tool,
            arguments: arguments.unwrap_or(RawValue::NULL),
            digest: digest.as_str(),
            verdict: self.verdict,
            basis: call.basis.words(),
            reason: call.basis.reason(),
            risks: call.risks.iter().map(|risk| risk.word()).collect(),
            warnings: &call.warnings,
            change: call.preview.as_ref().map(change),
            asked: self.asked,
        };
        serde_json::to_string(&written).unwrap_or_else(|_| Value::Null.to_string())
    }
}

fn change(preview: &Preview) -> Change<'_> {
    let rows = preview.diff.rows.iter().map(|row| {
        let sign = match row.kind {
            DiffKind::Hunk => '@',
            DiffKind::Same => ' ',
            DiffKind::Added => '+',
            DiffKind::Removed => '-',
        };
        format!("{sign}{}\n", row.text.original())
    });
    Change {
        path: &preview.path,
        diff: rows.collect(),
    }
}
