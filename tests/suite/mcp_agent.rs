//! Tools of a server in a process of its own, called by an agent that really runs.

use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, Answers, Call};
use countersign::core::decision::Decision;
use countersign::core::run::{Outcome, RunCommand, RunEvent, RunState};
use countersign::core::verdict::Basis;
use countersign::tools::mcp::listing::Asks;
use countersign::tools::mcp::{Choice, Reach, Spec};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

use crate::support::agent::{Run, Setup, failed, refused, reject, result};
use crate::support::mcp::{all_gone, forgetful, record, recorded, server, with};

fn one(calls: &str) -> (Setup, PathBuf) {
    let setup = Setup::calls(calls, "{{c.came}}: {{c.result}}");
    let path = setup.path("record");
    (setup, path)
}

/// An agent with one server, told to go.
async fn go(calls: &str) -> (Run, PathBuf) {
    let (setup, path) = one(calls);
    let run = setup.server(server("box", &path)).start().await;
    run.say("go").await;
    (run, path)
}

fn asking(spec: Spec) -> Spec {
    Spec {
        choice: Choice::default(),
        ..spec
    }
}

fn content(text: &str) -> Decision {
    Decision::Approve {
        arguments: Some(Arguments::parse(text).expect("the test's content is JSON")),
    }
}

fn notes_of(run: &Run, word: &str) -> usize {
    let notes = run.notes();
    notes.iter().filter(|note| note.contains(word)).count()
}

#[tokio::test]
async fn a_servers_tool_runs_under_its_whole_name_and_by_the_models_name_too() {
    let (mut run, path) = go(
        "{ id = 'c', tool = 'box.note', arguments = { text = 'a' } },\n\
         { id = 'd', tool = 'box__note', arguments = { text = 'b' } },",
    )
    .await;
    assert_eq!(run.end().await, "executed: noted a");
    let called = run.seen.iter().filter_map(|event| match event {
        RunEvent::Called { tool, .. } => Some(tool.as_str()),
        _ => None,
    });
    assert_eq!(called.collect::<Vec<_>>(), ["box.note", "box.note"]);
    let mut calls = record(&path);
    calls.sort();
    let expected = [
        "call note {\"text\": \"a\"}",
        "call note {\"text\": \"b\"}",
        "starts",
    ];
    assert_eq!(calls, expected);
    drop(run);
    all_gone(&path);
}

#[tokio::test]
async fn a_servers_tools_ask_unless_the_configuration_says_otherwise_and_rules_match_them() {
    let (setup, path) = one(
        "{ id = 'c', tool = 'box.note', arguments = { text = 'a' } },\n\
         { id = 'd', tool = 'box.count' },\n{ id = 'e', tool = 'box.env' },",
    );
    let rules = "[[rules]]\ntool = 'box.count'\nverdict = 'deny'\nreason = 'no counting'\n\
                 [[rules]]\ntool = 'box.e*'\nverdict = 'allow'\n";
    let setup = setup.rules(rules).server(asking(server("box", &path)));
    let mut run = setup.start().await;
    run.say("go").await;
    let call = run.arrival().await;
    let words: Vec<_> = call.risks.iter().map(|risk| risk.word()).collect();
    assert_eq!(
        (call.tool.as_str(), &call.basis, words.as_slice()),
        (
            "box.note",
            &Basis::ToolDefault,
            ["claims idempotent", "claims read-only"].as_slice()
        )
    );
    run.decide(&call, content("{\"text\": \"z\"}")).await;
    run.end().await;
    assert_eq!(run.outcome("c-1-0"), result("noted z"));
    assert!(matches!(run.outcome("d-1-1"), Outcome::Denied { .. }));
    assert!(matches!(run.outcome("e-1-2"), Outcome::Result { .. }));
}

