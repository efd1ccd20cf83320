//! Programs and queries in other languages than the shell's, by words that are known to do something.
//!
//! Parses nothing: a word in a comment is found as well, and a clever text escapes. A look costs one pass for each word.

use super::decode;
use super::shell;
use super::spot::Spot;
use crate::core::finding::Kind;

const WORDS: &[(Kind, &str)] = &[
    (Kind::RunsText, "exec("),
    (Kind::RunsText, "eval("),
    (Kind::RunsText, "__import__("),
    (Kind::RunsText, "os.system("),
    (Kind::RunsText, "system("),
    (Kind::RunsText, "os.popen("),
    (Kind::RunsText, "os.exec"),
    (Kind::RunsText, "subprocess."),
    (Kind::RunsText, "child_process"),
    (Kind::RunsText, "execSync("),
    (Kind::RunsText, "spawnSync("),
    (Kind::RunsText, "new Function("),
    (Kind::RunsText, "Runtime.getRuntime("),
    (Kind::RunsText, "pty.spawn("),
    (Kind::RunsText, "pickle.loads("),
    (Kind::Deletes, "shutil.rmtree("),
    (Kind::Deletes, "os.remove("),
    (Kind::Deletes, "os.unlink("),
    (Kind::Deletes, "os.rmdir("),
    (Kind::Deletes, ".unlink("),
    (Kind::Deletes, "fs.rm("),
    (Kind::Deletes, "rmSync("),
    (Kind::Deletes, "unlinkSync("),
    (Kind::Deletes, "File.delete("),
    (Kind::Deletes, "FileUtils.rm"),
    (Kind::Network, "socket.socket("),
    (Kind::Network, "requests."),
    (Kind::Network, "urllib"),
    (Kind::Network, "http.client"),
    (Kind::Network, "net.connect("),
    (Kind::SecretFile, "os.environ"),
    (Kind::SecretFile, "process.env"),
    (Kind::OpensRights, "os.chmod("),
    (Kind::Stops, "os.kill("),
];

/// Ways of turning a coded text into one that is run.
const DECODERS: &[&str] = &[
    "b64decode",
    "atob(",
    "fromhex(",
    "unhexlify(",
    "base64'",
    "base64\"",
    "codecs.decode(",
];

/// Literals of a program that runs commands which are looked at.
const MOST_LITERALS: usize = 64;

pub(super) fn look(text: &str, spot: &mut Spot<'_>) {
    let mut runs = false;
    for (kind, word) in WORDS {
        for at in starts(text, word).take(4) {
            runs |= *kind == Kind::RunsText;
            spot.note(
                *kind,
                word.trim_end_matches(['(', '.']),
                at..at + word.len(),
            );
        }
    }
    let decoder = DECODERS
        .iter()
        .find_map(|word| Some((text.find(word)?, word)));
    if let Some((at, word)) = decoder.filter(|_| runs) {
        let name = word.trim_end_matches(['(', '\'', '"']);
        spot.note(
            Kind::Decoded,
            format!("what {name} gives is run"),
            at..at + name.len(),
        );
    }
    decode::tokens(text, spot);
    files(text, spot);
    if runs {
        for (start, literal) in literals(text) {
            if shell::is_command(literal)
                && let Some(mut within) = spot.within(start..start + literal.len(), literal.len())
            {
                shell::look(literal, &mut within);
            }
        }
    }
}

/// Literals that are files outside the workspace or of secrets.
fn files(text: &str, spot: &mut Spot<'_>) {
    for (start, literal) in literals(text) {
        if !literal.contains('/')
            || literal.contains(char::is_whitespace)
            || literal.contains("://")
        {
            continue;
        }
        let range = start..start + literal.len();
        if super::path::holds_secret(literal) {
            spot.note(Kind::SecretFile, literal, range.clone());
        }
        if super::path::is_path(literal) && super::path::leads_out(literal, spot.workspace) {
            spot.note(Kind::Outside, literal, range);
        }
    }
}

/// Where the word begins, as a word of its own.
fn starts<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> {
    let lettered = word.starts_with(|c: char| c.is_ascii_alphabetic());
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let joined = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            !lettered || !text[..*at].ends_with(joined)
        })
}

/// What stands between quotation marks, and where.
fn literals(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match open {
            _ if escaped => escaped = false,
            _ if c == '\\' => escaped = true,
            None if matches!(c, '\'' | '"' | '`') => open = Some((at + 1, c)),
            Some((start, quote)) if c == quote => {
                found.push((start, &text[start..at]));
                open = None;
            }
            // Quotes that are not closed on their row were apostrophes.
            Some((_, quote)) if c == '\n' && quote != '`' => open = None,
            None | Some(_) => {}
        }
        if found.len() >= MOST_LITERALS {
            break;
        }
    }
    found
}

const QUERIES: &[(Kind, &[&str])] = &[
    (Kind::Deletes, &["drop", "table"]),
    (Kind::Deletes, &["drop", "database"]),
    (Kind::Deletes, &["drop", "schema"]),
    (Kind::Deletes, &["truncate"]),
    (Kind::Deletes, &["delete", "from"]),
    (Kind::OpensRights, &["grant"]),
    (Kind::RunsText, &["xp_cmdshell"]),
    (Kind::RunsText, &["copy", "program"]),
    (Kind::WritesOutside, &["into", "outfile"]),
];

/// A query of a database, by the words its statements are known by.
pub(super) fn sql(text: &str, spot: &mut Spot<'_>) {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !(c.is_alphanumeric() || c == '_') {
            if start < at {
                words.push((start, text[start..at].to_ascii_lowercase()));
            }
            start = at + c.len_utf8();
        }
    }
    for (kind, wanted) in QUERIES {
        for run in words.windows(wanted.len()) {
            if run
                .iter()
                .map(|(_, word)| word.as_str())
                .eq(wanted.iter().copied())
                && let (Some(first), Some(last)) = (run.first(), run.last())
            {
                let range = first.0..last.0 + last.1.len();
                spot.note(*kind, &text[range.clone()], range);
            }
        }
    }
}
