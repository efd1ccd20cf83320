//! What the screen looks like: every pane and sheet at three sizes.

use countersign::app::draft::{Draft, EditFault, Purpose};
use countersign::app::state::{Notice, Overlay, Pane, Review, Scroll, Seen};
use countersign::core::arguments::Arguments;
use countersign::core::call::Answer;
use countersign::core::decision::{Decision, How};
use countersign::core::fields;
use countersign::core::output::Stream;
use countersign::core::pending::Stage;
use countersign::core::run::{CallStatus, Level, Outcome, RunEvent, RunState};
use countersign::core::time::Ticks;
use countersign::core::verdict::{Basis, RuleSource};
use serde_json::json;

use crate::support::ui_scene::{
    HOSTILE, MIDDLE, NARROW, Scene, WIDE, call, check, key, output, ruling, thinking,
};

fn edited() -> Decision {
    let arguments = Arguments::from_value(&json!({"destination": "Millau", "date": "2026-11-28"}));
    Decision::Approve {
        arguments: Some(arguments.expect("an object")),
    }
}

const ALL: [(u16, u16); 3] = [WIDE, MIDDLE, NARROW];

#[test]
fn an_empty_console_says_what_will_be_where() {
    check("empty", &Scene::empty(), &ALL, &["countersign"]);
}

#[test]
fn the_travel_assistant_waits_for_three_decisions() {
    check(
        "travel",
        &Scene::travel(),
        &ALL,
        &["▌", "delete_file", "approve"],
    );
}

#[test]
fn a_file_edit_shows_its_diff_below_its_arguments() {
    let mut scene = Scene::travel().with_edit();
    check("diff_top", &scene, &[WIDE, NARROW], &["+ "]);
    scene.state.arguments_top = 99;
    check("diff_end", &scene, &ALL, &["+ ", "- "]);
}

#[test]
fn hostile_text_is_written_out() {
    let mut scene = Scene::empty();
    scene.user(HOSTILE).agent(HOSTILE);
    let arguments = json!({"plain": "Millau", "quote": "a \"b\"", "path": HOSTILE, "list": [1, {"a": HOSTILE}], HOSTILE: 1});
    scene.waits(call("c", HOSTILE, &arguments)).select("c");
    output(&mut scene, "c", Stream::Err, HOSTILE);
    scene.state.newest_output = Some(key("c"));
    check("hostile", &scene, &ALL, &[]);
}

#[test]
fn ten_thousand_calls_are_a_list_like_any_other() {
    let mut scene = Scene::empty();
    for at in 0..10_000 {
        scene.pends(call(
            &at.to_string(),
            "send_mail",
            &json!({"to": format!("a{at}@example.org")}),
        ));
    }
    scene.select("5000");
    for id in ["5001", "5002"] {
        scene
            .state
            .pending
            .change(&key(id), |waiting| waiting.marked = true);
    }
    check("many", &scene, &ALL, &["▌"]);
}

#[test]
fn every_outcome_of_a_call_has_its_mark_and_its_word() {
    let mut scene = Scene::empty();
    let text = |text: &str| text.to_owned();
    let denied = Basis::Rule {
        number: 2,
        source: RuleSource::Configuration,
        reason: text("no shell in production"),
    };
    let outcomes = [
        (
            "result",
            None,
            Outcome::Result {
                text: text("one\ntwo"),
            },
        ),
        (
            "failed",
            Some(Answer::Approve),
            Outcome::Failed {
                message: text("exit code 2: no such file"),
            },
        ),
        ("denied", None, Outcome::Denied { basis: denied }),
        (
            "rejected",
            Some(Answer::Reject),
            Outcome::Rejected {
                reason: text("not on a Friday"),
            },
        ),
        (
            "answered",
            Some(Answer::Respond),
            Outcome::Responded {
                result: text("21 °C"),
            },
        ),
        (
            "retried",
            Some(Answer::Retry),
            Outcome::SentBack {
                message: text("use the other calendar"),
            },
        ),
        (
            "refused",
            None,
            Outcome::Refused {
                fault: text("the arguments are not JSON (line 1, column 7)"),
            },
        ),
        ("stopped", None, Outcome::Interrupted),
        (
            "edited",
            Some(Answer::Edit),
            Outcome::Result {
                text: text("booked"),
            },
        ),
    ];
    for (id, decided, outcome) in outcomes {
        scene.called(id, id, &json!({"a": 1}));
        if let Some(answer) = decided {
            scene.status(
                id,
                CallStatus::Decided {
                    edited: edited()
                        .edited()
                        .filter(|_| answer == Answer::Edit)
                        .cloned(),
                    answer,
                    by: text("anna@desk"),
                },
            );
        }
        scene.status(id, CallStatus::Running).finished(id, outcome);
    }
    scene.called("proposed", "proposed", &json!({}));
    scene
        .called("running", "running", &json!({}))
        .status("running", CallStatus::Running);
    scene
        .called("old", "waits_long", &json!({}))
        .status("old", CallStatus::Waiting);
    scene.at(4_000_000);
    scene.state.focus = Pane::Conversation;
    check("outcomes", &scene, &ALL, &["failed", "edits"]);
}

