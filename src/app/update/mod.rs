//! The one function that changes `State`: an event in, effects out.
//!
//! Owns the order of things. Each kind of event has its own file; this one only sends it there.

mod attention;
mod batch;
mod click;
mod clock;
mod copy;
mod cursor;
mod decide;
mod denied;
mod drafts;
mod edit;
mod held;
mod keys;
mod line;
mod mouse;
mod notice;
mod reach;
mod rewritten;
mod rule_list;
mod rules;
mod run;
mod scroll;
mod sessions;
mod set;
mod sight;
mod stood;
mod store;

use super::effect::Effect;
use super::event::Event;
use super::state::State;

pub use clock::next_due;

/// Takes in one event and says what is to be done outside.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::Clock(now) => clock::passed(state, now),
        Event::Key(key, stroke) => {
            attention::acted(state);
            keys::pressed(state, key, stroke)
        }
        Event::Paste(text) => {
            attention::acted(state);
            drafts::pasted(state, &text)
        }
        Event::PasteOpen => {
            notice::error(state, "a paste has no end yet; if none comes, press esc");
            Vec::new()
        }
        Event::Mouse(turn) => {
            attention::acted(state);
            mouse::turned(state, turn)
        }
        Event::FocusGained => {
            attention::focus_gained(state);
            Vec::new()
        }
        Event::FocusLost => {
            attention::focus_lost(state);
            Vec::new()
        }
        Event::Line(line) => {
            attention::acted(state);
            line::read(state, line)
        }
        Event::OutsideFailed(why) => {
            notice::warn(state, why);
            Vec::new()
        }
        Event::Resized { columns, rows } => {
            state.size = (columns, rows);
            sight::laid_anew(state);
            sight::lost(state);
            Vec::new()
        }
        Event::Drawn(drawn) => {
            sight::drawn(state, *drawn);
            Vec::new()
        }
        Event::OnScreen(drawn) => {
            sight::on_screen(state, &drawn);
            Vec::new()
        }
        Event::Run(session, event) => run::happened(state, &session, *event),
        Event::Store(event) => store::answered(state, event),
        Event::Listed(rows) => {
            sessions::listed(state, rows);
            Vec::new()
        }
        Event::Opened(opened) => {
            sessions::opened(state, opened.map(|opened| *opened));
            Vec::new()
        }
        Event::Foreseen {
            key,
            arguments,
            preview,
        } => {
            rewritten::foreseen(state, &key, &arguments, preview.map(|preview| *preview));
            Vec::new()
        }
        Event::Edited(text) => match rules::edited(state, &text) {
            rules::Taken::Yes => Vec::new(),
            rules::Taken::No => drafts::edited_outside(state, text),
        },
        Event::Continued(now) => {
            stood::went_on(state, now);
            Vec::new()
        }
        Event::Terminate => vec![Effect::Quit],
    }
}
