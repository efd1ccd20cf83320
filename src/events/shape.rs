//! The form of an event: one JSON object on one line.
//!
//! Every event has `format`, `version`, `at` and `event`; one of a session `session` and `seq`, its place
//! in the journal; one of a call `call`, and where it is about certain arguments their `digest`. What
//! else it has depends on `event`; the README lists it. A longer text is cut, and says by how much.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::core::call::{Call, SessionId};
use crate::core::decision::{Decision, How, Ruling};
use crate::core::review::Review;
use crate::core::run::{Outcome, Ran, RunEvent, RunState};
use crate::core::script::Script;
use crate::core::verdict::Basis;
use crate::policy::grant::Grant;
use crate::store::Step;
use crate::store::announce::Announced;

const FORMAT: &str = "countersign.event";
const VERSION: u32 = 1;
/// The most bytes of one text.
const TEXT: usize = 16 * 1024;

/// The line of a step; `None` for one that nobody is told of.
pub(super) fn line(announced: Announced<'_>) -> Option<String> {
    let (event, about) = about(announced.step)?;
    let mut line = head(event, announced.at);
    line.insert("session".to_owned(), announced.session.0.clone().into());
    line.insert("seq".to_owned(), announced.seq.into());
    if let Some(call) = announced.step.call().or_else(|| called(announced.step)) {
        line.insert("call".to_owned(), call.0.clone().into());
    }
    if let Some(digest) = announced.digest {
        line.insert("digest".to_owned(), digest.as_str().into());
    }
    if let Value::Object(about) = about {
        line.extend(about.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Some(Value::Object(line).to_string())
}

/// This process works on a session no longer. Not a step: the session goes on when it is resumed.
pub(super) fn left(session: &SessionId) -> String {
    let mut line = head("session_left", Timestamp::now());
    line.insert("session".to_owned(), session.0.clone().into());
    Value::Object(line).to_string()
}

/// So many lines before this one are missing.
pub(super) fn dropped(count: u64) -> String {
    let mut line = head("dropped", Timestamp::now());
    line.insert("count".to_owned(), count.into());
    Value::Object(line).to_string()
}

fn head(event: &str, at: Timestamp) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("format".to_owned(), FORMAT.into());
    line.insert("version".to_owned(), VERSION.into());
    line.insert("event".to_owned(), event.into());
    line.insert("at".to_owned(), at.to_string().into());
    line
}

fn called(step: &Step) -> Option<&crate::core::call::CallId> {
    match step {
        Step::Event(RunEvent::Called { call, .. } | RunEvent::Withdrawn { call, .. }) => Some(call),
        _ => None,
    }
}

fn about(step: &Step) -> Option<(&'static str, Value)> {
    Some(match step {
        Step::Session {
            agent, model, file, ..
        } => (
            "session_began",
            json!({ "agent": agent, "model": model, "file": file }),
        ),
        Step::Event(event) => return happened(event),
        Step::Verdict { verdict, basis, .. } => {
            ("verdict", with_basis(json!({ "verdict": verdict }), basis))
        }
        Step::Reviewed { tool, reviews, .. } => {
            let reviews: Vec<_> = reviews.iter().map(review).collect();
            ("reviewed", json!({ "tool": tool, "reviews": reviews }))
        }
        Step::Arrived(call) => ("waiting", waiting(call)),
        Step::Ruling(ruling) => ("decided", decided(ruling)),
        Step::Expired(expiry) => (
            "expired",
            json!({ "tool": expiry.tool, "due": expiry.due.to_string(), "waited_seconds": expiry.waited() }),
        ),
        Step::Paused { number, .. } => ("paused", json!({ "number": number })),
        Step::Started { attempt, .. } => ("started", json!({ "attempt": attempt })),
        Step::Finished { attempt, ran, .. } => ("finished", finished(*attempt, ran)),
        Step::Ended { outcome, .. } => ("ended", ended(outcome)),
        Step::HandedOver { to, decided } => {
            ("handed_over", json!({ "to": to, "decided": decided }))
        }
        Step::Granted(grant) => ("rule_given", given(grant, &grant.who)),
        Step::Revoked(revoked) => ("rule_taken_back", given(&revoked.grant, &revoked.who)),
        // Of what is withdrawn the run tells too.
        Step::Sent { .. } | Step::Replied { .. } | Step::Withdrawn(_) => return None,
    })
}

fn happened(event: &RunEvent) -> Option<(&'static str, Value)> {
    match event {
        RunEvent::State(state) => Some(("state", json!({ "state": state_word(state) }))),
        RunEvent::Called {
            tool,
            arguments,
            parent,
            ..
        } => Some((
            "called",
            with_text(
                json!({ "tool": tool, "parent": parent }),
                "arguments",
                arguments,
            ),
        )),
        RunEvent::Withdrawn { why, .. } => Some(("withdrawn", with_text(json!({}), "why", why))),
        RunEvent::Began { .. }
        | RunEvent::User { .. }
        | RunEvent::Text { .. }
        | RunEvent::Thinking { .. }
        | RunEvent::TextEnded { .. }
        | RunEvent::Status { .. }
        | RunEvent::Arrived(_)
        | RunEvent::Stands { .. }
        | RunEvent::Reviewed { .. }
        | RunEvent::Expired { .. }
        | RunEvent::Output { .. }
        | RunEvent::Server { .. }
        | RunEvent::Unknown { .. }
        | RunEvent::Note { .. }
        | RunEvent::Discarded { .. } => None,
    }
}

const fn state_word(state: &RunState) -> &'static str {
    match state {
        RunState::Idle => "idle",
        RunState::Thinking => "thinking",
        RunState::Working => "working",
        RunState::Waiting => "waiting",
        RunState::Failed { .. } => "failed",
        RunState::Ended => "ended",
    }
}

