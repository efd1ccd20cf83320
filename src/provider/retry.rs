//! When a request that failed is sent again, and after how long.
//!
//! Owns the pace and the reading of `retry-after`. What a failure means is [`super::fault`]'s, and
//! whether a repeated request is safe is each provider's own knowledge.

use super::{Fault, Streamed};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::HeaderMap;
use std::time::Duration;
use tokio::sync::mpsc;

/// How often and how soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Repetitions after the first try.
    pub retries: u32,
    /// The pause before the first repetition; it doubles from there.
    pub first: Duration,
    /// No pause is longer. A server that asks for more is not asked again without the operator.
    pub longest: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            retries: 3,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(30),
        }
    }
}

/// What is known of a request that got no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    /// The server did not take it: never connected, or turned away for now.
    No,
    /// The server read it and said no.
    Refused,
    /// It may have arrived, and may have had its effect.
    Perhaps,
}

/// Whether the program may send it again by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    No,
    /// After the usual pause.
    Soon,
    /// After the pause the server asked for.
    After(Duration),
}

/// One try that got no answer.
#[derive(Debug)]
pub(super) struct Miss {
    pub fault: Fault,
    pub sent: Sent,
    pub again: Again,
}

impl Miss {
    /// A failure after which only the operator may go on.
    pub const fn last(fault: Fault, sent: Sent) -> Self {
        Self {
            fault,
            sent,
            again: Again::No,
        }
    }
}

/// Counts the tries of one request.
pub(super) struct Tries {
    pace: Pace,
    made: u32,
}

impl Tries {
    pub const fn new(pace: Pace) -> Self {
        Self { pace, made: 0 }
    }

    /// Announces and waits out the pause before the next try, or ends with the fault.
    pub async fn next(&mut self, miss: Miss, out: &mpsc::Sender<Streamed>) -> Result<(), Fault> {
        let pause = match miss.again {
            Again::No => return Err(miss.fault),
            Again::Soon => backoff(&self.pace, self.made, jitter()),
            Again::After(pause) => pause,
        };
        if self.made >= self.pace.retries || pause > self.pace.longest {
            return Err(asked_to_wait(miss, self.pace.longest));
        }
        self.made += 1;
        let note = format!(
            "{} Asking again in {:.1} s ({} of {}).",
            miss.fault.what,
            pause.as_secs_f64(),
            self.made,
            self.pace.retries
        );
        out.send(Streamed::Note(note)).await.ok();
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

/// Says how long the server wants to be left alone, if that is too long to wait unasked.
fn asked_to_wait(miss: Miss, longest: Duration) -> Fault {
    let mut fault = miss.fault;
    if let Again::After(pause) = miss.again
        && pause > longest
    {
        let seconds = pause.as_secs();
        fault.what = format!("{} The server asks to wait {seconds} s.", fault.what);
    }
    fault
}

/// The pause before repetition number `made`, between one and one and a half times its step.
pub fn backoff(pace: &Pace, made: u32, jitter: f64) -> Duration {
    let step = pace.first.saturating_mul(2_u32.saturating_pow(made));
    let step = step.min(pace.longest);
    step.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 2.0)
        .min(pace.longest)
}

/// Evenly spread in 0..1; the tail of a UUID is random.
fn jitter() -> f64 {
    f64::from(uuid::Uuid::now_v7().as_bytes()[15]) / 256.0
}

/// The pause the server asks for: milliseconds, seconds or a date, in this order.
pub fn asked(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Duration::try_from_secs_f64(f64::max(millis, 0.0) / 1000.0).ok();
    }
    let after = text("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    }
    let date = rfc2822::parse(after).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}
