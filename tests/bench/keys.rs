//! From a key to the frame that shows what it did, with ten thousand calls waiting.

mod many;

use std::io::{Write as _, stdout};
use std::time::Instant;

const KEYS: u32 = 200;

fn main() {
    let mut bench = many::Bench::new();
    bench.press("*");
    let began = Instant::now();
    for _ in 0..KEYS {
        bench.press("j");
        bench.draw();
    }
    let each = began.elapsed() / KEYS;
    writeln!(
        stdout().lock(),
        "a key and its frame, {} pending, all marked: {} µs",
        many::CALLS,
        each.as_micros()
    )
    .expect("stdout");
}
