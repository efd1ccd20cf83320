//! States of the console to be drawn, and frames as text.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

use countersign::app::keymap::Keymap;
use countersign::app::state::{Drawn, Settings, Sight, State};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call, CallId, CallKey, Origin, Preview, Risk, SessionId};
use countersign::core::decision::{Decision, How, Ruling};
use countersign::core::diff::Diff;
use countersign::core::output::Stream;
use countersign::core::run::{CallStatus, EntryId, Outcome, RunEvent, RunState, TextKind};
use countersign::core::session::Session;
use countersign::core::time::{Now, Ticks};
use countersign::core::verdict::{Basis, RuleSource};
use countersign::ui::Ui;
use countersign::ui::theme::Theme;

pub const WIDE: (u16, u16) = (120, 36);
pub const MIDDLE: (u16, u16) = (80, 24);
pub const NARROW: (u16, u16) = (50, 15);

/// Direction, escape sequences, row breaks, tabs, stacked marks, wide and joined characters, and signs
/// of our own.
pub const HOSTILE: &str = "a\u{202e}b\u{1b}[31mc\nd\te Z\u{301}\u{301}\u{301}\u{301}\u{301} 漢字 ⌨\u{fe0f} 👨\u{200d}👩\u{200d}👧 ⟨U+0041⟩";

pub fn output(scene: &mut Scene, id: &str, stream: Stream, text: &str) {
    scene.run(&RunEvent::Output {
        call: CallId(id.to_owned()),
        stream,
        text: text.to_owned(),
    });
}

pub fn thinking(scene: &mut Scene, text: &str) {
    let entry = scene.next();
    scene.run(&RunEvent::Thinking {
        entry,
        piece: text.to_owned(),
    });
    let (kind, text) = (TextKind::Thinking, text.to_owned());
    scene.run(&RunEvent::TextEnded { entry, kind, text });
}

/// A console under test, fed with a run's events.
pub struct Scene {
    pub state: State,
    entry: u64,
}

pub fn key(call: &str) -> CallKey {
    CallKey {
        session: SessionId("s1".to_owned()),
        call: CallId(call.to_owned()),
    }
}

/// A call that a written rule asks about.
pub fn call(id: &str, tool: &str, arguments: &Value) -> Call {
    Call {
        workspace: Some("/home/ada/project".to_owned()),
        warnings: Vec::new(),
        reviews: Vec::new(),
        expires: None,
        script: None,
        grounds: None,
        key: key(id),
        agent: "travel".to_owned(),
        tool: tool.to_owned(),
        arguments: Arguments::from_value(arguments).expect("the test's arguments are an object"),
        origin: Origin::Agent,
        parent: None,
        answers: Answers::all(),
        basis: Basis::Rule {
            number: 3,
            source: RuleSource::Configuration,
            reason: String::new(),
        },
        risks: Vec::new(),
        schema: None,
        preview: None,
        metadata: None,
        arrived: "2026-11-20T09:30:00Z".parse().expect("a timestamp"),
    }
}

impl Scene {
    pub fn empty() -> Self {
        let session = Session::new(
            SessionId("s1".to_owned()),
            "travel".to_owned(),
            "mistral-large-latest".to_owned(),
        );
        let keymap = Arc::new(Keymap::built_in());
        let state = State::new(Settings::default(), keymap, vec![session]);
        Self { state, entry: 0 }
    }

    pub fn at(&mut self, millis: u64) -> &mut Self {
        self.state.now = Now {
            ticks: Ticks(millis),
            ..Now::default()
        };
        self
    }

    pub fn run(&mut self, event: &RunEvent) -> &mut Self {
        let now = self.state.now.ticks;
        self.state.sessions[0].apply(now, event);
        self
    }

    pub fn next(&mut self) -> EntryId {
        self.entry += 1;
        EntryId(self.entry)
    }

    pub fn user(&mut self, text: &str) -> &mut Self {
        let entry = self.next();
        self.run(&RunEvent::User {
            entry,
            text: text.to_owned(),
        })
    }

