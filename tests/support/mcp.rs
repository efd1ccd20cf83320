//! A real MCP server for tests, in a process of its own.

use countersign::tools::mcp::listing::Asks;
use countersign::tools::mcp::{Choice, Reach, Spec};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// What a process may take that was told to end.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn program() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/mcp/server.py"
    ))
}

/// The server under a name. What it is asked goes into `record`; none of its tools asks.
pub fn server(name: &str, record: &Path) -> Spec {
    with(name, record, &[])
}

/// As `server`, in a mode of its own.
pub fn with(name: &str, record: &Path, mode: &[&str]) -> Spec {
    let path = std::env::var("PATH").unwrap_or_default();
    let record = record.display().to_string();
    Spec {
        name: name.to_owned(),
        reach: Reach::Program {
            keeper: env!("CARGO_BIN_EXE_countersign").into(),
            program: program(),
            arguments: std::iter::once(record)
                .chain(mode.iter().map(|word| (*word).to_owned()))
                .collect(),
            environment: vec![("PATH".to_owned(), path)],
        },
        choice: Choice {
            asks: Asks::None,
            ..Choice::default()
        },
        timeout: Duration::from_mins(1),
        start_timeout: Duration::from_mins(1),
    }
}

/// A server at an address; it ends with this.
pub struct At {
    process: Child,
    pub url: String,
}

impl Drop for At {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One that loses its session after the first call, and says so with this status.
pub async fn forgetful(folder: &Path, status: u16) -> At {
    let port = folder.join(format!("port-{status}"));
    let process = Command::new(program().with_file_name("address.py"))
        .arg(&port)
        .arg(status.to_string())
        .spawn()
        .expect("it starts");
    let begun = Instant::now();
    while !port.exists() {
        assert!(begun.elapsed() < PATIENCE, "it says no port");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let port = std::fs::read_to_string(port).expect("its port");
    At {
        process,
        url: format!("http://127.0.0.1:{port}/mcp"),
    }
}

/// The lines of a record, without the numbers of processes, and without its end: a server is told to end in
/// two ways, and whether it has seen the end of its input by then is up to the system.
pub fn record(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| match line.split_once(' ') {
        Some((word @ ("starts" | "child"), _)) => word.to_owned(),
        _ => line.to_owned(),
    };
    let lines = text.lines().map(line);
    lines.filter(|line| line != "ends").collect()
}

/// Waits until a record holds a line.
pub async fn recorded(path: &Path, wanted: &str) {
    let begun = Instant::now();
    while !record(path).iter().any(|line| line == wanted) {
        assert!(begun.elapsed() < PATIENCE, "{:?}", record(path));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits until every process that a record names is gone.
pub fn all_gone(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let number = |line: &str| {
        let (word, number) = line.split_once(' ')?;
        let named = ["starts", "child"].contains(&word);
        number.parse().ok().filter(|_| named)
    };
    let begun = Instant::now();
    for number in text.lines().filter_map(number) {
        let process = rustix::process::Pid::from_raw(number).expect("not 0");
        while is_alive(process) {
            assert!(begun.elapsed() < PATIENCE, "{number} still runs");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// One that has ended and that nobody has reaped yet does not count.
fn is_alive(process: rustix::process::Pid) -> bool {
    let number = process.as_raw_nonzero();
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat"));
    let state = stat.ok().and_then(|stat| {
        let (_, rest) = stat.rsplit_once(") ")?;
        rest.chars().next()
    });
    match state {
        Some(state) => state != 'Z',
        None => false,
    }
}
