//! What happens in a run, as lines.

use crate::app::state::State;
use crate::core::call::{CallId, SessionId};
use crate::core::conversation::{CallRecord, Entry};
use crate::core::count;
use crate::core::name::{self, quoted};
use crate::core::output::{Output, OutputLine};
use crate::core::run::{CallStatus, Level, Outcome, RunEvent, RunState, TextKind};
use crate::core::session::Session;
use crate::core::shown::Shown;
use crate::core::time;

/// Entries of before that are told when a session is gone on with.
const BEFORE: usize = 8;
/// Rows of a call's output that are told; how many more there are is said.
const OUTPUT: usize = 500;

/// The lines of an event that the state has taken in already. Empty for what only a screen shows.
pub fn told(state: &State, session: &SessionId, event: &RunEvent) -> Vec<Shown> {
    let Some(session) = state.session(session) else {
        return Vec::new();
    };
    match event {
        RunEvent::User { text, .. } => spoken(&Shown::literal("You"), text),
        RunEvent::TextEnded {
            kind: TextKind::Answer,
            text,
            ..
        } => spoken(&name::shown(&session.agent), text),
        RunEvent::Status { call, status } => status_told(session, call, status),
        RunEvent::Server {
            tool,
            arguments,
            result,
            ..
        } => {
            let result = result.as_deref().unwrap_or("no result yet");
            let tool = quoted(tool);
            let text = format!("The provider ran {tool} {arguments}: {result}");
            vec![Shown::label(&text)]
        }
        RunEvent::Unknown { kind, raw, .. } => {
            vec![Shown::label(&format!("Something unknown ({kind}): {raw}"))]
        }
        RunEvent::Note { level, text, .. } => note(*level, text),
        RunEvent::Expired { call, tool, waited } => {
            let (tool, span) = (name::of_call(call, tool), time::span(*waited));
            let text = format!("{tool} has expired: nobody decided within {span}");
            note(Level::Warning, &text)
        }
        RunEvent::Discarded { why, .. } => {
            vec![Shown::label(&format!(
                "What was said last does not count: {why}"
            ))]
        }
        RunEvent::State(RunState::Ended) => {
            let agent = quoted(&session.agent);
            vec![Shown::label(&format!("{agent} has ended."))]
        }
        RunEvent::State(
            RunState::Idle
            | RunState::Thinking
            | RunState::Working
            | RunState::Waiting
            | RunState::Failed { .. },
        )
        | RunEvent::TextEnded {
            kind: TextKind::Thinking,
            ..
        }
        | RunEvent::Began { .. }
        | RunEvent::Text { .. }
        | RunEvent::Thinking { .. }
        | RunEvent::Called { .. }
        | RunEvent::Output { .. }
        | RunEvent::Arrived(_)
        | RunEvent::Stands { .. }
        | RunEvent::Reviewed { .. }
        | RunEvent::Withdrawn { .. } => Vec::new(),
    }
}

/// The last entries of a session of before.
pub fn history(session: &Session) -> Vec<Shown> {
    let items = session.conversation.items();
    let left_out = items.len().saturating_sub(BEFORE);
    let mut lines = Vec::new();
    if left_out > 0 {
        lines.push(Shown::label(&format!(
            "({} before)",
            count::of(left_out, "entry", "entries")
        )));
    }
    for item in &items[left_out..] {
        match &item.entry {
            Entry::User { text } => lines.extend(spoken(&Shown::literal("You"), text)),
            Entry::Agent { text, .. } => lines.extend(spoken(&name::shown(&session.agent), text)),
            Entry::Call(id) => {
                if let Some(record) = session.conversation.call(id) {
                    lines.push(call_line("Call", record));
                }
            }
            Entry::Note { level, text } => lines.extend(note(*level, text)),
            Entry::Thinking { .. } | Entry::Server { .. } | Entry::Unknown { .. } => {}
        }
    }
    lines
}

fn spoken(who: &Shown, text: &str) -> Vec<Shown> {
    let text = Shown::prose(text.trim_end());
    // Every further row is set in: nothing that is said can look like a question of ours.
    let rows: Vec<_> = text.rows().collect();
    vec![Shown::from(format!("{who}: {}", rows.join("\n  ")))]
}

fn note(level: Level, text: &str) -> Vec<Shown> {
    let word = match level {
        Level::Note => "Note",
        Level::Warning => "Warning",
        Level::Error => "Error",
    };
    spoken(&Shown::literal(word), text)
}

fn call_line(word: &str, record: &CallRecord) -> Shown {
    let tool = quoted(&record.tool);
    Shown::label(&format!("{word}: {tool} {}", record.arguments))
}

fn status_told(session: &Session, call: &CallId, status: &CallStatus) -> Vec<Shown> {
    let Some(record) = session.conversation.call(call) else {
        return Vec::new();
    };
    match status {
        CallStatus::Reviewing { by } => {
            let word = format!(
                "In review by {}",
                name::listed(by.iter().map(String::as_str), ", ")
            );
            vec![call_line(&word, record)]
        }
        CallStatus::Running => vec![call_line("Running", record)],
        CallStatus::Confirmed => vec![call_line("Confirmed to the provider", record)],
        CallStatus::Finished { outcome } => finished(record, outcome),
        CallStatus::Proposed | CallStatus::Waiting | CallStatus::Decided { .. } => Vec::new(),
    }
}

fn finished(record: &CallRecord, outcome: &Outcome) -> Vec<Shown> {
    let how = match outcome {
        Outcome::Result { .. } => "done".to_owned(),
        Outcome::Failed { message } => format!("failed: {message}"),
        Outcome::Denied { basis } => match basis.reason() {
            Some(reason) => format!("denied, {}: {reason}", basis.words()),
            None => format!("denied, {}", basis.words()),
        },
        Outcome::Rejected { reason } if reason.is_empty() => "rejected".to_owned(),
        Outcome::Rejected { reason } => format!("rejected: {reason}"),
        Outcome::Responded { result } => format!("answered in its place: {result}"),
        Outcome::SentBack { message } => format!("sent back: {message}"),
        Outcome::Refused { fault } => format!("not run: {fault}"),
        Outcome::Withdrawn { why } => format!("withdrawn: {why}"),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Expired { .. } => "expired: nobody decided in time".to_owned(),
    };
    let tool = quoted(&record.tool);
    let mut lines = vec![Shown::label(&format!("Finished: {tool}, {how}"))];
    if let Outcome::Result { .. } = outcome {
        lines.extend(rows(&record.output));
    }
    lines
}

fn rows(output: &Output) -> Vec<Shown> {
    let shown = (0..output.len().min(OUTPUT)).filter_map(|index| output.line(index));
    let mut lines: Vec<_> = shown
        .map(|line| match line {
            OutputLine::Row(row) => Shown::from(format!("  {}", row.text)),
            OutputLine::Gap(rows) => {
                Shown::label(&format!("  ({} rows are not kept)", count::number(rows)))
            }
        })
        .collect();
    let more = output.len().saturating_sub(OUTPUT);
    if more > 0 {
        lines.push(Shown::label(&format!(
            "  ({})",
            count::of(more, "more row", "more rows")
        )));
    }
    lines
}
