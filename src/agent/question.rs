//! What a server asks the operator while it runs a call: a pending call like any other.
//!
//! Owns how such a question is put and what a ruling on it says to the server. Its arguments are what
//! the server would be sent, so that an approval is bound to them like that of any call.

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::ask::Asking;
use super::call::One;
use crate::core::arguments::Arguments;
use crate::core::call::{Answers, CallId};
use crate::core::decision::Decision;
use crate::core::run::{CallStatus, RunEvent};
use crate::core::schema::Schema;
use crate::core::verdict::Basis;
use crate::tools::{Question, Reply, Wants};

impl One<'_> {
    /// Puts the questions of one execution, one after the other, until nothing more can be asked.
    pub(super) async fn put_questions(
        &self,
        mut questions: mpsc::Receiver<Question>,
        attempt: u32,
    ) {
        let mut number = 0_u32;
        while let Some(question) = questions.recv().await {
            number += 1;
            let id = self.id.asks(attempt, number);
            self.put_question(&id, question).await;
            self.work.reports.status(self.id, CallStatus::Running).await;
        }
    }

    async fn put_question(&self, id: &CallId, question: Question) {
        let Question {
            server,
            message,
            open,
            wants,
            mut reply,
        } = question;
        let basis = Basis::Question {
            server: server.clone(),
            message,
            tool: self.tool.to_owned(),
            open,
        };
        let (content, asking) = asking(basis, &wants);
        let tool = format!("{server} asks");
        let asked = One {
            tool: &tool,
            arguments: &content,
            ..*self
        };
        let Ok(decided) = asked.put_before_person(id, &asking).await else {
            return drop(reply.send(Reply::Cancel));
        };
        let ruled = tokio::select! {
            ruled = asked.ruling(id, decided) => ruled,
            () = reply.closed() => return asked.taken_back(id, &server).await,
        };
        let answer = ruled.map_or(Reply::Cancel, |ruling| match &ruling.decision {
            Decision::Approve { .. } => ruling
                .permits()
                .map_or(Reply::Cancel, |content| accepted(&wants, content)),
            Decision::Reject { .. } => Reply::Decline,
            Decision::Respond { .. } | Decision::Retry { .. } | Decision::Fail { .. } => {
                Reply::Cancel
            }
        });
        // The server may have gone meanwhile; the ruling is recorded all the same.
        let _ = reply.send(answer);
    }

    async fn taken_back(&self, id: &CallId, server: &str) {
        self.work.rulings.forget(id);
        let why = format!("the MCP server {server} does not wait for an answer any more");
        let call = id.clone();
        self.work
            .reports
            .send(RunEvent::Withdrawn { call, why })
            .await;
    }

    /// The questions of an execution that was cut off: nobody waits for their answers.
    pub(super) async fn withdraw_questions(&self) {
        let past = &self.work.past;
        let own = |id: &&CallId| {
            let decided = past.rulings.contains_key(*id) || past.expired.contains_key(*id);
            id.is_question() && id.base() == *self.id && !decided
        };
        for id in past.arrived.keys().filter(own) {
            let why = "the program stopped, and with it who asked".to_owned();
            let call = id.clone();
            self.work
                .reports
                .send(RunEvent::Withdrawn { call, why })
                .await;
        }
    }
}

/// What the operator is shown, and the content that would be sent as it stands.
fn asking(basis: Basis, wants: &Wants) -> (Arguments, Asking) {
    let (content, answers, sent) = match wants {
        Wants::Content(schema) => {
            let content = proposed(schema);
            let fits = schema.check(&content).is_empty();
            let answers = if fits {
                Answers::question()
            } else {
                Answers::open_question()
            };
            (
                content,
                answers,
                json!({ "requestedSchema": schema.value() }),
            )
        }
        Wants::Visit(url) => {
            // Signed as it is shown; nothing here opens it.
            (
                json!({ "url": url }),
                Answers::closed_question(),
                Value::Null,
            )
        }
    };
    let wants = match wants {
        Wants::Content(schema) => Some(schema.clone()),
        Wants::Visit(_) => None,
    };
    let asking = Asking {
        wants,
        ..Asking::plain(basis, answers).with(sent)
    };
    let empty = || Arguments::parse("{}").expect("an empty object is one");
    (
        Arguments::from_value(&content).unwrap_or_else(|_| empty()),
        asking,
    )
}

/// The members of the schema with what it gives for them, or with nothing yet.
fn proposed(schema: &Schema) -> Value {
    let properties = schema.value().get("properties").and_then(Value::as_object);
    let required = schema.value().get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let mut content = Map::new();
    for (name, property) in properties.into_iter().flatten() {
        match property.get("default") {
            Some(default) => drop(content.insert(name.clone(), default.clone())),
            None if is_required(name) => drop(content.insert(name.clone(), Value::Null)),
            None => {}
        }
    }
    Value::Object(content)
}

fn accepted(wants: &Wants, content: &Arguments) -> Reply {
    match wants {
        Wants::Visit(_) => Reply::Accept(None),
        Wants::Content(schema) if schema.check(content.value()).is_empty() => {
            Reply::Accept(Some(content.value().clone()))
        }
        // The console checks it while it is written; whoever did not is not believed.
        Wants::Content(_) => Reply::Cancel,
    }
}
