#![no_main]

use countersign::deferred::native;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = native::decisions(text);
    }
});
