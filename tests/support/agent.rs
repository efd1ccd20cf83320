//! An agent that really runs: a scenario or a server as its model, programs as its tools, a journal on
//! disk. Driven and watched as the console does it, over its two channels.

use countersign::agent::review::{Oversight, Reviewer};
use countersign::agent::{Agent, Limits, Parts, Recovered, Report};
use countersign::core::call::{Call, CallId, SessionId};
use countersign::core::decision::{Decision, How, Ruling};
use countersign::core::mistake::Mistakes;
use countersign::core::reading::{self, Section};
use countersign::core::redact::Redaction;
use countersign::core::run::{CallStatus, Outcome, RunCommand, RunEvent, RunState};
use countersign::core::schema::Schema;
use countersign::core::verdict::{RuleSource, Verdict};
use countersign::policy::{Policy, file};
use countersign::provider::Provider;
use countersign::provider::script::{Script, scenario::Scenario};
use countersign::runtime::saved::Saved;
use countersign::store::announce::Announce;
use countersign::store::step::Stored;
use countersign::store::{Journal, Reader, Recorded, Step};
use countersign::tools::code::CodeTool;
use countersign::tools::mcp::Spec;
use countersign::tools::{Builtin, CommandTool, Definition, Toolbox};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Long enough for a loaded machine; only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent to be started.
pub struct Setup {
    provider: Provider,
    /// What the provider plays, to go on with it.
    scenario: Option<Arc<Scenario>>,
    tools: Vec<CommandTool>,
    rules: String,
    limits: Limits,
    redaction: Redaction,
    reviewers: Vec<Reviewer>,
    expires: Option<Duration>,
    servers: Vec<Spec>,
    announce: Option<Box<dyn Announce>>,
    code: Option<CodeTool>,
    folder: TempDir,
}

impl Setup {
    pub fn with(provider: Provider) -> Self {
        let folder = TempDir::new().expect("a scratch folder");
        std::fs::create_dir(folder.path().join("ws")).expect("a workspace");
        Self {
            provider,
            scenario: None,
            tools: Vec::new(),
            rules: String::new(),
            limits: Limits::default(),
            redaction: Redaction::default(),
            reviewers: Vec::new(),
            expires: None,
            servers: Vec::new(),
            announce: None,
            code: None,
            folder,
        }
    }

    /// A model that plays these turns.
    pub fn turns(turns: &str) -> Self {
        let text = format!("title = \"test\"\n{turns}");
        let scenario = Scenario::parse("test", &text).expect("the test's scenario is sound");
        let scenario = Arc::new(scenario);
        Self {
            scenario: Some(scenario.clone()),
            ..Self::with(Provider::Script(Script::new(scenario)))
        }
    }

    /// A model that makes these calls when told `go`, and then says `end`.
    pub fn calls(calls: &str, end: &str) -> Self {
        Self::turns(&format!(
            "[[turns]]\nname = 'go'\non = '^go$'\ncalls = [\n{calls}\n]\nthen = [ {{ turn = 'end' }} ]\n\
             [[turns]]\nname = 'end'\ntext = '''{end}'''\n"
        ))
    }

    /// A tool that runs unless a rule speaks of it.
    pub fn tool(self, name: &str, script: &str) -> Self {
        self.command(name, script, Verdict::Allow)
    }

    /// A tool that asks unless a rule speaks of it.
    pub fn asking(self, name: &str, script: &str) -> Self {
        self.command(name, script, Verdict::Ask)
    }

    fn command(mut self, name: &str, script: &str, default: Verdict) -> Self {
        self.tools.push(CommandTool {
            name: name.to_owned(),
            description: "A tool of the tests.".to_owned(),
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
            schema: Schema::new(json!({ "type": "object" })),
            default,
            risks: Vec::new(),
            timeout: Duration::from_mins(1),
            expires: None,
            directory: PathBuf::from("/"),
            environment: Vec::new(),
        });
        self
    }

    /// What the last tool's arguments must be.
    pub fn schema(mut self, schema: Value) -> Self {
        let tool = self.tools.last_mut().expect("a tool comes first");
        tool.schema = Schema::new(schema);
        self
    }

    pub fn rules(mut self, rules: &str) -> Self {
        rules.clone_into(&mut self.rules);
        self
    }

    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What is never written in clear.
    pub fn redact(mut self, redaction: Redaction) -> Self {
        self.redaction = redaction;
        self
    }

