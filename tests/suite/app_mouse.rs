//! What a click decides, and what it does not.

use countersign::app::command::Command;
use countersign::app::event::Event;
use countersign::app::mouse::{Mouse, Region, Spot, Turn};
use countersign::app::state::{Overlay, Pane};

use crate::support::desk::{Desk, key};
use crate::support::ui_scene::{MIDDLE, Scene, WIDE, shot};
use countersign::ui::{Ui, theme::Theme};

const FOOTER: (u16, u16) = (1, 30);

/// Draws a frame in which the rows 1, 2, … are the calls, and the footer is one key.
fn drawn(desk: &mut Desk, footer: Command) {
    desk.look(1000);
    let mut regions = vec![Region {
        from: (0, 0),
        size: (40, 20),
        spot: Spot::Pane(Pane::Pending),
    }];
    let calls: Vec<_> = desk.listed().into_iter().map(key).collect();
    for (row, call) in (1..).zip(calls) {
        regions.push(Region {
            from: (0, row),
            size: (40, 1),
            spot: Spot::Call(call),
        });
    }
    regions.push(Region {
        from: (50, 0),
        size: (40, 20),
        spot: Spot::Pane(Pane::Output),
    });
    regions.push(Region {
        from: FOOTER,
        size: (9, 1),
        spot: Spot::Key(footer),
    });
    desk.state.drawn.regions = regions;
}

fn turn(desk: &mut Desk, turn: Turn, (column, row): (u16, u16)) {
    desk.send(Event::Mouse(Mouse { turn, column, row }));
}

fn click(desk: &mut Desk, at: (u16, u16)) {
    turn(desk, Turn::Click, at);
}

#[test]
fn a_click_on_a_key_of_the_footer_is_that_key() {
    let mut desk = Desk::with(&["a", "b"]);
    drawn(&mut desk, Command::Approve);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded(), [("a".to_owned(), "approved")]);
}

#[test]
fn a_second_click_does_not_decide_the_call_that_took_its_place() {
    let mut desk = Desk::with(&["a", "b"]);
    drawn(&mut desk, Command::Approve);
    click(&mut desk, FOOTER);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded(), [("a".to_owned(), "approved")]);
}

#[test]
fn a_click_selects_a_call_decides_nothing_and_its_wait_begins_afresh() {
    for row in [1, 2] {
        let mut desk = Desk::with(&["a", "b"]);
        drawn(&mut desk, Command::Approve);
        click(&mut desk, (5, row));
        assert_eq!(desk.cursor(), Some(["", "a", "b"][usize::from(row)]));
        click(&mut desk, FOOTER);
        assert_eq!(desk.recorded(), []);
        desk.look(400);
        desk.press("a");
        assert_eq!(desk.recorded().len(), 1);
    }
}

#[test]
fn a_click_that_brought_the_terminal_into_focus_does_nothing() {
    let mut desk = Desk::with(&["a", "b"]);
    drawn(&mut desk, Command::Approve);
    desk.send(Event::FocusLost);
    click(&mut desk, FOOTER);
    desk.send(Event::FocusGained);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded(), []);
    desk.wait(400);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded().len(), 1);
}

#[test]
fn a_key_that_is_not_offered_any_more_is_not_pressed() {
    let mut desk = Desk::with(&["a"]);
    drawn(&mut desk, Command::Sign);
    click(&mut desk, FOOTER);
    assert_eq!((desk.recorded(), &desk.state.overlay), (vec![], &None));
}

#[test]
fn nothing_behind_a_sheet_is_clicked() {
    let mut desk = Desk::with(&["a", "b"]);
    drawn(&mut desk, Command::Approve);
    let regions = desk.state.drawn.regions.clone();
    desk.press("?");
    desk.state.drawn.regions = regions;
    click(&mut desk, (5, 2));
    click(&mut desk, (55, 2));
    assert_eq!(desk.cursor(), Some("a"));
    assert_eq!(desk.state.focus, Pane::Pending);
    assert!(matches!(desk.state.overlay, Some(Overlay::Help { .. })));
}

#[test]
fn a_click_into_a_pane_brings_the_keys_there_and_the_wheel_scrolls_what_is_below_it() {
    let mut desk = Desk::with(&["a", "b"]);
    desk.rows = (5, 50);
    drawn(&mut desk, Command::Approve);
    turn(&mut desk, Turn::WheelDown, (5, 15));
    assert_eq!(desk.state.arguments_top, 3);
    turn(&mut desk, Turn::WheelUp, (55, 5));
    assert_eq!(desk.state.output_scroll.by, -3);
    turn(&mut desk, Turn::WheelDown, (5, 1));
    assert_eq!(desk.cursor(), Some("b"));
    assert_eq!(desk.state.focus, Pane::Pending);
    click(&mut desk, (55, 5));
    assert_eq!(desk.state.focus, Pane::Output);
}

#[test]
fn what_the_mouse_is_told_of_stands_where_it_is_drawn() {
    let scene = Scene::travel();
    for size in [WIDE, MIDDLE] {
        let mut ui = Ui::new(Theme::mono());
        let shot = shot(&mut ui, &scene.state, size);
        let rows = shot.rows();
        let text = |region: &Region| {
            let row = rows[usize::from(region.from.1)].chars();
            let part = row.skip(usize::from(region.from.0));
            part.take(usize::from(region.size.0)).collect::<String>()
        };
        let regions = &shot.drawn.regions;
        let calls: Vec<_> = regions
            .iter()
            .filter(|region| matches!(region.spot, Spot::Call(_)))
            .map(text)
            .collect();
        let listed: Vec<_> = scene.state.listed().map(|w| w.call.tool.clone()).collect();
        assert!(!calls.is_empty());
        for (row, tool) in calls.iter().zip(&listed) {
            assert!(row.contains(tool.as_str()), "{row} is not {tool}");
        }
        let approve = regions
            .iter()
            .find(|region| region.spot == Spot::Key(Command::Approve))
            .map(text);
        assert_eq!(approve.as_deref(), Some("a approve"));
    }
}
