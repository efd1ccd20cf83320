//! What is read stays where it is.

use countersign::app::state::{Anchor, Pane, Scroll};
use countersign::core::output::Stream;
use countersign::core::run::{CallStatus, RunEvent, TextKind};
use countersign::ui::Ui;
use countersign::ui::theme::Theme;
use proptest::prelude::*;
use serde_json::json;

use crate::support::ui_scene::{MIDDLE, NARROW, Scene, Shot, key, output, shot};

/// The rows of the one pane that a narrow screen shows, without its bottom border, which counts what is below.
fn pane(shot: &Shot) -> Vec<String> {
    shot.rows()[3..13].to_vec()
}

fn conversation(entries: &[(bool, String)]) -> Scene {
    let mut scene = Scene::empty();
    scene.state.focus = Pane::Conversation;
    append(&mut scene, entries);
    scene
}

fn append(scene: &mut Scene, entries: &[(bool, String)]) {
    for (user, text) in entries {
        if *user {
            scene.user(text);
        } else {
            scene.agent(text);
        }
    }
}

fn entries(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(bool, String)>> {
    prop::collection::vec((any::<bool>(), "([a-z]{1,9}[ \n]){1,40}"), count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn appending_entries_moves_nothing_unless_the_end_is_followed(
        first in entries(1..12),
        more in entries(1..6),
        up in 0_isize..60,
    ) {
        let mut scene = conversation(&first);
        let mut ui = Ui::new(Theme::dark());
        scene.state.conversation_scroll.by = -up;
        let before = shot(&mut ui, &scene.state, NARROW);
        let anchor = before.drawn.conversation;
        scene.state.conversation_scroll = Scroll { anchor, by: 0 };
        append(&mut scene, &more);
        let after = shot(&mut ui, &scene.state, NARROW);
        if anchor == Anchor::End {
            prop_assert_eq!(after.drawn.conversation, Anchor::End);
        } else {
            prop_assert_eq!(pane(&before), pane(&after));
        }
    }

    #[test]
    fn as_many_rows_down_as_up_lead_back(first in entries(8..16), up in 1_isize..15) {
        let mut scene = conversation(&first);
        scene.state.conversation_scroll.by = -(20 + up);
        let from = scene.draw(NARROW);
        scene.state.conversation_scroll = Scroll { anchor: from.drawn.conversation, by: up };
        let down = scene.draw(NARROW);
        scene.state.conversation_scroll = Scroll { anchor: down.drawn.conversation, by: -up };
        if down.drawn.conversation != Anchor::End {
            prop_assert_eq!(pane(&from), pane(&scene.draw(NARROW)));
        }
    }
}

#[test]
fn the_start_of_a_conversation_is_reached_and_its_end_too() {
    let texts: Vec<_> = (0..50)
        .map(|at| (at % 2 == 0, format!("entry {at}")))
        .collect();
    let mut scene = conversation(&texts);
    scene.state.conversation_scroll = Scroll {
        anchor: Anchor::At { item: 0, row: 0 },
        by: 0,
    };
    let start = scene.draw(NARROW);
    assert!(
        start.contains("entry 0 ") || start.text().contains("entry 0"),
        "{}",
        start.text()
    );
    assert!(start.contains("↓ more"), "{}", start.text());
    scene.state.conversation_scroll = Scroll {
        anchor: start.drawn.conversation,
        by: 10_000,
    };
    let end = scene.draw(NARROW);
    assert_eq!(end.drawn.conversation, Anchor::End);
    assert!(end.contains("entry 49"), "{}", end.text());
}

#[test]
fn output_stands_still_while_more_is_written_and_even_when_the_middle_is_let_go() {
    let mut scene = Scene::empty();
    scene
        .called("run", "shell", &json!({}))
        .status("run", CallStatus::Running);
    scene.state.newest_output = Some(key("run"));
    scene.state.focus = Pane::Output;
    let write = |scene: &mut Scene, from: usize, to: usize| {
        for row in from..to {
            output(
                scene,
                "run",
                Stream::Out,
                &format!("row {row} {}\n", "x".repeat(400)),
            );
        }
    };
    write(&mut scene, 0, 100);
    scene.state.output_scroll.by = -300;
    let before = scene.draw(MIDDLE);
    scene.state.output_scroll = Scroll {
        anchor: before.drawn.output,
        by: 0,
    };
    write(&mut scene, 100, 40_000);
    let after = scene.draw(MIDDLE);
    assert_eq!(before.drawn.output, after.drawn.output);
    assert_eq!(before.rows()[14..22], after.rows()[14..22]);
    let gone = Anchor::At {
        item: 12_000,
        row: 0,
    };
    scene.state.output_scroll = Scroll {
        anchor: gone,
        by: 0,
    };
    assert!(
        scene.draw(MIDDLE).contains("rows not kept"),
        "{}",
        scene.draw(MIDDLE).text()
    );
}

/// How many of the pane's rows changed, for each piece of a text that comes in word by word.
fn moved(words: usize) -> Vec<usize> {
    let mut scene = Scene::empty();
    scene.state.focus = Pane::Conversation;
    let mut ui = Ui::new(Theme::dark());
    let entry = scene.next();
    let mut before = pane(&shot(&mut ui, &scene.state, NARROW));
    let mut moved = Vec::new();
    for word in 0..words {
        scene.run(&RunEvent::Text {
            entry,
            piece: format!("{word}th\n\n"),
        });
        let shot = shot(&mut ui, &scene.state, NARROW);
        assert!(shot.contains(&format!("{word}th")), "{}", shot.text());
        assert_eq!(shot.drawn.conversation, Anchor::End);
        let after = pane(&shot);
        let differ = before
            .iter()
            .zip(&after)
            .filter(|(one, other)| one != other);
        moved.push(differ.count());
        before = after;
    }
    moved
}

#[test]
fn text_that_comes_in_moves_all_rows_of_its_pane_only_now_and_then() {
    let moved = moved(60);
    let whole = moved.iter().filter(|rows| **rows > 2).count();
    assert!(whole * 2 <= moved.len() + 1, "{moved:?}");
    assert!(moved.iter().all(|rows| *rows > 0), "{moved:?}");
}

#[test]
fn a_text_that_has_come_in_fills_the_pane_to_its_last_row() {
    let mut scene = Scene::empty();
    scene.state.focus = Pane::Conversation;
    let mut ui = Ui::new(Theme::dark());
    let entry = scene.next();
    let mut text = String::new();
    for word in 0..40 {
        let piece = format!("{word}th\n\n");
        text.push_str(&piece);
        scene.run(&RunEvent::Text { entry, piece });
        shot(&mut ui, &scene.state, NARROW);
    }
    scene.run(&RunEvent::TextEnded {
        entry,
        kind: TextKind::Answer,
        text,
    });
    let followed = pane(&shot(&mut ui, &scene.state, NARROW));
    let afresh = pane(&shot(&mut Ui::new(Theme::dark()), &scene.state, NARROW));
    assert_eq!(followed, afresh);
}