    /// Somebody who looks before a person does; after those that were named before.
    pub fn reviewer(mut self, reviewer: Reviewer) -> Self {
        self.reviewers.push(reviewer);
        self
    }

    /// A server whose tools the agent gets too.
    pub fn server(mut self, server: Spec) -> Self {
        self.servers.push(server);
        self
    }

    /// How long calls may wait.
    pub fn expires(mut self, after: Duration) -> Self {
        self.expires = Some(after);
        self
    }

    /// Whoever is told of what is recorded.
    pub fn announce(mut self, announce: Box<dyn Announce>) -> Self {
        self.announce = Some(announce);
        self
    }

    /// The model can run scripts that call the tools.
    pub fn code(mut self, code: CodeTool) -> Self {
        self.code = Some(code);
        self
    }

    /// A model that runs this script when told `go`, and then says what it was told.
    pub fn script(code: &str) -> Self {
        let code = json!({ "code": code }).to_string();
        let code = json!(code);
        Self::calls(
            &format!("{{ id = 'a', tool = 'run_code', arguments_text = {code} }},"),
            "{{a.came}}: {{a.result}}",
        )
        .code(CodeTool::default())
    }

    /// A file in the workspace.
    pub fn put(self, name: &str, content: &str) -> Self {
        std::fs::write(self.folder.path().join("ws").join(name), content).expect("a file");
        self
    }

    /// A pipe in the workspace, on which programs wait for each other.
    pub fn pipe(self, name: &str) -> Self {
        let path = self.folder.path().join("ws").join(name);
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.is_ok_and(|status| status.success()), "a pipe is made");
        self
    }

    /// Starts the agent and waits until it takes messages.
    pub async fn start(mut self) -> Run {
        let journal = self.journal();
        let mut run = self.launch(journal, None);
        run.until_state(&RunState::Idle).await;
        run
    }

    /// A file of the workspace, before anything runs there.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("ws").join(name)
    }

    /// The folder alone, with its files.
    pub fn folder(self) -> TempDir {
        self.folder
    }

    /// Goes on with the session of a run that was killed.
    pub fn go_on(mut self, folder: TempDir) -> Run {
        self.folder = folder;
        let journal = self.journal();
        let reader = Reader::open(&self.folder.path().join("data")).expect("the journal is there");
        let reader = reader.for_journal(&journal);
        let saved = Saved::read(&reader, &session()).expect("the session can be read");
        if let (Some(scenario), Some(suspension)) = (&self.scenario, &saved.suspension) {
            let script = Script::restore(scenario.clone(), suspension);
            self.provider = Provider::Script(script.expect("the scenario is the same"));
        }
        self.launch(journal, Some(saved.recovered))
    }

    fn journal(&mut self) -> Journal {
        let data = self.folder.path().join("data");
        let opened = Journal::announcing(&data, self.redaction.clone(), self.announce.take());
        opened.expect("a journal").0
    }

    fn launch(self, journal: Journal, recovered: Option<Recovered>) -> Run {
        let workspace = self.folder.path().join("ws");
        let builtin = Builtin::ALL.into_iter().map(Definition::Builtin);
        let commands = self.tools.into_iter().map(Definition::Command);
        let code = self.code.map(|code| {
            Definition::Code(CodeTool {
                program: env!("CARGO_BIN_EXE_countersign").into(),
                folder: self.folder.path().join("data"),
                ..code
            })
        });
        let tools = Toolbox::build(&workspace, builtin.chain(commands).chain(code).collect());
        let tools = tools
            .expect("the test's tools are sound")
            .with_servers(self.servers);
        let parts = Parts {
            config: None,
            session: session(),
            name: "test".to_owned(),
            model: "script".to_owned(),
            provider: self.provider,
            workspace: tools.workspace().to_owned(),
            tools: Arc::new(tools),
            policy: Arc::new(policy(&self.rules)),
            journal: journal.clone(),
            limits: self.limits,
            oversight: Arc::new(Oversight::new(self.reviewers, self.expires)),
        };
        let (report, reports) = mpsc::channel(1024);
        let (commands, taken) = mpsc::channel(64);
        let agent = match recovered {
            None => Agent::new(parts, report, taken),
            Some(recovered) => Agent::resuming(parts, recovered, report, taken),
        };
        let task = tokio::spawn(agent.run());
        Run {
            commands,
            reports,
            seen: Vec::new(),
            journal,
            folder: self.folder,
            task,
        }
    }
}

