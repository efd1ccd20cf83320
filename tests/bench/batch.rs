//! Marking ten thousand calls, signing them on one sheet, and taking in that each is recorded.

mod many;

use std::io::{Write as _, stdout};
use std::time::Instant;

fn main() {
    let mut bench = many::Bench::new();
    let began = Instant::now();
    bench.press("*");
    bench.press("a");
    bench.look();
    bench.press("enter");
    let effects = bench.press("enter");
    let delivered = bench.recorded(effects);
    bench.draw();
    writeln!(
        stdout().lock(),
        "a batch, {delivered} calls marked, signed and recorded: {} ms",
        began.elapsed().as_millis()
    )
    .expect("stdout");
}
