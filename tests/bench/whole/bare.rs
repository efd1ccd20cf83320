//! The floor: a list in which `j` and `k` move the selection, as small as ratatui allows. The benchmark
//! starts itself anew to be it.

use crossterm::event::{self, Event, KeyCode};
use ratatui::style::Style;
use ratatui::widgets::{Block, List, ListState};
use std::env;

use super::program::{Program, Start};

const NAME: &str = "BARE_PROGRAM";
const ENTRIES: usize = 200;

/// The bare program, under way. To be called after `be_bare_if_asked`.
pub fn bare() -> Program {
    let own = env::current_exe().expect("this program has a file");
    Start::of(own).env(NAME, "1").now()
}

/// Text that its first frame shows.
pub const SHOWN: &str = "entry 1 ";

/// The process that `bare` started does nothing else. The first thing that a benchmark does.
pub fn be_bare_if_asked() -> bool {
    if env::var_os(NAME).is_none() {
        return false;
    }
    let mut terminal = ratatui::init();
    let list = List::new((0..ENTRIES).map(|at| format!("entry {at} of a list")))
        .block(Block::bordered().title("Entries"))
        .highlight_style(Style::new().reversed());
    let mut state = ListState::default().with_selected(Some(0));
    loop {
        let drawn =
            terminal.draw(|frame| frame.render_stateful_widget(&list, frame.area(), &mut state));
        drawn.expect("the terminal takes frames");
        match event::read() {
            Ok(Event::Key(key)) if key.code == KeyCode::Char('j') => state.select_next(),
            Ok(Event::Key(key)) if key.code == KeyCode::Char('k') => state.select_previous(),
            Ok(_) => {}
            Err(_) => return true,
        }
    }
}
