//! Secrets that are declared are never written in clear, and nothing else suffers by it.

use crate::support::agent::{Run, Setup, reject, session};
use crate::support::headless::Place;
use countersign::core::arguments::Arguments;
use countersign::core::call::{CallId, SessionId};
use countersign::core::decision::Decision;
use countersign::core::digest::Digest;
use countersign::core::redact::{Pointer, Redaction};
use countersign::core::run::RunState;
use countersign::runtime::Veiled;
use countersign::store::{Journal, Reader, Step};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// By pointer wherever it is called `password`, by pattern wherever it stands.
const REDACT: &str = "
[[redact]]
pointer = '/password'
[[redact]]
tool = 'ask*'
pointer = '/users/*/pin'
[[redact]]
pattern = 'sk-[A-Za-z0-9]{20,}'
";

fn redaction() -> Redaction {
    let mut redaction = Redaction::default();
    redaction.pointer(Pointer::parse("/password").expect("a pointer"));
    redaction.pattern("sk-[A-Za-z0-9]{20,}").expect("a pattern");
    redaction
}

/// Prints its arguments on both streams, and keeps them where no redaction reaches.
const ECHO: &str = "input=$(cat); printf '%s\\n' \"$input\" >> seen; printf '%s' \"$input\"; printf '%s' \"$input\" >&2";

fn echo(more: &str) -> String {
    format!("command = ['sh', '-c', '''{ECHO}''']\nparameters = {{ type = 'object' }}\n{more}")
}

/// A text as TOML, or JSON, writes it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// What a secret may look like once it is written, however deep.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    for _ in 0..4 {
        let last = forms.last().expect("there is one");
        let text = quoted(last);
        forms.push(text[1..text.len() - 1].to_owned());
    }
    forms
}

fn holds(bytes: &[u8], secret: &str) -> bool {
    let is = |form: &String| {
        bytes
            .windows(form.len())
            .any(|found| found == form.as_bytes())
    };
    forms(secret).iter().any(is)
}

/// Every file below a folder in which one of the secrets stands.
fn leaks(folder: &Path, secrets: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(leaks(&path, secrets));
            continue;
        }
        // A socket cannot be read.
        let bytes = fs::read(&path).unwrap_or_default();
        let here = secrets.iter().filter(|secret| holds(&bytes, secret));
        found.extend(here.map(|secret| format!("{}: {secret:?}", path.display())));
    }
    found
}

/// Passwords with whatever has to be escaped somewhere.
fn password() -> impl Strategy<Value = String> {
    r#"[a-zA-Z0-9"\\/'\n\t<&é∆😀 ]{6,20}x9"#
}

fn key() -> impl Strategy<Value = String> {
    "sk-[A-Za-z0-9]{24}"
}

/// A session in which secrets come up wherever they can.
fn place(password: &str, key: &str) -> Place {
    let tools = [
        ("login", echo("")),
        ("ask", echo("requires_confirmation = true")),
        (
            "gated",
            format!(
                "command = ['sh', '-c', '''[ -n \"$COUNTERSIGN_APPROVED\" ] || {{ printf '%s' '{{\"reason\":\"for {key}\",\"metadata\":{{\"{key}\":\"{key}\"}}}}'; exit 80; }}; {ECHO}''']\nparameters = {{ type = 'object' }}\n"
            ),
        ),
    ];
    let tools: Vec<_> = tools
        .iter()
        .map(|(name, table)| (*name, table.as_str()))
        .collect();
    let (quoted_password, both) = (quoted(password), quoted(&format!("{password} and {key}")));
    let calls = ["asked", "edited", "rejected", "answered", "sent-back"].map(|id| {
        format!("{{ id = '{id}', tool = 'ask', arguments = {{ password = {quoted_password}, users = [ {{ pin = \"12345{key}\" }} ], note = {both} }} }},")
    });
    let turns = format!(
        "[[turns]]\nname = 'go'\non = ''\ntext = {both}\ncalls = [\n\
         {{ id = 'free', tool = 'login', arguments = {{ user = 'ada', password = {quoted_password}, '{key}' = 1 }} }},\n\
         {{ id = 'broken', tool = 'login', arguments_text = '{{\"user\":\"ada\", \"token\":\"{key}\"' }},\n\
         {{ id = 'gated', tool = 'gated', arguments = {{ token = '{key}' }} }},\n{}\n]\nthen = [ {{ turn = 'end' }} ]\n\
         [[turns]]\nname = 'end'\ntext = 'Ends with {{{{free.result}}}} and {{{{edited.result}}}}'\n",
        calls.join("\n")
    );
    Place::new(&tools, REDACT, &turns)
}

