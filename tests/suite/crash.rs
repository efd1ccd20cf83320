//! The program killed with SIGKILL wherever it happens to be, and gone on with, again and again.
//!
//! `COUNTERSIGN_KILLS` sets how often, `COUNTERSIGN_SEED` where; see the README's developer section.

use crate::support::headless::{Place, Ran, lines, somebody_works_for};
use countersign::core::decision::{Decision, Ruling};
use countersign::core::run::{Outcome, RunEvent};
use countersign::store::{Reader, Step};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader, Read as _, Write as _, stderr};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const KILLS: u64 = 25;
const SEED: u64 = 0x005e_ed0f_c0de;
/// Kills come within this time of the start, or at one of the first lines.
const LATEST: u64 = 160;
const LINES: u64 = 40;
/// Processes that one session may take. Each gets a little further, so it never takes that many.
const MOST: usize = 400;
const PATIENCE: Duration = Duration::from_secs(20);

/// Four rounds: calls that are allowed and calls that are asked about, side by side, and a script of both.
const TURNS: &str = r#"
[[turns]]
name = "one"
on = ""
text = "First."
calls = [
  { id = "a", tool = "free", arguments = { n = 1 } },
  { id = "b", tool = "asked", arguments = { n = 2 } },
  { id = "c", tool = "free", arguments = { n = 3 } },
  { id = "d", tool = "asked", arguments = { n = 4 } },
]
then = [ { turn = "two" } ]

[[turns]]
name = "two"
text = "Second."
calls = [
  { id = "e", tool = "asked", arguments = { n = 5 } },
  { id = "f", tool = "asked", arguments = { n = 6 } },
  { id = "g", tool = "asked", arguments = { n = 7 } },
  { id = "h", tool = "free", arguments = { n = 8 } },
]
then = [ { turn = "three" } ]

[[turns]]
name = "three"
text = "Third."
calls = [
  { id = "i", tool = "free", arguments = { n = 9 } },
  { id = "j", tool = "gated", arguments = { n = 10 } },
  { id = "k", tool = "later", arguments = { n = 11 } },
]
then = [ { turn = "four" } ]

[[turns]]
name = "four"
text = "Fourth."
calls = [
  { id = "m", tool = "run_code", arguments = { code = """
import asyncio
await free(n=1)
await asked(n=2)
print('between')
await asyncio.gather(asked(n=3), free(n=4), asked(n=5))
""" } },
]
then = [ { turn = "five" } ]

[[turns]]
name = "five"
text = "All is done."
"#;

/// Appends a line with the call's id; takes a moment before and after, so that kills hit it.
const APPEND: &str =
    "sleep 0.01; printf '%s\\n' \"$COUNTERSIGN_CALL_ID\" >> lines; sleep 0.01; echo done";

fn place() -> Place {
    let table = |script: &str, more: &str| {
        format!(
            "command = ['sh', '-c', '''{script}''']\nparameters = {{ type = 'object' }}\n{more}"
        )
    };
    let gated =
        format!("[ -n \"$COUNTERSIGN_APPROVED\" ] || {{ echo '{{}}'; exit 80; }}; {APPEND}");
    let later = format!("{APPEND} > /dev/null; echo '{{}}'; exit 81");
    let (free, asked) = (
        table(APPEND, ""),
        table(APPEND, "requires_confirmation = true"),
    );
    let (gated, later) = (table(&gated, ""), table(&later, ""));
    Place::new(
        &[
            ("free", &free),
            ("asked", &asked),
            ("gated", &gated),
            ("later", &later),
        ],
        "[agents.test.code]\n",
        TURNS,
    )
}

/// Numbers that depend on the seed alone (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// When a process is killed.
enum Kill {
    After(Duration),
    AtLine(u64),
}

/// One session from its beginning to its end, through all its kills.
struct Trial {
    place: Place,
    /// What was printed as decided, by call.
    acknowledged: BTreeMap<String, String>,
    decisions: Vec<Value>,
    kills: u64,
}

impl Trial {
    fn new() -> Self {
        Self {
            place: place(),
            acknowledged: BTreeMap::new(),
            decisions: Vec::new(),
            kills: 0,
        }
    }

