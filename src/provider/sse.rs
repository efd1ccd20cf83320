//! Server-sent events out of a stream of bytes.
//!
//! Owns the limits on what a server may send. The framing itself is the `sse-stream` crate's; what
//! an event means is each provider's.

use futures::stream::{self, BoxStream, Stream, StreamExt};
use sse_stream::SseByteStream;
use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio_util::bytes::Bytes;

/// Most bytes of one event.
pub const EVENT_LIMIT: usize = 8 << 20;
/// Most bytes of one answer, whole or streamed.
pub const ANSWER_LIMIT: usize = 64 << 20;

/// One event that carries something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The event's type; empty if it was sent without one.
    pub kind: String,
    pub data: String,
}

/// Why no more events come.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("one event is larger than {} MiB", EVENT_LIMIT >> 20)]
    EventTooLarge,
    #[error("it is larger than {} MiB", ANSWER_LIMIT >> 20)]
    AnswerTooLarge,
    #[error("it is not UTF-8")]
    NotText,
    #[error(transparent)]
    Transport(Box<dyn StdError + Send + Sync>),
}

/// Reads events until the bytes end. A last block without a blank line counts.
pub fn events<S, E>(bytes: S) -> BoxStream<'static, Result<Event, Broken>>
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: StdError + Send + Sync + 'static,
{
    let since_event = Arc::new(AtomicUsize::new(0));
    let bounded = bounded(bytes, Arc::clone(&since_event));
    SseByteStream::new(bounded)
        .filter_map(move |item| {
            since_event.store(0, Ordering::Relaxed);
            std::future::ready(match item {
                Ok(event) => event.data.map(|data| {
                    Ok(Event {
                        kind: event.event.unwrap_or_default(),
                        data,
                    })
                }),
                Err(error) => Some(Err(broken(error))),
            })
        })
        .boxed()
}

/// Counts what passes, fails beyond the limits, and closes the last block once the bytes have ended
/// cleanly. Pieces are counted whole, so an event may exceed its limit by one piece.
fn bounded<S, E>(
    bytes: S,
    since_event: Arc<AtomicUsize>,
) -> impl Stream<Item = Result<Bytes, Broken>> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send,
    E: StdError + Send + Sync + 'static,
{
    let mut whole = 0_usize;
    let counted = bytes.map(move |piece| {
        let piece = piece.map_err(|error| Broken::Transport(Box::new(error)))?;
        whole = whole.saturating_add(piece.len());
        let event = since_event.fetch_add(piece.len(), Ordering::Relaxed) + piece.len();
        if event > EVENT_LIMIT {
            Err(Broken::EventTooLarge)
        } else if whole > ANSWER_LIMIT {
            Err(Broken::AnswerTooLarge)
        } else {
            Ok(piece)
        }
    });
    counted.chain(stream::iter([Ok(Bytes::from_static(b"\n\n"))]))
}

fn broken(error: sse_stream::Error) -> Broken {
    match error {
        sse_stream::Error::Body(inner) => match inner.downcast::<Broken>() {
            Ok(broken) => *broken,
            Err(other) => Broken::Transport(other),
        },
        sse_stream::Error::Utf8Parse(_) => Broken::NotText,
        // `strict-fields` is off, and the enum is open.
        other => Broken::Transport(Box::new(other)),
    }
}