    pub fn agent(&mut self, text: &str) -> &mut Self {
        let entry = self.next();
        self.run(&RunEvent::Text {
            entry,
            piece: text.to_owned(),
        });
        let (kind, text) = (TextKind::Answer, text.to_owned());
        self.run(&RunEvent::TextEnded { entry, kind, text })
    }

    pub fn called(&mut self, id: &str, tool: &str, arguments: &Value) -> &mut Self {
        let entry = self.next();
        self.run(&RunEvent::Called {
            entry,
            call: CallId(id.to_owned()),
            parent: None,
            tool: tool.to_owned(),
            arguments: arguments.to_string(),
        })
    }

    pub fn status(&mut self, id: &str, status: CallStatus) -> &mut Self {
        self.run(&RunEvent::Status {
            call: CallId(id.to_owned()),
            status,
        })
    }

    pub fn finished(&mut self, id: &str, outcome: Outcome) -> &mut Self {
        self.status(id, CallStatus::Finished { outcome })
    }

    pub fn result(&mut self, id: &str, text: &str) -> &mut Self {
        let text = text.to_owned();
        self.finished(id, Outcome::Result { text })
    }

    /// The call is in the conversation and waits.
    pub fn waits(&mut self, call: Call) -> &mut Self {
        let id = call.key.call.0.clone();
        self.called(&id, &call.tool.clone(), &call.arguments.value().clone());
        self.status(&id, CallStatus::Waiting);
        self.pends(call)
    }

    /// The call waits; the conversation says nothing of it.
    pub fn pends(&mut self, call: Call) -> &mut Self {
        let now = self.state.now.ticks;
        let findings = countersign::policy::findings::look(&call);
        self.state.pending.arrive(call, findings, now);
        self
    }

    /// The cursor stands on this call, which has been on screen for long enough.
    pub fn select(&mut self, id: &str) -> &mut Self {
        self.state.cursor = Some(key(id));
        self.state.sight = Some(Sight {
            call: key(id),
            since: Ticks(0),
            laid: Ticks(0),
        });
        self
    }

    /// The picture of the design: five towns looked up, a flight, a mail and a file waiting.
    pub fn travel() -> Self {
        let mut scene = Self::empty();
        scene.user("I need a vacation somewhere warm next Friday.");
        scene.agent("Checking the weather in **five** cities.");
        for (at, (town, weather)) in [
            ("Guingamp", "14 °C"),
            ("Millau", "28 °C"),
            ("Lille", "11 °C"),
            ("Nice", "22 °C"),
            ("Brest", "12 °C"),
        ]
        .into_iter()
        .enumerate()
        {
            let id = format!("w{at}");
            scene.called(&id, "get_weather", &json!({"city": town}));
            scene.result(&id, &format!("The weather in {town} is sunny, {weather}"));
        }
        scene.agent("Millau is the warmest; booking it.");
        scene.at(1000);
        scene.waits(call(
            "book",
            "book_flight",
            &json!({"destination": "Millau", "date": "2026-11-27"}),
        ));
        scene.waits(call(
            "mail",
            "send_mail",
            &json!({"to": "ops@example.org", "subject": "Away on Friday", "body": "Hello,\nI am away on Friday.\n"}),
        ));
        let mut delete = call("delete", "delete_file", &json!({"path": "reports/q3.csv"}));
        delete.risks = vec![Risk::Destructive];
        delete.basis = Basis::Rule {
            number: 4,
            source: RuleSource::Configuration,
            reason: "reports are kept for audits".to_owned(),
        };
        scene.waits(delete);
        scene.run(&RunEvent::State(RunState::Working));
        scene.state.newest_output = Some(key("w1"));
        scene.state.sessions[0].ruled(CallId("decided".to_owned()));
        scene.at(43_000).select("book");
        scene
    }

    /// A call that would write a file, with its diff.
    pub fn with_edit(mut self) -> Self {
        let before = "# Itinerary\n\nFriday: work\nSaturday: rest\n";
        let after = "# Itinerary\n\nFriday: fly to Millau\nSaturday: rest\nSunday: fly home\n";
        let mut write = call(
            "write",
            "write_file",
            &json!({"path": "itinerary.md", "content": after}),
        );
        write.preview = Some(Preview {
            path: "itinerary.md".to_owned(),
            fails: None,
            diff: Diff::between(before, after),
            before: None,
        });
        self.waits(write).select("write");
        self
    }

