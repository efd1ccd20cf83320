//! What a server asks the operator while it runs a call.
//!
//! Owns the way from the protocol's question to the agent's, and of the answer back. An address that a
//! server names is shown, never opened.

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use tokio::sync::{oneshot, watch};

use super::server::{Line, Server};
use crate::core::count;
use crate::core::schema::Schema;
use crate::tools::{Question, Reply, Wants};

/// The most characters of a question.
const LONGEST: usize = 8 * 1024;

/// A question that is open.
struct Open<'a>(&'a watch::Sender<usize>);

impl<'a> Open<'a> {
    fn of(server: &'a Server) -> Self {
        server.asked.send_modify(|asked| *asked += 1);
        Self(&server.asked)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|asked| *asked -= 1);
    }
}

/// Puts the question before the operator. Dropping the future takes it back.
pub(super) async fn ask(
    server: &Server,
    line: &Line,
    open: usize,
    params: ElicitRequestParams,
) -> ElicitResult {
    let (message, wants) = match params {
        ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } => match serde_json::to_value(&requested_schema) {
            Ok(schema) => (message, Wants::Content(Schema::new(schema))),
            Err(_) => return ElicitResult::new(ElicitationAction::Cancel),
        },
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            (message, Wants::Visit(url))
        }
        // The enum is not ours, and open.
        _ => return ElicitResult::new(ElicitationAction::Cancel),
    };
    let Some(questions) = &line.questions else {
        return ElicitResult::new(ElicitationAction::Cancel);
    };
    let _open = Open::of(server);
    let (reply, replied) = oneshot::channel();
    let question = Question {
        server: server.name().to_owned(),
        message: bounded(message),
        open,
        wants,
        reply,
    };
    if questions.send(question).await.is_err() {
        return ElicitResult::new(ElicitationAction::Cancel);
    }
    match replied.await {
        Ok(Reply::Accept(Some(content))) => {
            ElicitResult::new(ElicitationAction::Accept).with_content(content)
        }
        Ok(Reply::Accept(None)) => ElicitResult::new(ElicitationAction::Accept),
        Ok(Reply::Decline) => ElicitResult::new(ElicitationAction::Decline),
        Ok(Reply::Cancel) | Err(_) => ElicitResult::new(ElicitationAction::Cancel),
    }
}

fn bounded(message: String) -> String {
    match message.char_indices().nth(LONGEST) {
        None => message,
        Some((end, _)) => {
            let left = message[end..].chars().count();
            format!(
                "{} [… {} more characters]",
                &message[..end],
                count::number(left)
            )
        }
    }
}