fn begin(place: &Place, key: &str) -> crate::support::headless::Ran {
    let deferred = place.path("deferred.json").display().to_string();
    let prompt = format!("go with {key}");
    place.run(&[
        "run",
        "--prompt",
        &prompt,
        "--headless",
        "--defer-to",
        &deferred,
    ])
}

/// What is decided on each waiting call, with secrets in it.
fn decisions(place: &Place, password: &str, new: &str, key: &str) -> Vec<Value> {
    let both = format!("because {password} or {key}");
    let decide = |call: &Value| {
        let (id, digest) = (&call["call"], &call["digest"]);
        let mut decision = match id.as_str().and_then(|id| id.split("-1-").next()) {
            Some("edited") => {
                json!({ "approve": { "arguments": { "password": new, "note": key } } })
            }
            Some("rejected") => json!({ "reject": { "reason": both } }),
            Some("answered") => json!({ "respond": { "result": both } }),
            Some("sent-back") => json!({ "retry": { "message": both } }),
            _ => json!({ "approve": {} }),
        };
        decision["call"] = id.clone();
        decision["digest"] = digest.clone();
        decision
    };
    place.deferred().iter().map(decide).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_whole_program_leaves_no_secret_in_its_data_folder(
        password in password(), new in password(), key in key(),
    ) {
        let place = place(&password, &key);
        let secrets = [password.as_str(), &new, &key];
        let begun = begin(&place, &key);
        prop_assert_eq!(begun.code, Some(3), "{}", begun.stderr);
        let waiting: Vec<_> = place.deferred();
        prop_assert_eq!(waiting.len(), 6);
        for call in &waiting {
            let (tool, arguments) = (call["tool"].as_str().expect("text"), call["arguments"].as_str().expect("text"));
            // Whoever decides is given what is really to run.
            prop_assert!(arguments.contains(&key));
            prop_assert_eq!(&call["digest"], &json!(Digest::of_call(tool, arguments).as_str()));
        }
        prop_assert_eq!(leaks(&place.data(), &secrets), [""; 0]);
        let decisions = decisions(&place, &password, &new, &key);
        let ended = place.resume(&decisions);
        prop_assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        prop_assert_eq!(leaks(&place.data(), &secrets), [""; 0]);
        for ran in [&begun, &ended] {
            let printed: Vec<_> = ran.lines.iter().map(Value::to_string).collect();
            let printed = printed.join("\n") + &ran.stderr;
            prop_assert!(secrets.iter().all(|secret| !holds(printed.as_bytes(), secret)), "{printed}");
        }
        // The tools got what was really meant.
        let mut seen: Vec<Value> = place.read("workspace/seen").lines()
            .map(|line| serde_json::from_str(line).expect("the arguments")).collect();
        let of_ask = json!({ "password": password, "users": [{ "pin": format!("12345{key}") }], "note": format!("{password} and {key}") });
        let mut wanted = vec![
            json!({ "user": "ada", "password": password, key.clone(): 1 }),
            json!({ "token": key }), of_ask, json!({ "password": new, "note": key }),
        ];
        seen.sort_by_key(Value::to_string);
        wanted.sort_by_key(Value::to_string);
        prop_assert_eq!(seen, wanted);
        holds_and_tells_nothing(&place, &secrets);
        // The key is needed for none of this.
        fs::remove_file(place.data().join("redact.key")).expect("it was made");
        holds_and_tells_nothing(&place, &secrets);
    }

    #[test]
    fn an_agent_leaves_no_secret_in_files_that_are_still_open(
        password in password(), new in password(), key in key(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let arguments = json!({ "password": password, "token": key }).to_string();
            let setup = || Setup::calls(
                &format!("{{ id = 'a', tool = 'ask', arguments_text = {} }},", quoted(&arguments)),
                "{{a.came}}: {{a.result}}",
            ).asking("ask", "input=$(cat); printf '%s\\n' \"$input\" >> seen; cat pipe; printf '%s' \"$input\"")
             .redact(redaction());
            let mut run = setup().pipe("pipe").start().await;
            run.say("go").await;
            let call = run.arrival().await;
            // What the operator sees is what will run.
            assert_eq!(call.arguments.text(), arguments);
            let edited = Arguments::from_value(&json!({ "password": new })).expect("an object");
            run.decide(&call, Decision::Approve { arguments: Some(edited.clone()) }).await;
            while run.file("seen").is_empty() {
                tokio::task::yield_now().await;
            }
            let data = run.data();
            assert_eq!(leaks(&data, &[&password, &new, &key]), [""; 0]);
            // Killed while it runs; it is asked about, shown and run again as it really was.
            let folder = run.kill().await;
            let mut run = setup().go_on(folder);
            let call = run.arrival().await;
            assert_eq!(call.arguments, edited);
            run.decide(&call, Decision::Respond { result: format!("{new} worked") }).await;
            assert!(run.end().await.ends_with(&format!("{new} worked")));
            assert_eq!(run.file("seen"), format!("{}\n", edited.text()));
            run.flush().await;
            assert_eq!(leaks(&run.data(), &[&password, &new, &key]), [""; 0]);
            check(&run);
        });
    }
}

