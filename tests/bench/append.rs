//! Steps written a second, each durable before it is answered. `--grouped`: many at a time, which share
//! the disk's write, as when several calls run side by side.

use countersign::core::call::{CallId, SessionId};
use countersign::core::run::Ran;
use countersign::store::{Journal, Step};
use futures::future::try_join_all;
use std::io::{Write as _, stdout};
use std::time::Instant;

const STEPS: u32 = 2_000;
/// As many as may be asked for at the same time.
const AT_ONCE: u32 = 64;

fn step(number: u32) -> Step {
    Step::Finished {
        call: CallId(format!("call-{number}")),
        attempt: 0,
        ran: Ran::Result("Flight booked: Millau, 2026-11-27, seats 4A and 4B.".to_owned()),
    }
}

/// Steps a second, `together` at a time.
async fn measured(together: u32) -> f64 {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on a disk");
    let (journal, writer) = Journal::open(folder.path()).expect("a journal");
    let session = SessionId("append".to_owned());
    let begun = Instant::now();
    for first in (0..STEPS).step_by(together as usize) {
        let steps = (first..first + together).map(|number| journal.append(&session, step(number)));
        try_join_all(steps).await.expect("they are written");
    }
    let taken = begun.elapsed();
    drop(journal);
    writer.join();
    f64::from(STEPS.next_multiple_of(together)) / taken.as_secs_f64()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let single = measured(1).await;
    let grouped = measured(AT_ONCE).await;
    let mut out = stdout().lock();
    writeln!(
        out,
        "journal, one step at a time: {single:.0} durable steps a second"
    )
    .expect("stdout");
    writeln!(
        out,
        "journal, {AT_ONCE} steps at a time: {grouped:.0} durable steps a second"
    )
    .expect("stdout");
}
