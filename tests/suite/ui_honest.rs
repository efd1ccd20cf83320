//! What a frame reports is what was on screen: the report arms keys.

use countersign::app::draft::{Draft, Purpose};
use countersign::app::sessions::{Choice, SessionList};
use countersign::app::state::{Drawn, Extent, Overlay, Pane, Review, Seen};
use countersign::core::decision::{Decision, How};
use countersign::ui::Ui;
use countersign::ui::theme::Theme;
use ratatui::style::Color;

use crate::support::ui_scene::{MIDDLE, NARROW, Scene, WIDE, key, shot};

fn drawn(scene: &Scene, size: (u16, u16)) -> Drawn {
    scene.draw(size).drawn
}

#[test]
fn a_selected_call_with_its_arguments_is_reported_at_every_size() {
    for size in [WIDE, MIDDLE, NARROW] {
        let drawn = drawn(&Scene::travel(), size);
        let all = Extent {
            top: 0,
            height: 2,
            total: 2,
        };
        assert_eq!(
            (drawn.call, drawn.arguments),
            (Some(key("book")), all),
            "{size:?}"
        );
    }
}

#[test]
fn a_call_behind_a_sheet_is_not_reported() {
    let review = Review {
        rulings: vec![(key("book"), Decision::Approve { arguments: None })],
        how: How::Key,
        top: 0,
        seen: Seen::default(),
        asked: false,
    };
    for overlay in [
        Overlay::Help { top: 0 },
        Overlay::Quit,
        Overlay::Sessions(SessionList::new(Choice::Start("travel".to_owned()))),
        Overlay::Review(review),
    ] {
        let mut scene = Scene::travel();
        scene.state.overlay = Some(overlay);
        assert_eq!(drawn(&scene, WIDE).call, None);
    }
}

#[test]
fn a_call_behind_a_text_that_decides_it_is_not_reported() {
    let calls = || vec![key("book")];
    for purpose in [
        Purpose::Reason { calls: calls() },
        Purpose::Answer { calls: calls() },
        Purpose::Retry { calls: calls() },
        Purpose::Edit {
            call: key("book"),
            rest: Vec::new(),
        },
    ] {
        let mut scene = Scene::travel();
        scene.state.draft = Some(Draft::new(purpose, ""));
        assert_eq!(drawn(&scene, WIDE).call, None);
    }
}

#[test]
fn a_call_in_a_pane_that_is_not_shown_is_not_reported() {
    let mut scene = Scene::travel();
    scene.state.focus = Pane::Output;
    let drawn = drawn(&scene, NARROW);
    assert_eq!((drawn.call, drawn.list_height), (None, 0));
}

#[test]
fn a_call_the_filter_hides_is_not_reported() {
    let mut scene = Scene::travel();
    scene.state.list_only("mail");
    assert_eq!(drawn(&scene, WIDE).call, None);
}

#[test]
fn a_screen_too_small_reports_nothing() {
    let mut scene = Scene::travel();
    scene.state.conversation_scroll.by = -3;
    for size in [(1, 1), (19, 40), (120, 5)] {
        let shot = scene.draw(size);
        assert_eq!(shot.drawn, Drawn::default(), "{size:?}");
    }
    assert_eq!(scene.draw((12, 2)).rows()[0], "too small");
}

#[test]
fn the_full_view_reports_its_own_rows_as_the_arguments() {
    let mut scene = Scene::travel();
    scene.state.overlay = Some(Overlay::View { top: 6 });
    let drawn = drawn(&scene, NARROW);
    assert_eq!(drawn.call, Some(key("book")));
    assert_eq!(drawn.arguments, drawn.overlay);
    assert_eq!(
        drawn.overlay.top + drawn.overlay.height,
        drawn.overlay.total
    );
}