fn check(run: &Run) {
    let reader = Reader::open(&run.data()).expect("the journal opens");
    let checked = reader.check_audit(None).expect("it can be read");
    checked.expect("the log holds");
}

/// The log holds, and neither it nor any export of it tells a secret.
fn holds_and_tells_nothing(place: &Place, secrets: &[&str]) {
    let (code, _, error) = place.print(&["audit", "verify"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    for arguments in [
        &["audit"][..],
        &["audit", "export"],
        &["audit", "export", "--format", "csv"],
        &["sessions"],
    ] {
        let (code, out, error) = place.print(arguments);
        assert_eq!(code, Some(0), "{error}");
        let told = secrets
            .iter()
            .filter(|secret| holds((out.clone() + &error).as_bytes(), secret));
        assert_eq!(told.count(), 0, "{out}");
    }
}

/// A session of one call that waits, with a password in it.
fn waiting() -> Place {
    let tools = [("ask", echo("requires_confirmation = true"))];
    let tools: Vec<_> = tools
        .iter()
        .map(|(name, table)| (*name, table.as_str()))
        .collect();
    let turns = "[[turns]]\nname = 'go'\non = ''\ncalls = [ { id = 'a', tool = 'ask', arguments = { password = 'hunter2', user = 'ada' } } ]\n\
                 then = [ { turn = 'end' } ]\n[[turns]]\nname = 'end'\ntext = 'done'\n";
    let place = Place::new(&tools, REDACT, turns);
    assert_eq!(place.begin().code, Some(3));
    place
}

fn approve() -> Vec<Value> {
    vec![json!({ "call": "a-1-0", "approve": {} })]
}

#[test]
fn the_record_has_the_redacted_arguments_and_the_digest_of_the_real_ones() {
    let place = waiting();
    assert_eq!(place.resume(&approve()).code, Some(0));
    let reader = Reader::open(&place.data()).expect("the journal opens");
    let links = reader.audit().expect("the log can be read");
    let record = links[0].record().expect("a record");
    let real = r#"{"password":"hunter2","user":"ada"}"#;
    assert_eq!(record.digest, Digest::of_call("ask", real));
    let mark = record
        .proposed
        .split('"')
        .nth(3)
        .expect("a mark")
        .to_owned();
    assert!(
        mark.starts_with("[redacted ") && mark.len() == "[redacted 0123456789ab]".len(),
        "{mark}"
    );
    assert_eq!(
        record.proposed,
        format!(r#"{{"password":"{mark}","user":"ada"}}"#)
    );
    assert_eq!(record.sent, Some(record.proposed));
    let (_, listed, _) = place.print(&["audit"]);
    assert!(listed.contains(&mark), "{listed}");
}

#[test]
fn without_its_key_a_session_is_not_gone_on_with_and_says_why() {
    let place = waiting();
    let key = place.data().join("redact.key");
    let mode = fs::metadata(&key)
        .expect("it was made")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept = fs::read(&key).expect("it can be read");
    fs::remove_file(&key).expect("it goes");
    let ran = place.resume(&approve());
    let missing = format!(
        "countersign: the key {} is missing, without which nothing that was redacted can be read or gone on with; \
         put it back from your backup (`countersign audit` and `countersign sessions` need no key)\n",
        key.display()
    );
    assert_eq!((ran.code, ran.stderr), (Some(1), missing.clone()));
    // Nor is anything begun that would be sealed with another key.
    let ran = place.begin();
    assert_eq!((ran.code, ran.stderr), (Some(1), missing));
    assert!(!key.exists());
    fs::write(&key, "00".repeat(32)).expect("it can be written");
    let ran = place.resume(&approve());
    assert_eq!(
        (ran.code, ran.stderr),
        (
            Some(1),
            format!(
                "countersign: {} is not the key that this journal was redacted with; put that one back from your backup \
             (`countersign audit` and `countersign sessions` need no key)\n",
                key.display()
            )
        )
    );
    fs::write(&key, "no key").expect("it can be written");
    let ran = place.resume(&approve());
    assert_eq!(
        (ran.code, ran.stderr),
        (
            Some(1),
            format!(
                "countersign: the key {} cannot be used: it is no such key; correct that, or put it back from your backup\n",
                key.display()
            )
        )
    );
    assert_eq!(place.read("workspace/seen"), "");
    fs::write(&key, kept).expect("it can be written");
    assert_eq!(place.resume(&approve()).code, Some(0));
    assert_eq!(
        place.read("workspace/seen"),
        "{\"password\":\"hunter2\",\"user\":\"ada\"}\n"
    );
}

/// Changes the journal past the program.
fn tamper(place: &Place, sql: &str) {
    let database = rusqlite::Connection::open(place.journal()).expect("the journal opens");
    let all = format!("DROP TRIGGER journal_is_never_changed; {sql}");
    database.execute_batch(&all).expect("it can be changed");
}

#[test]
fn what_was_sealed_and_is_changed_is_not_used() {
    // The sealed text itself, what is in clear beside it, a text that was sealed for another step, another
    // session's state of the provider.
    for change in [
        "UPDATE journal SET sealed = CAST(substr(sealed, 1, length(sealed) - 1) || CASE substr(sealed, -1) WHEN X'00' THEN X'01' ELSE X'00' END AS BLOB) WHERE kind = 'arrived'",
        "UPDATE journal SET sealed = X'00' WHERE kind = 'arrived'",
        "UPDATE journal SET body = replace(body, 'ada', 'eve') WHERE kind = 'arrived'",
        "UPDATE journal SET sealed = (SELECT sealed FROM journal WHERE kind = 'replied') WHERE kind = 'arrived'",
        "UPDATE journal SET session = 'other' WHERE kind <> 'session'; UPDATE journal SET session = 'other' WHERE kind = 'session'",
    ] {
        let place = waiting();
        tamper(&place, change);
        let ran = place.resume(&approve());
        let changed = "countersign: what was redacted in the journal was changed since it was written, and is not used; \
                       put a copy of before in its place\n";
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(1), changed),
            "{change}"
        );
        assert_eq!(place.read("workspace/seen"), "", "{change}");
    }
}

#[tokio::test]
async fn what_holds_no_secret_is_written_as_ever_and_makes_no_key() {
    let mut run = Setup::calls(
        "{ id = 'a', tool = 'ask', arguments = { user = 'ada' } },",
        "{{a.result}}",
    )
    .asking("ask", "cat")
    .redact(redaction())
    .start()
    .await;
    run.say("go").await;
    let call = run.arrival().await;
    run.decide(&call, reject("not now")).await;
    run.end().await;
    run.flush().await;
    assert!(!run.data().join("redact.key").exists());
    let count = |query: &str| -> i64 {
        let row = run.database().query_row(query, [], |row| row.get(0));
        row.expect("a number")
    };
    assert!(count("SELECT count(*) FROM journal") > 5);
    assert_eq!(
        count("SELECT count(*) FROM journal WHERE sealed IS NOT NULL"),
        0
    );
    assert_eq!(count("SELECT count(*) FROM redaction"), 0);
}

#[tokio::test]
async fn what_a_provider_keeps_is_sealed_as_a_whole_and_comes_back() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let key = "sk-0123456789abcdefghijkl";
    let (journal, writer) = Journal::redacting(folder.path(), redaction()).expect("a journal");
    let history = json!({ "messages": [{ "role": "user", "content": format!("use {key}") }] });
    for suspension in [json!({ "messages": ["plain"] }), history.clone()] {
        let calls = Vec::new();
        let step = Step::Replied { calls, suspension };
        journal
            .append(&session(), step)
            .await
            .expect("it is written");
    }
    let other = SessionId("other".to_owned());
    let plain = json!({ "messages": ["plain"] });
    let step = Step::Replied {
        calls: Vec::new(),
        suspension: plain.clone(),
    };
    journal.append(&other, step).await.expect("it is written");
    assert_eq!(leaks(folder.path(), &[key]), [""; 0]);
    let reader = Reader::open(folder.path()).expect("the journal opens");
    assert_eq!(
        reader.suspension(&session()).expect("it can be read"),
        Some(history)
    );
    assert_eq!(
        reader.suspension(&other).expect("it can be read"),
        Some(plain)
    );
    drop(journal);
    writer.join();
    assert_eq!(leaks(folder.path(), &[key]), [""; 0]);
}

