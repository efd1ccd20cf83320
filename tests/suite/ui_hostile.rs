//! Whatever stands in a field: no panic, and nothing unusual in any cell.

use countersign::app::draft::{Draft, EditFault, Purpose};
use countersign::app::sessions::{Choice, Saved, SessionList};
use countersign::app::state::{Notice, Overlay, Pane, Review, Seen, State};
use countersign::core::call::{Answer, Preview};
use countersign::core::decision::{Decision, How};
use countersign::core::diff::Diff;
use countersign::core::output::Stream;
use countersign::core::run::{CallStatus, Level, Outcome, RunEvent};
use countersign::core::session::{SavedSession, Session};
use countersign::core::verdict::Basis;
use countersign::ui::Ui;
use countersign::ui::theme::Theme;
use proptest::prelude::*;
use serde_json::json;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_width::UnicodeWidthStr;

use crate::support::ui_scene::{Scene, Shot, call, key, output, shot, thinking};

/// Characters and sequences that have fooled terminals before.
const NASTY: [&str; 34] = [
    "\u{1b}[31m",
    "\u{1b}]0;x\u{7}",
    "\r",
    "\n",
    "\t",
    "\u{8}",
    "\u{0}",
    "\u{9b}",
    "\u{202e}",
    "\u{2066}",
    "\u{2069}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "\u{fe0f}",
    "⌨\u{fe0f}",
    "❤\u{fe0f}",
    "👨\u{200d}👩\u{200d}👧",
    "👍🏽",
    "🇫🇷",
    "🇫",
    "漢字",
    "\u{1161}",
    "가",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}",
    "\u{301}",
    "\u{3164}",
    "\u{2028}",
    "⟨",
    "⏎",
    "क्षि",
    "\u{e0041}",
    "\u{fdfd}",
];

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => prop::sample::select(&NASTY[..]).prop_map(ToOwned::to_owned),
        3 => "[a-z ]{1,12}",
        2 => prop::sample::select(&["**", "`", "# ", "> ", "- ", "| a | b |\n|---|---|\n| c | d |\n", "```\n", "[x](y)", "\n\n", "1. "][..]).prop_map(ToOwned::to_owned),
        2 => any::<char>().prop_map(String::from),
        1 => Just("x".repeat(300)),
    ];
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

/// A console in which every field holds one of the texts.
fn everywhere(texts: &[String]) -> Scene {
    let text = |at: usize| texts[at % texts.len()].clone();
    let mut scene = Scene::empty();
    scene.state.sessions[0].agent = text(0);
    scene.state.sessions[0].model = text(1);
    scene.user(&text(2)).agent(&text(3));
    thinking(&mut scene, &text(4));
    let mut waiting = call(
        "c",
        &text(5),
        &json!({ text(6): text(7), "b": [text(8), {"c": text(9)}], "d": text(10) }),
    );
    waiting.agent = text(0);
    waiting.basis = Basis::NotUnderstood { why: text(11) };
    waiting.metadata = Some(json!({ "m": text(12) }));
    waiting.preview = Some(Preview {
        path: text(13),
        fails: None,
        diff: Diff::between(&text(14), &text(15)),
        before: None,
    });
    scene.waits(waiting).select("c");
    scene
        .state
        .pending
        .change(&key("c"), |waiting| waiting.failure = Some(text(1)));
    output(&mut scene, "c", Stream::Err, &text(2));
    scene.state.newest_output = Some(key("c"));
    scene.called("f", &text(3), &json!({ "a": text(4) }));
    scene.status(
        "f",
        CallStatus::Decided {
            edited: None,
            answer: Answer::Retry,
            by: text(6),
        },
    );
    scene.finished("f", Outcome::Failed { message: text(7) });
    scene
        .called("r", &text(8), &json!({ "a": text(9) }))
        .result("r", &text(10));
    let entry = scene.next();
    scene.run(&RunEvent::Unknown {
        entry,
        kind: text(11),
        raw: text(12),
    });
    let entry = scene.next();
    scene.run(&RunEvent::Server {
        entry,
        tool: text(13),
        arguments: text(14),
        result: Some(text(15)),
    });
    let entry = scene.next();
    scene.run(&RunEvent::Note {
        entry,
        level: Level::Warning,
        text: text(0),
    });
    scene
}

