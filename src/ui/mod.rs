//! The screen: `State` in, cells out, and an honest report of what was visible.
//!
//! Owns layout and looks, and caches of laid-out rows; never truth. Decides nothing, reads no key.
//! Text gets here as `Shown`, as a literal or as a number, and in no other way: see `text`.

mod border;
mod conversation;
mod draft;
mod footer;
mod header;
mod layout;
pub mod lines;
mod output;
mod overlay;
mod paint;
mod pending;
mod regions;
mod rows;
mod text;
pub mod theme;
mod title;
mod words;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::draft::Purpose;
use crate::app::state::{Drawn, Overlay, State};
use layout::{Needs, Places};
use pending::Listed;
use theme::Theme;
use words::Scene;

pub use title::title;

/// Draws frames. What it keeps between two frames could be thrown away at any time.
#[derive(Debug)]
pub struct Ui {
    theme: Theme,
    conversation: conversation::Layouts,
    pending: pending::Layouts,
    output: output::Layouts,
    overlay: overlay::Layouts,
    draft: draft::Layouts,
}

impl Ui {
    pub fn new(theme: Theme) -> Self {
        Self {
            theme,
            conversation: conversation::Layouts::default(),
            pending: pending::Layouts::default(),
            output: output::Layouts::default(),
            overlay: overlay::Layouts::default(),
            draft: draft::Layouts::default(),
        }
    }

    /// Draws one frame and reports what of it the operator can see. The report arms keys.
    pub fn draw(&mut self, frame: &mut Frame<'_>, state: &State) -> Drawn {
        let theme = self.theme;
        let scene = Scene {
            state,
            theme: &theme,
        };
        let area = frame.area();
        let mut drawn = Drawn {
            afresh: state.afresh,
            conversation: state.conversation_scroll.anchor,
            output: state.output_scroll.anchor,
            ..Drawn::default()
        };
        let listed = Listed::count(scene);
        let needs = |columns| Needs {
            calls: listed.lines,
            arguments: pending::rows_needed(columns, listed, scene, &mut self.pending),
            output: output::rows_needed(columns, layout::MOST_OUTPUT, scene, &mut self.output),
        };
        let footer = footer::height(scene, area);
        let Some(places) = layout::places(area, footer, state, needs) else {
            footer::too_small(frame.buffer_mut(), area, &theme);
            return drawn;
        };
        let buffer = frame.buffer_mut();
        header::draw(buffer, places.header, scene);
        drawn.regions = footer::draw(buffer, places.footer, scene);
        if let Some(tabs) = places.tabs {
            header::tabs(buffer, tabs, scene);
        }
        let cursor = self.panes(buffer, &places, listed, scene, &mut drawn);
        regions::panes(&places, &mut drawn.regions);
        let cursor = self.covers(buffer, &places, scene, &mut drawn).or(cursor);
        if let Some(cursor) = cursor.filter(|cursor| area.contains(*cursor)) {
            frame.set_cursor_position(cursor);
        }
        drawn
    }

    fn panes(
        &mut self,
        buffer: &mut Buffer,
        places: &Places,
        listed: Listed,
        scene: Scene<'_>,
        drawn: &mut Drawn,
    ) -> Option<Position> {
        let mut cursor = None;
        if let Some(area) = places.conversation {
            let composer = draft::composer_height(scene, area);
            let showed = conversation::draw(buffer, area, composer, scene, &mut self.conversation);
            (drawn.conversation, drawn.conversation_height) = (showed.anchor, showed.height);
            if composer > 0 {
                cursor = draft::composer(buffer, area, composer, scene, &mut self.draft);
            }
        }
        if let Some(area) = places.pending {
            let showed = pending::draw(
                buffer,
                (area, places.list),
                listed,
                scene,
                &mut self.pending,
            );
            drawn.list_height = showed.list_height;
            drawn.arguments = showed.arguments;
            drawn.beside = showed.beside;
            drawn.call = showed.call;
            regions::list(showed.list, scene.state, &mut drawn.regions);
            if let Some(row) = showed.filter {
                cursor = draft::filter(buffer, row, scene, &mut self.draft);
            }
        }
        if let Some(area) = places.output {
            let showed = output::draw(buffer, area, scene, &mut self.output);
            (drawn.output, drawn.output_height) = (showed.anchor, showed.height);
        }
        cursor
    }

    /// What lies over the panes. A call that is covered, if only in part, was not seen.
    fn covers(
        &mut self,
        buffer: &mut Buffer,
        places: &Places,
        scene: Scene<'_>,
        drawn: &mut Drawn,
    ) -> Option<Position> {
        let mut host = places.pending.unwrap_or(places.body);
        let mut wide = places.editor;
        let mut filter = None;
        if let Some(overlay) = &scene.state.overlay {
            let body = places
                .tabs
                .map_or(places.body, |tabs| joined(tabs, places.body));
            let showed = overlay::draw(buffer, body, overlay, scene, &mut self.overlay);
            drawn.overlay = showed.extent;
            drawn.review = showed.review;
            drawn.call = showed.call;
            drawn.beside = showed.beside;
            filter = showed.filter;
            if matches!(overlay, Overlay::View { .. }) {
                drawn.arguments = showed.extent;
            }
            (host, wide) = (body, body);
        }
        let purpose = scene.state.draft.as_ref().map(|draft| &draft.purpose)?;
        match purpose {
            Purpose::Message | Purpose::Filter => None,
            Purpose::Sessions => draft::filter(buffer, filter?, scene, &mut self.draft),
            Purpose::Reason { .. }
            | Purpose::Edit { .. }
            | Purpose::Set { .. }
            | Purpose::Answer { .. }
            | Purpose::Retry { .. }
            | Purpose::Failure { .. } => {
                drawn.call = None;
                drawn.draft = true;
                draft::sheet(buffer, host, wide, scene, &mut self.draft)
            }
        }
    }
}

/// Two areas, the one below the other, as one.
const fn joined(top: Rect, below: Rect) -> Rect {
    Rect {
        height: top.height + below.height,
        ..top
    }
}
