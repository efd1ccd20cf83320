//! A run's events as the conversation that the screen shows.

use countersign::core::call::{Answer, CallId};
use countersign::core::conversation::{CallRecord, Conversation, Entry, Item};
use countersign::core::output::{Output, Stream};
use countersign::core::run::{CallStatus, EntryId, Level, Outcome, RunEvent, RunState, TextKind};
use countersign::core::session::Session;
use countersign::core::time::{Ticks, elapsed};

use crate::support::desk::{call, key};

fn id(name: &str) -> CallId {
    CallId(name.to_owned())
}

fn text(entry: u64, piece: &str) -> RunEvent {
    RunEvent::Text {
        entry: EntryId(entry),
        piece: piece.to_owned(),
    }
}

fn called(entry: u64, name: &str) -> RunEvent {
    RunEvent::Called {
        entry: EntryId(entry),
        call: id(name),
        parent: None,
        tool: "get_weather".to_owned(),
        arguments: "{broken".to_owned(),
    }
}

fn status(name: &str, status: CallStatus) -> RunEvent {
    RunEvent::Status {
        call: id(name),
        status,
    }
}

fn finished(name: &str, result: &str) -> RunEvent {
    let text = result.to_owned();
    status(
        name,
        CallStatus::Finished {
            outcome: Outcome::Result { text },
        },
    )
}

fn written(name: &str, text: &str) -> RunEvent {
    RunEvent::Output {
        call: id(name),
        stream: Stream::Out,
        text: text.to_owned(),
    }
}

fn item(id: u64, revision: u32, entry: Entry) -> Item {
    Item {
        id: EntryId(id),
        revision,
        entry,
    }
}

fn agent(text: &str, open: bool) -> Entry {
    let text = text.to_owned();
    Entry::Agent { text, open }
}

fn note(level: Level, text: &str) -> Entry {
    let text = text.to_owned();
    Entry::Note { level, text }
}

/// Applies the events, one each hundred milliseconds.
fn after(events: &[RunEvent]) -> Conversation {
    let mut conversation = Conversation::default();
    for (event, ticks) in events.iter().zip((0..).step_by(100)) {
        conversation.apply(Ticks(ticks), event);
    }
    conversation
}

fn output(pieces: &[&str]) -> Output {
    let mut output = Output::default();
    for piece in pieces {
        output.push(Stream::Out, piece);
    }
    output
}

fn ended(entry: u64, kind: TextKind, text: &str) -> RunEvent {
    let (entry, text) = (EntryId(entry), text.to_owned());
    RunEvent::TextEnded { entry, kind, text }
}

#[test]
fn a_whole_run_becomes_entries_in_order() {
    let (entry, server) = (EntryId(4), EntryId(5));
    let search = |result: Option<&str>| RunEvent::Server {
        entry: server,
        tool: "web_search".to_owned(),
        arguments: "{}".to_owned(),
        result: result.map(str::to_owned),
    };
    let conversation = after(&[
        RunEvent::Began {
            agent: "a".to_owned(),
            model: "m".to_owned(),
        },
        RunEvent::User {
            entry: EntryId(0),
            text: "hello".to_owned(),
        },
        RunEvent::State(RunState::Thinking),
        RunEvent::Thinking {
            entry: EntryId(1),
            piece: "hm".to_owned(),
        },
        ended(1, TextKind::Thinking, "hm"),
        text(2, "I "),
        text(2, "look"),
        ended(2, TextKind::Answer, "I look"),
        called(3, "c1"),
        RunEvent::Unknown {
            entry,
            kind: "new".to_owned(),
            raw: "{}".to_owned(),
        },
        search(None),
        search(Some("found")),
        RunEvent::Note {
            entry: EntryId(6),
            level: Level::Error,
            text: "oh".to_owned(),
        },
        RunEvent::Arrived(Box::new(call("c1", "get_weather", "{}"))),
        RunEvent::Withdrawn {
            call: id("c1"),
            why: "gone".to_owned(),
        },
        text(7, "open"),
    ]);
    let (tool, arguments, result) = (
        "web_search".to_owned(),
        "{}".to_owned(),
        Some("found".to_owned()),
    );
    assert_eq!(
        conversation.items(),
        [
            item(
                0,
                0,
                Entry::User {
                    text: "hello".to_owned()
                }
            ),
            item(
                1,
                2,
                Entry::Thinking {
                    text: "hm".to_owned(),
                    open: false
                }
            ),
            item(2, 3, agent("I look", false)),
            item(3, 0, Entry::Call(id("c1"))),
            item(
                4,
                0,
                Entry::Unknown {
                    kind: "new".to_owned(),
                    raw: "{}".to_owned()
                }
            ),
            item(
                5,
                1,
                Entry::Server {
                    tool,
                    arguments,
                    result
                }
            ),
            item(6, 0, note(Level::Error, "oh")),
            item(7, 1, agent("open", true)),
        ]
    );
    assert_eq!(conversation.calls().len(), 1);
    assert_eq!(conversation.position(EntryId(5)), Some(5));
    assert_eq!(conversation.position(EntryId(9)), None);
}

#[test]
fn an_answer_that_did_not_end_stays_marked_and_counts_for_nothing() {
    let discarded = |entry| RunEvent::Discarded {
        entry: EntryId(entry),
        why: "the stream was cut".to_owned(),
    };
    let conversation = after(&[
        RunEvent::User {
            entry: EntryId(0),
            text: "hello".to_owned(),
        },
        text(1, "half an ans"),
        discarded(1),
        discarded(0),
        discarded(9),
        text(1, "late"),
        ended(1, TextKind::Answer, "late"),
    ]);
    let items: Vec<_> = conversation
        .items()
        .iter()
        .map(|item| item.entry.clone())
        .collect();
    assert_eq!(
        items,
        [
            Entry::User {
                text: "hello".to_owned()
            },
            note(Level::Warning, "half an ans\n[the stream was cut]"),
        ]
    );
}