/// The session of all runs here.
pub fn session() -> SessionId {
    SessionId("s1".to_owned())
}

fn policy(rules: &str) -> Policy {
    let mistakes = Mistakes::new("rules.toml", rules);
    let table = reading::parse(rules, &mistakes).expect("the test's rules are TOML");
    let mut root = Section::root(&table, &mistakes);
    let shell = |tool: &str| (tool == "shell").then_some("/command");
    let rules = file::read(
        &root.items("rules"),
        RuleSource::Configuration,
        file::Known {
            command_lines: &shell,
            agents: &[],
            proof: file::Proof::Needed,
        },
    );
    root.finish();
    assert!(mistakes.is_empty(), "{:?}", mistakes.into_vec());
    Policy::new(rules, Vec::new())
}

/// An agent under way. Dropping it stops the agent.
pub struct Run {
    commands: mpsc::Sender<RunCommand>,
    reports: mpsc::Receiver<Report>,
    /// Every event so far.
    pub seen: Vec<RunEvent>,
    pub journal: Journal,
    folder: TempDir,
    task: JoinHandle<()>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Run {
    /// Ends it as a killed program ends, but for what its journal was given, which is written.
    pub async fn kill(mut self) -> TempDir {
        self.task.abort();
        // It was cancelled, or had ended.
        let _ = (&mut self.task).await;
        self.flush().await;
        let folder = TempDir::new().expect("a scratch folder");
        std::mem::replace(&mut self.folder, folder)
    }

    /// Waits until everything that was noted is written: steps are written in their order.
    pub async fn flush(&self) {
        let last = Step::Session {
            agent: "other".to_owned(),
            model: String::new(),
            config: None,
            file: None,
        };
        let other = SessionId("other".to_owned());
        let written = self.journal.append(&other, last).await;
        written.expect("the journal is writable");
    }

    /// What the provider has kept.
    pub fn suspension(&self) -> Value {
        let reader = Reader::open(&self.data()).expect("the journal is there");
        let suspension = reader.suspension(&session()).expect("it can be read");
        suspension.expect("the model has answered")
    }

    /// The steps of the session.
    pub fn stored(&self) -> Vec<Stored> {
        let reader = Reader::open(&self.data()).expect("the journal is there");
        reader.steps(&session(), 0).expect("it can be read")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("ws").join(name)
    }

    /// A file of the workspace; empty if there is none.
    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The journal's database, opened a second time.
    pub fn database(&self) -> rusqlite::Connection {
        let path: &Path = self.folder.path();
        rusqlite::Connection::open(path.join("data/journal.db")).expect("the journal is there")
    }

    /// What the journal holds of the way to a side effect: kind, call, attempt.
    pub fn steps(&self) -> Vec<String> {
        let database = self.database();
        let mut rows = database
            .prepare("SELECT kind || ' ' || coalesce(call, '') || ' ' || attempt FROM journal WHERE kind IN ('session', 'arrived', 'ruling', 'started', 'finished') ORDER BY rowid")
            .expect("the journal has its table");
        let rows = rows.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("text")).collect()
    }

    pub async fn send(&self, command: RunCommand) {
        self.commands.send(command).await.expect("the agent runs");
    }

    pub async fn say(&self, text: &str) {
        self.send(RunCommand::Message {
            text: text.to_owned(),
        })
        .await;
    }

    /// The next event. It stays in `seen`.
    pub async fn next(&mut self) -> RunEvent {
        let next = tokio::time::timeout(PATIENCE, self.reports.recv()).await;
        let Ok(Some(report)) = next else {
            unreachable!("waited in vain for an event after {:#?}", self.seen);
        };
        self.seen.push(report.event.clone());
        report.event
    }

    pub async fn until(&mut self, wanted: impl Fn(&RunEvent) -> bool) -> RunEvent {
        loop {
            let event = self.next().await;
            if wanted(&event) {
                return event;
            }
        }
    }

    pub async fn until_state(&mut self, state: &RunState) {
        let wanted = RunEvent::State(state.clone());
        self.until(|event| *event == wanted).await;
    }

    /// Goes on until the agent waits for a message, and gives what the model said last.
    pub async fn end(&mut self) -> String {
        self.until_state(&RunState::Idle).await;
        self.said().pop().unwrap_or_default()
    }

