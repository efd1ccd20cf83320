//! Keeps one server running: started, listed, listed anew, started again when it ends, given up.
//!
//! Owns when that happens, and what the operator is told of it. The task ends when it is dropped.

use futures::FutureExt as _;
use rmcp::RoleClient;
use rmcp::model::Tool;
use rmcp::service::Peer;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::ears::Ears;
use super::excerpt;
use super::link::{Link, listen, tools};
use super::listing::Listing;
use super::server::{Server, Standing, Up};
use crate::core::run::Level;

/// How long until the first new start; twice as long until each further one.
const BACK_OFF: Duration = Duration::from_secs(1);
/// How often a server is started anew before it is given up.
const TRIES: u32 = 5;
/// The most characters of what is told of changes, and of what is not taken in.
const CHANGES: usize = 2000;
const LEFT_OUT: usize = 1000;
/// Who has lived so long may begin to count anew.
const STEADY: Duration = Duration::from_mins(1);

/// A fault of ours ends this server alone, and says so.
pub(super) async fn keep(server: Arc<Server>, folder: PathBuf) {
    let kept = AssertUnwindSafe(kept(&server, &folder)).catch_unwind();
    if kept.await.is_err() {
        let why = "this program failed while it spoke to it; the log says more".to_owned();
        server.tell(Level::Error, &format!("it cannot be used: {why}"));
        server.stands(Standing::Down { why, again: false });
    }
}

async fn kept(server: &Arc<Server>, folder: &Path) {
    let mut tries = 0;
    loop {
        let begun = Instant::now();
        let why = match start(server, folder).await {
            Ok((link, way)) => serve(server, link, &way).await,
            Err(why) => why,
        };
        let was_up = server.up().is_some();
        if was_up && begun.elapsed() >= STEADY {
            tries = 0;
        }
        tries += 1;
        let again = tries <= TRIES && can_ever_start(server);
        server.stands(Standing::Down {
            why: why.clone(),
            again,
        });
        tell(server, &why, was_up, tries, again);
        if !again {
            return;
        }
        sleep(BACK_OFF * 2_u32.pow(tries - 1)).await;
    }
}

fn can_ever_start(server: &Server) -> bool {
    !matches!(server.spec.reach, super::Reach::Missing(_))
}

fn tell(server: &Server, why: &str, was_up: bool, tries: u32, again: bool) {
    let what = if was_up {
        format!("it has ended ({why})")
    } else {
        format!("it cannot be used: {why}")
    };
    match (again, tries) {
        (true, 1) => {
            let level = if was_up { Level::Warning } else { Level::Error };
            server.tell(level, &format!("{what}; it is tried again"));
        }
        // What was said once is only logged.
        (true, _) if was_up => server.tell(Level::Warning, &format!("{what} again")),
        (true, _) => tracing::warn!(server = server.name(), "{what}"),
        (false, _) => server.tell(
            Level::Error,
            &format!("{what}; it is not tried any more, and its tools are gone"),
        ),
    }
}

/// The way to a server that answers.
struct Way {
    peer: Peer<RoleClient>,
    broken: CancellationToken,
}

async fn start(server: &Arc<Server>, folder: &Path) -> Result<(Link, Way), String> {
    let patience = server.spec.start_timeout;
    let starting = async {
        let link = Link::open(&server.spec.reach, Ears(server.clone()), folder).await?;
        let peer = link.peer();
        let listed = tools(&peer).await?;
        Ok((link, peer, listed))
    };
    let started = timeout(patience, starting).await;
    let (link, peer, listed) = started.unwrap_or_else(|_| {
        Err(format!(
            "it was not ready after {} s",
            patience.as_secs_f64()
        ))
    })?;
    let first = server.first();
    let broken = CancellationToken::new();
    let way = Way { peer, broken };
    let up = take(server, &way, listed);
    let count = up.listing.offered.len();
    let plural = if count == 1 { "tool" } else { "tools" };
    let word = if first.is_some() { " again" } else { "" };
    server.tell(
        Level::Note,
        &format!("it is there{word}, with {count} {plural}"),
    );
    server.stands(Standing::Up(Arc::new(up)));
    Ok((link, way))
}

/// Takes over what the server offers now, and says what is other than before.
fn take(server: &Server, way: &Way, listed: Vec<Tool>) -> Up {
    let first = server.first();
    let names: Vec<String> = listed.iter().map(|tool| tool.name.to_string()).collect();
    let listing = Listing::read(server.name(), listed, &server.spec.choice, first.as_deref());
    server.keep_first(&listing);
    let listing = Arc::new(listing);
    match server.keep_last(&listing) {
        Some(before) => {
            let changes = listing.changes_since(&before);
            if !changes.is_empty() {
                let changes = excerpt(&changes.join("; "), CHANGES);
                server.tell(Level::Warning, &format!("its tools changed: {changes}"));
            }
        }
        None => tell_first(server, &listing, &names),
    }
    Up {
        peer: way.peer.clone(),
        listing,
        broken: way.broken.clone(),
    }
}

/// What the configuration wanted and does not get, said once.
fn tell_first(server: &Server, listing: &Listing, names: &[String]) {
    if !listing.left_out.is_empty() {
        let left_out = excerpt(&listing.left_out.join("; "), LEFT_OUT);
        server.tell(Level::Warning, &format!("not taken in: {left_out}"));
    }
    if !listing.idle.is_empty() {
        let idle = listing.idle.join(", ");
        let names = excerpt(&names.join(", "), LEFT_OUT);
        let what = format!(
            "in mcp.{}, matches none of its tools: {idle}; it has {names}",
            server.name()
        );
        server.tell(Level::Warning, &what);
    }
}

/// Waits until the server is gone, and lists its tools anew whenever it says that they changed.
async fn serve(server: &Arc<Server>, link: Link, way: &Way) -> String {
    let listens = async {
        listen(&way.peer, &server.changed).await;
        std::future::pending::<()>().await;
    };
    let changes = async {
        loop {
            server.changed.notified().await;
            relist(server, way).await;
        }
    };
    tokio::select! {
        why = link.ended() => why,
        () = way.broken.cancelled() => "it cannot be reached any more".to_owned(),
        () = listens => String::new(),
        () = changes => String::new(),
    }
}

async fn relist(server: &Arc<Server>, way: &Way) {
    let listed = timeout(server.spec.start_timeout, tools(&way.peer)).await;
    let listed = listed.unwrap_or_else(|_| Err("no answer in time".to_owned()));
    let listed = match listed {
        Ok(listed) => listed,
        Err(why) => {
            let what = format!("says that its tools changed, and does not list them: {why}");
            return server.tell(Level::Warning, &what);
        }
    };
    let up = take(server, way, listed);
    server.stands(Standing::Up(Arc::new(up)));
}
