//! What the whole program makes of a terminal: title, focus, notifications, keyboard, mouse, clipboard.

use crate::support::console::{Console, Home};
use crate::support::pty::{Launch, Signal, count};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

const PUSH_TITLE: &[u8] = b"\x1b[22;0t";
const POP_TITLE: &[u8] = b"\x1b[23;0t";

/// A configuration whose one agent asks for one call.
fn one_call(home: &Home, more: &str) {
    let configuration = format!(
        "default_policy = false\n[providers.p]\nkind = 'script'\nscenario = 's.toml'\n\
         [agents.a]\nprovider = 'p'\nmodel = 'm'\ntools = ['book']\n\
         [tools.book]\ndescription = 'Book.'\ncommand = ['cat']\nrequires_confirmation = true\n{more}"
    );
    fs::write(home.path("cwd/countersign.toml"), configuration).expect("a file");
    let scenario = "title = 't'\nprompt = 'go'\n[[turns]]\nname = 'a'\non = 'go'\n\
                    calls = [ { tool = 'book', arguments = { to = 'secret place' } } ]\n";
    fs::write(home.path("cwd/s.toml"), scenario).expect("a file");
}

fn start(more: &str, change: impl FnOnce(Launch) -> Launch) -> Console {
    let home = Home::new();
    one_call(&home, more);
    let launch = home.settle(Launch::countersign()).size(100, 24);
    let pty = change(launch).start();
    Console { pty, home }
}

fn bytes(console: &Console, wanted: &[u8]) -> usize {
    count(&console.pty.raw(), wanted)
}

#[test]
fn pty_the_title_counts_what_waits_and_is_given_back() {
    for signal in [None, Some(Signal::TERM), Some(Signal::HUP)] {
        let mut console = start("", |launch| launch);
        console
            .pty
            .wait_for_bytes("\x1b]2;1 waiting · countersign\x07".as_bytes(), 1);
        console.press_for("a", "0 pending");
        console.pty.wait_for_bytes(b"\x1b]2;countersign\x07", 1);
        match signal {
            None => {
                console.pty.press("q");
                console.pty.press("enter");
            }
            Some(signal) => console.pty.signal(signal),
        }
        console.pty.wait_exit();
        console.pty.wait_for_bytes(POP_TITLE, 1);
        assert_eq!(
            (bytes(&console, PUSH_TITLE), bytes(&console, POP_TITLE)),
            (1, 1)
        );
        let raw = String::from_utf8_lossy(&console.pty.raw()).into_owned();
        let titles = raw.split("\x1b]2;").skip(1);
        let titles = titles.map(|rest| rest.split('\x07').next().unwrap_or_default());
        for title in titles {
            assert!(title.ends_with("countersign"), "{title}");
        }
    }
}

#[test]
fn pty_a_title_that_is_to_be_left_alone_is() {
    let mut console = start("[attention]\ntitle = false\n", |launch| launch);
    console.pty.wait_for("1 pending");
    console.press_for("a", "0 pending");
    assert_eq!(bytes(&console, b"\x1b]2;"), 0);
    console.quit();
}

#[test]
fn pty_who_looks_elsewhere_is_called_with_fixed_words_in_the_terminals_way() {
    let cases: [(&str, &str, &[u8]); 4] = [
        ("bell", "", b"\x07"),
        ("osc9", "", b"\x1b]9;countersign: 1 call waits\x07\x07"),
        (
            "osc777",
            "",
            b"\x1b]777;notify;countersign;1 call waits\x07\x07",
        ),
        (
            "osc99",
            "socket,1,0",
            b"\x1bPtmux;\x1b\x1b]99;i=countersign;countersign: 1 call waits\x07\x1b\\\x07",
        ),
    ];
    for (kind, tmux, expected) in cases {
        let more =
            format!("[attention]\nnotify = '{kind}'\nunknown_focus = 'away'\ntitle = false\n");
        let console = start(&more, |launch| launch.env("TMUX", tmux));
        console.pty.wait_for("1 pending");
        console.pty.wait_for_bytes(expected, 1);
        assert_eq!(bytes(&console, expected), 1, "{kind}");
        console.quit();
    }
}

