//! From a key that moves the selection to the frame that shows it, and the bytes which that takes:
//! with ten calls pending, with as many as fill the screen, with ten thousand and a million lines of output, and in
//! a bare program.

mod whole;

use whole::{Figures, Home, Program, bare, say};

const KEYS: usize = 300;
/// Calls that fill the list and the conversation.
const FULL: usize = 60;

struct Moved {
    took: Figures,
    bytes: Vec<usize>,
}

impl Moved {
    fn middle(&self) -> usize {
        let mut bytes = self.bytes.clone();
        bytes.sort_unstable();
        bytes.get(bytes.len() / 2).copied().unwrap_or_default()
    }
}

/// Down and up again, in the middle of the list.
fn moved(program: &mut Program) -> Moved {
    let mut moved = Moved {
        took: Figures::default(),
        bytes: Vec::new(),
    };
    for at in 0..KEYS {
        let key = if at / 6 % 2 == 0 { "j" } else { "k" };
        let frame = program.press(key);
        moved.took.add(frame.took);
        moved.bytes.push(frame.bytes);
    }
    moved
}

fn with(tools: &[&str], mails: usize) -> (Home, Program) {
    let home = Home::with_calls(tools, mails);
    let mut program = home.start().now();
    // The numbers are told with commas; each is among the calls that the header counts.
    program.until("its calls", |screen| {
        let text = screen.contents().replace(',', "");
        text.contains(&format!("{mails} pending"))
    });
    program.calm();
    (home, program)
}

/// The rehearsal's first two calls: a flight and a mail.
fn unlike() -> usize {
    let home = Home::new();
    let mut program = home.start().now();
    program.until_text("4 pending");
    program.calm();
    let mut bytes: Vec<_> = (0..20)
        .map(|at| program.press(["j", "k"][at % 2]).bytes)
        .collect();
    bytes.sort_unstable();
    bytes[bytes.len() / 2]
}

fn main() {
    if whole::bare::be_bare_if_asked() {
        return;
    }
    let mut program = bare();
    program.until_text(whole::bare::SHOWN);
    let floor = moved(&mut program);
    drop(program);
    let (_home, mut program) = with(&[], 10);
    let few = moved(&mut program);
    drop(program);
    let (_home, mut program) = with(&[], FULL);
    let full = moved(&mut program);
    drop(program);
    let (_home, mut program) = with(&["lines"], 10_000);
    let many = moved(&mut program);
    say(&format!(
        "key to frame, bare program: p50 {:.2} ms, p99 {:.2} ms, {} bytes",
        floor.took.at(50),
        floor.took.at(99),
        floor.middle()
    ));
    say(&format!(
        "key to frame, 10 pending: p50 {:.2} ms, p99 {:.2} ms; ratio p50 {:.2} (budget 2), p99 {:.2} (budget 3)",
        few.took.at(50),
        few.took.at(99),
        few.took.at(50) / floor.took.at(50),
        few.took.at(99) / floor.took.at(99)
    ));
    say(&format!(
        "key to frame, 10000 pending and 1000000 lines: p50 {:.2} ms, p99 {:.2} ms; ratio to 10 p50 {:.2}, p99 {:.2} (budget 1.25)",
        many.took.at(50),
        many.took.at(99),
        many.took.at(50) / few.took.at(50),
        many.took.at(99) / few.took.at(99)
    ));
    say(&format!(
        "key to frame, {FULL} pending, a full screen: p50 {:.2} ms, p99 {:.2} ms; ratio of 10000 to it p50 {:.2}",
        full.took.at(50),
        full.took.at(99),
        many.took.at(50) / full.took.at(50)
    ));
    let unlike = unlike();
    say(&format!(
        "bytes for a selection move between calls of two tools, with other arguments: {unlike} (budget 300)"
    ));
    say(&format!(
        "bytes for a selection move between calls of one tool: {} with 10 pending, {} with 10000 (budget 300)",
        few.middle(),
        many.middle()
    ));
}
