//! A console without a screen: events go in, effects come out, and frames are pretended.

use countersign::app::effect::Effect;
use countersign::app::event::{Event, StoreEvent};
use countersign::app::key::{Key, Stroke};
use countersign::app::keymap::Keymap;
use countersign::app::state::{Drawn, Extent, Overlay, Settings, State};
use countersign::app::update;
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call, CallId, CallKey, Origin, Risk, SessionId};
use countersign::core::decision::Ruling;
use countersign::core::run::{RunEvent, RunState};
use countersign::core::session::Session;
use countersign::core::time::{Now, Ticks};
use countersign::core::verdict::Basis;
use std::sync::Arc;

pub const SESSION: &str = "s1";

/// A call that waits, as the agent would send it.
pub fn call(id: &str, tool: &str, arguments: &str) -> Call {
    Call {
        workspace: None,
        warnings: Vec::new(),
        reviews: Vec::new(),
        expires: None,
        script: None,
        grounds: None,
        key: key(id),
        agent: "travel".to_owned(),
        tool: tool.to_owned(),
        arguments: Arguments::parse(arguments).expect("the test's arguments are sound"),
        origin: Origin::Agent,
        parent: None,
        answers: Answers::all(),
        basis: Basis::ToolDefault,
        risks: Vec::new(),
        schema: None,
        preview: None,
        metadata: None,
        arrived: jiff::Timestamp::UNIX_EPOCH,
    }
}

pub fn destructive(call: Call) -> Call {
    Call {
        risks: vec![Risk::Destructive],
        ..call
    }
}

pub fn key(id: &str) -> CallKey {
    CallKey {
        session: SessionId(SESSION.to_owned()),
        call: CallId(id.to_owned()),
    }
}

pub struct Desk {
    pub state: State,
    /// What update asked for since it was last taken.
    pub effects: Vec<Effect>,
    /// Rows of the arguments that fit on the pretended screen, of how many.
    pub rows: (usize, usize),
    /// The same of a sheet over the panes.
    pub sheet: (usize, usize),
}

impl Default for Desk {
    fn default() -> Self {
        let session = Session::new(
            SessionId(SESSION.to_owned()),
            "travel".to_owned(),
            "model".to_owned(),
        );
        let mut state = State::new(
            Settings::default(),
            Arc::new(Keymap::built_in()),
            vec![session],
        );
        state.size = (120, 36);
        Self {
            state,
            effects: Vec::new(),
            rows: (5, 5),
            sheet: (20, 20),
        }
    }
}

impl Desk {
    /// A desk with these calls of `tool`, looked at for long enough.
    pub fn with(ids: &[&str]) -> Self {
        let mut desk = Self::default();
        for id in ids {
            desk.arrive(call(id, "book_flight", &format!(r#"{{"id":"{id}"}}"#)));
        }
        desk.look(1000);
        desk
    }

    pub fn send(&mut self, event: Event) {
        self.effects.extend(update(&mut self.state, event));
    }

    pub fn run(&mut self, event: RunEvent) {
        self.send(Event::Run(SessionId(SESSION.to_owned()), Box::new(event)));
    }

    pub fn arrive(&mut self, call: Call) {
        self.run(RunEvent::State(RunState::Working));
        self.run(RunEvent::Arrived(Box::new(call)));
    }

    /// Presses keys and lets each of them go: what is held back until then is carried out.
    pub fn press(&mut self, keys: &str) {
        for name in keys.split(' ') {
            self.stroke(name, Stroke::Press);
            if let Some(suspect) = &self.state.suspect {
                self.wait(suspect.due.since(self.state.now.ticks));
            }
        }
    }

    pub fn stroke(&mut self, name: &str, stroke: Stroke) {
        let key: Key = name.parse().expect("the test names a key");
        self.send(Event::Key(key, stroke));
    }

    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            let name = if c == ' ' {
                "space".to_owned()
            } else {
                c.to_string()
            };
            self.stroke(&name, Stroke::Press);
        }
    }

    /// Lets time pass without a frame.
    pub fn wait(&mut self, millis: u64) {
        let now = self.state.now;
        let ticks = Ticks(now.ticks.0 + millis);
        let wall = now.wall + std::time::Duration::from_millis(millis);
        self.send(Event::Clock(Now { ticks, wall }));
    }

    /// Draws a frame as the screen would, lets time pass, and draws again.
    pub fn look(&mut self, millis: u64) {
        self.draw();
        self.wait(millis);
        self.draw();
    }

    pub fn draw(&mut self) {
        let plain = self.state.draft.is_none();
        let uncovered = matches!(self.state.overlay, None | Some(Overlay::View { .. }));
        let review = matches!(
            self.state.overlay,
            Some(Overlay::Review(_) | Overlay::Rule(_) | Overlay::Rules(_))
        );
        let (height, total) = self.rows;
        let top = self.state.arguments_top.min(total.saturating_sub(height));
        let drawn = Drawn {
            call: self.state.cursor.clone().filter(|_| plain && uncovered),
            arguments: Extent { top, height, total },
            list_height: 8,
            overlay: self.overlay(),
            review,
            draft: !plain,
            afresh: self.state.afresh,
            ..Drawn::default()
        };
        self.on_screen(drawn);
    }

    /// A frame is written, and the terminal takes it in at once.
    pub fn on_screen(&mut self, drawn: Drawn) {
        self.send(Event::Drawn(Box::new(drawn.clone())));
        self.send(Event::OnScreen(Box::new(drawn)));
    }

    fn overlay(&self) -> Extent {
        let (height, total) = self.sheet;
        let top = match &self.state.overlay {
            Some(Overlay::Review(review)) => review.top,
            Some(Overlay::View { top } | Overlay::Help { top } | Overlay::Batch { top }) => *top,
            Some(Overlay::Quit | Overlay::Sessions(_) | Overlay::Rule(_) | Overlay::Rules(_))
            | None => 0,
        };
        Extent {
            top: top.min(total.saturating_sub(height)),
            height,
            total,
        }
    }

    pub fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The rulings that were sent to the journal, as call and decision word.
    pub fn recorded(&mut self) -> Vec<(String, &'static str)> {
        let rulings = self.rulings();
        rulings
            .iter()
            .map(|ruling| (ruling.key.call.0.clone(), ruling.decision.word()))
            .collect()
    }

    pub fn rulings(&mut self) -> Vec<Ruling> {
        let record = |effect| match effect {
            Effect::Record(ruling) => Some(*ruling),
            _ => None,
        };
        self.take().into_iter().filter_map(record).collect()
    }

    pub fn stored(&mut self, id: &str) {
        self.send(Event::Store(StoreEvent::Recorded(key(id))));
    }

    pub fn cursor(&self) -> Option<&str> {
        self.state.cursor.as_ref().map(|key| key.call.0.as_str())
    }

    pub fn listed(&self) -> Vec<&str> {
        self.state
            .listed()
            .map(|waiting| waiting.call.key.call.0.as_str())
            .collect()
    }

    pub fn notice(&self) -> &str {
        self.state
            .notice
            .as_ref()
            .map_or("", |notice| notice.text.as_str())
    }
}
