//! The operator's own editor, for texts that are too long for a line of the console.
//!
//! Owns the file that the editor opens and what comes back. Does not give the terminal away: call it
//! inside `Session::with_released`.

use signal_hook::consts::{SIGINT, SIGQUIT};
use signal_hook::{SigId, flag, low_level};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is started if the operator has named no editor: POSIX has it everywhere.
const DEFAULT: &str = "vi";
/// What a shell ends with if it cannot start a command.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Why the text stays as it was. One line each.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    #[error("no editor: VISUAL and EDITOR are not set, and there is no `vi`; set EDITOR to yours")]
    None,
    #[error("the editor `{0}` cannot be started; set VISUAL or EDITOR to one that can")]
    NotStarted(String),
    #[error("the editor `{editor}` ended with {status}, so the text stays as it was")]
    Failed { editor: String, status: ExitStatus },
    #[error("what the editor saved is not UTF-8, so the text stays as it was; save it as UTF-8")]
    NotText,
    #[error("the file for the editor cannot be {done}, so the text stays as it was: {source}")]
    File {
        done: &'static str,
        source: io::Error,
    },
}

/// Opens the text in the operator's editor and waits until it is closed. `extension` tells the editor
/// what the text is, such as `json`. The file is the operator's alone and gone afterwards.
///
/// # Errors
/// If no editor runs, it fails, or what it saved is no text.
pub fn edit(text: &str, extension: &str) -> Result<String, EditorError> {
    let failed = |done| move |source| EditorError::File { done, source };
    let folder = tempfile::Builder::new()
        .prefix("countersign-")
        .tempdir()
        .map_err(failed("made"))?;
    let path = folder.path().join(format!("text.{extension}"));
    write_private(&path, text).map_err(failed("written"))?;

    let (editor, named) = editor();
    let status = run(&editor, &path)?;
    judge(status, &editor, named)?;

    let saved = fs::read(&path).map_err(failed("read"))?;
    let saved = String::from_utf8(saved).map_err(|_| EditorError::NotText)?;
    Ok(without_added_newline(text, saved))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    ByTheOperator,
    ByUs,
}

/// An empty variable counts as none, as it does for every other program.
fn editor() -> (OsString, Named) {
    ["VISUAL", "EDITOR"]
        .iter()
        .filter_map(env::var_os)
        .find(|editor| !editor.to_string_lossy().trim().is_empty())
        .map_or((DEFAULT.into(), Named::ByUs), |editor| {
            (editor, Named::ByTheOperator)
        })
}

/// Through a shell, since `code -w` and `emacsclient -a ''` are what people write there.
fn run(editor: &OsStr, path: &Path) -> Result<ExitStatus, EditorError> {
    let mut line = editor.to_owned();
    line.push(" \"$1\"");
    let _unharmed = Unharmed::by_the_keyboard();
    Command::new("sh")
        .arg("-c")
        .arg(line)
        .arg("sh")
        .arg(path)
        .status()
        .map_err(|_| EditorError::NotStarted("sh".to_owned()))
}

fn judge(status: ExitStatus, editor: &OsStr, named: Named) -> Result<(), EditorError> {
    let name = || editor.to_string_lossy().into_owned();
    match (status.code(), named) {
        (Some(0), _) => Ok(()),
        (Some(NOT_FOUND), Named::ByUs) => Err(EditorError::None),
        (Some(NOT_FOUND | NOT_EXECUTABLE), _) => Err(EditorError::NotStarted(name())),
        _ => Err(EditorError::Failed {
            editor: name(),
            status,
        }),
    }
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?
        .write_all(text.as_bytes())
}

/// Editors end the last line; a text that had no such end does not get one by being looked at.
fn without_added_newline(before: &str, mut after: String) -> String {
    if !before.ends_with('\n') && after.ends_with('\n') {
        after.pop();
    }
    after
}

/// While it lives, ctrl-c and ctrl-\ in the editor's terminal do not end this program, which is in the
/// same foreground group; the editor gets them as usual.
struct Unharmed(Vec<SigId>);

impl Unharmed {
    fn by_the_keyboard() -> Self {
        let caught = Arc::new(AtomicBool::new(false));
        // Where a signal cannot be caught, the editor is still worth opening.
        Self(
            [SIGINT, SIGQUIT]
                .into_iter()
                .filter_map(|signal| flag::register(signal, Arc::clone(&caught)).ok())
                .collect(),
        )
    }
}

impl Drop for Unharmed {
    fn drop(&mut self) {
        for id in self.0.drain(..) {
            low_level::unregister(id);
        }
    }
}
