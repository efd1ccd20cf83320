//! The time from the file to a conversation that can be shown and gone on with.

mod made;

use countersign::core::session::Session;
use countersign::core::time::Ticks;
use countersign::runtime::saved::Saved;
use countersign::store::{Journal, Reader};
use std::io::{Write as _, stdout};
use std::time::Instant;

const ENTRIES: u64 = 100_000;
/// Of each round: a text and a call.
const A_ROUND: u64 = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on a disk");
    let (journal, writer) = Journal::open(folder.path()).expect("a journal");
    let session = made::session();
    journal
        .append(&session, made::began())
        .await
        .expect("it is written");
    for number in 0..ENTRIES / A_ROUND {
        for step in made::round(number) {
            journal.note(&session, step).await;
        }
    }
    drop(journal);
    writer.join();
    let begun = Instant::now();
    let reader = Reader::open(folder.path()).expect("the journal opens");
    let saved = Saved::read(&reader, &session).expect("it can be read");
    let mut shown = Session::new(session, "travel".to_owned(), "m".to_owned());
    for event in &saved.projection.events {
        shown.apply(Ticks(0), event);
    }
    let taken = begun.elapsed().as_secs_f64();
    writeln!(
        stdout().lock(),
        "resume, a session of {ENTRIES} entries: {taken:.2} s"
    )
    .expect("stdout");
}
