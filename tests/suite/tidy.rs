//! What the architecture asks of the source, read from the source.
//!
//! The order of layers, the names that may not be used, and the sizes. Clippy does the rest.

use regex::Regex;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

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
        name: "term",
        ours: &["app::key", "app::event", "core::shown"],
        without: &["ratatui::widgets", "tui_textarea"],
    },
    Layer {
        name: "provider",
        ours: &["core", "policy", "deferred"],
        without: NO_SCREEN,
    },
    Layer {
        name: "tools",
        ours: &["core", "policy", "deferred"],
        without: NO_SCREEN,
    },
    Layer {
        name: "store",
        ours: &["core", "policy", "deferred"],
        without: NO_SCREEN,
    },
    Layer {
        name: "agent",
        ours: &["core", "policy", "deferred", "provider", "tools", "store"],
        without: NO_SCREEN,
    },
    Layer {
        name: "config",
        ours: &["core", "policy", "provider", "tools"],
        without: NO_SCREEN,
    },
    Layer {
        name: "runtime",
        ours: &[
            "core", "policy", "deferred", "app", "ui", "term", "provider", "tools", "store",
            "agent", "config",
        ],
        without: &[],
    },
];

/// Sees everything; is seen by nothing.
const TOP: &[&str] = &["main", "lib"];

/// What may be named in one place only although its layer may not.
const EXCEPTIONS: &[(&str, &str)] = &[("app/draft.rs", "tui_textarea")];

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
        "-",
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

struct Source {
    /// Under `src`, with `/`.
    name: String,
    text: String,
}

impl Source {
    fn layer(&self) -> &str {
        let first = self.name.split('/').next().unwrap_or(&self.name);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The lines without comments, from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, without_comment(line)))
    }
}

fn without_comment(line: &str) -> &str {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") {
        return "";
    }
    // `//` in a string, as in an address, has no space before it.
    line.split_once(" //").map_or(line, |(code, _)| code)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn sources() -> Vec<Source> {
    let src = root().join("src");
    files_below(&src)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| Source {
            name: path
                .strip_prefix(&src)
                .expect("it was found there")
                .to_string_lossy()
                .replace('\\', "/"),
            text: fs::read_to_string(&path).expect("sources are UTF-8"),
        })
        .collect()
}

/// A path that the source names, such as `crate::core::call::Call`, and on which line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    line: usize,
    path: String,
}

/// Every path in the code. Groups of a `use` are written out.
fn named(source: &Source) -> Vec<Named> {
    let mut code = String::new();
    for (_, line) in source.code() {
        // Writing to a String cannot fail.
        let _ = writeln!(code, "{line}");
    }
    let uses = Regex::new(r"\buse\s+([^;]+);").expect("it is a pattern");
    let paths = Regex::new(r"\b[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+").expect("it is a pattern");
    let line_of = |at: usize| code[..at].matches('\n').count() + 1;
    let mut all = Vec::new();
    for found in uses.captures_iter(&code) {
        let tree = found.get(1).expect("the pattern has a group");
        let flat: String = tree.as_str().split_whitespace().collect();
        for path in leaves("", &flat) {
            all.push(Named {
                line: line_of(tree.start()),
                path: from_the_root(&source.name, &path),
            });
        }
    }
    all.extend(paths.find_iter(&code).map(|found| Named {
        line: line_of(found.start()),
        path: from_the_root(&source.name, found.as_str()),
    }));
    all.sort();
    all.dedup();
    all
}

/// `super::x` in `app/update/keys.rs` as `crate::app::update::x`.
fn from_the_root(file: &str, path: &str) -> String {
    let module = file.strip_suffix(".rs").unwrap_or(file);
    let module = module.strip_suffix("/mod").unwrap_or(module);
    let mut modules: Vec<_> = module.split('/').collect();
    let mut rest = path;
    while let Some(after) = rest.strip_prefix("super::") {
        modules.pop();
        rest = after;
    }
    if rest.len() == path.len() {
        return path.to_owned();
    }
    let mut full = vec!["crate"];
    full.extend(modules);
    full.push(rest);
    full.join("::")
}

/// `a::{b, c::{d}}` as `a::b` and `a::c::d`.
fn leaves(prefix: &str, tree: &str) -> Vec<String> {
    let Some((before, group)) = tree
        .strip_suffix('}')
        .and_then(|tree| tree.split_once('{'))
        .filter(|(before, _)| !before.contains(','))
    else {
        return vec![format!("{prefix}{tree}")];
    };
    let prefix = format!("{prefix}{before}");
    let mut depth = 0;
    group
        .split(|c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        })
        .filter(|part| !part.is_empty())
        .flat_map(|part| leaves(&prefix, part))
        .collect()
}

/// Whether `path` is `name` or lies in it.
fn is_in(path: &str, name: &str) -> bool {
    path.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

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

fn project_files() -> Vec<PathBuf> {
    let folders = ["src", "tests", "assets", ".ci"];
    let single = [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "keymap.toml",
        ".gitignore",
    ];
    folders
        .iter()
        .flat_map(|folder| files_below(&root().join(folder)))
        .chain(single.iter().map(|name| root().join(name)))
        .collect()
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