#[test]
fn a_call_goes_its_way_from_the_wish_to_the_outcome() {
    let decided = CallStatus::Decided {
        edited: None,
        answer: Answer::Approve,
        by: "ada".to_owned(),
    };
    let events = [
        called(0, "c1"),
        status("c1", CallStatus::Waiting),
        status("c1", decided),
        status("c1", CallStatus::Running),
        written("c1", "28 "),
        written("c1", "°C"),
        finished("c1", "28 °C"),
    ];
    let mut shown = output(&["28 °C"]);
    shown.end_row();
    let text = "28 °C".to_owned();
    let expected = CallRecord {
        edited: None,
        reviews: Vec::new(),
        entry: EntryId(0),
        parent: None,
        tool: "get_weather".to_owned(),
        arguments: "{broken".to_owned(),
        status: CallStatus::Finished {
            outcome: Outcome::Result { text },
        },
        decided: Some((Answer::Approve, "ada".to_owned())),
        since: Ticks(600),
        took: Some(300),
        output: shown,
    };
    let conversation = after(&events);
    assert_eq!(conversation.call(&id("c1")), Some(&expected));
    // Each status is a change of the entry; output is not, it has a pane of its own.
    assert_eq!(conversation.items(), [item(0, 4, Entry::Call(id("c1")))]);
}

#[test]
fn a_tool_that_asked_for_approval_took_as_long_as_its_last_run() {
    let conversation = after(&[
        called(0, "c1"),
        status("c1", CallStatus::Running),
        status("c1", CallStatus::Waiting),
        status("c1", CallStatus::Running),
        finished("c1", ""),
    ]);
    let record = conversation.call(&id("c1")).expect("it was called");
    assert_eq!((record.since, record.took), (Ticks(400), Some(100)));
}

#[test]
fn a_result_without_output_is_shown_as_output() {
    let responded = Outcome::Responded {
        result: "by hand\n".to_owned(),
    };
    let conversation = after(&[
        called(0, "silent"),
        called(1, "answered"),
        called(2, "talkative"),
        finished("silent", "two\nrows"),
        status("answered", CallStatus::Finished { outcome: responded }),
        written("talkative", "said"),
        finished("talkative", "something else"),
    ]);
    let outputs: Vec<_> = conversation
        .calls()
        .values()
        .map(|record| record.output.clone())
        .collect();
    let ended = |pieces: &[&str]| {
        let mut output = output(pieces);
        output.end_row();
        output
    };
    assert_eq!(
        outputs,
        [
            ended(&["two\nrows"]),
            ended(&["by hand\n"]),
            ended(&["said"])
        ]
    );
    assert!(
        conversation
            .calls()
            .values()
            .all(|record| record.took.is_none())
    );
}

#[test]
fn what_did_not_run_has_no_output() {
    let rejected = Outcome::Rejected {
        reason: "no".to_owned(),
    };
    let conversation = after(&[
        called(0, "c1"),
        status("c1", CallStatus::Finished { outcome: rejected }),
    ]);
    let record = conversation.call(&id("c1")).expect("it was called");
    assert_eq!((&record.output, record.took), (&Output::default(), None));
}

#[test]
fn events_of_calls_and_entries_that_are_not_there_are_ignored() {
    let events = [
        status("c9", CallStatus::Running),
        written("c9", "text"),
        finished("c9", "text"),
    ];
    assert_eq!(after(&events), Conversation::default());
    assert_eq!(after(&[]).call(&id("c9")), None);
}

#[test]
fn entries_that_arrive_out_of_order_stand_in_order() {
    let noted = |entry, text: &str| RunEvent::Note {
        entry: EntryId(entry),
        level: Level::Note,
        text: text.to_owned(),
    };
    let conversation = after(&[
        text(0, "a"),
        noted(3, "third"),
        noted(1, "first"),
        text(2, "b"),
        text(0, "c"),
        noted(3, "again"),
    ]);
    assert_eq!(
        conversation.items(),
        [
            item(0, 2, agent("ac", true)),
            item(1, 0, note(Level::Note, "first")),
            item(2, 1, agent("b", true)),
            item(3, 1, note(Level::Note, "again")),
        ]
    );
}

#[test]
fn a_session_knows_what_its_agent_does_and_since_when() {
    let new = || Session::new(key("c1").session, "travel".to_owned(), "m1".to_owned());
    let mut session = new();
    session.apply(
        Ticks(5),
        &RunEvent::Began {
            agent: "mail".to_owned(),
            model: "m2".to_owned(),
        },
    );
    session.apply(Ticks(7), &RunEvent::State(RunState::Failed { retry: true }));
    session.apply(Ticks(9), &text(0, "x"));
    let mut expected = new();
    expected.agent = "mail".to_owned();
    expected.model = "m2".to_owned();
    expected.run = RunState::Failed { retry: true };
    expected.since = Ticks(7);
    expected.conversation = after(&[text(0, "x")]);
    assert_eq!(session, expected);
}

#[test]
fn a_wait_is_shown_in_minutes_and_hours() {
    let shown = [0, 999, 42_000, 725_000, 3_599_999, 3_723_000, 360_000_000].map(elapsed);
    assert_eq!(
        shown,
        [
            "0:00",
            "0:00",
            "0:42",
            "12:05",
            "59:59",
            "1:02:03",
            "100:00:00"
        ]
    );
    assert_eq!(Ticks(5).since(Ticks(9)), 0);
    assert_eq!(Ticks(u64::MAX).plus(1), Ticks(u64::MAX));
}
