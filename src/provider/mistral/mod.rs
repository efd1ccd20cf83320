//! Mistral's Conversations API: the server keeps the conversation, each request appends to it.
//!
//! Owns what is known of the conversation: its id, the calls that await an answer, and whether the
//! last request may have arrived. A request whose fate is not known is looked up in the history
//! before anything is sent again, so that no answer is given twice.

mod entry;
mod history;
mod receive;
mod request;
mod response;

use super::ledger::Ledger;
use super::link::{Answer, Link};
use super::retry::{Miss, Sent, Tries};
use super::setup::Setup;
use super::{Append, Fault, Reply, Streamed, Told, ToolSpec, fault, tell};
use history::{Found, History};
use response::{Complete, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

const CONVERSATIONS: &str = "/v1/conversations";

/// What is needed to go on with a conversation later.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Conversation {
    #[serde(rename = "conversation_id")]
    id: Option<String>,
    /// The ids of the last response's entries.
    #[serde(default)]
    seen: Vec<String>,
    #[serde(default, flatten)]
    ledger: Ledger,
}

/// A conversation with a model.
#[derive(Debug)]
pub struct Mistral {
    setup: Setup,
    link: Link,
    conversation: Conversation,
    fate: Fate,
}

/// What is known of the last request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Known,
    /// It may have arrived.
    Open,
}

impl Mistral {
    pub fn new(setup: Setup) -> Self {
        Self {
            link: Link::new(setup.endpoint.clone()),
            setup,
            conversation: Conversation::default(),
            fate: Fate::Known,
        }
    }

    /// Goes on where [`Self::suspension`] was taken. Whether a later request was under way when the
    /// program ended is not known, so the first one is looked up.
    pub fn restore(setup: Setup, suspension: &Value) -> Result<Self, Fault> {
        let conversation = Conversation::deserialize(suspension).map_err(|error| Fault {
            what: format!("The stored conversation cannot be read ({error}). Begin a new session."),
            retry: false,
        })?;
        if conversation
            .id
            .as_deref()
            .is_some_and(|id| !receive::is_id(id))
        {
            return Err(Fault {
                what: "The stored conversation has no usable id. Begin a new session.".to_owned(),
                retry: false,
            });
        }
        Ok(Self {
            conversation,
            fate: Fate::Open,
            ..Self::new(setup)
        })
    }

    /// Only the start of a conversation says which tools there are.
    pub fn offer(&mut self, tools: Vec<ToolSpec>) -> Told {
        self.setup.tools = tools;
        match self.conversation.id {
            None => Told::Next,
            Some(_) => Told::Never,
        }
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
        let mut tries = Tries::new(self.link.pace());
        loop {
            match self.attempt(append, out).await {
                Ok(reply) => return Ok(reply),
                Err(miss) => tries.next(miss, out).await?,
            }
        }
    }

    async fn attempt(
        &mut self,
        append: &Append,
        out: &mpsc::Sender<Streamed>,
    ) -> Result<Reply, Miss> {
        if let Some(id) = self.conversation.id.clone()
            && self.fate == Fate::Open
            && let Some(reply) = self.look_up(&id, append, out).await?
        {
            return Ok(reply);
        }
        let append = self.conversation.ledger.complete(append);
        let (path, body) = match &self.conversation.id {
            None => (
                CONVERSATIONS.to_owned(),
                request::start(&self.setup, &append),
            ),
            Some(id) => (
                format!("{CONVERSATIONS}/{id}"),
                request::append(&self.setup, &append),
            ),
        };
        // From here on the request may arrive, also if this future is dropped.
        self.conversation.ledger.sending(append);
        self.fate = Fate::Open;
        match self.exchange(&path, &body, out).await {
            Ok((id, complete)) => {
                self.conversation.id = Some(id);
                Ok(self.commit(complete, out).await)
            }
            Err(miss) => {
                self.missed(miss.sent);
                Err(miss)
            }
        }
    }

    fn missed(&mut self, sent: Sent) {
        match sent {
            Sent::No => self.fate = Fate::Known,
            Sent::Refused => {
                self.fate = Fate::Known;
                self.conversation.ledger.refused();
            }
            Sent::Perhaps => {}
        }
    }

    /// One request and its response; nothing is remembered of it here.
    async fn exchange(
        &mut self,
        path: &str,
        body: &Value,
        out: &mpsc::Sender<Streamed>,
    ) -> Result<(String, Complete), Miss> {
        let host = self.link.host();
        let known = self.conversation.id.clone();
        let answer = self.link.post(path, body).await?;
        receive::response(&host, answer, known, out).await
    }

    async fn commit(&mut self, complete: Complete, out: &mpsc::Sender<Streamed>) -> Reply {
        self.conversation.ledger.answered(&complete.reply);
        self.conversation.seen = complete.seen;
        self.fate = Fate::Known;
        tell(complete.told, out).await;
        complete.reply
    }

    /// Finds out whether the last request arrived. If it did and `append` is that request, its
    /// answer is the reply; if the operator has moved on, its answer is only shown.
    async fn look_up(
        &mut self,
        id: &str,
        append: &Append,
        out: &mpsc::Sender<Streamed>,
    ) -> Result<Option<Reply>, Miss> {
        let expected = self.conversation.ledger.complete(append);
        let sent = self
            .conversation
            .ledger
            .unsent()
            .unwrap_or(&expected)
            .clone();
        let text = self.history(id).await?;
        let history: History<'_> =
            serde_json::from_str(&text).map_err(|error| self.no_history(&error.to_string()))?;
        let items = match history.find(&self.conversation.seen, &sent) {
            Found::Nothing => {
                self.fate = Fate::Known;
                return Ok(None);
            }
            Found::Unfinished(_) if sent == expected => {
                return Err(Miss::last(unfinished(&self.link.host()), Sent::Perhaps));
            }
            Found::Unfinished(items) | Found::Answered(items) => items,
        };
        let note = "The last request had arrived; this is its answer, from the history.";
        tell(vec![Streamed::Note(note.to_owned())], out).await;
        let mut response = Response::new();
        for item in items {
            tell(response.take(item), out).await;
        }
        let complete = response.finish();
        if sent == expected {
            return Ok(Some(self.commit(complete, out).await));
        }
        self.conversation.ledger.overtaken(sent, &complete.reply);
        self.conversation.seen = complete.seen;
        self.fate = Fate::Known;
        Ok(None)
    }

    async fn history(&mut self, id: &str) -> Result<String, Miss> {
        let path = format!("{CONVERSATIONS}/{id}/history");
        match self.link.get(&path).await {
            Ok(Answer::Whole(text)) => Ok(text),
            Ok(Answer::Events(_)) => Err(self.no_history("it is a stream of events")),
            Err(miss) => Err(Miss {
                fault: Fault {
                    what: format!(
                        "Whether the last request arrived cannot be seen in the history: {}",
                        miss.fault.what
                    ),
                    ..miss.fault
                },
                ..miss
            }),
        }
    }

    fn no_history(&self, why: &str) -> Miss {
        let fault = Fault {
            what: format!(
                "Whether the last request arrived cannot be seen: the history of {} is unreadable ({}). Retry.",
                self.link.host(),
                fault::excerpt(why)
            ),
            retry: true,
        };
        Miss::last(fault, Sent::Perhaps)
    }
}

fn unfinished(host: &str) -> Fault {
    Fault {
        what: format!(
            "The last request had arrived at {host}, and its answer is not there yet. Retry in a moment."
        ),
        retry: true,
    }
}
