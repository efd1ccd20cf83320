//! What a model's text costs while it comes in at a hundred words a second: bytes to the terminal and
//! processor.

mod whole;

use std::time::Duration;
use whole::{Home, say};

const WORDS: usize = 2000;
const SPAN: Duration = Duration::from_secs(10);

fn main() {
    let words: Vec<_> = (0..WORDS).map(|at| format!("word{}", at % 97)).collect();
    let text = words.join(" ");
    let each = text.len() / WORDS;
    let home = Home::with_turn(&format!("text = '''{text}'''"));
    let mut program = home.start().now();
    program.until_text("word5 ");
    program.watch(Duration::from_secs(1));
    let (used, bytes) = (program.process().used(), program.bytes());
    program.watch(SPAN);
    let used = program.process().used() - used;
    let seconds = SPAN.as_secs_f64();
    let written = f64::from(u32::try_from(program.bytes() - bytes).unwrap_or(u32::MAX)) / seconds;
    // One word comes every 10 ms.
    let came = f64::from(u32::try_from(each).unwrap_or(u32::MAX)) * 100.0;
    say(&format!(
        "streaming 100 words a second: {written:.0} bytes/s for {came:.0} bytes/s of text, {:.1} times as many (budget 10)",
        written / came
    ));
    say(&format!(
        "the same: {:.1} % of a processor",
        Duration::from_nanos(used.nanos).as_secs_f64() / seconds * 100.0
    ));
}