#[tokio::test]
async fn arguments_are_checked_against_the_servers_schema_before_anything_is_sent() {
    let (mut run, path) =
        go("{ id = 'c', tool = 'box.note', arguments = { text = 3 } },\n{ id = 'd', tool = 'box.nothing' },").await;
    run.end().await;
    let fault =
        "the arguments do not fit the tool's schema: /text: must be a text, and is the number 3";
    assert_eq!(run.outcome("c-1-0"), refused(fault));
    assert!(matches!(run.outcome("d-1-1"), Outcome::Refused { .. }));
    assert_eq!(record(&path), ["starts"]);
}

#[tokio::test]
async fn an_error_of_a_tool_is_a_failure_and_hostile_text_is_kept_as_it_is() {
    let (mut run, _) =
        go("{ id = 'c', tool = 'box.fail' },\n{ id = 'd', tool = 'box.hostile' },").await;
    assert_eq!(run.end().await, "failed: Error: the disk is full");
    assert_eq!(run.outcome("c-1-0"), failed("the disk is full"));
    // The screen makes it visible; the journal has what came.
    let hostile = "\u{1b}[2J\u{202e}gnp.exe\u{7} <- look";
    assert_eq!(run.outcome("d-1-1"), result(hostile));
}

#[tokio::test]
async fn progress_is_output_of_the_call_it_belongs_to() {
    let (mut run, _) = go("{ id = 'c', tool = 'box.count' },").await;
    run.end().await;
    let written: String = run
        .seen
        .iter()
        .filter_map(|event| match event {
            RunEvent::Output { call, text, .. } if call.0 == "c-1-0" => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let mut rows: Vec<_> = written.lines().collect();
    // Notifications are taken in side by side.
    rows.sort_unstable();
    let expected = [
        "progress 1 of 3: step 1",
        "progress 2 of 3: step 2",
        "progress 3 of 3: step 3",
    ];
    assert_eq!(rows, expected);
    assert_eq!(run.outcome("c-1-0"), result("counted"));
}

#[tokio::test]
async fn what_two_servers_call_the_same_stays_two_tools() {
    let (setup, path) = one(
        "{ id = 'c', tool = 'box.note', arguments = { text = 'to box' } },\n\
         { id = 'd', tool = 'crate.note', arguments = { text = 'to crate' } },\n\
         { id = 'e', tool = 'box__note', arguments = { text = 'to the command' } },",
    );
    let other = setup.path("other");
    // A command tool that a model knows by the name that a server's tool would get.
    let setup = setup.tool("box__note", "cat > by-command");
    let setup = setup
        .server(server("box", &path))
        .server(server("crate", &other));
    let mut run = setup.start().await;
    run.say("go").await;
    run.end().await;
    assert_eq!(
        record(&path),
        ["starts", "call note {\"text\": \"to box\"}"]
    );
    assert_eq!(
        record(&other),
        ["starts", "call note {\"text\": \"to crate\"}"]
    );
    assert_eq!(run.file("by-command"), "{\"text\":\"to the command\"}");
}

#[tokio::test]
async fn a_server_that_cannot_start_is_told_and_the_agent_runs_without_it() {
    let (setup, path) = one("{ id = 'c', tool = 'box.note', arguments = { text = 'a' } },");
    let mut run = setup.server(with("box", &path, &["fails"])).start().await;
    run.say("go").await;
    run.end().await;
    let Outcome::Refused { fault } = run.outcome("c-1-0") else {
        unreachable!("{:?}", run.outcomes());
    };
    assert!(fault.starts_with("there is no tool `box.note`"), "{fault}");
    let word = "MCP server box: it cannot be used: exit status 3; its last words: cannot find my files; it is tried again";
    assert_eq!(run.notes().first().map(String::as_str), Some(word));
}

#[tokio::test]
async fn a_call_whose_server_dies_is_put_before_a_person_and_never_run_again_by_itself() {
    let (mut run, path) = go("{ id = 'c', tool = 'box.die', arguments = { text = 'a' } },").await;
    let call = run.arrival().await;
    assert_eq!(call.key.call.0, "c-1-0+unknown-0");
    assert_eq!(call.answers, Answers::unknown_outcome());
    let Basis::Lost { why } = &call.basis else {
        unreachable!("{:?}", call.basis);
    };
    assert!(
        why.starts_with("the server box ended while it ran this: it may have run"),
        "{why}"
    );
    assert_eq!(call.expires, None);
    // It is there again long before anybody decides, and is not asked again.
    let again = |event: &RunEvent| matches!(event, RunEvent::Note { text, .. } if text.contains("is there again"));
    if !run.seen.iter().any(again) {
        run.until(again).await;
    }
    run.decide(&call, reject("I looked: it did nothing")).await;
    let said = run.end().await;
    assert!(said.contains("it is not known whether it did"), "{said}");
    assert!(
        said.ends_with("The operator says: I looked: it did nothing"),
        "{said}"
    );
    assert_eq!(
        record(&path),
        ["starts", "call die {\"text\": \"a\"}", "dies", "starts"]
    );
    assert_eq!(
        run.steps(),
        [
            "session  0",
            "started c-1-0 0",
            "arrived c-1-0+unknown-0 0",
            "ruling c-1-0+unknown-0 0"
        ]
    );
}

#[tokio::test]
async fn a_lost_call_runs_again_when_a_person_says_so_and_is_asked_about_again_after_a_kill() {
    let calls = "{ id = 'c', tool = 'box.die', arguments = { text = 'a' } },";
    let (mut run, path) = go(calls).await;
    run.arrival().await;
    let folder = run.kill().await;
    let (setup, _) = one(calls);
    let setup = setup.server(server("box", &path));
    let mut run = setup.go_on(folder);
    let call = run.arrival().await;
    assert_eq!(call.key.call.0, "c-1-0+unknown-0");
    run.approve(&call).await;
    // It dies again: another question.
    let call = run.arrival().await;
    assert_eq!(call.key.call.0, "c-1-0+unknown-2");
    let answer = Decision::Respond {
        result: "it is dead".to_owned(),
    };
    run.decide(&call, answer).await;
    assert!(run.end().await.ends_with("it is dead"));
    let died = record(&path).iter().filter(|line| *line == "dies").count();
    assert_eq!(died, 2);
}

#[tokio::test]
async fn interrupting_tells_the_server_to_stop() {
    let (mut run, path) = go("{ id = 'c', tool = 'box.hang' },").await;
    recorded(&path, "call hang {}").await;
    run.send(RunCommand::Interrupt).await;
    run.until_state(&RunState::Idle).await;
    assert_eq!(run.outcome("c-1-0"), Outcome::Interrupted);
    recorded(&path, "cancelled").await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up_and_what_it_did_is_not_claimed() {
    let (setup, path) = one("{ id = 'c', tool = 'box.hang' },");
    let hasty = Spec {
        timeout: Duration::from_millis(200),
        ..server("box", &path)
    };
    let mut run = setup.server(hasty).start().await;
    run.say("go").await;
    run.end().await;
    let told = "no answer within 0.2 s; the server box was told to stop, but whether it did, and what it has done, is not known";
    assert_eq!(run.outcome("c-1-0"), failed(told));
    recorded(&path, "cancelled").await;
}

#[tokio::test]
async fn an_answer_that_is_too_long_ends_the_call_at_once_and_the_server_goes_on() {
    let turns = "[[turns]]\nname = 'go'\non = '^go$'\ncalls = [ { id = 'huge', tool = 'box.huge' } ]\n\
                 then = [ { turn = 'more' } ]\n[[turns]]\nname = 'more'\n\
                 calls = [ { id = 'c', tool = 'box.note', arguments = { text = 'a' } } ]\n";
    let setup = Setup::turns(turns);
    let path = setup.path("record");
    let mut run = setup.server(server("box", &path)).start().await;
    run.say("go").await;
    run.end().await;
    let told = "the server box sent a message of more than 8 MiB, which is not taken in; if that was the answer, the call has run: ask for less";
    assert_eq!(run.outcome("huge-1-0"), failed(told));
    assert_eq!(run.outcome("c-2-0"), result("noted a"));
    assert_eq!(notes_of(&run, "sends a message of more than 8 MiB"), 1);
}

#[tokio::test]
async fn an_address_where_nobody_is_is_told_without_the_names_of_parts() {
    let (setup, path) = one("{ id = 'c', tool = 'box.note', arguments = { text = 'a' } },");
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", free.local_addr().expect("it has one"));
    drop(free);
    let spec = Spec {
        reach: Reach::Address {
            url: url.clone(),
            headers: Vec::new(),
        },
        ..server("box", &path)
    };
    let mut run = setup.server(spec).start().await;
    run.say("go").await;
    run.end().await;
    let told = run.notes().first().cloned().unwrap_or_default();
    let begin = format!(
        "MCP server box: it cannot be used: error sending request for url ({url}): client error (Connect): "
    );
    assert!(told.starts_with(&begin), "{told}");
    assert!(
        told.ends_with("Connection refused (os error 111); it is tried again"),
        "{told}"
    );
}

#[tokio::test]
async fn a_call_that_meets_a_lost_session_has_not_run_and_the_session_is_begun_anew() {
    for status in [404, 400] {
        let (setup, path) = one("{ id = 'c', tool = 'box.note' },");
        let at = forgetful(path.parent().expect("a folder"), status).await;
        let spec = Spec {
            reach: Reach::Address {
                url: at.url.clone(),
                headers: Vec::new(),
            },
            ..server("box", &path)
        };
        let mut run = setup.server(spec).start().await;
        run.say("go").await;
        assert_eq!(run.end().await, "executed: call 1");
        run.say("go").await;
        let told = run.end().await;
        let begin = "failed: Error: not run: the server box cannot be reached (";
        assert!(told.starts_with(begin), "{told}");
        let again = |event: &RunEvent| matches!(event, RunEvent::Note { text, .. } if text.contains("is there again"));
        if !run.seen.iter().any(again) {
            run.until(again).await;
        }
        run.say("go").await;
        assert_eq!(run.end().await, "executed: call 2");
    }
}

/// The question, which stands in the call's place.
async fn question(run: &mut Run) -> Call {
    let call = run.arrival().await;
    assert_eq!(call.tool, "box asks");
    assert_eq!(call.parent.as_ref().map(|id| id.0.as_str()), Some("c-1-0"));
    call
}

#[tokio::test]
async fn a_question_of_a_server_is_a_pending_call_whose_content_must_fit() {
    let (mut run, _) = go("{ id = 'c', tool = 'box.ask' },").await;
    let call = question(&mut run).await;
    assert_eq!(call.key.call.0, "c-1-0+asks-0-1");
    assert_eq!(
        call.basis,
        Basis::Question {
            server: "box".to_owned(),
            message: "Who are you?".to_owned(),
            tool: "box.ask".to_owned(),
            open: 1,
        }
    );
    // There is nothing to approve until a name is written.
    assert_eq!(call.arguments.text(), "{\"name\":null}");
    assert!(!call.answers.take(Answer::Approve) && call.is_editable());
    let schema = call.schema.as_ref().expect("it says what it wants");
    assert_eq!(schema.check(&json!({ "name": "Ada", "age": 36 })), []);
    assert_ne!(schema.check(&json!({ "name": 3 })), []);
    run.decide(&call, content("{\"name\":\"Ada\",\"age\":36}"))
        .await;
    let heard =
        "executed: heard {\"action\": \"accept\", \"content\": {\"age\": 36, \"name\": \"Ada\"}}";
    assert_eq!(run.end().await, heard);
    // The call's own arguments are untouched by that.
    let edited = run.seen.iter().any(|event| {
        matches!(
            event,
            RunEvent::Status {
                status: countersign::core::run::CallStatus::Decided { .. },
                ..
            }
        )
    });
    assert!(!edited);
}

#[tokio::test]
async fn a_question_can_be_declined_cancelled_and_agreed_to_as_it_stands() {
    let fail = Decision::Fail {
        message: String::new(),
    };
    let approve = Decision::Approve { arguments: None };
    let cases = [
        ("ask", reject(""), "{\"action\": \"decline\"}"),
        ("ask", fail, "{\"action\": \"cancel\"}"),
        ("ask", content("{\"name\":3}"), "{\"action\": \"cancel\"}"),
        (
            "confirm",
            approve.clone(),
            "{\"action\": \"accept\", \"content\": {\"sure\": false}}",
        ),
        ("visit", approve, "{\"action\": \"accept\"}"),
    ];
    for (tool, decision, heard) in cases {
        let (mut run, _) = go(&format!("{{ id = 'c', tool = 'box.{tool}' }},")).await;
        let call = question(&mut run).await;
        if tool == "visit" {
            assert_eq!(
                call.arguments.text(),
                "{\"url\":\"https://example.org/sign-in\"}"
            );
        }
        run.decide(&call, decision).await;
        assert_eq!(run.end().await, format!("executed: heard {heard}"));
    }
}

#[tokio::test]
async fn a_server_of_the_newest_version_asks_within_its_result_and_is_listened_to() {
    let (setup, path) = one("{ id = 'c', tool = 'box.ask' },\n{ id = 'd', tool = 'box.change' },");
    let setup = setup.server(with("box", &path, &["modern"]));
    let mut run = setup.start().await;
    recorded(&path, "is listened to").await;
    run.say("go").await;
    let call = question(&mut run).await;
    let noted = |event: &RunEvent| matches!(event, RunEvent::Note { text, .. } if text.contains("its tools changed: note has another description"));
    if !run.seen.iter().any(noted) {
        run.until(noted).await;
    }
    run.decide(&call, content("{\"name\":\"Ada\"}")).await;
    let heard = "executed: heard {\"state\": \"opaque\", \"who\": {\"action\": \"accept\", \"content\": {\"name\": \"Ada\"}}}";
    assert_eq!(run.end().await, heard);
    let asked = record(&path)
        .iter()
        .filter(|line| *line == "call ask {}")
        .count();
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn interrupting_takes_a_question_back() {
    let (mut run, _) = go("{ id = 'c', tool = 'box.ask' },").await;
    let call = question(&mut run).await;
    run.send(RunCommand::Interrupt).await;
    let id = call.key.call.clone();
    run.until(|event| matches!(event, RunEvent::Withdrawn { call, .. } if *call == id))
        .await;
    run.until_state(&RunState::Idle).await;
    assert_eq!(run.outcome("c-1-0"), Outcome::Interrupted);
}

#[tokio::test]
async fn after_a_kill_nobody_waits_for_the_answer_to_a_question() {
    let calls = "{ id = 'c', tool = 'box.ask' },";
    let (mut run, path) = go(calls).await;
    let asked = question(&mut run).await;
    let folder = run.kill().await;
    let (setup, _) = one(calls);
    let mut run = setup.server(server("box", &path)).go_on(folder);
    let id = asked.key.call.clone();
    run.until(|event| matches!(event, RunEvent::Withdrawn { call, .. } if *call == id))
        .await;
    let call = run.arrival().await;
    assert_eq!(call.key.call.0, "c-1-0+unknown-0");
    assert_eq!(call.basis, Basis::OutcomeUnknown);
}

#[tokio::test]
async fn a_changed_list_is_told_and_a_pending_call_is_not_bound_to_what_a_tool_became() {
    let turns = "[[turns]]\nname = 'go'\non = '^go$'\ncalls = [\n\
                 { id = 'note', tool = 'box.note', arguments = { text = 'a' } },\n\
                 { id = 'change', tool = 'box.change' },\n]\nthen = [ { turn = 'more' } ]\n\
                 [[turns]]\nname = 'more'\ncalls = [\n\
                 { id = 'note', tool = 'box.note', arguments = { text = 'b' } },\n\
                 { id = 'late', tool = 'box.late' },\n{ id = 'image', tool = 'box.image' },\n]\n";
    let setup = Setup::turns(turns);
    let path = setup.path("record");
    let spec = Spec {
        choice: Choice {
            asks: Asks::These(vec![
                countersign::core::redact::Tools::named("note").expect("a pattern"),
            ]),
            ..Choice::default()
        },
        ..server("box", &path)
    };
    let mut run = setup.server(spec).start().await;
    run.say("go").await;
    let call = run.arrival().await;
    let changed = "MCP server box: its tools changed: note has another description than before; it asks from now on; \
                   late is new; it asks; image is gone";
    run.until(|event| matches!(event, RunEvent::Note { text, .. } if text == changed))
        .await;
    run.approve(&call).await;
    let told = "not run: the server box has changed the tool box.note since this call was made; look at it and call it again";
    assert_eq!(run.until_finished("note-1-0").await, failed(told));
    // In the next round the tools are the new ones, and both of these ask.
    let calls = run.arrivals(2).await;
    let mut tools: Vec<_> = calls.iter().map(|call| call.tool.as_str()).collect();
    tools.sort_unstable();
    assert_eq!(tools, ["box.late", "box.note"]);
    for call in &calls {
        run.approve(call).await;
    }
    run.end().await;
    assert_eq!(run.outcome("note-2-0"), result("noted b"));
    assert_eq!(run.outcome("late-2-1"), result("noted "));
    assert!(matches!(run.outcome("image-2-2"), Outcome::Refused { .. }));
    assert_eq!(notes_of(&run, "its tools changed"), 1);
    assert_eq!(notes_of(&run, "not taken in"), 1);
}

#[tokio::test]
async fn what_names_no_tool_of_a_server_is_told_once_when_it_has_started() {
    let (setup, path) = one("{ id = 'c', tool = 'box.note', arguments = { text = 'a' } },");
    let rules = "[[rules]]\ntool = ['box.note', 'box.nothing', 'crate.*']\nverdict = 'allow'\n";
    let spec = Spec {
        choice: Choice {
            include: Some(vec![
                countersign::core::redact::Tools::named("no*").expect("a pattern"),
                countersign::core::redact::Tools::named("reed_*").expect("a pattern"),
            ]),
            ..Choice::default()
        },
        ..server("box", &path)
    };
    let mut run = setup.rules(rules).server(spec).start().await;
    run.say("go").await;
    run.end().await;
    let told: Vec<_> = run.notes();
    let told = told.iter().filter(|note| note.contains("matches none"));
    let expected = [
        "MCP server box: in mcp.box, matches none of its tools: include \"reed_*\"; it has note, fail, die, hang, count, \
         ask, confirm, visit, hostile, image, huge, change, env, bad name!, broken",
        "MCP server box: matches none of its tools: rule 1 \"box.nothing\"; `countersign check --servers` names them",
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_resumed_call_whose_tool_is_gone_is_refused_with_clear_words() {
    let calls = "{ id = 'c', tool = 'box.note', arguments = { text = 'a' } },";
    let (setup, path) = one(calls);
    let mut run = setup.server(asking(server("box", &path))).start().await;
    run.say("go").await;
    let call = run.arrival().await;
    let folder = run.kill().await;
    let (setup, _) = one(calls);
    let mut run = setup.go_on(folder);
    let again = run.arrival().await;
    assert_eq!(again, call);
    run.approve(&again).await;
    assert!(
        matches!(run.until_finished("c-1-0").await, Outcome::Failed { message } if message.contains("box.note"))
    );
    assert_eq!(record(&path), ["starts"]);
}

#[tokio::test]
async fn nothing_of_a_server_outlives_the_agent() {
    for mode in ["family", "stubborn"] {
        let (setup, path) = one("{ id = 'c', tool = 'box.hang' },");
        let mut run = setup.server(with("box", &path, &[mode])).start().await;
        run.say("go").await;
        recorded(&path, "call hang {}").await;
        run.until(|event| matches!(event, RunEvent::Status { .. }))
            .await;
        let _folder = run.kill().await;
        all_gone(&path);
    }
}
