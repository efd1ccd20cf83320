//! What a script may not get past: policy, rules, reviewers, time, its limits; and what is recorded of it.

use countersign::agent::Limits as Run_;
use countersign::agent::review::{Means, Reviewer, When};
use countersign::code::Limits;
use countersign::core::arguments::Arguments;
use countersign::core::call::CallId;
use countersign::core::decision::Decision;
use countersign::core::redact::{Pointer, Redaction};
use countersign::core::review::May;
use countersign::core::run::{Outcome, RunCommand, RunEvent, RunState};
use countersign::core::verdict::{Basis, Verdict};
use countersign::policy::grant::{Grant, Lasts};
use countersign::policy::propose::{Source, candidates};
use countersign::store::Reader;
use countersign::tools::code::CodeTool;
use countersign::tools::consult::Consulted;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

use crate::support::agent::{Run, Setup, refused, result};

const APPEND: &str = "cat >> log; echo >> log; echo done";
const CAUGHT: &str =
    "try:\n    await gated(n=1)\nexcept RuntimeError as error:\n    told = str(error)\ntold";

fn script(code: &str) -> Setup {
    Setup::script(code)
        .tool("free", APPEND)
        .asking("gated", APPEND)
}

async fn go(setup: Setup) -> Run {
    let run = setup.start().await;
    run.say("go").await;
    run
}

/// The log holds, and says this: decision, how, call.
fn audit(run: &Run) -> Vec<[String; 3]> {
    let reader = Reader::open(&run.data()).expect("the journal is there");
    let checked = reader.check_audit(None).expect("it can be read");
    assert!(checked.is_ok(), "{checked:?}");
    let links = reader.audit().expect("it can be read");
    let record = |text: &str| -> [String; 3] {
        let record: Value = serde_json::from_str(text).expect("JSON");
        ["decision", "how", "call"].map(|key| record[key].as_str().unwrap_or("-").to_owned())
    };
    links.iter().map(|link| record(&link.record)).collect()
}

#[tokio::test]
async fn a_call_that_policy_denies_is_raised_with_the_rules_reason() {
    let rules = "[[rules]]\ntool = 'gated'\nverdict = 'deny'\nreason = 'not on Fridays'\n";
    let mut run = go(script(CAUGHT).rules(rules)).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"Tool 'gated' call denied: not on Fridays\""
    );
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn what_scripts_call_is_in_the_audit_log_as_what_models_call() {
    let mut run = go(script("await free(n=1)\nawait gated(n=2)")).await;
    let calls = run.arrivals(2).await;
    run.approve(&calls[1]).await;
    run.end().await;
    run.flush().await;
    let row = |words: [&str; 3]| words.map(str::to_owned);
    assert_eq!(
        audit(&run),
        [
            row(["allow", "default", "a-1-0"]),
            row(["pause", "script", "a-1-0"]),
            row(["allow", "default", "a-1-0__1"]),
            row(["pause", "script", "a-1-0"]),
            row(["approve", "key", "a-1-0__2"]),
        ]
    );
}

#[tokio::test]
async fn a_rule_may_want_the_script_itself_to_be_read_and_edited_before_it_starts() {
    let rules = "[[rules]]\ntool = 'run_code'\nverdict = 'ask'\nreason = 'read it'\n";
    let mut run = go(script("await free(n=1)").rules(rules)).await;
    let call = run.arrival().await;
    assert_eq!(
        (call.tool.as_str(), call.script.clone()),
        ("run_code", None)
    );
    assert_eq!(run.file("log"), "", "nothing has started");
    let arguments = Arguments::parse("{\"code\":\"await free(n=2)\"}").ok();
    run.decide(&call, Decision::Approve { arguments }).await;
    assert_eq!(
        run.end().await,
        "edited: [The operator changed the arguments to {\"code\":\"await free(n=2)\"} before this ran.]\nResult: \"done\\n\""
    );
    assert_eq!(run.file("log"), "{\"n\":2}\n");
}

