//! The scripted model: its file, its mistakes, and how it reacts to what was decided.

use countersign::core::call::CallId;
use countersign::provider::script::Script;
use countersign::provider::script::scenario::Scenario;
use countersign::provider::{Answered, Append, Body, Came, Fault, Reply, Streamed, Wanted};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

const BUILT_IN: &str = include_str!("../../assets/offline/scenario.toml");

const ALL: [Came; 9] = [
    Came::Executed,
    Came::Approved,
    Came::Edited,
    Came::Rejected,
    Came::Responded,
    Came::SentBack,
    Came::Denied,
    Came::Refused,
    Came::Failed,
];

/// A scenario without its pauses.
fn scenario(text: &str) -> Arc<Scenario> {
    let read = Scenario::parse("scenario.toml", text).expect("the test's scenario is sound");
    let pace = Duration::ZERO;
    Arc::new(Scenario { pace, ..read })
}

/// A conversation with a scenario.
struct Play {
    script: Script,
    /// The calls of the last reply.
    calls: Vec<Wanted>,
}

impl Play {
    fn of(text: &str) -> Self {
        Self::with(&scenario(text))
    }

    fn with(scenario: &Arc<Scenario>) -> Self {
        Self {
            script: Script::new(scenario.clone()),
            calls: Vec::new(),
        }
    }

    async fn respond(&mut self, append: Append) -> Result<String, Fault> {
        let (out, mut streamed) = mpsc::channel(10_000);
        let Reply { calls } = self.script.respond(&append, &out).await?;
        self.calls = calls;
        drop(out);
        let mut text = String::new();
        while let Some(piece) = streamed.recv().await {
            match piece {
                Streamed::Text { part: 0, piece } => text.push_str(&piece),
                other => assert_eq!(
                    other,
                    Streamed::Note(String::new()),
                    "only text was expected"
                ),
            }
        }
        Ok(text)
    }

    async fn say(&mut self, message: &str) -> String {
        let messages = vec![message.to_owned()];
        self.respond(Append {
            messages,
            ..Append::default()
        })
        .await
        .expect("the scenario answers any message")
    }

    /// Answers every call of the last reply.
    async fn answer(&mut self, came: Came, result: &str) -> String {
        let answer = |call: &Wanted| Answered {
            call: call.id.clone(),
            tool: call.tool.clone(),
            body: Body::Result(result.to_owned()),
            came,
        };
        let answers = self.calls.iter().map(answer).collect();
        self.respond(Append {
            answers,
            ..Append::default()
        })
        .await
        .expect("answers are taken")
    }

    fn ids(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.id.0.as_str()).collect()
    }

    fn turn(&self) -> String {
        let suspension = self.script.suspension();
        suspension["turn"]
            .as_str()
            .expect("a turn was played")
            .to_owned()
    }
}

fn report(text: &str) -> String {
    let mistakes = Scenario::parse("mine.toml", text).expect_err("the scenario has mistakes");
    mistakes
        .iter()
        .map(|mistake| format!("{mistake}\n"))
        .collect::<Vec<_>>()
        .concat()
}

#[tokio::test]
async fn every_turn_of_the_built_in_scenario_can_be_reached() {
    let scenario = scenario(BUILT_IN);
    let prompt = scenario
        .prompt
        .as_deref()
        .expect("it says what to begin with");
    let mut reached = BTreeSet::new();
    // What the first calls came to, then the second, then the third.
    for path in ALL.into_iter().flat_map(|a| {
        ALL.into_iter()
            .flat_map(move |b| ALL.map(move |c| [a, b, c]))
    }) {
        let mut play = Play::with(&scenario);
        play.say(prompt).await;
        reached.insert(play.turn());
        // Whatever the script comes to, it is told.
        for came in path.into_iter().chain([Came::Executed]) {
            play.answer(came, "done").await;
            reached.insert(play.turn());
        }
    }
    let mut play = Play::with(&scenario);
    play.say("something else").await;
    reached.insert(play.turn());
    let all: BTreeSet<_> = scenario
        .turns
        .iter()
        .map(|turn| turn.name.get_ref().clone())
        .collect();
    assert_eq!(reached, all);
}

#[tokio::test]
async fn the_built_in_scenario_goes_its_usual_way() {
    let mut play = Play::of(BUILT_IN);
    play.say("a vacation, please").await;
    assert_eq!(
        play.ids(),
        [
            "guingamp-1-0",
            "aurillac-1-1",
            "brive-1-2",
            "rodez-1-3",
            "millau-1-4"
        ]
    );
    let text = play.answer(Came::Executed, "28 °C and sunny\n").await;
    assert!(
        text.starts_with("**Millau** is the warmest (28 °C and sunny). I'd like to:"),
        "{text}"
    );
    let tools: Vec<_> = play.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(
        tools,
        ["book_flight", "send_mail", "send_mail", "send_mail"]
    );
    play.answer(Came::Approved, "Booked.").await;
    let tools: Vec<_> = play.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools, ["write_file", "delete_file"]);
    play.answer(Came::Rejected, "no").await;
    let tools: Vec<_> = play.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools, ["run_code"]);
    let text = play.answer(Came::Executed, "Result: 3").await;
    assert!(text.contains("| flight | approved |\n| mails | approved, approved, approved |\n| itinerary | rejected |"), "{text}");
    assert_eq!((play.turn().as_str(), play.calls.len()), ("done", 0));
}