#[test]
fn markdown_is_laid_out_and_links_show_where_they_lead() {
    let mut scene = Scene::empty();
    scene.agent(
        "# Plan\n\nSome **bold**, *soft*, ~~old~~ and `code` text that is long enough to be wrapped on any of the screens.\n\n\
         1. first\n   - nested with a [link](https://evil.example/?q=1)\n2. second\n\n> quoted\n> text\n\n\
         ```rust\nfn main() {}\n```\n\n| town | weather |\n| --- | --- |\n| Millau | 28 °C |\n| Brest | 12 °C |\n\n---\n\n- [x] done\n- <https://example.org>\n\n<b>html</b> &#x202e;",
    );
    thinking(&mut scene, "one\ntwo\nthree\nfour\nfive");
    let entry = scene.next();
    scene.run(&RunEvent::Server {
        entry,
        tool: "web_search".to_owned(),
        arguments: "{\"q\":\"trains\"}".to_owned(),
        result: Some("3 hits".to_owned()),
    });
    let entry = scene.next();
    scene.run(&RunEvent::Unknown {
        entry,
        kind: "agent.handoff.started".to_owned(),
        raw: "{\"a\":1}".to_owned(),
    });
    for level in [Level::Note, Level::Warning, Level::Error] {
        let entry = scene.next();
        scene.run(&RunEvent::Note {
            entry,
            level,
            text: "asked again after 429".to_owned(),
        });
    }
    scene.state.focus = Pane::Conversation;
    check(
        "markdown",
        &scene,
        &[(120, 50), MIDDLE, NARROW],
        &["bold", "evil", "fn main"],
    );
}

#[test]
fn a_failed_recording_stays_and_says_why() {
    let mut scene = Scene::travel();
    let failure = Some("the disk is full".to_owned());
    scene
        .state
        .pending
        .change(&key("book"), |waiting| waiting.failure = failure);
    check("failed_recording", &scene, &ALL, &["not recorded"]);
}

#[test]
fn held_and_recording_decisions_say_so() {
    let mut scene = Scene::travel();
    let until = scene.state.now.ticks.plus(1500);
    scene.state.pending.change(&key("book"), |waiting| {
        waiting.stage = Stage::Held {
            ruling: ruling("book", edited()),
            until,
        }
    });
    scene.state.pending.change(&key("mail"), |waiting| {
        waiting.stage = Stage::Recording {
            ruling: ruling("mail", Decision::Approve { arguments: None }),
        }
    });
    scene
        .state
        .pending
        .change(&key("delete"), |waiting| waiting.marked = true);
    check("held", &scene, &ALL, &["held", "recording"]);
}

#[test]
fn a_notice_takes_the_place_of_the_keys() {
    let mut scene = Scene::travel();
    scene.state.notice = Some(Notice { until: None, level: Level::Error, text: "the endpoint answered 503 three times; the conversation is intact, and the request can be sent again with ctrl-r when it is back up".to_owned() });
    check("notice", &scene, &ALL, &["endpoint"]);
}

#[test]
fn a_filter_lists_what_it_fits_and_counts_the_rest() {
    let mut scene = Scene::travel();
    scene.state.list_only("mai");
    scene.select("mail");
    check("filter", &scene, &[MIDDLE], &["mai"]);
    scene.state.draft = Some(Draft::new(Purpose::Filter, "mai"));
    check("filter_written", &scene, &ALL, &["list:"]);
    scene.state.list_only("nothing such");
    check("filter_empty", &scene, &[NARROW], &[]);
}

#[test]
fn a_message_is_written_below_the_conversation() {
    let mut scene = Scene::travel();
    scene.state.draft = Some(Draft::new(
        Purpose::Message,
        "Look up trains too.\nThanks\u{202e}!\tx",
    ));
    check("message", &scene, &ALL, &[]);
}

#[test]
fn a_reason_is_asked_for_over_the_arguments() {
    let mut scene = Scene::travel();
    scene.state.draft = Some(Draft::new(
        Purpose::Reason {
            calls: vec![key("book")],
        },
        "",
    ));
    check("reason", &scene, &ALL, &[]);
    let calls = vec![key("book"), key("mail"), key("delete")];
    scene.state.draft = Some(Draft::new(Purpose::Answer { calls }, "It is done."));
    check("answer", &scene, &[MIDDLE], &[]);
}

