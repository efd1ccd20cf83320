//! What a click decides, and what it does not.

use countersign::app::command::Command;
use countersign::app::event::Event;
use countersign::app::mouse::{Mouse, Region, Spot, Turn};
use countersign::app::state::{Overlay, Pane};

use crate::support::desk::{Desk, call, key};
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

/// Two calls are marked, `a approve 2` is clicked, and the sheet stands with `enter sign` in the same cells.
fn sheet_by_click() -> Desk {
    let mut desk = Desk::with(&["a", "b"]);
    desk.press("*");
    drawn(&mut desk, Command::Approve);
    click(&mut desk, FOOTER);
    drawn(&mut desk, Command::Sign);
    desk
}

/// The note takes the place of the keys.
fn covered_by_note(desk: &mut Desk) {
    desk.look(1000);
    desk.state.drawn.regions = Vec::new();
}

const CHANGED: &str = "what is under the pointer has changed; click again to sign";

#[test]
fn the_second_click_on_a_key_that_became_another_only_says_so_and_the_next_one_counts() {
    let mut desk = sheet_by_click();
    let (column, row) = FOOTER;
    click(&mut desk, (column + 3, row));
    assert_eq!((desk.recorded(), desk.notice()), (vec![], CHANGED));
    covered_by_note(&mut desk);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded().len(), 2);
}

#[test]
fn who_clicks_on_before_the_note_can_be_read_signs_nothing() {
    let mut desk = sheet_by_click();
    for _ in 0..5 {
        click(&mut desk, FOOTER);
        desk.wait(300);
        desk.draw();
        desk.state.drawn.regions = Vec::new();
    }
    assert_eq!((desk.recorded(), desk.notice()), (vec![], CHANGED));
}

#[test]
fn once_the_note_has_gone_the_key_it_named_is_there_and_counts() {
    let mut desk = sheet_by_click();
    click(&mut desk, FOOTER);
    desk.wait(5000);
    drawn(&mut desk, Command::Sign);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded().len(), 2);
}

#[test]
fn another_note_in_its_place_is_no_key() {
    let mut desk = sheet_by_click();
    click(&mut desk, FOOTER);
    desk.send(Event::OutsideFailed("the editor has failed".to_owned()));
    covered_by_note(&mut desk);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded(), []);
}

#[test]
fn a_click_elsewhere_or_on_a_sheet_that_a_key_opened_is_not_asked_about() {
    let mut desk = sheet_by_click();
    let (column, row) = FOOTER;
    desk.state.drawn.regions.push(Region {
        from: (column + 20, row),
        size: (9, 1),
        spot: Spot::Key(Command::Sign),
    });
    click(&mut desk, (column + 20, row));
    assert_eq!(desk.recorded().len(), 2);

    let mut desk = Desk::with(&["a", "b"]);
    desk.press("* a");
    drawn(&mut desk, Command::Sign);
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded().len(), 2);
}

#[test]
fn the_key_that_signed_does_not_approve_the_next_call_with_a_second_click() {
    let mut desk = Desk::with(&["a", "b", "c"]);
    desk.press("space j space a");
    drawn(&mut desk, Command::Sign);
    click(&mut desk, FOOTER);
    desk.take();
    drawn(&mut desk, Command::Approve);
    click(&mut desk, FOOTER);
    assert_eq!(
        (desk.recorded(), desk.notice()),
        (
            vec![],
            "what is under the pointer has changed; click again to approve"
        )
    );
}

#[test]
fn a_second_click_does_not_approve_a_call_that_only_came_after_the_first() {
    let mut desk = Desk::with(&["a"]);
    drawn(&mut desk, Command::Approve);
    click(&mut desk, FOOTER);
    desk.stored("a");
    desk.take();
    desk.wait(50);
    let mut comes = call("b", "book_flight", "{}");
    comes.arrived = desk.state.now.wall;
    desk.arrive(comes);
    let regions = desk.state.drawn.regions.clone();
    desk.look(500);
    desk.state.drawn.regions = regions;
    click(&mut desk, FOOTER);
    assert_eq!(desk.recorded(), []);
    assert_eq!(desk.cursor(), Some("b"));
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
