//! Frames of the console, as text.

use crate::support::ui_scene::*;
use countersign::app::draft::*;
use countersign::app::state::*;
use countersign::core::arguments::Arguments;
use countersign::core::decision::*;
use countersign::core::pending::*;
use countersign::core::run::*;
use countersign::core::time::*;
use serde_json::json;

const WIDE: (u16, u16) = (120, 36);
const MIDDLE: (u16, u16) = (80, 24);
const NARROW: (u16, u16) = (50, 15);

#[test]
fn look() {
    let show = |s: &Scene, sizes: &[(u16, u16)]| {
        for size in sizes {
            let shot = s.draw(*size);
            println!("{}\n{:?}\n", shot.text(), shot.cursor);
        }
    };
    show(&Scene::travel(), &[WIDE, NARROW]);
    let mut s = Scene::travel();
    s.state.draft = Some(Draft::new(
        Purpose::Message,
        "Please also look up trains.\nThanks\u{202e}!\tx",
    ));
    show(&s, &[WIDE, MIDDLE, NARROW]);
    s.state.draft = Some(Draft::new(
        Purpose::Reason {
            calls: vec![key("book")],
        },
        "",
    ));
    show(&s, &[WIDE, MIDDLE, NARROW]);
    s.state.draft = Some(Draft::new(Purpose::Filter, "mai"));
    s.state.filter = "mai".into();
    show(&s, &[MIDDLE]);
    s.state.filter = String::new();
    let mut d = Draft::new(Purpose::Edit { call: key("mail"), rest: vec![key("book")] }, &countersign::core::fields::editable(&call("x","y",&json!({"to":"ops@example.org","list":[1,2,{"a":true}],"body":"Hello\nworld \u{202e} long long long long long long long long long long long long long long"})).arguments));
    d.faults = vec![EditFault {
        place: Some((1, 8)),
        what: "expected `,` or `}`".into(),
    }];
    s.state.draft = Some(d);
    show(&s, &[WIDE, MIDDLE, NARROW]);
    s.state.draft = None;
    s.state.overlay = Some(Overlay::Quit);
    show(&s, &[MIDDLE]);
    s.state.overlay = Some(Overlay::Help { top: 0 });
    show(&s, &[WIDE, MIDDLE]);
    s.state.overlay = Some(Overlay::View { top: 0 });
    show(&s, &[NARROW]);
    let edited =
        Arguments::from_value(&json!({"destination":"Millau","date":"2026-11-28"})).unwrap();
    s.state.seen.insert(
        key("book"),
        Seen {
            to: 2,
            total: 2,
            first: Ticks(0),
        },
    );
    s.state.overlay = Some(Overlay::Review(Review {
        rulings: vec![
            (
                key("book"),
                Decision::Approve {
                    arguments: Some(edited),
                },
            ),
            (key("mail"), Decision::Approve { arguments: None }),
            (
                key("delete"),
                Decision::Reject {
                    reason: "No.\nKeep it.".into(),
                },
            ),
        ],
        how: How::Batch { size: 3 },
        top: 0,
        asked: false,
        seen: Default::default(),
    }));
    show(&s, &[WIDE, MIDDLE, NARROW]);
}