/// Puts one of the sheets over the panes.
fn covered(state: &mut State, which: usize, text: &str) {
    let calls = vec![key("c")];
    let draft = |purpose| Some(Draft::new(purpose, text));
    let reject = Decision::Reject {
        reason: text.to_owned(),
    };
    match which {
        0 => state.draft = draft(Purpose::Message),
        1 => state.draft = draft(Purpose::Reason { calls }),
        2 => {
            state.draft = draft(Purpose::Edit {
                call: key("c"),
                rest: calls,
            });
            let fault = EditFault {
                place: Some((0, 3)),
                what: text.to_owned(),
            };
            state.draft.as_mut().expect("just set").faults = vec![fault];
        }
        3 => state.list_only(text),
        4 => state.draft = draft(Purpose::Filter),
        5 => {
            state.notice = Some(Notice {
                until: None,
                level: Level::Error,
                text: text.to_owned(),
            });
        }
        6 => state.overlay = Some(Overlay::View { top: 3 }),
        7 => state.overlay = Some(Overlay::Help { top: 30 }),
        8 => state.overlay = Some(Overlay::Quit),
        9 => {
            let rulings = vec![
                (key("c"), reject),
                (key("c"), Decision::Approve { arguments: None }),
            ];
            let review = Review {
                rulings,
                how: How::Batch { size: 2 },
                top: 1,
                seen: Seen::default(),
                asked: true,
            };
            state.overlay = Some(Overlay::Review(review));
        }
        10 => state.focus = Pane::Conversation,
        11 => state.focus = Pane::Output,
        12 => {
            state.overlay = Some(Overlay::View { top: 0 });
            state.draft = draft(Purpose::Retry { calls });
        }
        13 => {
            let session = SavedSession {
                id: key("c").session,
                agent: text.to_owned(),
                model: text.to_owned(),
                last: jiff::Timestamp::UNIX_EPOCH,
                pending: 3,
                unknown: 0,
                owner: Some(text.to_owned()),
            };
            let mut list = SessionList::new(Choice::Saved(session.id.clone()));
            list.saved = Saved::Read(vec![session.clone()]);
            text.clone_into(&mut list.filter);
            state
                .sessions
                .push(Session::new(session.id, text.to_owned(), text.to_owned()));
            state.overlay = Some(Overlay::Sessions(list));
        }
        14 => {
            let mut list = SessionList::new(Choice::Start(text.to_owned()));
            list.saved = Saved::Failed(text.to_owned());
            text.clone_into(&mut list.filter);
            state.overlay = Some(Overlay::Sessions(list));
            state.draft = draft(Purpose::Sessions);
        }
        _ => {}
    }
}

/// The first cell that holds what no cell may hold.
fn offence(shot: &Shot) -> Option<String> {
    shot.buffer
        .content()
        .iter()
        .map(ratatui::buffer::Cell::symbol)
        .find_map(|symbol| {
            let bad = |c: char| {
                matches!(
                    c.general_category(),
                    GeneralCategory::Control
                        | GeneralCategory::Format
                        | GeneralCategory::LineSeparator
                        | GeneralCategory::ParagraphSeparator
                        | GeneralCategory::Unassigned
                        | GeneralCategory::PrivateUse
                ) || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{3164}' | '\u{e0000}'..='\u{e0fff}')
            };
            let invisible = symbol.width() == 0;
            (symbol.chars().any(bad) || invisible).then(|| format!("{symbol:?}"))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_at_any_size_breaks_the_screen(
        texts in prop::collection::vec(text(), 16),
        columns in 1_u16..140,
        rows in 1_u16..45,
        which in 0_usize..17,
    ) {
        let mut scene = everywhere(&texts);
        covered(&mut scene.state, which, &texts[0]);
        let mut ui = Ui::new(Theme::dark());
        for size in [(columns, rows), (120, 36)] {
            let shot = shot(&mut ui, &scene.state, size);
            prop_assert_eq!(offence(&shot), None, "{}", shot.text());
        }
    }

    #[test]
    fn the_right_border_stays_where_it_is(texts in prop::collection::vec(text(), 16)) {
        let shot = everywhere(&texts).draw((120, 36));
        for y in 1..35 {
            let border = shot.buffer[(119, y)].symbol();
            prop_assert!("│╮╯┤".contains(border), "row {}: {:?}\n{}", y, border, shot.text());
        }
    }
}
