//! From starting the program to its first frame that can be worked with, beside a bare program; and
//! whether the first frame waits for what the terminal answers.

mod whole;

use std::time::Duration;
use whole::{Figures, Home, bare, say};

const ROUNDS: usize = 15;
/// The terminal's answers come so much later over a slow link.
const FAR: Duration = Duration::from_millis(200);

/// One start in a home of its own, where no session was before.
fn start(answers: Duration) -> Duration {
    let home = Home::new();
    let mut program = home.start().answering(answers).now();
    // The header and the keys: from here on it takes them.
    let shown = program.until("the first frame", |screen| {
        let text = screen.contents();
        text.contains("countersign") && text.contains("? help")
    });
    program.since_start(shown)
}

fn start_bare() -> Duration {
    let mut program = bare();
    let shown = program.until_text(whole::bare::SHOWN);
    program.since_start(shown)
}

fn main() {
    if whole::bare::be_bare_if_asked() {
        return;
    }
    let (mut own, mut far, mut floor) =
        (Figures::default(), Figures::default(), Figures::default());
    for _ in 0..ROUNDS {
        floor.add(start_bare());
        own.add(start(Duration::ZERO));
        far.add(start(FAR));
    }
    say(&format!(
        "start to first frame: best {:.1} ms, p50 {:.1} ms (budget: best 30 ms)",
        own.best(),
        own.at(50)
    ));
    say(&format!(
        "the same, bare program: best {:.1} ms, p50 {:.1} ms; ratio best {:.1}, p50 {:.1} (budget: 6)",
        floor.best(),
        floor.at(50),
        own.best() / floor.best(),
        own.at(50) / floor.at(50)
    ));
    say(&format!(
        "start to first frame, the terminal answers after 200 ms: best {:.1} ms, p50 {:.1} ms (budget: the same)",
        far.best(),
        far.at(50)
    ));
}