    /// Kills and goes on until the session has ended, or has been killed often enough.
    fn run(&mut self, chance: &mut Chance, kills: u64) {
        for _ in 0..MOST {
            let kill = (self.kills < kills).then(|| match chance.below(2) {
                0 => Kill::After(Duration::from_millis(chance.below(LATEST))),
                _ => Kill::AtLine(1 + chance.below(LINES)),
            });
            let ran = self.once(kill.as_ref());
            self.learn(&ran.lines);
            match ran.code {
                None => self.kills += 1,
                Some(0) => return self.check(),
                Some(3) => {
                    let waiting = self.place.deferred();
                    let decided = waiting.iter().filter(|call| !is_script(call));
                    self.decisions = decided.map(|call| self.decision(call)).collect();
                }
                Some(code) => unreachable!("exit {code}: {}", ran.stderr),
            }
        }
        unreachable!("the session does not end");
    }

    /// A session of which nothing was heard has no message yet: a new one is begun.
    fn arguments(&self) -> Vec<String> {
        let began = self.place.journal().exists()
            && Reader::open(&self.place.data())
                .and_then(|reader| {
                    let sessions = reader.sessions()?;
                    let Some(newest) = sessions.first() else {
                        return Ok(false);
                    };
                    let steps = reader.steps(&newest.id, 0)?;
                    let message = |step: &Step| matches!(step, Step::Event(RunEvent::User { .. }));
                    Ok(steps.iter().any(|stored| message(&stored.step)))
                })
                .unwrap_or(false);
        let file = |name: &str| self.place.path(name).display().to_string();
        let words: Vec<String> = if began {
            vec![
                "resume".into(),
                "--decisions".into(),
                file("decisions.json"),
            ]
        } else {
            vec!["run".into(), "--prompt".into(), "go".into()]
        };
        words
            .into_iter()
            .chain([
                "--headless".into(),
                "--defer-to".into(),
                file("deferred.json"),
            ])
            .collect()
    }

    fn once(&self, kill: Option<&Kill>) -> Ran {
        self.place.decide(&self.decisions);
        let arguments = self.arguments();
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let mut child = self
            .place
            .command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let printed = watch(&mut child, kill);
        let mut stderr = String::new();
        let mut pipe = child.stderr.take().expect("it is piped");
        // A tool that outlives the program holds no end of this pipe: it has its own.
        let _ = pipe.read_to_string(&mut stderr);
        let code = child.wait().expect("it has ended").code();
        self.settle();
        Ran {
            code,
            lines: lines(&printed),
            stderr,
        }
    }