#[test]
fn arguments_are_edited_with_their_faults_below() {
    let mut scene = Scene::travel();
    let mail = scene
        .state
        .pending
        .get(&key("mail"))
        .expect("it waits")
        .call
        .arguments
        .clone();
    let mut draft = Draft::new(
        Purpose::Edit {
            call: key("mail"),
            rest: vec![key("book")],
        },
        &fields::editable(&mail),
    );
    draft.faults = vec![EditFault {
        place: Some((1, 8)),
        what: "/to: \"ops\" is not an \"email\"".to_owned(),
    }];
    scene.state.draft = Some(draft);
    check("edit", &scene, &ALL, &["✗"]);
}

#[test]
fn help_lists_every_key_and_dims_what_means_nothing_now() {
    let mut scene = Scene::travel();
    scene.state.overlay = Some(Overlay::Help { top: 0 });
    check("help", &scene, &ALL, &["undo", "approve all"]);
}

#[test]
fn quitting_says_what_is_left_behind() {
    let mut scene = Scene::travel();
    scene.status("w0", CallStatus::Running);
    let until = scene.state.now.ticks.plus(1500);
    scene.state.pending.change(&key("book"), |waiting| {
        waiting.stage = Stage::Held {
            ruling: ruling("book", edited()),
            until,
        }
    });
    scene.state.overlay = Some(Overlay::Quit);
    check("quit", &scene, &ALL, &[]);
}

#[test]
fn quitting_names_what_is_lost() {
    let mut scene = Scene::travel();
    scene.state.pending = countersign::core::pending::Pending::default();
    scene.state.sessions[0].run = RunState::Thinking;
    scene.state.overlay = Some(Overlay::Quit);
    let screen = scene.draw(ALL[0]);
    assert!(screen.contains("1 agent waiting for the model"));
    assert!(screen.contains(" Nothing is lost"));
    "half a thought".clone_into(&mut scene.state.unsent);
    let left = scene.draw(ALL[0]);
    scene.state.unsent.clear();
    let draft = Draft::new(Purpose::Message, "half a thought");
    scene.state.draft = Some(draft);
    for screen in [left, scene.draw(ALL[0])] {
        assert!(screen.contains("1 unsent message is lost"));
        assert!(screen.contains("Nothing else is lost"));
    }
}

#[test]
fn the_full_view_has_everything_about_a_call() {
    let mut scene = Scene::travel().with_edit();
    scene.state.overlay = Some(Overlay::View { top: 0 });
    check("view", &scene, &ALL, &["digest"]);
}

#[test]
fn the_review_sheet_shows_what_is_signed() {
    let mut scene = Scene::travel();
    scene.state.seen.insert(
        key("book"),
        Seen {
            stood: true,
            to: 2,
            total: 2,
            first: Ticks(0),
        },
    );
    let reject = Decision::Reject {
        reason: "No.\nKeep it.".to_owned(),
    };
    let rulings = vec![
        (key("book"), edited()),
        (key("mail"), Decision::Approve { arguments: None }),
        (key("delete"), reject),
    ];
    let review = Review {
        rulings,
        how: How::Batch { size: 3 },
        top: 0,
        seen: Seen::default(),
        asked: false,
    };
    scene.state.overlay = Some(Overlay::Review(review));
    check("review", &scene, &ALL, &["signs", "approve "]);
}

#[test]
fn long_output_follows_its_end_or_stays() {
    let mut scene = Scene::travel();
    scene
        .called("run", "shell", &json!({"command": "make"}))
        .status("run", CallStatus::Running);
    for row in 0..20_000 {
        output(
            &mut scene,
            "run",
            Stream::Out,
            &format!("compiling part {row}\n"),
        );
    }
    output(
        &mut scene,
        "run",
        Stream::Err,
        &format!("warning: {}\n", "long ".repeat(40)),
    );
    output(&mut scene, "run", Stream::Out, "not ended yet");
    scene.state.newest_output = Some(key("run"));
    scene.state.focus = Pane::Output;
    scene.at(50_000);
    check("output_end", &scene, &ALL, &["warning"]);
    scene.state.output_scroll = Scroll {
        by: -1000,
        ..Scroll::default()
    };
    check("output_above", &scene, &ALL, &[]);
}

#[test]
fn a_failed_run_and_an_idle_one_are_told_in_the_header() {
    let mut scene = Scene::empty();
    scene.run(&RunEvent::State(RunState::Failed { retry: true }));
    check("run_failed", &scene, &[MIDDLE], &["failed", "again"]);
    scene.run(&RunEvent::State(RunState::Thinking));
    check("run_thinking", &scene, &[MIDDLE], &["thinking"]);
}
