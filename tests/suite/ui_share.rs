//! How the panes share the screen, and what is said of several agents.

use countersign::app::state::{Overlay, Pane, Review, Seen};
use countersign::core::call::{Answers, CallId, CallKey, SessionId};
use countersign::core::decision::{Decision, How};
use countersign::core::output::Stream;
use countersign::core::run::{CallStatus, Outcome, RunEvent, RunState};
use countersign::core::session::Session;
use countersign::core::time::Ticks;
use countersign::core::verdict::Basis;
use serde_json::json;

use crate::support::ui_scene::{
    MIDDLE, NARROW, Scene, WIDE, call, check, key, output, ruling, thinking,
};

/// The rows on which a box begins or ends, in the column at the right edge.
fn borders(scene: &Scene, size: (u16, u16)) -> Vec<usize> {
    let rows = scene.draw(size).rows();
    let edge = |row: &String| row.ends_with(['╮', '╯', '┤']);
    (0..rows.len()).filter(|y| edge(&rows[*y])).collect()
}

fn two_agents() -> Scene {
    let mut scene = Scene::travel();
    let id = SessionId("s2".to_owned());
    let mut session = Session::new(id.clone(), "operations".to_owned(), "devstral".to_owned());
    for call in ["decided-1", "decided-2"] {
        session.ruled(CallId(call.to_owned()));
    }
    scene.state.sessions.push(session);
    let mut restart = call(
        "restart",
        "shell",
        &json!({"command": "systemctl restart web"}),
    );
    restart.key = CallKey {
        session: id,
        call: CallId("restart".to_owned()),
    };
    "operations".clone_into(&mut restart.agent);
    scene.pends(restart);
    scene
}

fn unknown() -> Scene {
    let mut scene = Scene::travel();
    let mut mail = call("again", "send_mail", &json!({"to": "ops@example.org"}));
    mail.basis = Basis::OutcomeUnknown;
    mail.answers = Answers::unknown_outcome();
    scene.waits(mail).select("again");
    scene
}

#[test]
fn with_two_agents_each_row_names_its_own_and_the_header_says_which_is_shown() {
    check(
        "agents",
        &two_agents(),
        &[WIDE, MIDDLE, NARROW],
        &["operations"],
    );
}

#[test]
fn the_review_sheet_names_the_agent_of_each_call() {
    let mut scene = two_agents();
    let rulings: Vec<_> = scene
        .state
        .pending
        .iter()
        .map(|waiting| {
            (
                waiting.call.key.clone(),
                Decision::Approve { arguments: None },
            )
        })
        .collect();
    scene.state.overlay = Some(Overlay::Review(Review {
        how: How::Batch {
            size: rulings.len(),
        },
        rulings,
        top: 0,
        seen: Seen::default(),
        asked: false,
    }));
    check("agents_review", &scene, &[MIDDLE], &["not seen"]);
}

#[test]
fn a_call_of_unknown_outcome_says_what_each_answer_means_here() {
    let mut scene = unknown();
    check("unknown", &scene, &[WIDE, MIDDLE, NARROW], &["outcome"]);
    scene.state.overlay = Some(Overlay::Review(Review {
        how: How::Key,
        rulings: vec![(key("again"), Decision::Approve { arguments: None })],
        top: 0,
        seen: Seen::default(),
        asked: false,
    }));
    let text = scene.draw(MIDDLE).text();
    assert!(
        text.contains("Review before signing · run 1 call again"),
        "{text}"
    );
}

#[test]
fn a_run_whose_every_call_waits_is_waiting_for_you() {
    let mut scene = Scene::empty();
    scene.run(&RunEvent::State(RunState::Waiting));
    assert!(scene.draw(MIDDLE).rows()[0].contains("‖ waiting for you"));
}

#[test]
fn a_call_that_ran_edited_shows_what_ran() {
    let mut scene = Scene::travel();
    let edited = Decision::Approve {
        arguments: call("book", "book_flight", &json!({"destination": "Nice"}))
            .arguments
            .into(),
    };
    let row = |scene: &Scene| {
        let rows = scene.draw(MIDDLE).rows();
        let row = rows
            .iter()
            .find(|row| row.contains("‖ book_flight") || row.contains("✎ "))
            .cloned();
        row.unwrap_or_default()
    };
    assert!(
        row(&scene).contains("book_flight Millau, 2026-11-27"),
        "{}",
        row(&scene)
    );
    // While the decision is held, and after it was recorded.
    let held = countersign::core::pending::Stage::Held {
        ruling: ruling("book", edited.clone()),
        until: Ticks(60_000),
    };
    scene
        .state
        .pending
        .change(&key("book"), |waiting| waiting.stage = held);
    assert!(
        row(&scene).contains("✎ book_flight ✎ Nice"),
        "{}",
        row(&scene)
    );
    scene.state.pending.leave(&key("book"));
    scene.status("book", CallStatus::of_ruling(&ruling("book", edited)));
    scene.result("book", "booked");
    let text = scene.draw(MIDDLE).text();
    assert!(text.contains("✓ book_flight ✎ Nice"), "{text}");
    assert!(!text.contains("book_flight Millau"), "{text}");
}

