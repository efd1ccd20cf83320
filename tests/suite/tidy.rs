//! What the architecture asks of the source, read from the source.
//!
//! The order of layers, the names that may not be used, and the sizes. Clippy does the rest.

use crate::support::source::{Named, Source, is_in, named, project_files, root, sources};
use regex::Regex;
use std::fs;

/// One layer: the first folder or file under `src`.
struct Layer {
    name: &'static str,
    /// What of this crate it may name besides itself: layers, or single modules of one.
    ours: &'static [&'static str],
    /// What it may not name of others.
    without: &'static [&'static str],
}

const PURE: &[&str] = &[
    "ratatui",
    "crossterm",
    "tui_textarea",
    "tokio",
    "tokio_util",
    "rustix",
    "rusqlite",
    "reqwest",
    "std::fs",
    "std::env",
    "std::io",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "jiff::Timestamp::now",
    "jiff::Zoned::now",
];
const NO_SCREEN: &[&str] = &["ratatui", "crossterm", "tui_textarea"];

const LAYERS: &[Layer] = &[
    Layer {
        name: "core",
        ours: &[],
        without: PURE,
    },
    Layer {
        name: "policy",
        ours: &["core"],
        without: PURE,
    },
    Layer {
        name: "deferred",
        ours: &["core"],
        without: PURE,
    },
    Layer {
        name: "app",
        ours: &["core", "policy"],
        without: PURE,
    },
    Layer {
        name: "ui",
        ours: &["app", "core"],
        without: &[
            "tokio",
            "crossterm",
            "rustix",
            "tui_textarea",
            "std::fs",
            "std::env",
            "std::io",
            "std::time::Instant",
            "std::time::SystemTime",
        ],
    },
    Layer {
        name: "plain",
        ours: &["app", "core", "ui"],
        without: PURE,
    },
    Layer {
        name: "term",
        ours: &[
            "app::key",
            "app::event",
            "app::mouse",
            "core::attention",
            "core::shown",
        ],
        without: &["ratatui::widgets", "tui_textarea"],
    },
    Layer {
        name: "provider",
        ours: &["core", "policy", "deferred"],
        without: NO_SCREEN,
    },
    Layer {
        name: "tools",
        ours: &["core", "policy", "deferred", "code"],
        without: NO_SCREEN,
    },
    Layer {
        name: "code",
        ours: &["core"],
        without: NO_SCREEN,
    },
    Layer {
        name: "store",
        ours: &["core", "policy", "deferred"],
        without: NO_SCREEN,
    },
    Layer {
        name: "events",
        ours: &["core", "policy", "store"],
        without: NO_SCREEN,
    },
    Layer {
        name: "agent",
        ours: &[
            "core", "policy", "deferred", "provider", "tools", "code", "store",
        ],
        without: NO_SCREEN,
    },
    Layer {
        name: "config",
        ours: &["core", "policy", "provider", "tools", "code"],
        without: NO_SCREEN,
    },
    Layer {
        name: "runtime",
        ours: &[
            "core", "policy", "deferred", "app", "ui", "plain", "term", "provider", "tools",
            "code", "store", "agent", "config", "events",
        ],
        without: &[],
    },
];

/// Sees everything; is seen by nothing.
const TOP: &[&str] = &["main", "lib", "commands"];

/// What may be named in one place only although its layer may not.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("app/draft.rs", "tui_textarea"),
    // A `Cursor` reads from memory; the parser of command lines wants a reader.
    ("policy/command_line.rs", "std::io"),
];

/// Words that may stand nowhere in `src`, where they may all the same, and what to do instead.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    (
        r"\.unwrap\(\)",
        "-",
        "use `?`, or `expect` with the reason it cannot fail",
    ),
    (
        r"KeyCode::Char\('",
        "-",
        "keys stand in keymap.toml; ask for a command instead",
    ),
    (
        r"Color::Rgb",
        // What the theme chose has to be written.
        "term/look",
        "use one of the 16 ANSI colours, so that the terminal's theme holds",
    ),
    (
        r"Terminal::clear|terminal\.clear\(",
        "-",
        "call `Session::repaint`: clearing asks the terminal where its cursor is",
    ),
    (
        r"\b(struct|enum|trait|type)\s+\w*(Manager|Handler|Helper|Util|Utils|Info)\b",
        "-",
        "name it after what it is",
    ),
    (
        r"crossterm::event::KeyCode|\bKeyCode::",
        "term/input",
        "only term/input knows the terminal's keys; use app::key",
    ),
];

