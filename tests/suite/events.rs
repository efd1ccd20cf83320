//! Events: only what is recorded, in its order, without secrets, and nobody waits for whoever is told.

use countersign::core::call::{CallId, SessionId};
use countersign::core::digest::Digest;
use countersign::core::redact::{Pointer, Redaction};
use countersign::events::{Places, Webhook, announcer};
use countersign::store::Step;
use countersign::store::announce::{Announce, Announced};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use wiremock::matchers::{header, method};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::agent::{Run, Setup, reject};

const END: &str = "{{a.came}}";
const TWO: &str = "{ id = 'a', tool = 'ask', arguments = { pin = '4711-secret', to = 'Rodez' } }, { id = 'b', tool = 'free' },";

fn tell(places: Places) -> Box<dyn Announce> {
    announcer(places)
        .expect("threads can be started")
        .expect("there is a place")
}

fn to_file(path: &Path) -> Box<dyn Announce> {
    tell(Places {
        file: Some(path.to_owned()),
        ..Places::default()
    })
}

fn setup() -> Setup {
    Setup::calls(TWO, END)
        .asking("ask", "echo ran")
        .tool("free", "echo looked")
}

/// A session from its start to the end of its journal; the announcer has a moment, and is gone then.
async fn session(setup: Setup) -> TempDir {
    let mut run: Run = setup.start().await;
    run.say("go").await;
    let call = run.arrival().await;
    run.until_finished("b-1-1").await;
    run.decide(&call, reject("not today")).await;
    run.end().await;
    run.kill().await
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("it was written");
    let parse = |line: &str| serde_json::from_str(line).expect("a line is JSON");
    text.lines().map(parse).collect()
}

/// Waits for the last line, which comes once the journal is closed.
fn until_left(path: &Path) -> Vec<Value> {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.contains("session_left") && text.ends_with('\n') {
            return lines(path);
        }
        assert!(std::time::Instant::now() < until, "{text}");
        std::thread::yield_now();
    }
}

