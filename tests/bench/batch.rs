//! Marking ten thousand calls, signing them on one sheet, and taking in that each is recorded.

mod many;

use countersign::app::effect::Effect;
use countersign::app::event::{Event, StoreEvent};
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
    let delivered = recorded(&mut bench, effects);
    bench.draw();
    writeln!(
        stdout().lock(),
        "a batch, {delivered} calls marked, signed and recorded: {} ms",
        began.elapsed().as_millis()
    )
    .expect("stdout");
}

/// The journal says that these are written.
fn recorded(bench: &mut many::Bench, effects: Vec<Effect>) -> usize {
    let mut delivered = 0;
    for effect in effects {
        if let Effect::Record(ruling) = effect {
            let stored = StoreEvent::Recorded(ruling.key.clone());
            delivered += bench.send(Event::Store(stored)).len();
        }
    }
    delivered
}