#[tokio::test]
async fn a_turn_that_is_played_again_makes_calls_with_other_ids() {
    let mut play = Play::of(BUILT_IN);
    let mut seen = BTreeSet::new();
    for _ in 0..3 {
        play.say("again").await;
        assert!(play.ids().into_iter().all(|id| seen.insert(id.to_owned())));
    }
    assert_eq!(seen.len(), 15);
}

const BRANCHES: &str = r#"
title = "branches"
[[turns]]
name = "ask"
on = "^go$"
text = "{{ open [{{c.came}}] {{}"
calls = [
  { id = "c", tool = "t", arguments = { b = 1, a = "x" } },
  { tool = "held", held = true },
  { id = "raw", tool = "t", arguments_text = '{"broken' },
]
then = [
  { turn = "matched", when = [ { call = "c", came = ["approved", "edited"], result = "(?i)^ok" } ] },
  { turn = "both", when = [ { call = "c", came = ["rejected"] }, { call = "raw", came = ["refused"] } ] },
  { turn = "allowed", when = [ { call = "held", result = "never" } ] },
  { turn = "answered", when = [ { call = "c", result = "" } ] },
]
[[turns]]
name = "matched"
text = "matched {{c.result}} {{held.result}} {{ unclosed"
[[turns]]
name = "both"
text = "both {{c.came}} {{raw.came}}"
[[turns]]
name = "allowed"
text = "a confirmation has no result"
[[turns]]
name = "answered"
text = "answered {{c}}"
"#;

/// Plays the branching scenario up to its calls, and answers `c`, `held` and `raw`.
async fn branch(answers: [(Came, Body); 3]) -> String {
    let mut play = Play::of(BRANCHES);
    play.say("go").await;
    let answers = play
        .calls
        .iter()
        .zip(answers)
        .map(|(call, (came, body))| Answered {
            call: call.id.clone(),
            tool: call.tool.clone(),
            body,
            came,
        });
    let answers = answers.collect();
    play.respond(Append {
        answers,
        ..Append::default()
    })
    .await
    .expect("answers are taken")
}

fn result(text: &str) -> Body {
    Body::Result(text.to_owned())
}