#[test]
fn pty_a_letter_that_is_held_down_decides_one_call_on_an_enhanced_keyboard() {
    let mut console = Console::start(100, 30);
    console.pty.wait_for_bytes(b"\x1b[?u", 1);
    console.pty.send(b"\x1b[?0u");
    console.pty.wait_for_bytes(b"\x1b[>27u", 1);
    console.pty.send(b"\x1b[?27u");
    console.do_until("3 pending", |pty| pty.send(b"\x1b[97;1:1;97u"));
    // Held for longer than a call takes to arm, and let go.
    for _ in 0..60 {
        console.pty.send(b"\x1b[97;1:2;97u");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    console.pty.send(b"\x1b[97;1:3u");
    console.pty.send(b"\x1b[63;2;63u");
    console.pty.wait_for("╭▸Keys");
    console.pty.send(b"\x1b[27u");
    console.wait_gone("╭▸Keys");
    assert!(console.shows("3 pending · 1 decided"));
    console.pty.send(b"\x1b[113;1;113u\x1b[13u");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
    console.pty.wait_for_bytes(b"\x1b[<u", 1);
}

/// The first cell of a text on the screen.
fn cell(console: &Console, text: &str) -> (usize, usize) {
    let screen = console.pty.screen();
    let found = screen.lines().enumerate().find_map(|(row, line)| {
        let at = line.find(text)?;
        Some((line[..at].chars().count(), row))
    });
    assert!(found.is_some(), "no {text}:\n{screen}");
    found.unwrap_or_default()
}

fn click(console: &mut Console, text: &str) {
    let (column, row) = cell(console, text);
    let at = format!("{};{}", column + 1, row + 1);
    console
        .pty
        .send(format!("\x1b[<0;{at}M\x1b[<0;{at}m").as_bytes());
}

#[test]
fn pty_the_mouse_selects_a_call_and_presses_a_key_of_the_footer() {
    let mut console = start("[ui]\nmouse = true\n", |launch| launch);
    console.pty.wait_for_bytes(b"\x1b[?1000h\x1b[?1006h", 1);
    console.pty.wait_for("1 pending");
    click(&mut console, "? help");
    console.pty.wait_for("╭▸Keys");
    console.pty.press("esc");
    console.wait_gone("╭▸Keys");
    console.do_until("1 decided", |pty| {
        let screen = pty.screen();
        let row = screen.lines().position(|line| line.contains("a approve"));
        let at = row.map_or(1, |row| row + 1);
        pty.send(format!("\x1b[<0;2;{at}M\x1b[<0;2;{at}m").as_bytes());
    });
    console.pty.press("q");
    console.pty.press("enter");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
    console.pty.wait_for_bytes(b"\x1b[?1006l\x1b[?1000l", 1);
}

#[test]
fn pty_without_being_asked_for_the_mouse_stays_the_terminals() {
    let console = start("", |launch| launch);
    console.pty.wait_for("1 pending");
    assert_eq!(bytes(&console, b"\x1b[?1000h"), 0);
    console.quit();
}

#[test]
fn pty_the_arguments_go_to_the_clipboard_through_tmux_too() {
    // {"to":"secret place"} in base 64.
    let text = "eyJ0byI6InNlY3JldCBwbGFjZSJ9";
    for tmux in ["", "socket,1,0"] {
        let mut console = start("", |launch| launch.env("TMUX", tmux));
        console.pty.wait_for("1 pending");
        console.press_for("c", "21 bytes copied");
        let times = usize::from(!tmux.is_empty());
        let plain = format!("\x1b]52;c;{text}\x07");
        // The wrapped one has the plain one in it.
        assert_eq!(bytes(&console, plain.as_bytes()), 1 + times);
        let wrapped = format!("\x1bPtmux;\x1b{plain}\x1b\\");
        assert_eq!(bytes(&console, wrapped.as_bytes()), times);
        console.quit();
    }
}

/// The one request that comes, answered so.
fn request(listener: &TcpListener, answer: &str) -> String {
    let (mut stream, _) = listener.accept().expect("somebody calls");
    let mut request = String::new();
    let mut bytes = [0; 4096];
    while !request.ends_with("]}") {
        let count = stream.read(&mut bytes).expect("a request");
        request.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    let answer = format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).expect("an answer");
    request
}

#[test]
fn pty_somebody_outside_is_told_numbers_and_ids_and_nothing_of_the_call() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it has one").port();
    let more = format!(
        "[attention.webhook]\nurl = 'http://127.0.0.1:{port}/told'\nafter = '1s'\nkey_env = 'HOOK_KEY'\n"
    );
    let mut console = start(&more, |launch| launch.env("HOOK_KEY", "a-key"));
    let request = request(&listener, "500 no");
    let (head, body) = request.split_once("\r\n\r\n").expect("head and body");
    assert!(head.starts_with("POST /told HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: Bearer a-key"), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
    let keys: Vec<_> = body.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["program", "waiting", "oldest_seconds", "sessions"]);
    assert_eq!(body["waiting"], 1);
    assert_eq!(body["sessions"][0]["waiting"], 1);
    assert!(!request.contains("secret place"));
    console.pty.wait_for("could not be told that calls wait");
    // It goes on as if nothing had been.
    console.press_for("a", "0 pending");
    console.quit();
}

#[test]
fn pty_somebody_outside_is_told_of_calls_in_the_background_once_no_console_is_there() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it has one").port();
    let more = format!("[attention.webhook]\nurl = 'http://127.0.0.1:{port}/told'\nafter = '2s'\n");
    let mut console = start(&more, |launch| launch.args(["run", "--detach"]));
    console.pty.wait_for("1 pending");
    console.pty.press("q");
    console.pty.press("enter");
    console.pty.wait_exit();
    let request = request(&listener, "204 yes");
    assert!(request.contains("\"waiting\":1"), "{request}");
}