#[tokio::test]
async fn a_secret_that_is_put_together_by_edits_is_found() {
    let mut run = Setup::calls(
        "{ id = 'a', tool = 'ask', arguments = { text = 'sk-0123456789' } },",
        "{{a.result}}",
    )
    .asking("ask", "cat")
    .redact(redaction())
    .start()
    .await;
    run.say("go").await;
    let call = run.arrival().await;
    let whole = "sk-0123456789abcdefghijkl";
    let edited = Arguments::from_value(&json!({ "text": whole })).expect("an object");
    run.decide(
        &call,
        Decision::Approve {
            arguments: Some(edited),
        },
    )
    .await;
    assert!(
        run.end().await.contains(whole),
        "the model gets the real result"
    );
    run.flush().await;
    assert_eq!(leaks(&run.data(), &[whole]), [""; 0]);
    check(&run);
}

#[tokio::test]
async fn a_call_whose_name_is_a_secret_gets_another_one() {
    let key = "sk-0123456789abcdefghijkl";
    let mut run = Setup::calls(&format!("{{ id = '{key}', tool = 'ask' }},"), "end")
        .asking("ask", "cat")
        .redact(redaction())
        .start()
        .await;
    run.say("go").await;
    let call = run.arrival().await;
    assert!(!call.key.call.0.contains(key), "{}", call.key.call);
    run.approve(&call).await;
    run.until_state(&RunState::Idle).await;
    run.flush().await;
    assert_eq!(leaks(&run.data(), &[key]), [""; 0]);
}

