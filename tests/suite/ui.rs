//! Frames of the console, as text.

use crate::support::ui_scene::Scene;

const WIDE: (u16, u16) = (120, 36);
const MIDDLE: (u16, u16) = (80, 24);
const NARROW: (u16, u16) = (50, 15);

#[test]
fn look() {
    for size in [WIDE, MIDDLE, NARROW] {
        println!("{}\n", Scene::travel().draw(size).text());
        println!("{}\n", Scene::travel().with_edit().draw(size).text());
    }
}
