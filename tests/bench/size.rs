//! What one call takes on disk, with all its steps, its audit record and the indexes.

mod made;

use countersign::store::{FILE, Journal};
use std::io::{Write as _, stdout};

const CALLS: u64 = 2_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on a disk");
    let (journal, writer) = Journal::open(folder.path()).expect("a journal");
    let session = made::session();
    journal
        .append(&session, made::began())
        .await
        .expect("it is written");
    for number in 0..CALLS {
        for step in made::round(number) {
            journal.note(&session, step).await;
        }
    }
    drop(journal);
    writer.join();
    let bytes = std::fs::metadata(folder.path().join(FILE))
        .expect("it is there")
        .len();
    writeln!(
        stdout().lock(),
        "disk, one approved call: {} bytes",
        bytes / CALLS
    )
    .expect("stdout");
}