const LONGEST: usize = 400;

fn report(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn fault(source: &Source, line: usize, what: &str) -> String {
    format!("src/{}:{line}: {what}", source.name)
}

#[test]
fn every_layer_imports_only_what_is_below_it() {
    let mut faults = Vec::new();
    for source in sources() {
        let here = source.layer();
        if TOP.contains(&here) {
            continue;
        }
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == here) else {
            faults.push(fault(
                &source,
                1,
                "not in a layer; give it one in tests/suite/tidy.rs",
            ));
            continue;
        };
        for Named { line, path } in named(&source) {
            if let Some(ours) = path.strip_prefix("crate::") {
                let allowed = is_in(ours, here) || layer.ours.iter().any(|name| is_in(ours, name));
                if !allowed {
                    faults.push(fault(
                        &source,
                        line,
                        &format!("`{here}` may not use `crate::{ours}`, only {:?}; move what it needs down, or the caller up", layer.ours),
                    ));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn every_layer_leaves_the_outside_to_the_layer_that_owns_it() {
    let mut faults = Vec::new();
    for source in sources() {
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == source.layer()) else {
            continue;
        };
        for Named { line, path } in named(&source) {
            let banned = layer.without.iter().find(|name| is_in(&path, name));
            if let Some(name) = banned
                && !EXCEPTIONS.contains(&(source.name.as_str(), name))
            {
                faults.push(fault(
                    &source,
                    line,
                    &format!(
                        "`{}` may not use `{name}`; ask for it with an event or an effect",
                        layer.name
                    ),
                ));
            }
        }
    }
    report(&faults);
}

#[test]
fn nothing_that_is_forbidden_stands_in_the_source() {
    let mut faults = Vec::new();
    for (pattern, but, instead) in FORBIDDEN {
        let pattern = Regex::new(pattern).expect("it is a pattern");
        for source in sources() {
            if source.name.starts_with(but) {
                continue;
            }
            for (line, code) in source.code() {
                if let Some(found) = pattern.find(code) {
                    faults.push(fault(
                        &source,
                        line,
                        &format!("`{}` is not used here: {instead}", found.as_str()),
                    ));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn every_file_is_short() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|source| source.text.lines().count() > LONGEST)
        .map(|source| {
            let lines = source.text.lines().count();
            fault(
                source,
                lines,
                &format!("{lines} lines, over {LONGEST}; split it where it has two ideas"),
            )
        })
        .collect();
    report(&faults);
}

#[test]
fn every_module_begins_by_saying_what_it_owns() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| {
            fault(
                source,
                1,
                "begin with `//!`: what it owns and what it does not",
            )
        })
        .collect();
    report(&faults);
}

#[test]
fn no_file_names_a_place_on_somebodys_machine() {
    // In pieces, so that this file does not name them either.
    let places = [
        ["/work", "/shared"],
        ["/work", "/main"],
        ["/tmp", "/wt"],
        ["/root", "/."],
        [".cargo", "/registry"],
    ]
    .map(|pieces| pieces.concat());
    let mut faults = Vec::new();
    for path in project_files() {
        // Pictures and databases are not text.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let name = path.strip_prefix(root()).expect("it was found there");
        for (at, line) in text.lines().enumerate() {
            if let Some(place) = places.iter().find(|place| line.contains(*place)) {
                faults.push(format!(
                    "{}:{}: names `{place}`; use a path from the project's folder",
                    name.display(),
                    at + 1
                ));
            }
        }
    }
    report(&faults);
}

#[test]
fn these_checks_see_through_groups_of_imports() {
    let source = Source {
        name: "core/call.rs".to_owned(),
        text: "//! x\nuse crate::{ui, app::{key, event::Event}};\nuse super::super::term;\n// use crate::runtime;\nfn f() { std::fs::read(\"a\") }\n".to_owned(),
    };
    let paths: Vec<_> = named(&source)
        .into_iter()
        .map(|named| (named.line, named.path))
        .collect();
    let expected = [
        (2, "crate::app::event::Event"),
        (2, "crate::app::key"),
        (2, "crate::ui"),
        (2, "event::Event"),
        (3, "crate::term"),
        (5, "std::fs::read"),
    ]
    .map(|(line, path)| (line, path.to_owned()));
    assert_eq!(paths, expected);
    assert!(is_in("crate::core::call", "crate::core") && !is_in("crate::corex", "crate::core"));
}
