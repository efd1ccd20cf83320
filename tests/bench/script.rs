//! Code mode: from a script's pause to the row that shows its call, and from the decision on that to the
//! script's next pause. With a real process, a journal on a disk and a screen in memory.

use countersign::agent::review::Oversight;
use countersign::agent::{Agent, Limits, Parts, Report};
use countersign::app::event::Event;
use countersign::app::keymap::Keymap;
use countersign::app::state::{Settings, State};
use countersign::app::update;
use countersign::core::call::{Call, SessionId};
use countersign::core::decision::{Decision, How, Reach, Ruling};
use countersign::core::run::{RunCommand, RunEvent};
use countersign::core::session::Session;
use countersign::core::verdict::Basis;
use countersign::policy::Policy;
use countersign::provider::Provider;
use countersign::provider::script::{Script, scenario::Scenario};
use countersign::store::Journal;
use countersign::tools::code::CodeTool;
use countersign::tools::{Builtin, Definition, Toolbox};
use countersign::ui::Ui;
use countersign::ui::theme::Theme;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::io::{Write as _, stdout};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

const CALLS: usize = 60;

/// A script of many gated calls, one after the other; it prints before each, which tells when it paused.
const SCENARIO: &str = r#"
title = "bench"
[[turns]]
name = "go"
on = ""
calls = [ { id = "a", tool = "run_code", arguments = { code = """
for n in range(60):
    print(n)
    await write_file(path=str(n), content='x')
""" } } ]
"#;

struct Desk {
    state: State,
    ui: Ui,
    screen: Terminal<TestBackend>,
    session: SessionId,
    reports: mpsc::Receiver<Report>,
    commands: mpsc::Sender<RunCommand>,
    journal: Journal,
}

fn begin(folder: &Path) -> Desk {
    let data = folder.join("data");
    let (journal, _) = Journal::open(&data).expect("a journal");
    let code = CodeTool {
        program: env!("CARGO_BIN_EXE_countersign").into(),
        folder: data,
        ..CodeTool::default()
    };
    let definitions = vec![
        Definition::Builtin(Builtin::WriteFile),
        Definition::Code(code),
    ];
    let tools = Toolbox::build(folder, definitions).expect("the tools are sound");
    let scenario = Scenario::parse("bench", SCENARIO).expect("the scenario is sound");
    let session = SessionId("s1".to_owned());
    let parts = Parts {
        session: session.clone(),
        name: "bench".to_owned(),
        model: "script".to_owned(),
        provider: Provider::Script(Script::new(Arc::new(scenario))),
        workspace: tools.workspace().to_owned(),
        tools: Arc::new(tools),
        policy: Arc::new(Policy::new(Vec::new(), Vec::new())),
        config: None,
        journal: journal.clone(),
        limits: Limits::default(),
        oversight: Arc::new(Oversight::new(Vec::new(), None)),
    };
    let (report, reports) = mpsc::channel(1024);
    let (commands, taken) = mpsc::channel(64);
    tokio::spawn(Agent::new(parts, report, taken).run());
    let shown = Session::new(session.clone(), "bench".to_owned(), String::new());
    let keymap = Arc::new(Keymap::built_in());
    Desk {
        state: State::new(Settings::default(), keymap, vec![shown]),
        ui: Ui::new(Theme::dark()),
        screen: Terminal::new(TestBackend::new(120, 36)).expect("a screen in memory"),
        session,
        reports,
        commands,
        journal,
    }
}

impl Desk {
    async fn next(&mut self) -> RunEvent {
        let report = self.reports.recv().await.expect("the agent runs");
        let event = Event::Run(self.session.clone(), Box::new(report.event.clone()));
        update(&mut self.state, event);
        report.event
    }

    fn draw(&mut self) {
        let (ui, state) = (&mut self.ui, &self.state);
        self.screen
            .draw(|frame| drop(ui.draw(frame, state)))
            .expect("a screen in memory takes every frame");
    }

    /// The next call of the script, on screen; and when the script had paused.
    async fn row(&mut self) -> (Call, Instant) {
        let mut paused = Instant::now();
        loop {
            match self.next().await {
                RunEvent::Output { .. } => paused = Instant::now(),
                RunEvent::Arrived(call) if call.basis != Basis::Script => {
                    self.draw();
                    return (*call, paused);
                }
                _ => {}
            }
        }
    }

    /// Answers in the tool's place, so that no tool is measured: recorded, then delivered.
    async fn decide(&self, call: &Call) {
        let decision = Decision::Respond {
            result: "done".to_owned(),
        };
        let ruling = Ruling {
            file: None,
            key: call.key.clone(),
            tool: call.tool.clone(),
            digest: Ruling::digest_of(call, &decision),
            decision,
            reach: Reach::Once,
            proposed: call.arguments.clone(),
            who: "ada@desk".to_owned(),
            at: jiff::Timestamp::now(),
            how: How::Key,
            shown_for: 1000,
        };
        let recorded = self.journal.record(ruling.clone()).await;
        recorded.expect("it is written");
        let ruling = RunCommand::Ruling(Box::new(ruling));
        self.commands.send(ruling).await.expect("the agent runs");
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on a disk");
    let mut desk = begin(folder.path());
    let text = "go".to_owned();
    let sent = desk.commands.send(RunCommand::Message { text }).await;
    sent.expect("the agent runs");
    let begun = Instant::now();
    let (mut call, _) = desk.row().await;
    let first = begun.elapsed();
    let (mut rows, mut steps) = (Vec::new(), Vec::new());
    for _ in 1..CALLS {
        let decided = Instant::now();
        desk.decide(&call).await;
        let (next, paused) = desk.row().await;
        rows.push(paused.elapsed());
        steps.push(paused - decided);
        call = next;
    }
    let (first, rows, steps) = (first.as_secs_f64() * 1000.0, median(rows), median(steps));
    writeln!(
        stdout().lock(),
        "a script, from the message to its first row: {first:.1} ms\n\
         a script, from its pause to the row on screen: {rows:.1} ms\n\
         a script, from the decision (recorded and delivered) to its next pause: {steps:.1} ms\n\
         medians of {CALLS} calls, one after the other"
    )
    .expect("stdout");
}
