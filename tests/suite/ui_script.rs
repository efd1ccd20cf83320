//! What a script that waits at its calls looks like: in the list, beside what is signed, in the conversation.

use countersign::app::draft::{Draft, Purpose};
use countersign::app::state::{Overlay, Review, Seen};
use countersign::core::call::{Answer, Answers, Call, CallId};
use countersign::core::decision::{Decision, How};
use countersign::core::pending::{Arrangement, Grouping, Sorting};
use countersign::core::run::{CallStatus, RunEvent};
use countersign::core::script::{Done, Script};
use countersign::plain::question;
use countersign::ui::Ui;
use countersign::ui::theme::Theme;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::support::ui_scene::{HOSTILE, MIDDLE, NARROW, Scene, WIDE, call, check, key, shot};

const ALL: [(u16, u16); 3] = [WIDE, MIDDLE, NARROW];

const CODE: &str = "import asyncio\n\nnotes = await read_file(path='notes.md')\nold = [line for line in notes.splitlines() if line.endswith('.csv')]\nprint(len(old), 'files to delete')\nfor path in old[:1]:\n    print('first', path)\n    await delete_file(path=path)\nawait asyncio.gather(\n    *[delete_file(path=path) for path in old[1:]],\n    send_mail(to='ops@example.org', body=notes),\n)\n";

fn script() -> Script {
    Script {
        outer: CallId("rc".to_owned()),
        code: CODE.to_owned(),
        line: Some(10),
        done: vec![
            Done::new(
                "read_file",
                r#"{"path":"notes.md"}"#,
                "ran",
                "q1.csv\nq2.csv\nq3.csv\nreadme.md\n",
            ),
            Done::new(
                "delete_file",
                r#"{"path":"q1.csv"}"#,
                "approved, ran",
                "deleted q1.csv",
            ),
        ],
        printed: "3 files to delete\nfirst q1.csv\n".to_owned(),
    }
}

fn inner(id: &str, tool: &str, arguments: &Value, script: &Script) -> Call {
    Call {
        parent: Some(script.outer.clone()),
        script: Some(Arc::new(script.clone())),
        ..call(id, tool, arguments)
    }
}

fn outer(script: &Script) -> Call {
    let id = script.outer.aside("script").0;
    Call {
        answers: Answers::of([Answer::Reject, Answer::Reason, Answer::Respond]),
        script: Some(Arc::new(script.clone())),
        ..call(&id, "run_code", &json!({ "code": script.code }))
    }
}

fn called(scene: &mut Scene, id: &str, parent: &str, tool: &str, arguments: &Value) {
    let entry = scene.next();
    scene.run(&RunEvent::Called {
        entry,
        call: CallId(id.to_owned()),
        parent: Some(CallId(parent.to_owned())),
        tool: tool.to_owned(),
        arguments: arguments.to_string(),
    });
}

/// A script that has read and deleted one file, and waits at a gather of three calls. A call of the model
/// came in between.
fn tidying() -> Scene {
    let mut scene = Scene::empty();
    let script = script();
    scene.user("Tidy up what the notes call old.");
    scene.agent("I do that in one script.");
    scene.called("rc", "run_code", &json!({ "code": CODE }));
    scene.status("rc", CallStatus::Running);
    called(
        &mut scene,
        "rc__1",
        "rc",
        "read_file",
        &json!({"path": "notes.md"}),
    );
    scene.result("rc__1", "q1.csv\nq2.csv\nq3.csv\nreadme.md\n");
    called(
        &mut scene,
        "rc__2",
        "rc",
        "delete_file",
        &json!({"path": "q1.csv"}),
    );
    scene.result("rc__2", "deleted q1.csv");
    scene.at(1000);
    for (id, path) in [("rc__3", "q2.csv"), ("rc__4", "q3.csv")] {
        let arguments = json!({ "path": path });
        called(&mut scene, id, "rc", "delete_file", &arguments);
        scene.status(id, CallStatus::Waiting);
        scene.pends(inner(id, "delete_file", &arguments, &script));
    }
    scene.waits(call(
        "book",
        "book_flight",
        &json!({"destination": "Millau", "date": "2026-11-27"}),
    ));
    let mail = json!({"to": "ops@example.org", "body": "q1.csv\nq2.csv\nq3.csv\nreadme.md\n"});
    called(&mut scene, "rc__5", "rc", "send_mail", &mail);
    scene.status("rc__5", CallStatus::Waiting);
    scene.pends(inner("rc__5", "send_mail", &mail, &script));
    scene.pends(outer(&script));
    scene.at(43_000).select("rc__3");
    scene
}

#[test]
fn the_calls_of_a_script_hang_below_it_and_the_script_stands_below_what_is_signed() {
    check("script", &tidying(), &ALL, &["▌", "run_code", "▸"]);
}

#[test]
fn the_script_itself_says_what_dropping_it_means() {
    let mut scene = tidying();
    scene.select("rc+script");
    check("script_itself", &scene, &ALL, &["▌", "drop"]);
    let calls = vec![key("rc+script")];
    scene.state.draft = Some(Draft::new(Purpose::Reason { calls }, ""));
    check("script_drop", &scene, &ALL, &["drop"]);
}

