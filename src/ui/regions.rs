//! What lies where on the screen, for the mouse. Draws nothing and decides nothing.

use ratatui::layout::Rect;

use super::layout::Places;
use super::pending::calls;
use crate::app::mouse::{Region, Spot};
use crate::app::state::{Pane, State};

/// The panes go under what was told before: rows of a list lie over their pane.
pub fn panes(places: &Places, regions: &mut Vec<Region>) {
    let panes = [
        (places.conversation, Pane::Conversation),
        (places.pending, Pane::Pending),
        (places.output, Pane::Output),
    ];
    let shown = panes
        .into_iter()
        .filter_map(|(area, pane)| Some(region(area?, Spot::Pane(pane))));
    regions.splice(0..0, shown);
}

/// The visible rows of the list of pending calls.
pub fn list((area, top): (Rect, usize), state: &State, regions: &mut Vec<Region>) {
    let visible = calls(state, top, usize::from(area.height));
    let rows = visible.filter_map(|(at, waiting)| {
        let row = Rect {
            y: area.y + u16::try_from(at).ok()?,
            height: 1,
            ..area
        };
        Some(region(row, Spot::Call(waiting.call.key.clone())))
    });
    regions.extend(rows);
}

const fn region(area: Rect, spot: Spot) -> Region {
    Region {
        from: (area.x, area.y),
        size: (area.width, area.height),
        spot,
    }
}
