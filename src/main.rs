//! Flags, configuration, log file, exit codes; nothing else.

fn main() {}
