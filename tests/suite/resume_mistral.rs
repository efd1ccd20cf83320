//! A whole session with the Conversations API that is killed while its results are on their way: the
//! conversation's history tells the next process whether they had arrived.

use serde_json::{Value, json};
use std::process::Stdio;

use crate::support::conversation::{
    APPEND, HISTORY, START, answer, call, conversation, history, lines, message_entry, output,
    result_entry,
};
use crate::support::headless::{Place, lines as json_lines};
use crate::support::raw::{Act, Raw};

/// A place whose agent asks the server, and whose tool leaves a line each time it runs.
fn place(raw: &Raw) -> Place {
    let place = Place::new(&[], "", "");
    let config = format!(
        "default_policy = false\n[providers.m]\nkind = 'mistral'\nbase_url = '{}'\napi_key_env = ''\n\
         [agents.test]\nprovider = 'm'\nmodel = 'm'\nworkspace = 'workspace'\nstream = false\ntools = ['book']\n\
         [tools.book]\ndescription = 'Books.'\ncommand = ['sh', '-c', 'echo run >>ran; echo booked']\n",
        raw.url()
    );
    place.write("countersign.toml", &config);
    place
}

/// Runs until the results of the call are on their way, and kills the program there.
async fn killed_while_sending(acts: Vec<Act>) -> (Raw, Place) {
    let first = answer(&conversation(&[call("fc_1", "c1", &Value::Null)]));
    let raw = Raw::of([vec![first, Act::hang("")], acts].concat()).await;
    let place = place(&raw);
    let mut command = place.command(&["run", "--prompt", "Book", "--headless"]);
    let mut child = command
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    raw.has_read(2).await;
    child.kill().expect("it is killed");
    child.wait().expect("it has ended");
    (raw, place)
}

/// Goes on, and gives the exit code and what the model said.
async fn resumed(place: &Place) -> (Option<i32>, Vec<String>) {
    let mut command = place.command(&["resume", "--headless"]);
    let ended = tokio::task::spawn_blocking(move || command.output());
    let output = ended.await.expect("no panic").expect("the program runs");
    let said = json_lines(&String::from_utf8_lossy(&output.stdout));
    let said = said
        .iter()
        .filter_map(|line| line["text_ended"]["text"].as_str());
    (output.status.code(), said.map(str::to_owned).collect())
}

/// The inputs of the last request.
fn inputs(raw: &Raw) -> Value {
    let requests = raw.requests();
    let body = requests
        .last()
        .and_then(|request| request.splitn(3, ' ').nth(2));
    let body: Value = serde_json::from_str(body.unwrap_or("null")).expect("a body is JSON");
    body["inputs"].clone()
}

#[tokio::test]
async fn results_that_had_arrived_are_not_sent_again() {
    let there = history(&[
        message_entry("Book"),
        call("fc_1", "c1", &Value::Null),
        result_entry("c1"),
        output("m_1", "It is booked."),
    ]);
    let (raw, place) = killed_while_sending(vec![answer(&there)]).await;
    assert_eq!(
        resumed(&place).await,
        (Some(0), vec!["It is booked.".to_owned()])
    );
    assert_eq!(lines(&raw), [START, APPEND, HISTORY]);
    assert_eq!(place.read("workspace/ran"), "run\n");
}

#[tokio::test]
async fn results_that_had_not_arrived_are_sent_again_and_not_made_again() {
    let before = history(&[message_entry("Book"), call("fc_1", "c1", &Value::Null)]);
    let after = answer(&conversation(&[output("m_1", "It is booked.")]));
    let (raw, place) = killed_while_sending(vec![answer(&before), after]).await;
    assert_eq!(
        resumed(&place).await,
        (Some(0), vec!["It is booked.".to_owned()])
    );
    assert_eq!(lines(&raw), [START, APPEND, HISTORY, APPEND]);
    let sent = json!([{
        "tool_call_id": "c1", "result": "booked\n", "object": "entry", "type": "function.result",
    }]);
    assert_eq!(inputs(&raw), sent);
    assert_eq!(place.read("workspace/ran"), "run\n");
}
