//! A small program that holds the terminal, for the tests in `term` to start in a pseudo-terminal.
//!
//! It is this test binary, started again with a variable set; without it the "test" does nothing.

use countersign::app::event::Event;
use countersign::app::key::{Code, Key};
use countersign::term::input::{Input, Told};
use countersign::term::{Extras, NoTerminal, Screen, Session, editor, session};
use futures::StreamExt as _;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use std::io;
use tokio::signal::unix::{SignalKind, signal};

pub const VARIABLE: &str = "COUNTERSIGN_TERM_CHILD";
pub const NAME: &str = "suite::term_child::program";

/// What a key does.
enum Then {
    Draw,
    PanicInDraw,
    Suspend,
    Edit,
    Quit,
}

#[test]
fn program() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    if let Err(why) = NoTerminal::check() {
        let _ = io::Write::write_all(&mut io::stderr(), format!("{why}\n").as_bytes());
        std::process::exit(2);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime starts");
    let code = runtime.block_on(run()).expect("the terminal can be used");
    std::process::exit(code);
}

async fn run() -> io::Result<i32> {
    let mut session = Session::enter(Screen::stdout()?, Extras::default())?;
    let mut input = Input::open()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut said = "ready".to_owned();
    loop {
        draw(&mut session, &said)?;
        let event = tokio::select! { biased;
            _ = terminate.recv() => return Ok(3),
            _ = hangup.recv() => return Ok(4),
            event = input.next() => event,
        };
        let Some(event) = event else {
            return Ok(5);
        };
        let Told::Event(event) = event? else {
            continue;
        };
        match react(event, &mut said) {
            Then::Draw => {}
            Then::PanicInDraw => session.draw(|_| fail("in a frame")).map(drop)?,
            Then::Quit => return Ok(0),
            Then::Suspend => {
                drop(input);
                session.leave()?;
                session::stop()?;
                session.take_again()?;
                input = Input::open()?;
                "back".clone_into(&mut said);
            }
            Then::Edit => {
                drop(input);
                let edited = session.with_released(|| editor::edit("before", "json"))?;
                input = Input::open()?;
                said = edited.unwrap_or_else(|why| why.to_string());
            }
        }
    }
}

fn react(event: Event, said: &mut String) -> Then {
    let key = match event {
        Event::Key(key, _) => key,
        Event::Paste(text) => {
            *said = format!("pasted {text:?}");
            return Then::Draw;
        }
        other => {
            *said = format!("{other:?}");
            return Then::Draw;
        }
    };
    *said = format!("key {key}");
    if key != Key::plain(key.code) {
        return Then::Draw;
    }
    match key.code {
        Code::Char('p') => fail("in a key"),
        Code::Char('P') => return Then::PanicInDraw,
        Code::Char('t') => {
            let task = std::thread::spawn(|| fail("in a thread"));
            *said = format!("a thread ended well: {}", task.join().is_ok());
        }
        Code::Char('z') => return Then::Suspend,
        Code::Char('e') => return Then::Edit,
        Code::Char('q') => return Then::Quit,
        _ => {}
    }
    Then::Draw
}

fn draw(session: &mut Session, said: &str) -> io::Result<()> {
    session.draw(|frame| {
        let area = frame.area();
        let size = format!("{}x{}", area.width, area.height);
        let lines = vec![Line::from(said), Line::from(size)];
        frame.render_widget(Paragraph::new(lines), area);
    })?;
    Ok(())
}

fn fail(place: &str) {
    assert!(place.is_empty(), "failed {place}");
}
