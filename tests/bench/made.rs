//! Sessions made up for the benchmarks.

use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call, CallId, CallKey, Origin, SessionId};
use countersign::core::decision::{Decision, How, Reach, Ruling};
use countersign::core::exchange::{Append, Wanted};
use countersign::core::run::{EntryId, Outcome, Ran, RunEvent, TextKind};
use countersign::core::verdict::{Basis, Verdict};
use countersign::store::Step;
use countersign::store::step::Named;
use jiff::Timestamp;
use serde_json::json;

pub fn session() -> SessionId {
    SessionId("01a1faa5-4f53-724b-869a-8870f2e0e870".to_owned())
}

pub fn began() -> Step {
    Step::Session {
        agent: "travel".to_owned(),
        model: "mistral-large-latest".to_owned(),
        config: None,
        file: None,
    }
}

/// Everything that is written of one round: a text, and one call that a person approves.
pub fn round(number: u64) -> Vec<Step> {
    let id = CallId(format!("call-{number}"));
    let arguments = r#"{"destination":"Millau","date":"2026-11-27","passengers":2}"#;
    let parsed = Arguments::parse(arguments).expect("it is JSON");
    let call = call(&id, &parsed);
    let decision = Decision::Approve { arguments: None };
    let ruling = Ruling {
        file: None,
        key: call.key.clone(),
        tool: call.tool.clone(),
        digest: Ruling::digest_of(&call, &decision),
        decision,
        reach: Reach::Once,
        proposed: parsed,
        who: "ada@desk from 192.0.2.7".to_owned(),
        at: Timestamp::UNIX_EPOCH,
        how: How::Key,
        shown_for: 4200,
    };
    let (digest, text) = (
        call.digest(),
        "Flight booked: Millau, 2026-11-27, seats 4A and 4B.",
    );
    let wanted = Wanted {
        id: id.clone(),
        tool: call.tool.clone(),
        arguments: arguments.to_owned(),
        held_by_provider: false,
    };
    let entry = |at: u64| EntryId(number * 2 + at);
    vec![
        Step::Sent {
            append: Append::default(),
        },
        Step::Event(RunEvent::TextEnded {
            entry: entry(0),
            kind: TextKind::Answer,
            text: "Millau is the warmest of the five; I am booking it for next Friday.".to_owned(),
        }),
        Step::Replied {
            calls: vec![Named {
                id: id.clone(),
                wanted,
            }],
            suspension: json!({ "conversation_id": "conv_1" }),
        },
        Step::Event(RunEvent::Called {
            entry: entry(1),
            call: id.clone(),
            parent: None,
            tool: call.tool.clone(),
            arguments: arguments.to_owned(),
        }),
        Step::Verdict {
            call: id.clone(),
            verdict: Verdict::Ask,
            basis: Basis::ToolDefault,
        },
        Step::Arrived(Box::new(call)),
        Step::Ruling(Box::new(ruling)),
        Step::Started {
            call: id.clone(),
            attempt: 1,
            digest,
        },
        Step::Finished {
            call: id.clone(),
            attempt: 1,
            ran: Ran::Result(text.to_owned()),
        },
        Step::Ended {
            call: id,
            outcome: Outcome::Result {
                text: text.to_owned(),
            },
        },
    ]
}

fn call(id: &CallId, arguments: &Arguments) -> Call {
    Call {
        reviews: Vec::new(),
        workspace: None,
        key: CallKey {
            session: session(),
            call: id.clone(),
        },
        agent: "travel".to_owned(),
        tool: "book_flight".to_owned(),
        arguments: arguments.clone(),
        origin: Origin::Agent,
        parent: None,
        answers: Answers::all(),
        basis: Basis::ToolDefault,
        risks: Vec::new(),
        schema: None,
        preview: None,
        metadata: None,
        warnings: Vec::new(),
        expires: None,
        script: None,
        grounds: None,
        arrived: Timestamp::UNIX_EPOCH,
    }
}
