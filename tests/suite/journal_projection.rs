//! What the screen shows is a projection of the journal: rebuilt from it, it is the same.

use crate::support::agent::{Run, Setup, reject, session};
use countersign::app::event::{Event, StoreEvent};
use countersign::app::keymap::Keymap;
use countersign::app::state::{Settings, State};
use countersign::app::update::update;
use countersign::core::arguments::Arguments;
use countersign::core::call::{Call, CallId};
use countersign::core::conversation::{CallRecord, Entry};
use countersign::core::decision::Decision;
use countersign::core::output::Output;
use countersign::core::run::{EntryId, RunCommand, RunEvent, RunState};
use countersign::core::session::Session;
use countersign::core::time::Ticks;
use countersign::store::Step;
use countersign::store::projection::Projection;
use countersign::store::step::Stored;
use std::sync::Arc;

fn console() -> State {
    let session = Session::new(session(), "test".to_owned(), "script".to_owned());
    State::new(
        Settings::default(),
        Arc::new(Keymap::built_in()),
        vec![session],
    )
}

/// All that a state says of the session, without clocks, counts of redrawings, and output, of which the
/// journal keeps the result only.
#[derive(Debug, PartialEq)]
struct View {
    agent: String,
    model: String,
    run: RunState,
    decided: usize,
    items: Vec<(EntryId, Entry)>,
    calls: Vec<(CallId, CallRecord)>,
    pending: Vec<Call>,
}

impl View {
    fn of(state: &State) -> Self {
        let session = &state.sessions[0];
        let record = |record: &CallRecord| CallRecord {
            since: Ticks(0),
            took: None,
            output: Output::default(),
            ..record.clone()
        };
        let conversation = &session.conversation;
        let items = conversation.items().iter();
        let calls = conversation.calls().iter();
        Self {
            agent: session.agent.clone(),
            model: session.model.clone(),
            run: session.run.clone(),
            decided: session.decided(),
            items: items.map(|item| (item.id, item.entry.clone())).collect(),
            calls: calls.map(|(id, call)| (id.clone(), record(call))).collect(),
            pending: state
                .pending
                .iter()
                .map(|waiting| waiting.call.clone())
                .collect(),
        }
    }
}

/// A run that a console watches.
struct Watched {
    run: Run,
    state: State,
    taken: usize,
}

impl Watched {
    async fn start(setup: Setup) -> Self {
        let run = setup.start().await;
        run.say("go").await;
        Self {
            run,
            state: console(),
            taken: 0,
        }
    }

    /// Goes on until nothing happens by itself any more.
    async fn rest(&mut self) {
        let resting = |event: &RunEvent| {
            matches!(
                event,
                RunEvent::State(RunState::Waiting | RunState::Idle | RunState::Failed { .. })
            )
        };
        self.run.until(resting).await;
        for event in &self.run.seen[self.taken..] {
            let event = Event::Run(session(), Box::new(event.clone()));
            update(&mut self.state, event);
        }
        self.taken = self.run.seen.len();
    }

    fn waiting(&self, tool: &str) -> Call {
        let mut waiting = self.state.pending.iter();
        let found = waiting.find(|waiting| waiting.call.tool == tool);
        found.expect("it waits").call.clone()
    }

    async fn decide(&mut self, tool: &str, decision: Decision) {
        let call = self.waiting(tool);
        self.run.decide(&call, decision).await;
        update(
            &mut self.state,
            Event::Store(StoreEvent::Recorded(call.key)),
        );
    }

    /// The same, rebuilt from the journal.
    async fn compare(&self) {
        self.run.flush().await;
        self.compare_with(&self.run.stored());
    }

    fn compare_with(&self, steps: &[Stored]) {
        let projection = Projection::of(steps);
        let mut rebuilt = console();
        for event in projection.events {
            update(&mut rebuilt, Event::Run(session(), Box::new(event)));
        }
        let (rebuilt, live) = (View::of(&rebuilt), View::of(&self.state));
        let words = |view: &View| format!("{view:#?}");
        let diff = similar::TextDiff::from_lines(words(&live), words(&rebuilt))
            .unified_diff()
            .context_radius(6)
            .to_string();
        assert!(rebuilt == live, "the screen, and what is rebuilt:\n{diff}");
    }

