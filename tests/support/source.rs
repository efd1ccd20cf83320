//! The project's own source as text: which paths it names, and where.
//!
//! Reads; judges nothing. Understands as much Rust as imports need.

use regex::Regex;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// One file under `src`.
pub struct Source {
    /// Under `src`, with `/`.
    pub name: String,
    pub text: String,
}

impl Source {
    pub fn layer(&self) -> &str {
        let first = self.name.split('/').next().unwrap_or(&self.name);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The lines without comments, from 1.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
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

pub fn root() -> &'static Path {
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

pub fn sources() -> Vec<Source> {
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
pub struct Named {
    pub line: usize,
    pub path: String,
}

/// Every path in the code. Groups of a `use` are written out.
pub fn named(source: &Source) -> Vec<Named> {
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
pub fn is_in(path: &str, name: &str) -> bool {
    path.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Every file that belongs to the project.
pub fn project_files() -> Vec<PathBuf> {
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
