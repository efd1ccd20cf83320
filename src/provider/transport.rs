//! What a broken connection comes to, in one line for the operator.
//!
//! Owns the words for failures below HTTP and whether the request may have arrived. What a server
//! says in words of its own is [`super::fault`]'s.

use super::retry::{Again, Miss, Sent};
use super::sse::Broken;
use super::{Fault, fault};
use std::error::Error as StdError;
use std::io;
use std::time::Duration;

/// There was no answer at all.
pub(super) fn unanswered(
    host: &str,
    idle: Duration,
    connect: Duration,
    error: &reqwest::Error,
) -> Miss {
    if error.is_connect() {
        return unconnected(host, connect, error);
    }
    if error.is_timeout() {
        return Miss::last(hangs(host, idle), Sent::Perhaps);
    }
    let why = root(error);
    let what = format!("{host} broke the connection before it answered ({why}). Retry.");
    Miss::last(Fault { what, retry: true }, Sent::Perhaps)
}

fn unconnected(host: &str, connect: Duration, error: &reqwest::Error) -> Miss {
    let why = if error.is_timeout() {
        format!("no answer within {} s", connect.as_secs())
    } else {
        root(error)
    };
    let what = format!(
        "Cannot connect to {host} ({why}). Check that the server runs and that base_url is right, then retry."
    );
    // A server that is being started refuses for a while; a wrong name or certificate stays wrong.
    let again = if is_refused(error) {
        Again::Soon
    } else {
        Again::No
    };
    Miss {
        fault: Fault { what, retry: true },
        sent: Sent::No,
        again,
    }
}

pub(super) fn no_client(error: &reqwest::Error) -> Fault {
    Fault {
        what: format!(
            "No secure connection can be made from this machine ({}). Install its CA certificates (the package ca-certificates), then retry.",
            root(error)
        ),
        retry: true,
    }
}

fn hangs(host: &str, idle: Duration) -> Fault {
    Fault {
        what: format!(
            "{host} sent nothing for {} s; the request was given up and nothing of it was run. Retry.",
            idle.as_secs_f64()
        ),
        retry: true,
    }
}

/// The answer had begun and did not come to its end.
pub(super) fn broke(host: &str, idle: Duration, broken: &Broken) -> Miss {
    let fault = match broken {
        Broken::Transport(error) => match error.downcast_ref::<reqwest::Error>() {
            Some(error) if error.is_timeout() => hangs(host, idle),
            Some(error) => fault::cut(host, &root(error)),
            None => fault::cut(host, &error.to_string()),
        },
        Broken::EventTooLarge | Broken::AnswerTooLarge | Broken::NotText => Fault {
            what: format!(
                "The answer of {host} was refused: {broken}. Nothing of it was run. Retry."
            ),
            retry: true,
        },
    };
    Miss::last(fault, Sent::Perhaps)
}

/// The innermost cause, which is the one that says something.
fn root(error: &reqwest::Error) -> String {
    let mut cause: &dyn StdError = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    fault::excerpt(&cause.to_string())
}

fn is_refused(error: &reqwest::Error) -> bool {
    let mut cause: Option<&dyn StdError> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>()
            && io.kind() == io::ErrorKind::ConnectionRefused
        {
            return true;
        }
        cause = error.source();
    }
    false
}