#[test]
fn who_decided_takes_one_row_below_the_result() {
    let mut scene = Scene::empty();
    let outcome = Outcome::Result {
        text: "mail to ada@example.org is out".to_owned(),
    };
    scene.called(
        "m",
        "send_mail",
        &json!({"to": "ada@example.org", "subject": "Friday: Millau", "body": "Dear Ada"}),
    );
    let approve = ruling("m", Decision::Approve { arguments: None });
    scene
        .status("m", CallStatus::of_ruling(&approve))
        .finished("m", outcome);
    let rows = scene.draw(WIDE).rows();
    // Up to the border of the conversation pane.
    let left = |y: usize| rows[y].chars().take(61).collect::<String>();
    let shown = [2, 3, 4].map(|y| left(y).trim_end().to_owned());
    assert_eq!(
        shown,
        [
            "│        ✓ send_mail ada@e…   mail to ada@example.org is out",
            "│          approved by anna@desk",
            "│",
        ]
    );
    let rows = scene.draw(MIDDLE).rows();
    assert_eq!(
        rows[2].trim_end_matches(['│', ' ']),
        "│        ✓ send_mail ada@example.org, Friday…   mail to ada@example.org is out"
    );
}

#[test]
fn arguments_take_the_rows_that_output_does_not_need() {
    let mut scene = Scene::travel();
    let text = "a row of the file\n".repeat(20);
    let arguments = json!({"path": "a.md", "content": text});
    scene
        .waits(call("long", "write_file", &arguments))
        .select("long");
    let drawn = scene.draw(WIDE).drawn;
    assert_eq!(drawn.arguments.hidden(), 0);
    for row in 0..40 {
        output(&mut scene, "w1", Stream::Out, &format!("row {row}\n"));
    }
    let drawn = scene.draw(WIDE).drawn;
    assert_eq!((drawn.arguments.hidden(), drawn.output_height), (2, 5));
}

#[test]
fn streamed_rows_move_the_borders_a_few_times_at_most() {
    for (size, pane, most) in [
        (WIDE, Pane::Pending, 2),
        (MIDDLE, Pane::Pending, 2),
        (MIDDLE, Pane::Output, 4),
    ] {
        let mut scene = Scene::travel();
        scene.state.focus = pane;
        scene
            .called("run", "shell", &json!({"command": "make"}))
            .status("run", CallStatus::Running);
        scene.state.newest_output = Some(key("run"));
        let mut seen = vec![borders(&scene, size)];
        for row in 0..60 {
            output(&mut scene, "run", Stream::Out, &format!("row {row}\n"));
            seen.push(borders(&scene, size));
        }
        seen.dedup();
        assert!(seen.len() <= most, "{size:?} {pane:?}: {seen:?}");
    }
}

#[test]
fn the_list_keeps_its_rows_while_the_cursor_moves() {
    for size in [WIDE, MIDDLE, NARROW] {
        let mut scene = Scene::travel().with_edit();
        let heights = ["book", "mail", "delete", "write"].map(|id| {
            scene.select(id);
            scene.draw(size).drawn.list_height
        });
        assert_eq!(heights, [heights[0]; 4], "{size:?}");
    }
}

#[test]
fn thinking_is_whole_while_it_grows_and_while_its_pane_is_read() {
    let mut scene = Scene::empty();
    let long = "one thought after another
"
    .repeat(8)
        + "the ninth";
    let entry = scene.next();
    let piece = long.clone();
    scene.run(&RunEvent::Thinking { entry, piece });
    assert!(scene.draw(WIDE).contains("the ninth"));
    let mut scene = Scene::empty();
    thinking(&mut scene, &long);
    let text = scene.draw(WIDE).text();
    assert!(
        text.contains("… 6 more rows when this pane is in focus"),
        "{text}"
    );
    scene.state.focus = Pane::Conversation;
    assert!(scene.draw(WIDE).contains("the ninth"));
}