#[test]
fn the_full_view_has_the_whole_script_and_all_that_it_did() {
    let mut scene = tidying();
    scene.state.overlay = Some(Overlay::View { top: 0 });
    check("script_view", &scene, &ALL, &["▸"]);
    scene.state.overlay = Some(Overlay::View { top: 12 });
    check("script_view_below", &scene, &[MIDDLE, NARROW], &["▸"]);
}

#[test]
fn the_review_sheet_says_which_script_a_call_is_of() {
    let mut scene = tidying();
    let approval = |id: &str| (key(id), Decision::Approve { arguments: None });
    let calls = ["rc__3", "rc__4", "book", "rc__5"];
    scene.state.overlay = Some(Overlay::Review(Review {
        rulings: calls.map(approval).into(),
        how: How::Batch { size: 4 },
        top: 0,
        seen: Seen::default(),
        asked: false,
    }));
    check("script_review", &scene, &ALL, &["of the script"]);
}

#[test]
fn where_the_list_is_divided_each_call_says_what_script_it_is_of() {
    let mut scene = tidying();
    scene.state.pending.arrange(Arrangement {
        group: Grouping::Tool,
        ..Arrangement::default()
    });
    check("script_grouped", &scene, &ALL, &["▌"]);
    scene.state.pending.arrange(Arrangement {
        sort: Sorting::Gravest,
        ..Arrangement::default()
    });
    check("script_gravest", &scene, &[MIDDLE], &["▌"]);
}

#[test]
fn a_hostile_script_is_written_out_and_what_is_cut_says_how_much() {
    let mut scene = Scene::empty();
    let long = "x".repeat(1000);
    let script = Script {
        outer: CallId(HOSTILE.to_owned()),
        code: format!(
            "{HOSTILE}\n{long}\n{}pass\n\u{202e}a\n{HOSTILE}",
            " ".repeat(200)
        ),
        line: Some(4_000_000_000),
        done: (0..9)
            .map(|at| Done::new(HOSTILE, HOSTILE, HOSTILE, &format!("{at} {HOSTILE} {long}")))
            .collect(),
        printed: format!("{HOSTILE}\n{long}\n{HOSTILE}\n1\n2"),
    };
    scene
        .pends(inner("c", HOSTILE, &json!({"path": HOSTILE}), &script))
        .select("c");
    check("script_hostile", &scene, &ALL, &[]);
    scene.state.overlay = Some(Overlay::View { top: 0 });
    check("script_hostile_view", &scene, &[WIDE], &[]);
}

#[test]
fn a_script_of_many_lines_and_calls_is_shown_in_part_and_counted() {
    let mut scene = Scene::empty();
    let line = |at: usize| format!("step_{at} = await look(at={at})");
    let lines: Vec<String> = (1..=400).map(line).collect();
    let printed: Vec<String> = (1..200).map(|at: usize| at.to_string()).collect();
    let script = Script {
        outer: CallId("rc".to_owned()),
        code: lines.join("\n"),
        line: Some(200),
        done: (1..200)
            .map(|at| {
                Done::new(
                    "look",
                    &format!("{{\"at\":{at}}}"),
                    "ran",
                    &format!("seen {at}"),
                )
            })
            .collect(),
        printed: printed.join("\n"),
    };
    scene.pends(inner("rc__200", "look", &json!({"at": 200}), &script));
    scene.pends(outer(&script)).select("rc__200");
    check("script_long", &scene, &ALL, &["▸"]);
}

#[test]
fn only_what_is_signed_has_to_have_been_on_screen() {
    let mut scene = tidying();
    let mut ui = Ui::new(Theme::dark());
    let drawn = shot(&mut ui, &scene.state, MIDDLE).drawn;
    let (whole, signed) = (drawn.arguments, drawn.arguments.without(drawn.beside));
    assert!(whole.total > whole.height, "the script does not fit");
    assert_eq!((signed.total, signed.height), (1, 1), "its path does");
    scene.state.overlay = Some(Overlay::View { top: 0 });
    let drawn = shot(&mut ui, &scene.state, NARROW).drawn;
    assert_eq!(drawn.arguments.without(drawn.beside).total, 1);
    // Of a call of the model all of it counts, as before.
    scene.state.overlay = None;
    let drawn = shot(&mut ui, &scene.select("book").state, MIDDLE).drawn;
    assert_eq!(drawn.beside, 0);
}

#[test]
fn a_call_of_a_script_that_something_stands_above_says_whose_it_is() {
    let mut scene = tidying();
    scene.agent("Meanwhile:");
    called(&mut scene, "rc__6", "rc", "look", &json!({}));
    scene.at(50_000);
    let rows = scene.draw(WIDE).text();
    let own = rows.find("made by run_code").expect("whose it is");
    assert!(rows[own..].contains("look"), "{rows}");
    assert_eq!(
        rows.matches("made by run_code").count(),
        2,
        "and after the flight"
    );
}

#[test]
fn plain_a_call_of_a_script_is_asked_about_with_all_of_the_script() {
    let scene = tidying();
    let of = |id: &str| question(&scene.state, &key(id));
    let lines: Vec<_> = of("rc__3").into_iter().chain(of("rc+script")).collect();
    let rows: Vec<_> = lines.iter().map(|line| line.as_str().trim_end()).collect();
    insta::with_settings!({
        snapshot_path => "../snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!("plain_script", rows.join("\n"));
    });
}