#[tokio::test]
async fn two_processes_that_begin_at_the_same_time_have_one_key() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let opened =
        [(); 4].map(|()| Journal::redacting(folder.path(), redaction()).expect("a journal"));
    let step = |number: usize| Step::Ended {
        call: CallId(format!("c{number}")),
        outcome: countersign::core::run::Outcome::Result {
            text: format!("sk-0123456789abcdefghijkl {number}"),
        },
    };
    let session = session();
    let written = opened
        .iter()
        .enumerate()
        .map(|(number, (journal, _))| journal.append(&session, step(number)));
    futures::future::try_join_all(written)
        .await
        .expect("they are written");
    let reader = Reader::open(folder.path()).expect("the journal opens");
    let mut texts: Vec<_> = reader
        .steps(&session, 0)
        .expect("they can be read")
        .into_iter()
        .map(|stored| stored.step)
        .collect();
    texts.sort_by_key(|step| step.call().map(|call| call.0.clone()));
    assert_eq!(texts, [0, 1, 2, 3].map(step));
}

#[tokio::test]
async fn a_private_key_in_a_file_that_is_to_be_written_leaves_no_line_behind() {
    let lines = [
        "-----BEGIN PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
        "-----END PRIVATE KEY-----",
    ];
    let mut redaction = Redaction::default();
    let pattern = "(?s)-----BEGIN [A-Z ]+-----.*?-----END [A-Z ]+-----";
    redaction.pattern(pattern).expect("a pattern");
    let arguments =
        json!({ "path": "key.pem", "content": lines.join("\n") + "\nmore\n" }).to_string();
    let calls = format!(
        "{{ id = 'a', tool = 'write_file', arguments_text = {} }},\n{{ id = 'b', tool = 'tell' }},",
        quoted(&arguments)
    );
    let mut run = Setup::calls(&calls, "{{a.came}} {{b.result}}")
        .tool("tell", &format!("echo 'it begins with {}'", lines[1]))
        .redact(redaction)
        .start()
        .await;
    run.say("go").await;
    let call = run.arrival().await;
    let diff = &call.preview.as_ref().expect("a file is written").diff;
    assert_eq!(diff.rows.len(), 6, "the operator sees all of it");
    run.approve(&call).await;
    assert!(run.end().await.starts_with("approved it begins with MIIE"));
    assert_eq!(run.file("key.pem"), lines.join("\n") + "\nmore\n");
    run.flush().await;
    assert_eq!(leaks(&run.data(), &lines[1..3]), [""; 0]);
    check(&run);
}

