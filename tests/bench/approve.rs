//! The approval itself, against a model's server on this machine: from the server's answer to the row
//! that waits, and from the key that approves it to the next request, with the ruling on disk and the
//! tool run in between.

mod whole;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};
use whole::{Figures, Home, say};

const ROUNDS: usize = 25;
/// A call can be decided once it has been on screen for less than that; and a key that comes again sooner
/// might be held down.
const ARMED: Duration = Duration::from_millis(1300);

/// What the server did.
enum Served {
    /// A request is there, whole.
    Asked(Instant),
    /// The answer with this call is written.
    Answered(Instant),
}

fn answer(number: usize) -> String {
    let delta = format!(
        r#"{{"tool_calls":[{{"index":0,"id":"call{number}","type":"function","function":{{"name":"note","arguments":"{{\"number\":\"call-{number}-waits\"}}"}}}}]}}"#
    );
    let chunk = |delta: &str, finish: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let body = [
        chunk(&delta, "null"),
        chunk("{}", "\"tool_calls\""),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Serves one connection after the other; every request is answered with a call.
fn serve(listener: &TcpListener, served: &Sender<Served>) {
    let mut number = 0;
    for connection in listener.incoming().flatten() {
        let _ = connection.set_nodelay(true);
        let mut reader = BufReader::new(&connection);
        loop {
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap_or_default() > 2 {
                let lower = line.to_lowercase();
                if let Some(number) = lower.strip_prefix("content-length:") {
                    length = number.trim().parse().unwrap_or_default();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if length == 0 || reader.read_exact(&mut body).is_err() {
                break;
            }
            let asked = Instant::now();
            let written = (&connection).write_all(answer(number).as_bytes());
            let told = served.send(Served::Asked(asked)).is_ok()
                && served.send(Served::Answered(Instant::now())).is_ok();
            if written.is_err() || !told {
                return;
            }
            number += 1;
        }
    }
}

fn home(port: u16) -> Home {
    let home = Home::new();
    home.write(
        "countersign.toml",
        &format!(
            "default_policy = false\n[providers.local]\nkind = 'openai'\nbase_url = 'http://127.0.0.1:{port}/v1'\n\
             [agents.bench]\nprovider = 'local'\nmodel = 'm'\nworkspace = '.'\ntools = ['note']\n\
             [tools.note]\ndescription = 'Takes a note.'\ncommand = ['true']\nrequires_confirmation = true\n\
             [tools.note.parameters]\ntype = 'object'\n"
        ),
    );
    home
}

fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it has an address").port();
    let (sender, served) = channel();
    std::thread::spawn(move || serve(&listener, &sender));
    let home = home(port);
    let mut program = home.start().args(["run", "--prompt", "go"]).now();
    let (mut arrives, mut posts) = (Figures::default(), Figures::default());
    let mut pressed: Option<Instant> = None;
    for number in 0..ROUNDS {
        let shown = program.until_text(&format!("call-{number}-waits"));
        for what in [served.recv(), served.recv()] {
            match what.expect("the server runs") {
                Served::Asked(at) => posts.extend(pressed.map(|pressed| at - pressed)),
                Served::Answered(at) => arrives.add(shown.saturating_duration_since(at)),
            }
        }
        program.watch(ARMED);
        pressed = Some(program.send("a"));
    }
    say(&format!(
        "the model's call to its row: best {:.1} ms, p50 {:.1} ms (budget: a frame and 5 ms)",
        arrives.best(),
        arrives.at(50)
    ));
    say(&format!(
        "approve key to the next request, ruling on disk, tool run: best {:.1} ms, p50 {:.1} ms (budget: p50 10 ms)",
        posts.best(),
        posts.at(50)
    ));
    say(&format!(
        "the disk alone, one small durable write: p50 {:.1} ms",
        disk(&home).at(50)
    ));
}

/// What a durable write costs on this disk, for comparison.
fn disk(home: &Home) -> Figures {
    let mut file = std::fs::File::create(home.path("data/durable")).expect("a file");
    let mut took = Figures::default();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let written = file.write_all(&[0; 4096]).and_then(|()| file.sync_data());
        written.expect("the disk takes it");
        took.add(begun.elapsed());
    }
    took
}