    /// Tools of a program that was killed go on by themselves; what they did can be seen afterwards.
    fn settle(&self) {
        let since = Instant::now();
        while somebody_works_for(&self.place.data()) {
            assert!(since.elapsed() < PATIENCE, "a tool does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Takes in what one process printed.
    fn learn(&mut self, lines: &[Value]) {
        let mut asked: HashMap<&str, &str> = HashMap::new();
        for line in lines {
            if let Some(id) = line["arrived"]["key"]["call"].as_str() {
                let decided = self.acknowledged.get(id);
                assert_eq!(decided, None, "{id} was decided and is asked again");
                asked.insert(base(id), id);
            }
            let status = &line["status"]["status"];
            let (Some(call), Some(answer)) = (
                line["status"]["call"].as_str(),
                status["decided"]["answer"].as_str(),
            ) else {
                continue;
            };
            // A row shows the call; what was asked about it last is what was decided. A decision of
            // before is shown again without being asked.
            if let Some(id) = asked.remove(call) {
                self.acknowledged.insert(id.to_owned(), answer.to_owned());
            }
        }
    }

    /// How often a call's line is there.
    fn written(&self, call: &str) -> usize {
        let all = self.place.read("workspace/lines");
        all.lines().filter(|line| *line == call).count()
    }

    /// What a person would answer: of a call that was cut off, after a look at what it has done.
    fn decision(&self, call: &Value) -> Value {
        let id = call["call"].as_str().expect("each call has an id");
        let (base, aside) = id.split_once('+').unwrap_or((id, ""));
        let digest = &call["digest"];
        if aside.starts_with("unknown") {
            return match self.written(base) {
                0 => json!({ "call": id, "digest": digest, "approve": {} }),
                _ => json!({ "call": id, "digest": digest, "respond": { "result": "done" } }),
            };
        }
        match base.as_bytes()[0] {
            b'd' => json!({ "call": id, "digest": digest, "reject": { "reason": "not this one" } }),
            b'e' => json!({ "call": id, "approve": { "arguments": { "n": 55 } } }),
            b'f' => json!({ "call": id, "digest": digest, "respond": { "result": "by hand" } }),
            b'k' => json!({ "call": id, "respond": { "result": "from outside" } }),
            _ => json!({ "call": id, "digest": digest, "approve": {} }),
        }
    }

    /// Everything that holds at the end.
    fn check(&self) {
        let lines: Vec<_> = "abcdefghijk"
            .chars()
            .map(|name| {
                let all = self.place.read("workspace/lines");
                (
                    name,
                    all.lines().filter(|line| line.starts_with(name)).count(),
                )
            })
            .collect();
        let expected: Vec<_> = "abcdefghijk"
            .chars()
            .map(|name| (name, usize::from(!matches!(name, 'd' | 'f'))))
            .collect();
        assert_eq!(
            lines, expected,
            "each call that was let run has its one line"
        );
        let script: Vec<_> = (1..=5)
            .map(|number| self.written(&format!("m-4-0__{number}")))
            .collect();
        let ended = self.ended("m-4-0");
        assert_eq!(script, [1; 5], "so has each call of the script: {ended:?}");
        let recorded = self.rulings();
        for (call, answer) in &self.acknowledged {
            assert_eq!(
                recorded.get(call),
                Some(answer),
                "what was decided on {call}"
            );
        }
    }

    /// What a call came to.
    fn ended(&self, call: &str) -> Option<Outcome> {
        let steps = self.steps().into_iter();
        let mut ended = steps.filter_map(|step| match step {
            Step::Ended { call: id, outcome } if id.0 == call => Some(outcome),
            _ => None,
        });
        ended.next()
    }

    fn steps(&self) -> Vec<Step> {
        let reader = Reader::open(&self.place.data()).expect("the journal opens");
        let newest = reader.sessions().expect("it can be read").remove(0);
        let steps = reader.steps(&newest.id, 0).expect("it can be read");
        steps.into_iter().map(|stored| stored.step).collect()
    }

    fn rulings(&self) -> BTreeMap<String, String> {
        let ruling = |step: Step| match step {
            Step::Ruling(ruling) => Some(in_words(&ruling)),
            _ => None,
        };
        self.steps().into_iter().filter_map(ruling).collect()
    }
}

fn in_words(ruling: &Ruling) -> (String, String) {
    let answer = match &ruling.decision {
        Decision::Approve { arguments: None } => "approve",
        Decision::Approve { .. } => "edit",
        Decision::Reject { .. } => "reject",
        Decision::Respond { .. } => "respond",
        Decision::Retry { .. } => "retry",
        Decision::Fail { .. } => "fail",
    };
    (ruling.key.call.0.clone(), answer.to_owned())
}

/// The row of a script, which goes on by itself.
fn is_script(call: &Value) -> bool {
    call["call"]
        .as_str()
        .is_some_and(|id| id.contains("+script"))
}

/// The call that a question is about.
fn base(id: &str) -> &str {
    id.split_once('+').map_or(id, |(base, _)| base)
}

/// What a process prints until it ends or is killed.
fn watch(child: &mut Child, kill: Option<&Kill>) -> String {
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut printed = String::new();
    match kill {
        Some(Kill::After(delay)) => {
            std::thread::sleep(*delay);
            // It may have ended by itself.
            let _ = child.kill();
        }
        Some(Kill::AtLine(line)) => {
            for _ in 0..*line {
                if out.read_line(&mut printed).expect("it prints text") == 0 {
                    break;
                }
            }
            let _ = child.kill();
        }
        None => {}
    }
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).expect("the pipe can be read");
    printed + &String::from_utf8_lossy(&rest)
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
fn crash_a_program_killed_anywhere_loses_no_decision_and_runs_nothing_twice() {
    let (wanted, seed) = (
        number("COUNTERSIGN_KILLS", KILLS),
        number("COUNTERSIGN_SEED", SEED),
    );
    let mut chance = Chance(seed);
    let (mut kills, mut sessions) = (0, 0);
    while kills < wanted {
        let mut trial = Trial::new();
        trial.run(&mut chance, (wanted - kills).min(12));
        kills += trial.kills;
        sessions += 1;
    }
    let told = format!("{kills} kills over {sessions} sessions\n");
    stderr().write_all(told.as_bytes()).expect("stderr");
}