fn waiting(call: &Call) -> Value {
    let risks: Vec<_> = call.risks.iter().map(|risk| risk.word()).collect();
    let about = json!({
        "agent": call.agent,
        "tool": call.tool,
        "risks": risks,
        "expires": call.expires.map(|at| at.to_string()),
        "parent": call.parent,
        "script": call.script.as_deref().map(script),
    });
    let about = with_text(about, "arguments", call.arguments.text());
    with_basis(about, &call.basis)
}

/// Which script a call is part of, and where that stands. What it says and did is not here: others read it
/// in the journal.
fn script(script: &Script) -> Value {
    let mut about = json!({ "outer": script.outer, "done": script.done.len() });
    if let Some(line) = script.line {
        about["line"] = line.into();
    }
    about
}

fn with_basis(about: Value, basis: &Basis) -> Value {
    let mut about = about;
    about["basis"] = basis.words().into();
    match basis.reason() {
        Some(reason) => with_text(about, "reason", reason),
        None => about,
    }
}

fn review(review: &Review) -> Value {
    let Review {
        reviewer,
        said,
        counts,
        reason,
        note,
        arguments,
        fault,
    } = review;
    let about = json!({ "reviewer": reviewer, "said": said, "counts": counts, "fault": fault });
    let about = with_text(about, "reason", reason);
    let about = with_text(about, "note", note);
    match arguments {
        Some(arguments) => with_text(about, "arguments", arguments.text()),
        None => about,
    }
}

fn decided(ruling: &Ruling) -> Value {
    let how = match ruling.how {
        How::Key => "key",
        How::Line => "line",
        How::Batch { .. } => "batch",
        How::Headless => "headless",
        How::Interrupt => "interrupt",
    };
    let about = json!({
        "tool": ruling.tool,
        "who": ruling.who,
        "how": how,
        "reach": ruling.reach,
        "shown_for_ms": ruling.shown_for,
    });
    let (word, key, text) = match &ruling.decision {
        Decision::Approve { arguments: None } => ("approve", "", ""),
        Decision::Approve {
            arguments: Some(edited),
        } => ("edit", "arguments", edited.text()),
        Decision::Reject { reason } => ("reject", "reason", reason.as_str()),
        Decision::Respond { result } => ("respond", "result", result.as_str()),
        Decision::Retry { message } => ("retry", "message", message.as_str()),
        Decision::Fail { message } => ("fail", "message", message.as_str()),
    };
    let mut about = with_text(about, key, text);
    about["decision"] = word.into();
    about
}

/// A rule that an operator gave or took back.
fn given(grant: &Grant, who: &str) -> Value {
    with_text(json!({ "rule": grant.id, "who": who }), "text", &grant.text)
}

fn finished(attempt: u32, ran: &Ran) -> Value {
    let (word, text) = match ran {
        Ran::Result(text) => ("result", text.as_str()),
        Ran::Failed(text) => ("failed", text.as_str()),
        Ran::ApprovalRequired { reason, .. } => ("approval_required", reason.as_str()),
        Ran::Deferred { reason, .. } => ("deferred", reason.as_str()),
        Ran::Interrupted => ("interrupted", ""),
        Ran::Lost(why) => ("lost", why.as_str()),
    };
    with_text(json!({ "attempt": attempt, "ran": word }), "text", text)
}

fn ended(outcome: &Outcome) -> Value {
    let (word, text) = match outcome {
        Outcome::Result { text } => ("result", text.as_str()),
        Outcome::Failed { message } => ("failed", message.as_str()),
        Outcome::Denied { basis } => {
            return with_basis(json!({ "outcome": "denied" }), basis);
        }
        Outcome::Rejected { reason } => ("rejected", reason.as_str()),
        Outcome::Responded { result } => ("responded", result.as_str()),
        Outcome::SentBack { message } => ("sent_back", message.as_str()),
        Outcome::Refused { fault } => ("refused", fault.as_str()),
        Outcome::Withdrawn { why } => ("withdrawn", why.as_str()),
        Outcome::Interrupted => ("interrupted", ""),
        Outcome::Expired { .. } => ("expired", ""),
    };
    with_text(json!({ "outcome": word }), "text", text)
}

/// A text as a member, if it is not empty; of a long one the start, and how many bytes are left out.
fn with_text(about: Value, key: &str, text: &str) -> Value {
    let mut about = about;
    if text.is_empty() || key.is_empty() {
        return about;
    }
    let end = text.floor_char_boundary(TEXT.min(text.len()));
    about[key] = text[..end].into();
    if end < text.len() {
        about[format!("{key}_left_out")] = (text.len() - end).into();
    }
    about
}
