//! Ten thousand calls of several sessions, for the benchmarks.

use countersign::app::effect::Effect;
use countersign::app::event::Event;
use countersign::app::key::{Key, Stroke};
use countersign::app::keymap::Keymap;
use countersign::app::state::{Settings, State};
use countersign::app::update;
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call, CallId, CallKey, Origin, SessionId};
use countersign::core::run::RunEvent;
use countersign::core::session::Session;
use countersign::core::time::{Now, Ticks};
use countersign::core::verdict::Basis;
use countersign::ui::Ui;
use countersign::ui::theme::Theme;
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::sync::Arc;

pub const CALLS: usize = 10_000;
const SESSIONS: usize = 8;

pub struct Bench {
    pub state: State,
    ui: Ui,
    screen: Terminal<TestBackend>,
}

impl Bench {
    /// A console in which all of them wait, and have been looked at.
    pub fn new() -> Self {
        let id = |at: usize| SessionId(format!("s{at}"));
        let agent = |at: usize| format!("agent-{at}");
        let sessions = (0..SESSIONS).map(|at| Session::new(id(at), agent(at), String::new()));
        let keymap = Arc::new(Keymap::built_in());
        let state = State::new(Settings::default(), keymap, sessions.collect());
        let mut bench = Self {
            state,
            ui: Ui::new(Theme::dark()),
            screen: Terminal::new(TestBackend::new(120, 36)).expect("a screen in memory"),
        };
        for at in 0..CALLS {
            let session = id(at % SESSIONS);
            let call = call(at, session.clone(), agent(at % SESSIONS));
            bench.send(Event::Run(
                session,
                Box::new(RunEvent::Arrived(Box::new(call))),
            ));
        }
        bench.look();
        bench
    }

    pub fn send(&mut self, event: Event) -> Vec<Effect> {
        update(&mut self.state, event)
    }

    pub fn press(&mut self, name: &str) -> Vec<Effect> {
        let key: Key = name.parse().expect("a key");
        self.send(Event::Key(key, Stroke::Press))
    }

    pub fn draw(&mut self) {
        let (ui, state) = (&mut self.ui, &self.state);
        let mut drawn = None;
        self.screen
            .draw(|frame| drawn = Some(ui.draw(frame, state)))
            .expect("a screen in memory takes every frame");
        let drawn = drawn.expect("it was drawn");
        self.send(Event::Drawn(Box::new(drawn.clone())));
        self.send(Event::OnScreen(Box::new(drawn)));
    }

    /// A frame, half a second, and another frame.
    pub fn look(&mut self) {
        self.draw();
        let ticks = Ticks(self.state.now.ticks.0 + 500);
        let wall = self.state.now.wall + std::time::Duration::from_millis(500);
        self.send(Event::Clock(Now { ticks, wall }));
        self.draw();
    }
}

fn call(at: usize, session: SessionId, agent: String) -> Call {
    let tool = ["send_mail", "book_flight", "write_file"][at % 3];
    let arguments = format!(
        r#"{{"to":"a{at}@example.org","subject":"Away on Friday","body":"I am away.","options":{{"copy":{at}}}}}"#
    );
    Call {
        reviews: Vec::new(),
        key: CallKey {
            session,
            call: CallId(format!("call-{at}")),
        },
        agent,
        tool: tool.to_owned(),
        arguments: Arguments::parse(&arguments).expect("it is JSON"),
        origin: Origin::Agent,
        parent: None,
        answers: Answers::all(),
        workspace: None,
        script: None,
        grounds: None,
        basis: Basis::ToolDefault,
        risks: Vec::new(),
        schema: None,
        preview: None,
        metadata: None,
        warnings: Vec::new(),
        expires: None,
        arrived: Timestamp::UNIX_EPOCH,
    }
}
