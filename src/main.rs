//! `countersign`: flags, configuration, log file, exit codes; nothing else.

mod commands;

use clap::{Parser, Subcommand};
use countersign::code::child;
use countersign::tools::keeper;
use std::path::PathBuf;
use std::process::ExitCode;

/// The second signature on what AI agents want to do.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Flags {
    /// The configuration file. Without it: ./countersign.toml, else the one in your configuration
    /// folder, else the built-in rehearsal.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Open the console and run an agent. This is also what happens without a command.
    Run(commands::run::RunFlags),
    /// Go on with a session where it stood.
    Resume(commands::run::ResumeFlags),
    /// Open the console on sessions that run in other processes.
    Attach(commands::attach::AttachFlags),
    /// The background process of `run --detach`.
    #[command(hide = true)]
    Host(commands::detach::HostFlags),
    /// Decide the calls that a program of another framework has deferred, as a step in a pipe.
    Decide(commands::decide::DecideFlags),
    /// List the sessions, newest first.
    Sessions,
    /// List the rules that were given in the console, and take them back.
    Rules(commands::rules::RulesFlags),
    /// Show, export and check the record of who let what run.
    Audit(commands::audit::AuditFlags),
    /// Check the configuration, the policy, the keymap and the scenarios; every mistake with its place.
    Check(commands::check::CheckFlags),
    /// Print the key table as Markdown.
    Keys,
}

/// Mistakes in what was given: flags, files, or no terminal to work on.
const BAD_INPUT: u8 = 2;
/// Anything else that went wrong.
const FAILED: u8 = 1;
/// Calls wait for a person.
const DEFERRED: u8 = 3;

fn main() -> ExitCode {
    keep_keys();
    // A process that runs a script, or keeps a program, needs nothing of what follows, and should not have it.
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(first) if first == child::ARGUMENT => return child::run(),
        Some(first) if first == keeper::ARGUMENT => return keeper::run(words),
        Some(_) | None => {}
    }
    let flags = Flags::parse();
    let done = match flags
        .command
        .unwrap_or(Action::Run(commands::run::RunFlags::default()))
    {
        Action::Run(run) => commands::run::run(flags.config, run),
        Action::Resume(resume) => commands::run::resume(flags.config, &resume),
        Action::Attach(attach) => commands::attach::attach(flags.config, &attach),
        Action::Host(host) => commands::detach::host(flags.config, &host),
        Action::Decide(decide) => commands::decide::decide(flags.config, &decide),
        Action::Sessions => commands::sessions::sessions(flags.config),
        Action::Rules(rules) => commands::rules::rules(flags.config, rules),
        Action::Audit(audit) => commands::audit::audit(flags.config, audit),
        Action::Check(check) => commands::check::check(flags.config, &check),
        Action::Keys => commands::keys::keys(flags.config),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => stop.report(),
    }
}

/// Keeps the environment, and with it the providers' keys, from every other program of the same user:
/// a tool could otherwise read it in `/proc`.
#[cfg(target_os = "linux")]
fn keep_keys() {
    // Where the system refuses, there is nothing else to be done, and nobody is worse off.
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Other systems have no such switch.
#[cfg(not(target_os = "linux"))]
const fn keep_keys() {}
