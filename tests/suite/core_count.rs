//! Numbers as they are read.

use countersign::core::count::{number, of};

#[test]
fn thousands_are_set_apart_wherever_a_number_is_read() {
    let numbers = [0_u64, 7, 999, 1000, 12_983, 100_000, 1_234_567];
    let written = numbers.map(number);
    let expected = ["0", "7", "999", "1,000", "12,983", "100,000", "1,234,567"];
    assert_eq!(written, expected);
    let calls = [0, 1, 2, 2000].map(|calls| of(calls, "call", "calls"));
    assert_eq!(calls, ["0 calls", "1 call", "2 calls", "2,000 calls"]);
}