    /// The next call that waits for a person.
    pub async fn arrival(&mut self) -> Call {
        match self
            .until(|event| matches!(event, RunEvent::Arrived(_)))
            .await
        {
            RunEvent::Arrived(call) => *call,
            event => unreachable!("{event:?}"),
        }
    }

    pub async fn arrivals(&mut self, count: usize) -> Vec<Call> {
        let mut calls = Vec::new();
        for _ in 0..count {
            calls.push(self.arrival().await);
        }
        calls
    }

    pub async fn until_finished(&mut self, call: &str) -> Outcome {
        let finished = |event: &RunEvent| matches!(event, RunEvent::Status { call: id, status: CallStatus::Finished { .. } } if id.0 == call);
        self.until(finished).await;
        self.outcome(call)
    }

    /// The first line that a call writes.
    pub async fn line_of(&mut self, call: &str) -> String {
        let mut line = String::new();
        while !line.ends_with('\n') {
            if let RunEvent::Output { call: id, text, .. } = self.next().await
                && id.0 == call
            {
                line += &text;
            }
        }
        line.trim_end().to_owned()
    }

    /// Decides a call as the console does: recorded first, then delivered.
    pub async fn decide(&self, call: &Call, decision: Decision) {
        self.deliver(ruling(call, decision)).await;
    }

    pub async fn approve(&self, call: &Call) {
        self.decide(call, Decision::Approve { arguments: None })
            .await;
    }

    pub async fn deliver(&self, ruling: Ruling) {
        let recorded = self.journal.record(ruling.clone()).await;
        assert_eq!(recorded.expect("the journal is writable"), Recorded::Now);
        self.send(RunCommand::Ruling(Box::new(ruling))).await;
    }

    /// What each call came to, in the order in which they ended.
    pub fn outcomes(&self) -> Vec<(String, Outcome)> {
        let finished = self.seen.iter().filter_map(|event| match event {
            RunEvent::Status {
                call: CallId(id),
                status: CallStatus::Finished { outcome },
            } => Some((id.clone(), outcome.clone())),
            _ => None,
        });
        finished.collect()
    }

    #[track_caller]
    pub fn outcome(&self, call: &str) -> Outcome {
        let mut outcomes = self.outcomes().into_iter();
        let found = outcomes.find(|(id, _)| id == call);
        found.expect("the call has ended").1
    }

    /// Whether a call was ever running.
    pub fn ran(&self, call: &str) -> bool {
        self.seen.iter().any(|event| matches!(event, RunEvent::Status { call: id, status: CallStatus::Running } if id.0 == call))
    }

    /// The model's texts, one a response.
    pub fn said(&self) -> Vec<String> {
        let mut texts = indexmap::IndexMap::<_, String>::new();
        for event in &self.seen {
            if let RunEvent::Text { entry, piece } = event {
                texts.entry(*entry).or_default().push_str(piece);
            }
        }
        texts
            .into_values()
            .map(|text| text.trim_end().to_owned())
            .collect()
    }

    /// The notes to the operator.
    pub fn notes(&self) -> Vec<String> {
        let notes = self.seen.iter().filter_map(|event| match event {
            RunEvent::Note { text, .. } => Some(text.clone()),
            _ => None,
        });
        notes.collect()
    }
}

/// A ruling on a call, as the console writes it.
pub fn ruling(call: &Call, decision: Decision) -> Ruling {
    Ruling {
        file: None,
        reach: countersign::core::decision::Reach::Once,
        key: call.key.clone(),
        tool: call.tool.clone(),
        digest: Ruling::digest_of(call, &decision),
        decision,
        proposed: call.arguments.clone(),
        who: "op@desk".to_owned(),
        at: jiff::Timestamp::now(),
        how: How::Key,
        shown_for: 1000,
    }
}

pub fn result(text: &str) -> Outcome {
    Outcome::Result {
        text: text.to_owned(),
    }
}

pub fn failed(message: &str) -> Outcome {
    Outcome::Failed {
        message: message.to_owned(),
    }
}

pub fn refused(fault: &str) -> Outcome {
    Outcome::Refused {
        fault: fault.to_owned(),
    }
}

pub fn reject(reason: &str) -> Decision {
    Decision::Reject {
        reason: reason.to_owned(),
    }
}