    async fn rest_and_compare(&mut self) {
        self.rest().await;
        self.compare().await;
    }
}

fn approve() -> Decision {
    Decision::Approve { arguments: None }
}

fn all() -> Setup {
    let calls = "{ id = 'a', tool = 'free' }, { id = 'b', tool = 'ask', arguments = { n = 1 } },
                 { id = 'c', tool = 'no' }, { id = 'd', tool = 'bad' }, { id = 'e', tool = 'unknown' },
                 { id = 'f', tool = 'later' }, { id = 'g', tool = 'gated' }, { id = 'h', tool = 'mail', held = true },
                 { id = 'i', tool = 'ask', arguments_text = '{' }, { id = 'j', tool = 'denied' },";
    Setup::calls(calls, "the end")
        .tool("free", "echo ran")
        .asking("ask", "cat")
        .asking("no", "cat")
        .tool("bad", "echo why >&2; exit 1")
        .tool("later", "echo '{\"reason\":\"tomorrow\"}'; exit 81")
        .tool("gated", "[ -n \"$COUNTERSIGN_APPROVED\" ] || { echo '{\"reason\":\"big\"}'; exit 80; }; echo ran")
        .tool("denied", "echo ran")
        .rules("[[rules]]\ntool = 'denied'\nverdict = 'deny'\nreason = 'never'\n")
}

#[tokio::test]
async fn it_is_the_same_at_every_rest_of_a_run() {
    let mut watched = Watched::start(all()).await;
    watched.rest_and_compare().await;
    let edited = Arguments::parse(r#"{"n":2}"#).expect("JSON");
    let edit = Decision::Approve {
        arguments: Some(edited),
    };
    let by_hand = Decision::Respond {
        result: "by hand".to_owned(),
    };
    for (tool, decision) in [
        ("ask", edit),
        ("no", reject("not now")),
        ("gated", approve()),
        ("mail", approve()),
        ("later", by_hand),
    ] {
        watched.decide(tool, decision).await;
        watched.rest_and_compare().await;
    }
    assert_eq!(watched.run.said(), ["the end"]);
}

#[tokio::test]
async fn it_is_the_same_after_an_interrupt() {
    let mut watched = Watched::start(all()).await;
    watched.rest().await;
    watched.decide("no", reject("no")).await;
    watched.rest_and_compare().await;
    watched.run.send(RunCommand::Interrupt).await;
    watched.rest_and_compare().await;
    assert_eq!(watched.state.pending.len(), 0);
}

#[tokio::test]
async fn it_is_the_same_without_the_steps_that_a_full_disk_kept_out() {
    let mut watched = Watched::start(all()).await;
    watched.rest().await;
    let edited = Arguments::parse(r#"{"n":2}"#).expect("JSON");
    let edit = Decision::Approve {
        arguments: Some(edited),
    };
    let message = "look again".to_owned();
    for (tool, decision) in [
        ("ask", edit),
        ("no", reject("not now")),
        ("gated", Decision::Retry { message }),
        ("mail", approve()),
    ] {
        watched.decide(tool, decision).await;
        watched.rest().await;
    }
    // What the program was about to do stays, and so does what it sent; what it noted of it is gone.
    watched.run.send(RunCommand::Interrupt).await;
    watched.rest().await;
    let text = "go on".to_owned();
    watched.run.send(RunCommand::Message { text }).await;
    watched.rest().await;
    watched.run.flush().await;
    let mut steps = watched.run.stored();
    let kept = steps.len();
    steps.retain(|stored| {
        !matches!(
            stored.step,
            Step::Finished { .. } | Step::Ended { .. } | Step::Event(RunEvent::Withdrawn { .. })
        )
    });
    assert!(kept - steps.len() > 10, "{steps:?}");
    watched.compare_with(&steps);
}

#[tokio::test]
async fn it_is_the_same_after_a_failure() {
    let turns = "[[turns]]\nname = 'a'\non = 'other'\n";
    let mut watched = Watched::start(Setup::turns(turns)).await;
    watched.rest_and_compare().await;
    assert_eq!(
        watched.state.sessions[0].run,
        RunState::Failed { retry: false }
    );
}
