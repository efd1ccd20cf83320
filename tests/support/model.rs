//! Models, what they are asked, and what they say, in few words.

use countersign::core::call::CallId;
use countersign::provider::endpoint::{Endpoint, Secret};
use countersign::provider::mistral::Mistral;
use countersign::provider::openai::OpenAi;
use countersign::provider::retry::Pace;
use countersign::provider::setup::{Setup, StreamMode};
use countersign::provider::{
    Answered, Append, Body, Came, Fault, Provider, Reply, Streamed, ToolSpec, Wanted,
};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::mpsc;

/// A server at `url` that is asked once.
pub fn endpoint(url: &str) -> Endpoint {
    let pace = Pace {
        retries: 0,
        first: Duration::from_millis(1),
        longest: Duration::from_secs(5),
    };
    Endpoint {
        pace,
        ..Endpoint::new(url, Some(Secret::new("sk-test")))
    }
}

/// The same, asked again up to three times.
pub fn patient(url: &str) -> Endpoint {
    let mut endpoint = endpoint(url);
    endpoint.pace.retries = 3;
    endpoint
}

/// A setup without tools.
pub fn plain(endpoint: Endpoint, stream: StreamMode) -> Setup {
    Setup {
        model: "small".to_owned(),
        instructions: None,
        tools: Vec::new(),
        server_tools: Vec::new(),
        stream,
        endpoint,
    }
}

/// The setup that the recorded start of a conversation was made with.
pub fn recorded_setup(start: &Value, endpoint: Endpoint) -> Setup {
    let tools = start["tools"].as_array().expect("the start lists tools");
    let (functions, server_tools) = tools.iter().cloned().partition(is_function);
    let functions: Vec<Value> = functions;
    let stream = match start["stream"].as_bool() {
        Some(true) => StreamMode::Streamed,
        Some(false) | None => StreamMode::Whole,
    };
    Setup {
        model: text(&start["model"]),
        instructions: start["instructions"].as_str().map(str::to_owned),
        tools: functions
            .iter()
            .map(|tool| spec(&tool["function"]))
            .collect(),
        server_tools,
        stream,
        endpoint,
    }
}

fn is_function(tool: &Value) -> bool {
    tool["type"] == "function"
}

fn spec(function: &Value) -> ToolSpec {
    ToolSpec {
        name: text(&function["name"]),
        description: text(&function["description"]),
        parameters: function["parameters"].clone(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("it is text").to_owned()
}

pub fn mistral(setup: Setup) -> Provider {
    Provider::Mistral(Mistral::new(setup))
}

pub fn openai(setup: Setup) -> Provider {
    Provider::OpenAi(OpenAi::new(setup))
}

/// Asks, and collects what was streamed meanwhile; pieces of one part that follow each other are
/// joined.
pub async fn ask(
    provider: &mut Provider,
    append: &Append,
) -> (Result<Reply, Fault>, Vec<Streamed>) {
    let (out, mut streamed) = mpsc::channel(4);
    let collected = tokio::spawn(async move {
        let mut all = Vec::new();
        while let Some(piece) = streamed.recv().await {
            push(&mut all, piece);
        }
        all
    });
    let reply = provider.respond(append, &out).await;
    drop(out);
    (reply, collected.await.expect("the collector ends"))
}

fn push(all: &mut Vec<Streamed>, piece: Streamed) {
    match (all.last_mut(), piece) {
        (
            Some(Streamed::Text {
                part: last,
                piece: joined,
            }),
            Streamed::Text { part, piece },
        )
        | (
            Some(Streamed::Thinking {
                part: last,
                piece: joined,
            }),
            Streamed::Thinking { part, piece },
        ) if *last == part => {
            joined.push_str(&piece);
        }
        (_, piece) => all.push(piece),
    }
}

pub fn say(message: &str) -> Append {
    Append {
        messages: vec![message.to_owned()],
        ..Append::default()
    }
}

pub fn answers(answers: impl Into<Vec<Answered>>) -> Append {
    Append {
        answers: answers.into(),
        ..Append::default()
    }
}

pub fn result(call: &str, tool: &str, result: &str) -> Answered {
    Answered {
        call: CallId(call.to_owned()),
        tool: tool.to_owned(),
        body: Body::Result(result.to_owned()),
        came: Came::Approved,
    }
}

pub fn allow(call: &str, tool: &str) -> Answered {
    Answered {
        body: Body::Confirmation { allow: true },
        ..result(call, tool, "")
    }
}

pub fn deny(call: &str, tool: &str) -> Answered {
    Answered {
        body: Body::Confirmation { allow: false },
        came: Came::Rejected,
        ..result(call, tool, "")
    }
}

/// A call that this program is to run.
pub fn wanted(id: &str, tool: &str, arguments: &str) -> Wanted {
    Wanted {
        id: CallId(id.to_owned()),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
        held_by_provider: false,
    }
}

/// A call that the provider holds.
pub fn held(id: &str, tool: &str, arguments: &str) -> Wanted {
    Wanted {
        held_by_provider: true,
        ..wanted(id, tool, arguments)
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is compared with what asking gives"
)]
pub fn reply(calls: impl Into<Vec<Wanted>>) -> Result<Reply, Fault> {
    Ok(Reply {
        calls: calls.into(),
    })
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is compared with what asking gives"
)]
pub fn no_calls() -> Result<Reply, Fault> {
    Ok(Reply::default())
}

pub fn said(part: usize, piece: &str) -> Streamed {
    Streamed::Text {
        part,
        piece: piece.to_owned(),
    }
}

pub fn thought(part: usize, piece: &str) -> Streamed {
    Streamed::Thinking {
        part,
        piece: piece.to_owned(),
    }
}

pub fn server(part: usize, tool: &str, arguments: &str, result: Option<&str>) -> Streamed {
    Streamed::Server {
        part,
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
        result: result.map(str::to_owned),
    }
}

pub fn note(text: &str) -> Streamed {
    Streamed::Note(text.to_owned())
}

pub fn unknown(kind: &str, raw: &str) -> Streamed {
    Streamed::Unknown {
        kind: kind.to_owned(),
        raw: raw.to_owned(),
    }
}

/// A fault, with the server's address taken out of its words.
pub fn fault(reply: &Result<Reply, Fault>, url: &str) -> (String, bool) {
    let fault = reply.as_ref().expect_err("there is a fault");
    let host = url.trim_start_matches("http://");
    (fault.what.replace(host, "HOST"), fault.retry)
}