    pub fn draw(&self, size: (u16, u16)) -> Shot {
        shot(&mut Ui::new(Theme::dark()), &self.state, size)
    }
}

/// A frame as it came out.
pub struct Shot {
    pub buffer: Buffer,
    pub drawn: Drawn,
    pub cursor: Option<(u16, u16)>,
}

pub fn shot(ui: &mut Ui, state: &State, (columns, rows): (u16, u16)) -> Shot {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a screen in memory");
    let mut drawn = Drawn::default();
    terminal
        .draw(|frame| drawn = ui.draw(frame, state))
        .expect("a screen in memory takes every frame");
    let backend = terminal.backend();
    let cursor = backend.cursor_visible().then(|| {
        let at = backend.cursor_position();
        (at.x, at.y)
    });
    Shot {
        buffer: backend.buffer().clone(),
        drawn,
        cursor,
    }
}

impl Shot {
    pub fn rows(&self) -> Vec<String> {
        let area = self.buffer.area;
        (0..area.height)
            .map(|y| {
                let mut row = String::new();
                let mut covered = 0;
                for x in 0..area.width {
                    let symbol = self.buffer[(x, y)].symbol();
                    if covered == 0 {
                        row.push_str(symbol);
                        covered = unicode_width::UnicodeWidthStr::width(symbol);
                    }
                    covered = covered.saturating_sub(1);
                }
                row.trim_end().to_owned()
            })
            .collect()
    }

    pub fn text(&self) -> String {
        self.rows().join("\n")
    }

    pub fn contains(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// The text, and below it the looks of the rows with this text in it.
    pub fn with_looks(&self, marked: &[&str]) -> String {
        let mut out = self.text();
        for (y, row) in self.rows().iter().enumerate() {
            if marked.iter().any(|mark| row.contains(mark)) {
                let y = u16::try_from(y).expect("a row of the screen");
                // Writing to a String cannot fail.
                let _ = write!(out, "\n{y:>3}: {}", self.looks(y));
            }
        }
        if let Some(cursor) = self.cursor {
            let _ = write!(out, "\ncursor: {cursor:?}");
        }
        out
    }

    /// One row's looks, run by run: `text` in a short code of colour and modifiers.
    pub fn looks(&self, y: u16) -> String {
        let mut out = String::new();
        let mut last = None;
        for x in 0..self.buffer.area.width {
            let cell = &self.buffer[(x, y)];
            let look = (cell.fg, cell.modifier);
            if cell.symbol().trim().is_empty() {
                out.push_str(cell.symbol());
                continue;
            }
            if last != Some(look) {
                let _ = write!(out, "{{{}}}", code(look.0, look.1));
                last = Some(look);
            }
            out.push_str(cell.symbol());
        }
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn code(colour: Color, modifier: Modifier) -> String {
    let mut code = match colour {
        Color::Reset => String::new(),
        other => format!("{other:?}").to_lowercase(),
    };
    for (name, _) in modifier.iter_names() {
        let _ = write!(code, "+{}", name.to_lowercase());
    }
    code
}

/// The ruling of a flight's call.
pub fn ruling(id: &str, decision: Decision) -> Box<Ruling> {
    let call = call(
        id,
        "book_flight",
        &json!({"destination": "Millau", "date": "2026-11-27"}),
    );
    Box::new(Ruling {
        file: None,
        reach: countersign::core::decision::Reach::Once,
        key: key(id),
        tool: call.tool.clone(),
        digest: Ruling::digest_of(&call, &decision),
        decision,
        proposed: call.arguments,
        who: "anna@desk".to_owned(),
        at: call.arrived,
        how: How::Key,
        shown_for: 900,
    })
}

/// Compares the screen at each size with its snapshot; the rows with a mark in them also by their looks.
pub fn check(name: &str, scene: &Scene, sizes: &[(u16, u16)], marked: &[&str]) {
    for size in sizes {
        let name = format!("{name}_{}x{}", size.0, size.1);
        let shot = scene.draw(*size);
        insta::with_settings!({
            snapshot_path => "../snapshots",
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(name, shot.with_looks(marked));
        });
    }
}
