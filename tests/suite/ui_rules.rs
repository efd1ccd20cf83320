//! What the sheet of a new rule and the list of given ones look like at three sizes.

use countersign::app::event::{Event, StoreEvent};
use countersign::app::key::{Key, Stroke};
use countersign::app::update;
use countersign::core::call::{Call, CallId, Grounds, SessionId};
use countersign::core::time::{Now, Ticks};
use countersign::core::verdict::Question;
use countersign::policy::grant::{Grant, Lasts};
use serde_json::json;

use crate::support::ui_scene::{HOSTILE, MIDDLE, NARROW, Scene, WIDE, call, check};

const ALL: [(u16, u16); 3] = [WIDE, MIDDLE, NARROW];

fn asked(call: Call) -> Call {
    Call {
        grounds: Some(Grounds {
            workspace: "/home/op/travel".to_owned(),
            command_line: None,
            questions: vec![Question::Default],
        }),
        ..call
    }
}

fn press(scene: &mut Scene, keys: &str) {
    for name in keys.split(' ') {
        let key: Key = name.parse().expect("the test names a key");
        update(&mut scene.state, Event::Key(key, Stroke::Press));
    }
}

fn scene() -> Scene {
    let mut scene = Scene::empty();
    scene.state.now = Now {
        ticks: Ticks(0),
        wall: "2026-11-20T09:30:00Z".parse().expect("a timestamp"),
    };
    let mail = |to: &str| json!({"to": to, "subject": "Friday"});
    for (id, to) in [("ada", "ada@example.org"), ("grace", "grace@example.org")] {
        scene.waits(asked(call(id, "send_mail", &mail(to))));
    }
    scene.called("before", "send_mail", &mail("linus@example.org"));
    scene.result("before", "sent");
    let delete = json!({"path": "reports/2026/q3.csv"});
    scene.waits(asked(call("delete", "delete_file", &delete)));
    scene
}

#[test]
fn the_sheet_of_a_rule_shows_its_text_and_what_it_would_match() {
    let mut scene = scene();
    scene.select("delete");
    press(&mut scene, "P w");
    check("rule_folder", &scene, &ALL, &["▌"]);
}

#[test]
fn a_rule_that_denies_until_it_is_revoked_says_where_it_is_written() {
    let mut scene = scene();
    scene.select("ada");
    press(&mut scene, "P w d l l l");
    check("rule_deny", &scene, &ALL, &["A rule that denies"]);
}

#[test]
fn hostile_text_in_a_rule_is_written_out() {
    let mut scene = scene();
    scene.waits(asked(call(
        "h",
        HOSTILE,
        &json!({HOSTILE: HOSTILE, "path": "a\u{202e}/b"}),
    )));
    scene.select("h");
    press(&mut scene, "P w");
    check("rule_hostile", &scene, &[WIDE], &[]);
}

#[test]
fn given_rules_are_listed_with_the_text_of_the_chosen_one() {
    let grant = |id: &str, verdict: &str, lasts| Grant {
        id: id.to_owned(),
        text: format!(
            "[[rules]]\nagent = \"travel\"\ntool = \"send_mail\"\nverdict = \"{verdict}\"\n"
        ),
        lasts,
        session: SessionId("s1".to_owned()),
        from: vec![CallId("ada".to_owned())],
        workspace: "/home/op/travel".to_owned(),
        answers: vec![Question::Default],
        who: "ada@desk".to_owned(),
        at: "2026-11-20T09:00:00Z".parse().expect("a timestamp"),
    };
    let end = "2026-11-20T10:00:00Z".parse().expect("a timestamp");
    let ended = "2026-11-20T09:10:00Z".parse().expect("a timestamp");
    let mut scene = scene();
    press(&mut scene, "p");
    let rules = vec![
        grant("g1f0c2a9e", "allow", Lasts::Session),
        grant("g77aa0b12", "allow", Lasts::Until(end)),
        grant("g00000000", "allow", Lasts::Until(ended)),
        grant("gc0ffee00", "deny", Lasts::Always),
    ];
    update(&mut scene.state, Event::Store(StoreEvent::Rules(Ok(rules))));
    press(&mut scene, "j");
    check("rules", &scene, &ALL, &["▌"]);
    update(
        &mut scene.state,
        Event::Store(StoreEvent::Rules(Ok(Vec::new()))),
    );
    check("rules_none", &scene, &[NARROW], &[]);
}