#[tokio::test]
async fn a_rule_may_deny_scripts() {
    let rules = "[[rules]]\ntool = 'run_code'\nverdict = 'deny'\nreason = 'no scripts'\n";
    let mut run = go(script("await free(n=1)").rules(rules)).await;
    assert_eq!(run.end().await, "denied: Denied by policy: no scripts");
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn a_rule_given_for_one_call_of_a_script_lets_the_next_one_run() {
    let mut run = go(script("await gated(n=1)\nawait gated(n=2)\n'end'")).await;
    let calls = run.arrivals(2).await;
    let call = &calls[1];
    let grounds = call.grounds.as_ref().expect("the policy asked");
    let offered = candidates(&[Source {
        agent: &call.agent,
        tool: &call.tool,
        arguments: &call.arguments,
        command_line: None,
        workspace: &grounds.workspace,
    }]);
    let (text, at) = (
        offered[offered.len() - 1].text(Verdict::Allow),
        jiff::Timestamp::now(),
    );
    let grant = Grant {
        id: Grant::name(&text, "ada@desk", at, &call.key.session),
        text,
        lasts: Lasts::Session,
        session: call.key.session.clone(),
        from: vec![call.key.call.clone()],
        workspace: grounds.workspace.clone(),
        answers: grounds.questions.clone(),
        who: "ada@desk".to_owned(),
        at,
    };
    run.journal.give(grant).await.expect("it is recorded");
    run.approve(call).await;
    assert_eq!(run.end().await, "executed: Result: \"end\"");
    assert_eq!(run.file("log"), "{\"n\":1}\n{\"n\":2}\n");
}

#[tokio::test]
async fn a_reviewer_looks_at_the_calls_of_a_script_too() {
    let says = "cat >/dev/null; printf '%s' '{\"approved\":false,\"reason\":\"smells\"}'";
    let reviewer = Reviewer {
        name: "guard".to_owned(),
        means: Means::Program(Consulted {
            command: ["sh", "-c", says].map(str::to_owned).to_vec(),
            directory: PathBuf::from("/"),
            hidden: Vec::new(),
        }),
        agents: Vec::new(),
        tools: Vec::new(),
        when: When::Ask,
        timeout: Duration::from_secs(20),
        may: vec![May::Deny],
    };
    let mut run = go(script(CAUGHT).reviewer(reviewer)).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"Tool 'gated' call denied: smells\""
    );
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn a_call_that_nobody_decides_in_time_expires_in_its_script_and_the_script_does_not() {
    let setup = script(CAUGHT).expires(Duration::from_millis(300));
    let mut run = go(setup).await;
    let calls = run.arrivals(2).await;
    assert_eq!(calls[0].expires, None);
    let told = run.end().await;
    assert!(
        told.starts_with("executed: Result: \"Tool 'gated' call expired: nobody decided within"),
        "{told}"
    );
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn an_interrupt_ends_the_script_and_its_waiting_calls() {
    let code = "import asyncio\nawait asyncio.gather(gated(n=1), gated(n=2))\nawait free(n=3)";
    let mut run = go(script(code)).await;
    run.arrivals(3).await;
    run.send(RunCommand::Interrupt).await;
    run.until_state(&RunState::Idle).await;
    for call in ["a-1-0", "a-1-0__1", "a-1-0__2"] {
        assert_eq!(run.outcome(call), Outcome::Interrupted, "{call}");
    }
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn an_interrupt_ends_a_script_that_computes() {
    let mut run = go(script(
        "print('begun')\nawait free(n=1)\nwhile True:\n    pass",
    ))
    .await;
    run.until_finished("a-1-0__1").await;
    run.send(RunCommand::Interrupt).await;
    run.until_state(&RunState::Idle).await;
    assert_eq!(run.outcome("a-1-0"), Outcome::Interrupted);
}

#[tokio::test]
async fn what_a_script_prints_is_shown_while_it_computes() {
    let mut run = go(script("print('begun')\nwhile True:\n    pass")).await;
    assert_eq!(run.line_of("a-1-0").await, "begun");
    run.send(RunCommand::Interrupt).await;
    run.until_state(&RunState::Idle).await;
    assert_eq!(run.outcome("a-1-0"), Outcome::Interrupted);
}

#[tokio::test]
async fn arguments_that_break_a_tools_schema_are_raised_and_nothing_runs() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"], "additionalProperties": false });
    let code =
        "try:\n    await free(n='one')\nexcept Exception as error:\n    told = str(error)\ntold";
    let mut run = go(Setup::script(code).tool("free", APPEND).schema(schema)).await;
    let told = run.end().await;
    assert!(told.contains("do not fit the tool's schema"), "{told}");
    assert_eq!(run.file("log"), "");
}

fn limited(limits: Limits) -> CodeTool {
    CodeTool {
        limits,
        ..CodeTool::default()
    }
}

#[tokio::test]
async fn an_endless_loop_a_memory_bomb_and_a_flood_of_calls_each_end_with_their_own_words() {
    let time = Limits {
        time: Duration::from_millis(300),
        ..Limits::default()
    };
    let memory = Limits {
        memory: 64 * 1024 * 1024,
        ..Limits::default()
    };
    let calls = Limits {
        calls: 3,
        ..Limits::default()
    };
    let cases = [
        ("while True:\n    pass", time, "ran for more than 300ms"),
        ("x = 'a' * (1 << 30)\nlen(x)", memory, "memory"),
        (
            "for i in range(100):\n    await free(n=i)",
            calls,
            "more than 3 calls",
        ),
    ];
    for (code, limits, why) in cases {
        let mut run = go(script(code).code(limited(limits))).await;
        let told = run.end().await;
        assert!(told.starts_with("failed: Error: "), "{told}");
        assert!(told.to_lowercase().contains(why), "{told}");
        assert!(run.file("log").lines().count() <= 3);
    }
}

#[tokio::test]
async fn only_tools_that_the_configuration_offers_can_be_called_and_never_the_script_tool() {
    let tool = CodeTool {
        exclude: vec!["ga*".to_owned()],
        ..CodeTool::default()
    };
    for call in ["gated(n=1)", "run_code(code='1')", "eval('1')", "nope()"] {
        let code = format!(
            "try:\n    await {call}\nexcept NameError as error:\n    told = 'NameError'\ntold"
        );
        let mut run = go(script(&code).code(tool.clone())).await;
        assert_eq!(run.end().await, "executed: Result: \"NameError\"", "{call}");
        assert_eq!(run.file("log"), "");
    }
}

#[tokio::test]
async fn a_call_of_the_model_can_never_have_the_name_of_a_call_of_a_script() {
    let script = json!({ "code": "await free(n=1)" }).to_string();
    let calls = format!(
        "{{ id = 'a', tool = 'run_code', arguments_text = '{script}' }}, {{ id = 'a-1-0_', tool = 'free' }},"
    );
    let setup = Setup::calls(&calls, "end").code(CodeTool::default());
    let mut run = go(setup.tool("free", APPEND)).await;
    run.end().await;
    assert_eq!(CallId::plain("a-1-0__1"), CallId("a-1-0_-1".to_owned()));
    assert_eq!(CallId::plain("a__b"), CallId("a__b".to_owned()));
    assert_eq!(run.outcome("a-1-0__1"), result("done\n"));
}

#[tokio::test]
async fn a_broken_script_tells_the_model_what_is_wrong_with_it() {
    let mut run = go(script("def f(:\n  pass")).await;
    let told = run.end().await;
    assert!(told.contains("SyntaxError"), "{told}");
    let without = "{ id = 'a', tool = 'run_code', arguments = { n = 1 } },";
    let setup = Setup::calls(without, "{{a.came}}").code(CodeTool::default());
    let mut run = go(setup).await;
    assert_eq!(run.end().await, "refused");
    assert!(matches!(run.outcome("a-1-0"), Outcome::Refused { .. }));
    assert_ne!(run.outcome("a-1-0"), refused(""));
}

#[tokio::test]
async fn one_slot_is_enough_for_a_script_and_its_calls() {
    let code = "import asyncio\nr = await asyncio.gather(free(n=1), gated(n=2), free(n=3))\nlen(r)";
    let limits = Run_ {
        parallel: 1,
        ..Run_::default()
    };
    let mut run = go(script(code).limits(limits)).await;
    let calls = run.arrivals(2).await;
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[1]).await;
    assert_eq!(run.end().await, "executed: Result: 3");
}

#[tokio::test]
async fn the_run_waits_for_a_person_only_when_nothing_else_of_it_goes_on() {
    let script = json!({ "code": "await gated(n=1)" }).to_string();
    let calls = format!(
        "{{ id = 'a', tool = 'run_code', arguments_text = '{script}' }}, {{ id = 'b', tool = 'held' }},"
    );
    let setup = Setup::calls(&calls, "end")
        .code(CodeTool::default())
        .asking("gated", APPEND)
        .tool("held", "echo begun; cat pipe")
        .pipe("pipe");
    let mut run = go(setup).await;
    let calls = run.arrivals(2).await;
    let waiting = RunEvent::State(RunState::Waiting);
    assert!(!run.seen.contains(&waiting), "a tool still runs");
    let pipe = run.path("pipe");
    let wrote = tokio::task::spawn_blocking(move || std::fs::write(pipe, "x"));
    wrote.await.expect("no panic").expect("it is written");
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[1]).await;
    run.end().await;
}

#[tokio::test]
async fn a_secret_of_a_scripts_call_is_not_in_the_journal() {
    let code = "t = 'hunter' + str(2) + 'hunter'\nr = await gated(token=t)\nprint(t)\nawait gated(token=t)";
    let setup = || {
        let mut redaction = Redaction::default();
        let pointer = Pointer::parse("/token").expect("a pointer");
        redaction.pointer(pointer);
        script(code).redact(redaction)
    };
    let mut run = go(setup()).await;
    let calls = run.arrivals(2).await;
    run.approve(&calls[1]).await;
    let calls = run.arrivals(2).await;
    let folder = run.kill().await;
    for name in ["journal.db", "journal.db-wal"] {
        let bytes = std::fs::read(folder.path().join("data").join(name)).unwrap_or_default();
        let found = bytes.windows(13).any(|part| part == b"hunter2hunter");
        assert!(!found, "{name}");
    }
    let mut run = setup().go_on(folder);
    let again = run.arrivals(2).await;
    assert_eq!(again[1].arguments, calls[1].arguments);
    assert_eq!(again[1].basis, Basis::ToolDefault);
    run.approve(&again[1]).await;
    assert!(run.end().await.contains("hunter2hunter"));
}
