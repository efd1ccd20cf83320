//! The process that runs a script: what `main` becomes when it is started as one.

use std::process::ExitCode;

/// The only argument of a process that runs a script.
pub const ARGUMENT: &str = "run-script";

/// Runs the script that comes over stdin. Called before anything else is set up.
pub fn run() -> ExitCode {
    ExitCode::FAILURE
}
