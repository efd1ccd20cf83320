//! What the screen keeps from frame to frame is only a cache: a screen that keeps nothing shows the same.

use countersign::app::event::{Event, Opened};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, CallId, SessionId};
use countersign::core::output::Stream;
use countersign::core::run::{CallStatus, EntryId, Outcome, RunEvent};
use countersign::core::session::Session;
use countersign::core::time::Ticks;
use countersign::ui::Ui;
use countersign::ui::theme::Theme;
use proptest::prelude::*;

use crate::support::desk::{Desk, SESSION, call, destructive};
use crate::support::ui_scene::{Shot, WIDE, shot};

#[derive(Debug, Clone)]
enum Step {
    /// The model makes a call, by itself or from the script of the call before; it waits if it is so said.
    Called {
        inner: bool,
        waits: bool,
    },
    Becomes(prop::sample::Index, CallStatus),
    Writes(prop::sample::Index, &'static str),
    /// The session had ended and is there again, with so much of what was said in it.
    Again(u64),
    Press(&'static str),
    Wait(u64),
    Screen((u16, u16)),
}

fn status() -> impl Strategy<Value = CallStatus> {
    let edited = Arguments::parse(r#"{"to":"somebody else"}"#).expect("sound arguments");
    let finished = |outcome| CallStatus::Finished { outcome };
    prop::sample::select(vec![
        CallStatus::Proposed,
        CallStatus::Reviewing {
            by: vec!["guard".to_owned()],
        },
        CallStatus::Waiting,
        CallStatus::Decided {
            answer: Answer::Edit,
            by: "anna".to_owned(),
            edited: Some(edited),
        },
        CallStatus::Running,
        CallStatus::Confirmed,
        finished(Outcome::Result {
            text: "a result of some words".to_owned(),
        }),
        finished(Outcome::Rejected {
            reason: "not today, ".repeat(9),
        }),
        finished(Outcome::Interrupted),
    ])
}

fn step() -> impl Strategy<Value = Step> {
    let keys = vec![
        "a", "a", "u", "j", "k", "g", "G", "space", "L", "enter", "v", "esc", "tab", "page-up",
    ];
    prop_oneof![
        4 => any::<(bool, bool)>().prop_map(|(inner, waits)| Step::Called { inner, waits }),
        4 => (any::<prop::sample::Index>(), status()).prop_map(|(at, status)| Step::Becomes(at, status)),
        4 => prop::sample::select(keys).prop_map(Step::Press),
        4 => (0_u64..3000).prop_map(Step::Wait),
        2 => (any::<prop::sample::Index>(), prop::sample::select(vec!["row\n", "half a ", "a\nb\nc\nd\n"]))
            .prop_map(|(at, text)| Step::Writes(at, text)),
        1 => (0_u64..4).prop_map(Step::Again),
        1 => prop::sample::select(vec![WIDE, (102, 20), (140, 50)]).prop_map(Step::Screen),
    ]
}

struct Play {
    desk: Desk,
    calls: u64,
    lives: u64,
    size: (u16, u16),
}

impl Play {
    fn called(&mut self, inner: bool, waits: bool) {
        let parent = (inner && self.calls > 0).then(|| CallId(format!("c{}", self.calls)));
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let arguments = format!(
            r#"{{"to":"{}"}}"#,
            "x".repeat([3, 40, 17][usize::from(waits) + usize::from(inner)])
        );
        self.desk.run(RunEvent::Called {
            entry: EntryId(self.calls),
            call: CallId(id.clone()),
            parent,
            tool: "send_mail".to_owned(),
            arguments: arguments.clone(),
        });
        if waits {
            self.becomes(self.calls, CallStatus::Waiting);
            let mut arrives = call(&id, "send_mail", &arguments);
            // The desk's clock begins with the epoch.
            let due = |seconds| jiff::Timestamp::from_second(seconds).ok();
            arrives.expires = [None, due(4), due(65)][usize::try_from(self.calls % 3).unwrap_or(0)];
            self.desk.arrive(if self.calls.is_multiple_of(2) {
                destructive(arrives)
            } else {
                arrives
            });
        }
    }

    fn becomes(&mut self, call: u64, status: CallStatus) {
        let call = CallId(format!("c{call}"));
        self.desk.run(RunEvent::Status { call, status });
    }

    fn again(&mut self, said: u64) {
        let id = SessionId(SESSION.to_owned());
        let mut session = Session::new(id, "travel".to_owned(), String::new());
        self.lives += 1;
        for entry in 0..said {
            let text = format!("said in life {}: {entry}", self.lives);
            let entry = EntryId(entry + 1);
            session.apply(Ticks(0), &RunEvent::User { entry, text });
        }
        let opened = Opened {
            session,
            calls: Vec::new(),
            note: None,
        };
        self.desk.send(Event::Opened(Ok(Box::new(opened))));
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Called { inner, waits } => self.called(inner, waits),
            Step::Becomes(at, status) if self.calls > 0 => {
                let call = 1 + at.index(usize::try_from(self.calls).unwrap_or(1)) as u64;
                self.becomes(call, status);
            }
            Step::Writes(at, text) if self.calls > 0 => {
                let call = 1 + at.index(usize::try_from(self.calls).unwrap_or(1)) as u64;
                self.desk.run(RunEvent::Output {
                    call: CallId(format!("c{call}")),
                    stream: Stream::Out,
                    text: text.to_owned(),
                });
            }
            Step::Becomes(..) | Step::Writes(..) => {}
            Step::Again(said) => self.again(said),
            Step::Press(key) => self.desk.press(key),
            Step::Wait(millis) => self.desk.look(millis),
            Step::Screen(size) => self.size = size,
        }
    }
}

/// The rows of the conversation and of the output. That the list does not jump is no cache: where its window
/// was is kept beside.
fn panes(shot: &Shot, (columns, _): (u16, u16)) -> [Vec<String>; 2] {
    let width = usize::from(columns) * 13 / 25;
    let left = |row: &String| row.chars().take(width).collect();
    let right = |row: &String| row.chars().skip(width).collect();
    let rows = shot.rows();
    let right: Vec<String> = rows.iter().map(right).collect();
    let output = right
        .iter()
        .position(|row: &String| row.contains("Tool output"));
    [
        rows.iter().map(left).collect(),
        right[output.unwrap_or(right.len())..].to_vec(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_screen_that_keeps_its_layouts_shows_what_one_that_has_none_shows(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let mut play = Play { desk: Desk::default(), calls: 0, lives: 0, size: WIDE };
        let mut kept = Ui::new(Theme::dark());
        for step in steps {
            play.step(step);
            let one = shot(&mut kept, &play.desk.state, play.size);
            let other = shot(&mut Ui::new(Theme::dark()), &play.desk.state, play.size);
            prop_assert_eq!(panes(&one, play.size), panes(&other, play.size));
        }
    }
}
