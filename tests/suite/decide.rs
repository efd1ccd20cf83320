//! `countersign decide` without a screen: the whole program, from a state to its results.

use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

use crate::support::headless::Place;

/// A state of two calls, in `LangChain`'s form: their ids are their places.
fn state(path: &str) -> Value {
    json!({
        "action_requests": [
            { "name": "delete_file", "args": { "path": path }, "description": "it is old" },
            { "name": "send_email", "args": { "to": "x@y", "copies": 12_345_678_901_234_567_890_u64 } },
        ],
        "review_configs": [
            { "action_name": "delete_file", "allowed_decisions": ["approve", "reject"] },
            { "action_name": "send_email", "allowed_decisions": ["approve", "edit", "reject", "respond"] },
        ],
    })
}

/// A scratch folder with a state in it.
fn place() -> Place {
    let place = Place::new(&[], "", "");
    place.write("state.json", &state("/srv/a").to_string());
    place
}

/// The program's exit code, standard output and standard error.
type Printed = (Option<i32>, String, String);

fn decide(place: &Place, arguments: &[&str]) -> Printed {
    let arguments: Vec<_> = ["decide"].iter().chain(arguments).copied().collect();
    place.print(&arguments)
}

/// With decisions from a file.
fn with(place: &Place, decisions: &[Value], arguments: &[&str]) -> Printed {
    place.decide(decisions);
    let arguments: Vec<_> = arguments
        .iter()
        .chain(&["--decisions", "decisions.json"])
        .copied()
        .collect();
    decide(place, &arguments)
}

fn results(printed: &Printed) -> Value {
    assert_eq!(printed.0, Some(0), "{}", printed.2);
    serde_json::from_str(&printed.1).expect("standard output holds the results")
}

/// The records of the audit log.
fn records(place: &Place) -> Vec<Value> {
    let (code, out, error) = place.print(&["audit", "export", "--format", "jsonl"]);
    assert_eq!(code, Some(0), "{error}");
    out.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a record is JSON"))
        .map(|record| record.get("record").cloned().unwrap_or(record))
        .collect()
}

#[test]
fn decisions_from_a_file_become_the_results_and_are_recorded_as_such() {
    let place = place();
    let decisions = [
        json!({ "call": "0", "approve": {} }),
        json!({ "call": "1", "approve": { "arguments": { "to": "z@y", "copies": 1 } } }),
    ];
    let printed = with(&place, &decisions, &["state.json"]);
    let edited = json!({ "name": "send_email", "args": { "to": "z@y", "copies": 1 } });
    let wanted = json!({ "decisions": [
        { "type": "approve" },
        { "type": "edit", "edited_action": edited },
    ] });
    assert_eq!(results(&printed), wanted);
    let of = |record: &Value| {
        [&record["call"], &record["decision"], &record["how"]]
            .map(|word| word.as_str().unwrap_or("").to_owned())
    };
    let recorded: Vec<_> = records(&place).iter().map(of).collect();
    let wanted = [["0", "approve", "headless"], ["1", "edit", "headless"]];
    assert_eq!(recorded, wanted.map(|row| row.map(str::to_owned)));
}

