//! Keys and commands: the built-in keymap, an operator's file over it, and its mistakes.

use countersign::app::command::{Command, Context};
use countersign::app::key::{Code, Key};
use countersign::app::keymap::{BUILT_IN, Keymap};
use proptest::prelude::*;

fn key(name: &str) -> Key {
    name.parse().expect("the test names a key")
}

fn overlaid(text: &str) -> Keymap {
    Keymap::built_in()
        .overlaid("mine.toml", text)
        .expect("the test's keymap is sound")
}

/// The mistakes of a file, one to a line.
fn report(text: &str) -> String {
    let mistakes = Keymap::built_in()
        .overlaid("mine.toml", text)
        .expect_err("the file has mistakes");
    mistakes
        .iter()
        .map(|mistake| format!("{mistake}\n"))
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn the_built_in_keymap_has_a_row_with_keys_and_help_for_every_command() {
    let keymap = Keymap::default()
        .overlaid("keymap.toml", BUILT_IN)
        .expect("it has no mistake");
    assert_eq!(keymap, Keymap::built_in());
    for command in Command::ALL {
        assert!(!keymap.keys(command).is_empty(), "{command:?}");
        assert!(!keymap.help(command).is_empty(), "{command:?}");
    }
}

#[test]
fn every_key_leads_to_its_command() {
    let keymap = Keymap::built_in();
    for command in Command::ALL {
        for key in keymap.keys(command) {
            assert_eq!(keymap.resolve(&[command.context()], *key), Some(command));
        }
    }
}

#[test]
fn each_command_is_listed_once_and_by_one_name() {
    let mut names: Vec<_> = Command::ALL.map(Command::name).to_vec();
    assert!(names.iter().all(|name| !name.is_empty()));
    names.sort();
    names.dedup();
    assert_eq!(names.len(), Command::ALL.len());
    assert_eq!(Command::ArgumentsDown.name(), "arguments-down");
}

#[test]
fn nothing_that_decides_or_sends_repeats() {
    let repeating: Vec<_> = Command::ALL
        .into_iter()
        .filter(|command| command.repeats())
        .collect();
    let moves = [
        Command::Next,
        Command::Previous,
        Command::NextPage,
        Command::PreviousPage,
        Command::ArgumentsDown,
        Command::ArgumentsUp,
        Command::ScrollDown,
        Command::ScrollUp,
        Command::ScrollPageDown,
        Command::ScrollPageUp,
    ];
    assert_eq!(repeating, moves);
}

#[test]
fn the_nearest_context_wins() {
    let keymap = Keymap::built_in();
    let found = |contexts: &[Context], name| keymap.resolve(contexts, key(name));
    assert_eq!(
        found(&[Context::Sheet, Context::Global], "q"),
        Some(Command::Close)
    );
    assert_eq!(
        found(&[Context::Pending, Context::Global], "q"),
        Some(Command::Quit)
    );
    assert_eq!(
        found(&[Context::Sheet, Context::Scroll, Context::Pending], "j"),
        Some(Command::ScrollDown)
    );
    assert_eq!(found(&[Context::Text], "q"), None);
    assert_eq!(found(&[], "q"), None);
}

#[test]
fn the_key_table_is_the_keymap() {
    assert_eq!(
        Keymap::built_in().markdown(),
        include_str!("../fixtures/keymap/table.md")
    );
}

#[test]
fn a_key_that_means_something_in_markdown_is_written_so_that_it_shows() {
    let table = overlaid("[global]\nhelp = { keys = [\"`\", \"|\", \"ctrl-|\"] }\n").markdown();
    let row = table.lines().find(|line| line.ends_with("| all keys |"));
    assert_eq!(row, Some("| `` ` `` `\\|` `ctrl-\\|` | all keys |"));
}

#[test]
fn an_operators_row_takes_the_place_of_ours_and_keeps_its_help() {
    let keymap = overlaid(
        "[pending]\napprove = { keys = [\"y\", \"ctrl-y\"] }\nreject = { keys = [\"n\"], help = \"refuse\" }\n",
    );
    assert_eq!(keymap.keys(Command::Approve), [key("y"), key("ctrl-y")]);
    assert_eq!(
        (keymap.help(Command::Approve), keymap.help(Command::Reject)),
        ("approve", "refuse")
    );
    let found = |name| keymap.resolve(&[Context::Pending], key(name));
    assert_eq!(
        ["y", "ctrl-y", "a", "n", "r", "e"].map(found),
        [
            Some(Command::Approve),
            Some(Command::Approve),
            None,
            Some(Command::Reject),
            None,
            Some(Command::Edit),
        ]
    );
}

#[test]
fn an_empty_list_unbinds_and_frees_the_key() {
    let keymap = overlaid("[pending]\nretry = { keys = [] }\nview = { keys = [\"t\"] }\n");
    assert_eq!(keymap.keys(Command::Retry), []);
    assert_eq!(
        keymap.resolve(&[Context::Pending], key("t")),
        Some(Command::View)
    );
    assert_eq!(keymap.resolve(&[Context::Pending], key("v")), None);
}

#[test]
fn two_commands_may_change_keys() {
    let keymap = overlaid("[pending]\napprove = { keys = [\"r\"] }\nreject = { keys = [\"a\"] }\n");
    let found = |name| keymap.resolve(&[Context::Pending], key(name));
    assert_eq!(
        ["a", "r"].map(found),
        [Some(Command::Reject), Some(Command::Approve)]
    );
}

#[test]
fn an_empty_file_changes_nothing() {
    assert_eq!(overlaid("# nothing yet\n"), Keymap::built_in());
}

#[test]
fn all_mistakes_are_reported_at_once() {
    assert_eq!(
        report(include_str!("../fixtures/keymap/mistakes.toml")),
        include_str!("../fixtures/keymap/mistakes.txt")
    );
}

#[test]
fn a_syntax_error_comes_alone() {
    assert_eq!(
        report("[pending\nnonsense = { }\n"),
        "mine.toml:1:9: this heading is not closed; write `]` at its end\n"
    );
}

#[test]
fn a_key_clashes_with_what_is_active_beside_it_and_with_nothing_else() {
    let clashes = |context: &str, command: &str, key: &str| {
        let file = format!("[{context}]\n{command} = {{ keys = [\"{key}\"] }}\n");
        Keymap::built_in().overlaid("mine.toml", &file).is_err()
    };
    assert!(clashes("pending", "approve", "r"));
    assert!(clashes("pending", "approve", "q"));
    assert!(clashes("global", "quit", "a"));
    assert!(clashes("global", "quit", "j"));
    assert!(clashes("scroll", "scroll-up", "q"));
    assert!(clashes("sheet", "sign", "esc"));
    assert!(!clashes("scroll", "scroll-up", "a"));
    assert!(!clashes("sheet", "sign", "a"));
    assert!(clashes("text", "leave", "enter"));
    assert!(!clashes("text", "leave", "f9"));
}

#[test]
fn shift_is_part_of_the_character() {
    assert_eq!(key("shift-a"), key("A"));
    assert_eq!(key("ctrl-shift-a"), key("ctrl-A"));
    assert_ne!(key("a"), key("A"));
    let shifted = Key {
        shift: true,
        ..Key::plain(Code::Char('?'))
    };
    assert_eq!(shifted.normal(), key("?"));
    let tab = Key {
        shift: true,
        ..Key::plain(Code::Tab)
    };
    assert_eq!(tab.normal(), key("shift-tab"));
}

#[test]
fn keys_have_names() {
    let named = [
        "space",
        "page-down",
        "ctrl-alt-shift-f12",
        "-",
        "ctrl--",
        "f",
        "é",
        "ctrl-space",
    ]
    .map(key);
    let plain = |c| Key::plain(Code::Char(c));
    let expected = [
        plain(' '),
        Key::plain(Code::PageDown),
        Key {
            code: Code::F(12),
            ctrl: true,
            alt: true,
            shift: true,
        },
        plain('-'),
        Key {
            ctrl: true,
            ..plain('-')
        },
        plain('f'),
        plain('é'),
        Key {
            ctrl: true,
            ..plain(' ')
        },
    ];
    assert_eq!(named, expected);
    assert_eq!(
        "alt-ctrl-x".parse(),
        Ok(Key {
            alt: true,
            ctrl: true,
            ..plain('x')
        })
    );
}

#[test]
fn what_names_no_key_is_refused() {
    for name in [
        "",
        " ",
        "aa",
        "ctrl-",
        "ctrl-ctrl-a",
        "Ctrl-a",
        "f0",
        "f25",
        "f05",
        "f+5",
        "f256",
        "shift-1",
        "shift-é",
        "shift-A",
        "shift-space",
        "\t",
        "\u{1b}",
        "pagedown",
    ] {
        assert!(name.parse::<Key>().is_err(), "{name:?}");
    }
    assert_eq!(
        "f25".parse::<Key>().expect_err("there is none").to_string(),
        "`f25` names no key; write a character, or enter, esc, tab, space, up, page-down, f5 …, with ctrl-, alt- or shift- before it"
    );
}

#[test]
fn a_key_writes_itself_unless_ctrl_or_alt_is_held() {
    let writes =
        ["a", "A", "space", "?", "ctrl-a", "alt-a", "enter", "f1"].map(|name| key(name).is_text());
    assert_eq!(writes, [true, true, true, true, false, false, false, false]);
}

fn any_key() -> impl Strategy<Value = Key> {
    let named = vec![
        Code::Enter,
        Code::Esc,
        Code::Tab,
        Code::Backspace,
        Code::Delete,
        Code::Insert,
        Code::Left,
        Code::Right,
        Code::Up,
        Code::Down,
        Code::Home,
        Code::End,
        Code::PageUp,
        Code::PageDown,
    ];
    let code = prop_oneof![
        prop::sample::select(named),
        prop::char::range(' ', '~').prop_map(Code::Char),
        any::<char>()
            .prop_filter("a key", |c| !c.is_control())
            .prop_map(Code::Char),
        (1_u8..=24).prop_map(Code::F),
    ];
    (code, any::<[bool; 3]>()).prop_map(|(code, [ctrl, alt, shift])| {
        Key {
            code,
            ctrl,
            alt,
            shift,
        }
        .normal()
    })
}

proptest! {
    #[test]
    fn a_key_is_read_back_from_its_name(key in any_key()) {
        prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        prop_assert_eq!(key.normal(), key);
    }

    #[test]
    fn no_text_is_too_odd_for_a_name(text in ".*") {
        if let Ok(key) = text.parse::<Key>() {
            prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        }
    }
}

#[test]
fn what_only_one_command_does_cannot_be_unbound() {
    let text = "[global]\nquit = { keys = [] }\n[text]\naccept = { keys = [] }\nleave = { keys = [] }\n\
                [sheet]\nsign = { keys = [] }\nclose = { keys = [] }\n";
    let mistakes = Keymap::built_in()
        .overlaid("keymap.toml", text)
        .expect_err("a person would be stuck");
    let told: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "keymap.toml:2:1: `quit` cannot be unbound: nothing else quits; give it a key, or leave the row out",
            "keymap.toml:4:1: `accept` cannot be unbound: nothing else accepts a text; give it a key, or leave the row out",
            "keymap.toml:5:1: `leave` cannot be unbound: nothing else leaves a text without accepting it; give it a key, or leave the row out",
            "keymap.toml:7:1: `sign` cannot be unbound: nothing else signs a sheet; give it a key, or leave the row out",
            "keymap.toml:8:1: `close` cannot be unbound: nothing else closes a sheet; give it a key, or leave the row out",
        ]
    );
}