#[test]
fn a_line_of_the_log_holds_no_secret() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (journal, writer) = Journal::redacting(folder.path(), redaction()).expect("a journal");
    let password = "pass\"word \\ two";
    let arguments = json!({ "password": password }).to_string();
    journal.veil().heed("login", &arguments);
    let panic = format!(
        "byte index 3 is out of bounds of `{arguments}` sk-0123456789abcdefghijkl pass\"w[...]"
    );
    let line = json!({ "level": "ERROR", "fields": { "message": panic } }).to_string() + "\n";
    let mut file = Vec::new();
    Veiled::new(&mut file, journal.veil().clone())
        .write_all(line.as_bytes())
        .expect("it is written");
    assert!(!holds(&file, password) && !holds(&file, "pass\"w") && !holds(&file, "sk-01"));
    let line: Value = serde_json::from_slice(&file).expect("still JSON");
    assert_eq!(line["level"], "ERROR");
    drop(journal);
    writer.join();
}

#[test]
fn a_state_of_another_framework_is_decided_without_a_secret_in_the_journal() {
    let (password, new) = ("hunter2hunter2", "sk-0123456789abcdefghijkl");
    let place = Place::new(&[], REDACT, "");
    let state = json!({
        "action_requests": [{
            "name": "login",
            "args": { "user": "ada", "password": password },
            "description": format!("log in with {password}"),
        }],
        "review_configs": [{ "action_name": "login", "allowed_decisions": ["approve", "edit"] }],
    });
    place.write("state.json", &state.to_string());
    let edited = json!({ "user": "ada", "password": password, "token": new });
    place.decide(&[json!({ "call": "0", "approve": { "arguments": edited } })]);
    let (code, out, error) =
        place.print(&["decide", "state.json", "--decisions", "decisions.json"]);
    assert_eq!(code, Some(0), "{error}");
    let results: Value = serde_json::from_str(&out).expect("the results");
    assert_eq!(results["decisions"][0]["edited_action"]["args"], edited);
    assert_eq!(leaks(&place.data(), &[password, new]), [""; 0]);
    holds_and_tells_nothing(&place, &[password, new]);
}

