#![no_main]

use countersign::deferred::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| countersign_fuzz::read(bytes, Format::OpenAiAgents));
