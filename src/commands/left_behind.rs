//! What the shell is told once the console has closed: what still waits, and how to come back to it.
//!
//! Owns the words. Says nothing where nobody reads it: to what is no terminal, and of calls that none waits for.

use countersign::core::count;
use countersign::core::name::quoted;
use countersign::core::session::Home;
use countersign::core::shown::Shown;
use countersign::runtime::Left;
use std::io::{IsTerminal as _, Write as _};

/// Sessions that are named; of the others only the number is.
const NAMED: usize = 3;

/// Tells the terminal.
pub(super) fn tell(left: &[Left]) {
    let mut out = std::io::stdout();
    if !out.is_terminal() {
        return;
    }
    for line in lines(left) {
        // The terminal may be gone, and then nobody is to be told.
        let _ = writeln!(out, "{}", line.as_str());
    }
}

fn lines(left: &[Left]) -> Vec<Shown> {
    let lines = left.iter().filter_map(line);
    let mut lines: Vec<Shown> = lines.collect();
    let more = lines.len().saturating_sub(NAMED);
    if more > 0 {
        lines.truncate(NAMED);
        lines.push(Shown::label(&format!(
            "{} wait; list them with: countersign sessions",
            count::of(more, "more session", "more sessions")
        )));
    }
    lines
}

/// Whoever handed a state over is told by `decide` itself.
fn line(left: &Left) -> Option<Shown> {
    let calls = match left.calls {
        1 => "1 call still waits".to_owned(),
        calls => format!("{} calls still wait", count::number(calls)),
    };
    let (agent, session) = (quoted(&left.agent), &left.session);
    let way = match left.home {
        Home::Here => format!("go on with: countersign resume {session}"),
        Home::Elsewhere => format!("it runs on; come back with: countersign attach {session}"),
        Home::File => return None,
    };
    Some(Shown::label(&format!(
        "{calls} in the session of {agent}; {way}"
    )))
}