#[test]
fn a_step_of_a_pipe_reads_standard_input() {
    let place = place();
    let mut command = place.command(&["decide", "--reject-all", "not today"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin
        .write_all(state("/srv/a").to_string().as_bytes())
        .expect("it is read");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let rejected = json!({ "type": "reject", "message": "not today" });
    let wanted = json!({ "decisions": [rejected, rejected] });
    let written: Value = serde_json::from_slice(&output.stdout).expect("the results");
    assert_eq!((output.status.code(), written), (Some(0), wanted));
}

#[test]
fn a_state_that_was_decided_says_when_and_by_whom_and_is_decided_again_only_if_told() {
    let place = place();
    results(&decide(&place, &["state.json", "--approve-all"]));
    // The same state, however it is laid out and wherever it lies.
    let pretty = serde_json::to_string_pretty(&state("/srv/a")).expect("it is JSON");
    place.write("copy.json", &pretty);
    let (code, out, error) = decide(&place, &["copy.json", "--reject-all", "no"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let told = error.contains("copy.json: this state was decided at 2")
        && error
            .contains("2 calls, written to standard output; to decide it once more, give --again");
    assert!(told, "{error}");
    let again = decide(&place, &["copy.json", "--reject-all", "no", "--again"]);
    assert_eq!(results(&again)["decisions"][0]["type"], "reject");
    let (code, ..) = decide(&place, &["state.json", "--approve-all"]);
    assert_eq!(code, Some(2));
}

#[test]
fn another_state_of_the_same_calls_is_another_state() {
    let place = place();
    results(&decide(&place, &["state.json", "--approve-all"]));
    place.write("state.json", &state("/srv/b").to_string());
    results(&decide(&place, &["state.json", "--approve-all"]));
}

#[test]
fn a_decision_that_does_not_fit_is_refused_before_anything_is_recorded() {
    let cases = [
        (
            json!({ "call": "0", "approve": { "arguments": {} } }),
            "state.json: the call `0` cannot be approved with edits: its framework would not act on it",
        ),
        (
            json!({ "call": "0", "respond": { "result": "x" } }),
            "state.json: the call `0` cannot be answered: its framework would not act on it",
        ),
        (
            json!({ "call": "7", "approve": {} }),
            "the decision on `7` names no call that waits; see the ids in the state",
        ),
        (
            json!({ "call": "0", "approve": {}, "digest": "0".repeat(64) }),
            "state.json: the decision on `0` is for other arguments than the call has now; look at it again",
        ),
        (
            json!({ "call": "0", "approve": { "always": "tool" } }),
            "state.json: the call `0` cannot be approved for later calls too: its framework would not act on it",
        ),
    ];
    for (decision, why) in cases {
        let place = place();
        let fine = json!({ "call": "1", "approve": {} });
        let (code, out, error) = with(&place, &[fine, decision], &["state.json"]);
        assert_eq!((code, out.as_str(), error.trim()), (Some(2), "", why));
        assert!(!place.journal().exists(), "something was recorded");
    }
}

#[test]
fn a_part_of_the_decisions_is_kept_for_the_rest() {
    let place = place();
    let first = [json!({ "call": "1", "reject": { "reason": "wrong address" } })];
    let (code, out, error) = with(&place, &first, &["state.json", "--out", "out.json"]);
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(error.contains("1 call is undecided, of 2"), "{error}");
    assert_eq!(place.read("out.json"), "");
    // What would be another decision on the same call comes too late.
    let (code, _, error) = decide(
        &place,
        &["state.json", "--approve-all", "--out", "out.json"],
    );
    assert_eq!(code, Some(0), "{error}");
    assert!(
        error.contains("state.json: 1 of 2 calls were decided before, and stay so"),
        "{error}"
    );
    let wanted = json!({ "decisions": [
        { "type": "approve" },
        { "type": "reject", "message": "wrong address" },
    ] });
    let written: Value = serde_json::from_str(&place.read("out.json")).expect("it is JSON");
    assert_eq!(written, wanted);
}

#[test]
fn a_form_that_takes_all_or_nothing_is_not_given_a_part() {
    let place = place();
    let first = [json!({ "call": "0", "approve": {} })];
    let (code, out, error) = with(&place, &first, &["state.json", "--partial"]);
    assert_eq!((code, out.as_str()), (Some(3), ""));
    let why = "nothing is written: langchain goes on only with an answer to each call";
    assert!(error.contains(why), "{error}");
}

#[test]
fn the_results_of_several_states_go_to_a_file_each() {
    let place = place();
    place.write("other.json", &state("/srv/b").to_string());
    let (code, out, error) = decide(&place, &["state.json", "other.json", "--approve-all"]);
    assert_eq!((code, out.as_str()), (Some(0), ""), "{error}");
    let approved = json!({ "decisions": [{ "type": "approve" }, { "type": "approve" }] });
    for name in ["state.decided.json", "other.decided.json"] {
        let written: Value = serde_json::from_str(&place.read(name)).expect("it is JSON");
        assert_eq!(written, approved);
    }
    std::fs::create_dir(place.path("results")).expect("a folder");
    let again = [
        "state.json",
        "other.json",
        "--approve-all",
        "--again",
        "--out",
        "results",
    ];
    assert_eq!(decide(&place, &again).0, Some(0));
    assert_eq!(
        place.read("results/other.decided.json"),
        place.read("other.decided.json")
    );
}

#[test]
fn results_have_places_of_their_own() {
    let place = place();
    place.write("copy.json", &state("/srv/a").to_string());
    place.write("other.json", &state("/srv/b").to_string());
    let cases: [(&[&str], &str); 4] = [
        (
            &["state.json", "copy.json"],
            "copy.json: this is the same state as state.json; give it once",
        ),
        (
            &["state.json", "other.json", "--out", "a", "--out", "a"],
            "--out: the results of two states would go to a; name a file for each",
        ),
        (
            &["state.json", "other.json", "--out", "a"],
            "--out: 2 states were given and 1 files named for results; name one for each, or a folder",
        ),
        (&["-", "-"], "standard input holds one state; name it once"),
    ];
    for (arguments, why) in cases {
        let arguments: Vec<_> = arguments
            .iter()
            .chain(&["--approve-all"])
            .copied()
            .collect();
        let (code, out, error) = decide(&place, &arguments);
        assert_eq!((code, out.as_str(), error.trim()), (Some(2), "", why));
    }
    assert!(!place.journal().exists(), "something was recorded");
}

#[test]
fn results_that_cannot_be_written_are_not_handed_over() {
    let place = place();
    let (code, out, error) = decide(
        &place,
        &["state.json", "--approve-all", "--out", "none/out.json"],
    );
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        error.contains("cannot write the results to none/out.json"),
        "{error}"
    );
    // Nothing was given away, so nothing needs to be decided again.
    results(&decide(&place, &["state.json", "--approve-all"]));
}

#[test]
fn bad_input_is_told_with_its_place_and_leaves_no_trace() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = [
        ("", "this is not JSON"),
        ("{", "line 1, column 1"),
        (
            "[]",
            "this is no deferred state of a form that is known; name one with --format",
        ),
        ("{\"a\":1,\"a\":2}", "the key \"a\" stands twice"),
        (
            deep.as_str(),
            "lists and objects lie too deep in each other",
        ),
        ("\u{1b}]0;x\u{7}", "line 1, column 1"),
    ];
    for (text, why) in cases {
        let place = place();
        place.write("bad.json", text);
        let (code, out, error) = decide(&place, &["state.json", "bad.json", "--approve-all"]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
        assert!(
            error.starts_with("bad.json: ") && error.contains(why),
            "{error}"
        );
        assert!(!error.contains('\u{1b}'), "{error}");
        assert!(!place.journal().exists(), "something was recorded");
    }
    let place = place();
    std::fs::write(place.path("bytes.json"), [b'"', 0xff, b'"']).expect("a file");
    for (arguments, why) in [
        (
            ["bytes.json", "--approve-all"],
            "bytes.json: byte 1 is not UTF-8",
        ),
        (["none.json", "--approve-all"], "none.json: No such file"),
        (
            ["state.json", "--format=yaml"],
            "--format: there is no form \"yaml\"; take one of mistral,",
        ),
        (["state.json", "--format=openai-agents"], "state.json: "),
    ] {
        let (code, out, error) = decide(&place, &arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn many_calls_are_decided_at_once() {
    let place = place();
    let request =
        |n: usize| json!({ "name": "delete_file", "args": { "path": format!("/srv/{n}") } });
    let requests: Vec<_> = (0..5_000).map(request).collect();
    let review = json!({ "action_name": "delete_file", "allowed_decisions": ["approve"] });
    let state = json!({ "action_requests": requests, "review_configs": [review] });
    place.write("state.json", &state.to_string());
    let printed = decide(&place, &["state.json", "--approve-all"]);
    let decisions = results(&printed)["decisions"].as_array().map(Vec::len);
    assert_eq!(decisions, Some(5_000));
    assert_eq!(records(&place).len(), 5_000);
}

#[test]
fn a_state_is_listed_as_what_it_is_and_is_not_resumed() {
    let place = place();
    let first = [json!({ "call": "0", "approve": {} })];
    assert_eq!(with(&place, &first, &["state.json"]).0, Some(3));
    let (_, out, _) = place.print(&["sessions"]);
    assert!(
        out.contains("waits; go on with: countersign decide state.json"),
        "{out}"
    );
    let (code, _, error) = place.print(&["resume", "--headless"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("go on with: countersign decide state.json"),
        "{error}"
    );
    results(&decide(&place, &["state.json", "--approve-all"]));
    let (_, out, _) = place.print(&["sessions"]);
    assert!(out.contains("the state of state.json is decided"), "{out}");
}

#[tokio::test]
async fn a_state_of_which_some_steps_are_there_is_taken_in_as_a_whole() {
    use countersign::agent::foreign;
    use countersign::runtime::deferred::{Again, Desk};
    use countersign::store::{Journal, Step};

    let imported =
        || countersign::deferred::read(&state("/srv/a").to_string(), None).expect("it is read");
    let folder = tempfile::TempDir::new().expect("a scratch folder");
    let other = tempfile::TempDir::new().expect("a scratch folder");
    let (journal, _writer) = Journal::open(other.path()).expect("a journal");
    let desk = |journal, folder| Desk {
        folder,
        journal,
        again: Again::No,
    };
    let whole = desk(&journal, other.path())
        .enter("s".to_owned(), imported())
        .await
        .expect("it is new");
    // Of a process that was killed: the second call without the first.
    let steps = foreign::steps(&whole.session, "s", &imported(), jiff::Timestamp::now());
    let first = |step: &Step| matches!(step, Step::Arrived(call) if call.key.call.0 == "0");
    let (journal, _writer) = Journal::open(folder.path()).expect("a journal");
    let some = steps.into_iter().filter(|step| !first(step)).take(4);
    journal
        .append_all(&whole.session, some)
        .await
        .expect("they are written");
    let again = desk(&journal, folder.path())
        .enter("s".to_owned(), imported())
        .await
        .expect("it goes on");
    assert_eq!(again.session, whole.session);
    assert_eq!(again.open().len(), 2);
    let count = |events: &[countersign::core::run::RunEvent]| events.len();
    assert_eq!(
        count(&again.projection.events),
        count(&whole.projection.events)
    );
}

#[test]
fn results_go_where_a_link_leads_and_into_a_pipe_and_never_over_their_state() {
    let place = place();
    place.write("real.json", "old");
    std::os::unix::fs::symlink("real.json", place.path("link.json")).expect("a link");
    assert_eq!(
        decide(
            &place,
            &["state.json", "--approve-all", "--out", "link.json"]
        )
        .0,
        Some(0)
    );
    assert!(place.read("real.json").contains("approve"));
    assert!(place.path("link.json").is_symlink());
    let device = decide(
        &place,
        &[
            "state.json",
            "--approve-all",
            "--again",
            "--out",
            "/dev/null",
        ],
    );
    assert_eq!(
        (device.0, std::path::Path::new("/dev/null").is_file()),
        (Some(0), false)
    );
    let over = decide(
        &place,
        &[
            "state.json",
            "--approve-all",
            "--again",
            "--out",
            "./state.json",
        ],
    );
    assert_eq!(over.0, Some(2));
    assert!(
        over.2
            .contains("would take the place of the state in ./state.json"),
        "{}",
        over.2
    );
}
