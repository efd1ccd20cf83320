//! Any server that speaks `/chat/completions`: the conversation is kept here and sent whole.
//!
//! Owns the message history. Requests go to `{base_url}/chat/completions`, so `base_url` is given
//! with its `/v1` where the server wants one (`https://api.openai.com/v1`,
//! `http://localhost:11434/v1`); what it ends with is not changed.

mod delta;
mod response;

use super::ledger::Ledger;
use super::link::{Answer, Events, Link};
use super::retry::{Miss, Sent, Tries};
use super::setup::Setup;
use super::{Append, Body, Fault, Reply, Streamed, Told, ToolSpec, fault, tell};
use delta::Chunk;
use response::{Complete, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

const COMPLETIONS: &str = "/chat/completions";

/// What is needed to go on with a conversation later.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Conversation {
    messages: Vec<Value>,
    #[serde(default, flatten)]
    ledger: Ledger,
}

/// A conversation with a model.
#[derive(Debug)]
pub struct OpenAi {
    setup: Setup,
    link: Link,
    conversation: Conversation,
}

impl OpenAi {
    pub fn new(setup: Setup) -> Self {
        Self {
            link: Link::new(setup.endpoint.clone()),
            setup,
            conversation: Conversation::default(),
        }
    }

    /// Goes on where [`Self::suspension`] was taken.
    pub fn restore(setup: Setup, suspension: &Value) -> Result<Self, Fault> {
        let conversation = Conversation::deserialize(suspension).map_err(|error| Fault {
            what: format!("The stored conversation cannot be read ({error}). Begin a new session."),
            retry: false,
        })?;
        Ok(Self {
            conversation,
            ..Self::new(setup)
        })
    }

    /// Each request says anew which tools there are.
    pub fn offer(&mut self, tools: Vec<ToolSpec>) -> Told {
        self.setup.tools = tools;
        Told::Next
    }

    /// What [`Self::restore`] needs.
    pub fn suspension(&self) -> Value {
        serde_json::to_value(&self.conversation).unwrap_or_default()
    }

    /// Sends `append` and gives the model's response. After a [`Fault`], or if the future is
    /// dropped, the same append may be given again, or only what is new since: what the failed
    /// request was to say is kept and goes along.
    pub async fn respond(
        &mut self,
        append: &Append,
        out: &mpsc::Sender<Streamed>,
    ) -> Result<Reply, Fault> {
        let append = self.conversation.ledger.complete(append);
        let added = messages(&append);
        let body = self.body(&added);
        self.conversation.ledger.sending(append);
        let mut tries = Tries::new(self.link.pace());
        let complete = loop {
            match self.exchange(&body, out).await {
                Ok(complete) => break complete,
                Err(miss) => {
                    if miss.sent == Sent::Refused {
                        self.conversation.ledger.refused();
                    }
                    tries.next(miss, out).await?;
                }
            }
        };
        self.conversation.messages.extend(added);
        self.conversation.messages.push(complete.message);
        self.conversation.ledger.answered(&complete.reply);
        tell(complete.told, out).await;
        Ok(complete.reply)
    }

    fn body(&self, added: &[Value]) -> Value {
        let system = self.setup.instructions.iter();
        let system = system.map(|text| json!({ "role": "system", "content": text }));
        let all = system
            .chain(self.conversation.messages.iter().cloned())
            .chain(added.iter().cloned());
        let messages = alternating(all);
        let mut body = Map::new();
        body.insert("model".to_owned(), self.setup.model.as_str().into());
        body.insert("messages".to_owned(), messages.into());
        let tools = self.setup.all_tools();
        // An empty list is refused by some servers.
        if !tools.is_empty() {
            body.insert("tools".to_owned(), tools.into());
        }
        body.insert("stream".to_owned(), self.setup.stream.is_streamed().into());
        Value::Object(body)
    }

    async fn exchange(
        &mut self,
        body: &Value,
        out: &mpsc::Sender<Streamed>,
    ) -> Result<Complete, Miss> {
        let host = self.link.host();
        match self.link.post(COMPLETIONS, body).await? {
            Answer::Whole(text) => whole(&host, &text, out).await,
            Answer::Events(events) => streamed(&host, events, out).await,
        }
    }
}

/// The messages with what a user said in a row put into one message: some servers' templates refuse
/// two of the same role. What is kept stays as it was said.
fn alternating(all: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for message in all {
        let before = messages.last().and_then(said);
        let Some((before, text)) = before.zip(said(&message)) else {
            messages.push(message);
            continue;
        };
        let joined = json!({ "role": "user", "content": format!("{before}\n\n{text}") });
        messages.pop();
        messages.push(joined);
    }
    messages
}

/// What a user's message says.
fn said(message: &Value) -> Option<&str> {
    let users = message.get("role")?.as_str() == Some("user");
    message.get("content").filter(|_| users)?.as_str()
}

/// The messages that a request adds.
fn messages(append: &Append) -> Vec<Value> {
    let answers = append.answers.iter().map(|answer| {
        let content = match &answer.body {
            Body::Result(result) => result.as_str(),
            // No such server holds calls back; the model is told all the same.
            Body::Confirmation { allow: true } => "Allowed by the operator.",
            Body::Confirmation { allow: false } => "Denied by the operator.",
        };
        json!({ "role": "tool", "tool_call_id": answer.call, "content": content })
    });
    let said = append.messages.iter();
    let said = said.map(|text| json!({ "role": "user", "content": text }));
    answers.chain(said).collect()
}

async fn whole(host: &str, text: &str, out: &mpsc::Sender<Streamed>) -> Result<Complete, Miss> {
    let unreadable = |why: &str| Miss::last(fault::unreadable(host, why, text), Sent::Perhaps);
    let chunk: Chunk<'_> =
        serde_json::from_str(text).map_err(|error| unreadable(&error.to_string()))?;
    if let Some(error) = &chunk.error {
        return Err(reported(host, error));
    }
    let mut choices = chunk.choices.into_iter();
    let choice = choices.next().filter(|choice| choice.message.is_some());
    let choice = choice.ok_or_else(|| unreadable("it has no message"))?;
    let mut response = Response::new();
    tell(response.take(choice), out).await;
    Ok(response.complete())
}

/// Reads chunks until `[DONE]`, or until the end if a chunk gave the reason for it.
async fn streamed(
    host: &str,
    mut events: Events,
    out: &mpsc::Sender<Streamed>,
) -> Result<Complete, Miss> {
    let mut response = Response::new();
    while let Some(event) = events.next().await? {
        if event.data.trim() == "[DONE]" {
            return Ok(response.complete());
        }
        let chunk: Chunk<'_> = serde_json::from_str(&event.data).map_err(|error| {
            let why = format!("a chunk cannot be read: {error}");
            Miss::last(fault::cut(host, &why), Sent::Perhaps)
        })?;
        if let Some(error) = &chunk.error {
            return Err(reported(host, error));
        }
        for choice in chunk.choices.into_iter().take(1) {
            tell(response.take(choice), out).await;
        }
    }
    if response.is_finished() {
        return Ok(response.complete());
    }
    let why = "it ended without a finish_reason and without [DONE]";
    Err(Miss::last(fault::cut(host, why), Sent::Perhaps))
}

fn reported(host: &str, error: &Value) -> Miss {
    let (code, message) = delta::error(error);
    Miss::last(fault::reported(host, code, &message), Sent::Perhaps)
}
