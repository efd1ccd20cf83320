//! What the targets share: a text is read in a form, what it asks is decided, and the results must hold.

use countersign::core::arguments::Arguments;
use countersign::core::decision::{Decision, Reach};
use countersign::deferred::{self, Decided, Format, Imported};

/// Whatever the bytes are, they are read or refused, and what was read can be decided.
pub fn read(bytes: &[u8], format: Format) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(imported) = deferred::read(text, Some(format)) else {
        // Which form it is in must not be a question that panics either.
        let _ = deferred::read(text, None);
        return;
    };
    for turn in 0..5 {
        let decided = decide(&imported, turn);
        let results = imported.results(&decided);
        if decided.len() == imported.calls.len() {
            let results = results.expect("every call has a decision that it takes");
            let text = results.to_string();
            let again: serde_json::Value = serde_json::from_str(&text).expect("results are JSON");
            assert_eq!(again, results, "results come through as they are");
        }
    }
}

/// One decision that it takes for each call, another for each turn.
fn decide(imported: &Imported, turn: usize) -> Vec<Decided> {
    let reason = "a \"reason\"\u{202e}\n".to_owned();
    let choices = [
        Decision::Approve { arguments: None },
        Decision::Approve {
            arguments: Some(Arguments::parse(r#"{"n":1.50}"#).expect("an object")),
        },
        Decision::Reject {
            reason: reason.clone(),
        },
        Decision::Respond {
            result: reason.clone(),
        },
        Decision::Retry {
            message: reason.clone(),
        },
        Decision::Fail { message: reason },
    ];
    let calls = imported.calls.iter().enumerate();
    calls
        .filter_map(|(at, call)| {
            let order = choices.iter().cycle().skip(turn + at).take(choices.len());
            let decision = { order }.find(|choice| call.answers.take(choice.answer()))?;
            let reach = [Reach::Once, Reach::Tool, Reach::Arguments][(turn + at / 2) % 3];
            let fits = reach.answer().is_none_or(|answer| call.answers.take(answer));
            Some(Decided {
                call: call.id.clone(),
                digest: None,
                decision: decision.clone(),
                reach: if fits { reach } else { Reach::Once },
                who: None,
            })
        })
        .collect()
}