#[tokio::test]
async fn the_calls_are_those_of_the_file() {
    let mut play = Play::of(BRANCHES);
    assert_eq!(play.say("go").await, "{{ open [] {{}");
    let wanted = |id: &str, tool: &str, arguments: &str, held_by_provider| Wanted {
        id: CallId(id.to_owned()),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
        held_by_provider,
    };
    let expected = [
        wanted("c-1-0", "t", r#"{"b":1,"a":"x"}"#, false),
        wanted("held-1-1", "held", "{}", true),
        wanted("raw-1-2", "t", r#"{"broken"#, false),
    ];
    assert_eq!(play.calls, expected);
}

#[tokio::test]
async fn the_first_step_whose_conditions_all_hold_is_taken() {
    let allow = Body::Confirmation { allow: true };
    let deny = || Body::Confirmation { allow: false };
    let cases = [
        (
            [
                (Came::Edited, result(" OK {{c.came}}")),
                (Came::Approved, allow),
                (Came::Executed, result("")),
            ],
            "answered OK {{c.came}}",
        ),
        (
            [
                (Came::Edited, result("ok {{c.came}} \n")),
                (Came::Rejected, deny()),
                (Came::Executed, result("")),
            ],
            "matched ok {{c.came}} denied {{ unclosed",
        ),
        (
            [
                (Came::Rejected, result("no")),
                (Came::Rejected, deny()),
                (Came::Refused, result("")),
            ],
            "both rejected refused",
        ),
        (
            [
                (Came::Rejected, result("no")),
                (Came::Rejected, deny()),
                (Came::Executed, result("")),
            ],
            "answered no",
        ),
    ];
    for (answers, text) in cases {
        assert_eq!(branch(answers).await, text);
    }
}

#[tokio::test]
async fn without_a_step_that_holds_the_conversation_waits_for_a_message() {
    let deny = || Body::Confirmation { allow: false };
    let mut play = Play::of(BRANCHES);
    play.say("go").await;
    play.calls.truncate(0);
    // No call was answered, so no condition holds.
    assert_eq!(play.answer(Came::Approved, "").await, "");
    assert_eq!(play.calls, []);
    assert_eq!(
        branch([
            (Came::Approved, deny()),
            (Came::Approved, deny()),
            (Came::Approved, deny())
        ])
        .await,
        ""
    );
}

#[tokio::test]
async fn answers_to_calls_it_did_not_make_are_ignored() {
    let mut play = Play::of(BRANCHES);
    play.say("go").await;
    for call in &mut play.calls {
        call.id = CallId("c".to_owned());
    }
    assert_eq!(play.answer(Came::Approved, "ok").await, "");
}

#[tokio::test]
async fn a_message_without_a_turn_is_a_fault_and_changes_nothing() {
    let mut play = Play::of(BRANCHES);
    play.say("go").await;
    let before = play.script.suspension();
    let messages = vec!["stop".to_owned()];
    let fault = play
        .respond(Append {
            messages,
            ..Append::default()
        })
        .await;
    let what =
        "the scenario has no turn for this message; add one with `on = \"\"`, which answers any"
            .to_owned();
    assert_eq!(fault, Err(Fault { what, retry: false }));
    assert_eq!(play.script.suspension(), before);
    assert_eq!(
        play.answer(Came::Approved, "ok").await,
        "matched ok ok {{ unclosed"
    );
}

#[tokio::test]
async fn a_suspension_says_where_the_conversation_stands() {
    let mut play = Play::of(BRANCHES);
    assert_eq!(
        play.script.suspension(),
        json!({ "turn": null, "played": 0, "answers": {}, "open": {} })
    );
    play.say("go").await;
    assert_eq!(
        play.script.suspension(),
        json!({
            "turn": "ask",
            "played": 1,
            "answers": {},
            "open": { "c-1-0": "c", "held-1-1": "held", "raw-1-2": "raw" },
        })
    );
    play.answer(Came::Approved, "ok").await;
    let stand = play.script.suspension();
    assert_eq!(
        (&stand["turn"], &stand["played"], &stand["open"]),
        (&json!("matched"), &json!(2), &json!({}))
    );
    let answered = stand["answers"]
        .as_object()
        .expect("what each call came to");
    assert_eq!(answered.len(), 3);
}

#[test]
fn a_scenario_is_read_whole() {
    let scenario = Scenario::parse(
        "mine.toml",
        "title = \"t\"\nprompt = \"p\"\npace = \"20ms\"\n[[turns]]\nname = \"a\"\non = \"\"\n",
    )
    .expect("it is sound");
    assert_eq!(
        (scenario.title.as_str(), scenario.prompt.as_deref()),
        ("t", Some("p"))
    );
    assert_eq!(scenario.pace, Duration::from_millis(20));
    assert_eq!(
        (
            scenario.turn_for("anything"),
            scenario.index_of("a"),
            scenario.index_of("b")
        ),
        (Some(0), Some(0), None)
    );
}

#[test]
fn all_mistakes_are_reported_at_once() {
    assert_eq!(
        report(include_str!("../fixtures/scenario/mistakes.toml")),
        include_str!("../fixtures/scenario/mistakes.txt")
    );
}

#[test]
fn a_turn_that_cannot_be_read_does_not_make_the_others_look_wrong() {
    assert_eq!(
        report(
            "titel = \"t\"\npace = \"1h\"\n[[turns]]\nname = \"a\"\non = \"\"\nthen = [ { turn = \"b\" } ]\n[[turns]]\nname = \"b\"\nonn = \"x\"\n[[turns]]\nname = \"c\"\non = \"(\"\n"
        ),
        include_str!("../fixtures/scenario/unreadable.txt")
    );
}

#[test]
fn the_mistakes_of_one_turn_do_not_hide_each_other() {
    assert_eq!(
        report(include_str!("../fixtures/scenario/one_turn.toml")),
        include_str!("../fixtures/scenario/one_turn.txt")
    );
}

#[test]
fn what_a_misspelt_key_was_to_be_is_not_guessed_at() {
    for turn in [
        "cals = [ { tool = \"t\" } ]\ntext = \"{{t}}\"",
        "text = \"{{c}}\"\ncalls = [ { idd = \"c\", tool = \"t\" } ]",
    ] {
        let text = format!("title = \"t\"\n[[turns]]\nname = \"a\"\non = \"\"\n{turn}\n");
        let report = report(&text);
        assert_eq!(report.lines().count(), 1, "{report}");
        assert!(report.contains("did you mean"), "{report}");
    }
    let report = report("title = \"t\"\n[[turn]]\nname = \"a\"\n");
    assert_eq!(
        report,
        "mine.toml:2:3: the file has no key \"turn\"; did you mean \"turns\"?\n"
    );
}

#[test]
fn two_calls_of_one_turn_under_one_id_are_a_mistake() {
    let text = "title = 't'\n[[turns]]\nname = 'a'\non = ''\ncalls = [ { id = 'x', tool = 'f' }, { id = 'x', tool = 'g' } ]\n";
    let found = countersign::provider::script::scenario::Scenario::parse("s.toml", text);
    let told: Vec<_> = found
        .expect_err("x is two calls")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        ["s.toml:3:8: two calls of this turn have the id `x`; give each its own"]
    );
}