fn of<'a>(lines: &'a [Value], call: &str) -> Vec<&'a str> {
    let about = lines.iter().filter(|line| line["call"] == call);
    about.filter_map(|line| line["event"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_step_of_a_call_is_told_in_its_order_with_ids_times_and_digest() {
    let folder = TempDir::new().expect("a scratch folder");
    let path = folder.path().join("events.jsonl");
    session(setup().announce(to_file(&path))).await;
    let lines = until_left(&path);
    let asked = ["called", "verdict", "waiting", "decided", "ended"];
    assert_eq!(of(&lines, "a-1-0"), asked);
    let free = ["called", "verdict", "started", "finished", "ended"];
    assert_eq!(of(&lines, "b-1-1"), free);
    assert_eq!(lines[0]["event"], "session_began");
    let last = lines.last().expect("a line");
    assert_eq!(last["event"], "session_left");
    for line in &lines {
        assert_eq!(
            (&line["format"], &line["version"]),
            (&json!("countersign.event"), &json!(1))
        );
        assert!(line["at"].is_string(), "{line}");
    }
    let sequence: Vec<_> = lines
        .iter()
        .filter_map(|line| line["seq"].as_i64())
        .collect();
    assert!(sequence.is_sorted(), "{sequence:?}");
    let decided = lines
        .iter()
        .find(|line| line["event"] == "decided")
        .expect("a decision");
    let told = ["decision", "reason", "who", "how"].map(|key| decided[key].as_str().unwrap_or(""));
    assert_eq!(told, ["reject", "not today", "op@desk", "key"]);
    let digests: Vec<_> = lines
        .iter()
        .filter(|line| line["call"] == "a-1-0" && !line["digest"].is_null())
        .map(|line| line["digest"].clone())
        .collect();
    assert_eq!(digests.len(), 3);
    assert!(digests.iter().all(|digest| *digest == digests[0]));
    let mode = std::fs::metadata(&path)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_hold_no_secret() {
    let folder = TempDir::new().expect("a scratch folder");
    let path = folder.path().join("events.jsonl");
    let mut secret = Redaction::default();
    secret.pointer(Pointer::parse("/pin").expect("a pointer"));
    session(setup().redact(secret).announce(to_file(&path))).await;
    until_left(&path);
    let text = std::fs::read_to_string(&path).expect("it was written");
    assert!(
        !text.contains("4711-secret") && text.contains("[redacted "),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_moved_away_begins_anew() {
    let folder = TempDir::new().expect("a scratch folder");
    let path = folder.path().join("events.jsonl");
    let mut run = setup().announce(to_file(&path)).start().await;
    while !path.exists() {
        tokio::task::yield_now().await;
    }
    std::fs::rename(&path, folder.path().join("old")).expect("it is moved");
    run.say("go").await;
    run.arrival().await;
    run.until_finished("b-1-1").await;
    run.kill().await;
    let lines = until_left(&path);
    assert!(lines.iter().any(|line| line["event"] == "waiting"));
}

/// A file that is a pipe nobody reads: whoever opens it waits for ever.
fn stuck(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.is_ok_and(|status| status.success()));
    path
}

/// Reads a pipe until it says how many lines were lost at its end: how many came, and that number.
fn until_count(pipe: &Path) -> (u64, u64) {
    use std::io::BufRead as _;
    // Held open for writing too: the file is opened for each batch.
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).write(true).open(pipe);
    let lines = std::io::BufReader::new(file.expect("it opens")).lines();
    let mut came = 0;
    for line in lines {
        let line: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        if line["event"] == "dropped" {
            return (came, line["count"].as_u64().expect("a number"));
        }
        came += 1;
    }
    (came, 0)
}

#[test]
fn a_place_that_takes_nothing_holds_nobody_up_and_what_is_lost_is_counted() {
    let folder = TempDir::new().expect("a scratch folder");
    let pipe = stuck(&folder);
    let mut announce = to_file(&pipe);
    let (session, all) = (SessionId("s1".to_owned()), 3000);
    let step = Step::Started {
        call: CallId("c1".to_owned()),
        attempt: 0,
        digest: Digest::of_bytes(b""),
    };
    for seq in 1..=all {
        announce.announce(Announced {
            seq,
            at: jiff::Timestamp::UNIX_EPOCH,
            session: &session,
            step: &step,
            digest: None,
        });
    }
    // Somebody reads the pipe at last.
    let reader = std::thread::spawn(move || until_count(&pipe));
    drop(announce);
    let (came, lost) = reader.join().expect("it ends");
    assert!(came > 0 && lost > 0, "{came} came, {lost} were lost");
    assert_eq!(came + lost, 3000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_is_started_again_with_the_line_that_it_did_not_get() {
    let folder = TempDir::new().expect("a scratch folder");
    let file = folder.path().join("lines.jsonl");
    // Each life takes one line, but for the second, which takes all.
    let script =
        "if [ -e lived ]; then cat >> lines.jsonl; else touch lived; head -n 1 >> lines.jsonl; fi";
    let announce = tell(Places {
        command: Some(["sh", "-c", script].map(str::to_owned).to_vec()),
        directory: folder.path().to_owned(),
        ..Places::default()
    });
    let mut run = setup().announce(announce).start().await;
    while !folder.path().join("lived").exists() {
        tokio::task::yield_now().await;
    }
    run.say("go").await;
    run.arrival().await;
    while std::fs::read_to_string(&file)
        .unwrap_or_default()
        .lines()
        .count()
        < 4
    {
        tokio::task::yield_now().await;
    }
    run.kill().await;
    assert_eq!(until_left(&file)[0]["event"], "session_began");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_gets_one_request_for_each_event_and_again_if_it_fails_for_a_moment() {
    let server = MockServer::start().await;
    let busy = Mock::given(method("POST")).respond_with(ResponseTemplate::new(503));
    busy.up_to_n_times(1).mount(&server).await;
    let takes = Mock::given(method("POST")).and(header("authorization", "Bearer word"));
    let takes = takes.respond_with(ResponseTemplate::new(204));
    takes.mount(&server).await;
    let announce = tell(Places {
        webhook: Some(Webhook {
            url: server.uri(),
            header: Some((
                HeaderName::from_static("authorization"),
                HeaderValue::from_static("Bearer word"),
            )),
        }),
        ..Places::default()
    });
    session(setup().announce(announce)).await;
    let events = loop {
        let requests = server.received_requests().await.expect("they are kept");
        let bodies = requests
            .iter()
            .map(|request| serde_json::from_slice(&request.body));
        let events: Vec<Value> = bodies.map(|body| body.expect("JSON")).collect();
        if events.iter().any(|event| event["event"] == "session_left") {
            break events;
        }
        tokio::task::yield_now().await;
    };
    // The first was sent twice.
    assert_eq!(
        (&events[0], &events[0]["event"]),
        (&events[1], &json!("session_began"))
    );
    assert_eq!(
        of(&events, "a-1-0"),
        ["called", "verdict", "waiting", "decided", "ended"]
    );
}