#[test]
fn rows_below_the_edge_are_not_reported_as_seen() {
    let drawn = drawn(&Scene::travel().with_edit(), NARROW);
    assert_eq!(
        drawn.arguments,
        Extent {
            top: 0,
            height: 5,
            total: 16
        }
    );
    let shot = Scene::travel().with_edit().draw(NARROW);
    assert!(shot.contains("↓ 11 more rows · J"), "{}", shot.text());
}

#[test]
fn a_review_sheet_is_reported_with_its_rows() {
    let mut scene = Scene::travel();
    let rulings = vec![(key("mail"), Decision::Approve { arguments: None })];
    let review = Review {
        rulings,
        how: How::Key,
        top: 0,
        seen: Seen::default(),
        asked: false,
    };
    scene.state.overlay = Some(Overlay::Review(review));
    let drawn = drawn(&scene, WIDE);
    assert!(drawn.review);
    assert_eq!(
        drawn.overlay,
        Extent {
            top: 0,
            height: 6,
            total: 6
        }
    );
}

#[test]
fn decision_keys_are_dim_until_the_call_may_be_decided() {
    let mut scene = Scene::travel();
    let footer = |scene: &Scene| scene.draw(WIDE).looks(35);
    assert!(
        footer(&scene).contains("{cyan+bold}a {}approve"),
        "{}",
        footer(&scene)
    );
    scene.state.sight = None;
    assert!(
        footer(&scene).contains("{+dim}a approve"),
        "{}",
        footer(&scene)
    );
}

#[test]
fn the_monochrome_theme_has_no_colour_in_any_cell() {
    let mut ui = Ui::new(Theme::mono());
    let shot = shot(&mut ui, &Scene::travel().with_edit().state, WIDE);
    let coloured = shot
        .buffer
        .content()
        .iter()
        .filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
    assert_eq!(coloured.count(), 0);
}

#[test]
fn only_painting_writes_to_cells() {
    let writes = [
        "set_symbol",
        "set_char",
        "set_string",
        "set_line",
        "Span::",
        "Line::from",
        "ratatui::widgets",
    ];
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from("src/ui")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources are here") {
            let path = entry.expect("the sources are here").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).expect("a source file");
                let hits = writes.iter().filter(|write| text.contains(**write));
                found.extend(hits.map(|write| (path.display().to_string(), *write)));
            }
        }
    }
    assert_eq!(found, [("src/ui/paint.rs".to_owned(), "set_symbol")]);
}

/// How well one colour is read on another: 1 is not at all, 21 is black on white.
fn contrast(one: u32, other: u32) -> f64 {
    let luminance = |colour: u32| {
        let channel = |shift: u32| {
            let value = f64::from(colour >> shift & 0xff) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// What a colour of the fixed part of 256 is.
fn fixed(colour: ratatui::style::Color) -> Option<u32> {
    use ratatui::style::Color;
    match colour {
        Color::Indexed(index @ 16..=231) => {
            let level = |step: u32| if step == 0 { 0 } else { 55 + 40 * step };
            let index = u32::from(index) - 16;
            Some(level(index / 36) << 16 | level(index / 6 % 6) << 8 | level(index % 6))
        }
        Color::Rgb(red, green, blue) => Some(u32::from_be_bytes([0, red, green, blue])),
        // What it is, the terminal decides.
        _ => None,
    }
}

#[test]
fn fixed_colours_can_be_read_on_their_background() {
    use countersign::ui::theme::Colours;
    for colours in [Colours::Indexed, Colours::True] {
        let themes = [
            (Theme::dark_in(colours), [0x00_0000, 0x2e_3436]),
            (Theme::light_in(colours), [0xff_ffff, 0xee_e8d5]),
        ];
        for (theme, backgrounds) in themes {
            let looks = [theme.accent, theme.good, theme.warn, theme.bad, theme.code];
            for look in looks {
                let colour = look.fg.and_then(fixed).expect("it has a fixed colour");
                for background in backgrounds {
                    let contrast = contrast(colour, background);
                    assert!(
                        contrast >= 4.5,
                        "{colour:06x} on {background:06x}: {contrast:.1}"
                    );
                }
            }
        }
    }
}