/// A session with a secret, and another configuration to go on with it, which declares nothing.
fn waiting_elsewhere() -> Place {
    let place = waiting();
    let text = place.read("countersign.toml");
    place.write("other.toml", text.strip_suffix(REDACT).expect("it is last"));
    place
}

fn resume_with_other(place: &Place) -> (Option<i32>, String) {
    place.decide(&approve());
    let own = place.command(&[]);
    let mut command = Command::new(own.get_program());
    for (name, value) in own.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let arguments = "--config other.toml resume --headless --decisions decisions.json";
    let command = command.args(arguments.split(' '));
    let ran = command.current_dir(place.path("")).output();
    let ran = ran.expect("the program runs");
    let error = String::from_utf8_lossy(&ran.stderr).into_owned();
    (ran.status.code(), error)
}

#[test]
fn under_another_configuration_a_sessions_secrets_stay_secret() {
    let place = waiting_elsewhere();
    assert_eq!(resume_with_other(&place), (Some(0), String::new()));
    let seen = "{\"password\":\"hunter2\",\"user\":\"ada\"}\n";
    assert_eq!(place.read("workspace/seen"), seen);
    assert_eq!(leaks(&place.data(), &["hunter2"]), [""; 0]);
}

#[test]
fn a_session_with_secrets_is_not_gone_on_with_where_nothing_says_what_is_secret() {
    let place = waiting_elsewhere();
    fs::remove_file(place.path("countersign.toml")).expect("it is there");
    let (code, error) = resume_with_other(&place);
    assert_eq!(code, Some(2), "{error}");
    assert!(
        error.contains("declare its secrets with [[redact]]"),
        "{error}"
    );
    assert_eq!(place.read("workspace/seen"), "");
    assert_eq!(leaks(&place.data(), &["hunter2"]), [""; 0]);
    let other = place.read("other.toml") + REDACT;
    place.write("other.toml", &other);
    assert_eq!(resume_with_other(&place), (Some(0), String::new()));
    assert_eq!(leaks(&place.data(), &["hunter2"]), [""; 0]);
}

#[tokio::test]
async fn what_another_session_declares_counts_from_then_on() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (journal, writer) = Journal::open(folder.path()).expect("a journal");
    let key = "sk-0123456789abcdefghijkl";
    assert_eq!(journal.veil().text(key), key);
    for _ in 0..2 {
        journal.veil().declare(&redaction());
    }
    let step = Step::Sent {
        append: countersign::core::exchange::Append {
            answers: Vec::new(),
            messages: vec![format!("use {key}")],
        },
    };
    journal
        .append(&session(), step.clone())
        .await
        .expect("it is written");
    assert_eq!(leaks(folder.path(), &[key]), [""; 0]);
    let reader = Reader::open(folder.path()).expect("the journal opens");
    let steps = reader.steps(&session(), 0).expect("they can be read");
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0].step, step);
    drop(journal);
    writer.join();
}
