//! The operator's editor has the terminal, and what it saves comes back.

use super::term::{child, folder};
use crate::support::pty::Pty;
use std::fs;
use std::path::{Path, PathBuf};

fn editor_script(folder: &Path, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("my editor.sh");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a scratch folder can be written to");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it is ours");
    path
}

/// What the program says after its editor was this script, started with the argument `-w`.
fn edited_by(script: &str) -> (Pty, tempfile::TempDir) {
    let scratch = folder();
    let path = editor_script(scratch.path(), script);
    let mut pty = child()
        .env("EDITOR", format!("'{}' -w", path.display()))
        .env("VISUAL", " ")
        .env("OUT", scratch.path())
        .env("TMPDIR", scratch.path())
        .size(160, 24)
        .start();
    pty.wait_for("ready");
    pty.type_keys("e");
    (pty, scratch)
}

#[test]
fn the_operators_editor_changes_the_text_and_has_the_terminal_meanwhile() {
    let (mut pty, scratch) = edited_by(
        "stty -a > \"$OUT/settings\"; ls -l \"$2\" > \"$OUT/file\"; cp \"$2\" \"$OUT/before\"; \
         printf 'editing: '; read line; echo \"$1 $line\" > \"$2\"",
    );
    pty.wait_until("the editor on the main screen", |screen| {
        !screen.alternate_screen() && screen.contents().contains("editing: ")
    });
    pty.type_keys("after\r");
    // Saved with a last newline that the text did not have.
    pty.wait_until("the text and the whole frame", |screen| {
        screen.alternate_screen() && screen.contents() == "-w after\n160x24"
    });
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);

    let read = |name: &str| fs::read_to_string(scratch.path().join(name)).expect("it was written");
    assert_eq!(read("before"), "before");
    assert!(read("settings").contains(" icanon"), "{}", read("settings"));
    let file = read("file");
    assert!(
        file.starts_with("-rw-------") && file.contains("/text.json"),
        "{file}"
    );
    let left: Vec<_> = fs::read_dir(scratch.path())
        .expect("it is there")
        .filter_map(Result::ok)
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with("countersign-")
        })
        .collect();
    assert!(left.is_empty(), "the file is gone: {left:?}");
}

#[test]
fn an_editor_that_fails_leaves_the_text_as_it_was() {
    let (pty, _scratch) = edited_by("exit 3");
    pty.wait_for("ended with exit status: 3, so the text stays as it was");
}

#[test]
fn an_editor_that_saves_no_text_is_told() {
    let (pty, _scratch) = edited_by("printf '\\377' > \"$2\"");
    pty.wait_for("is not UTF-8");
}

#[test]
fn keys_typed_into_an_editor_that_does_not_read_them_decide_nothing() {
    let (mut pty, scratch) = edited_by(
        "echo waiting; while ! test -e \"$OUT/go\"; do sleep 0.01; done; echo done > \"$2\"",
    );
    pty.wait_for("waiting");
    pty.type_keys("q");
    // The terminal echoes the key once it has it.
    pty.wait_for("q");
    fs::write(scratch.path().join("go"), "").expect("a scratch folder can be written to");
    pty.wait_for("done");
    pty.type_keys("x");
    pty.wait_for("key x");
}

#[test]
fn ctrl_c_in_the_editors_terminal_does_not_end_the_program() {
    let (mut pty, _scratch) = edited_by("exec tail -f \"$2\"");
    // What is in the file: it runs, and no shell of it is about to.
    pty.wait_for("before");
    pty.press("ctrl-c");
    pty.wait_for("so the text stays as it was");
    pty.type_keys("x");
    pty.wait_for("key x");
}

#[test]
fn an_editor_that_is_not_there_is_named() {
    let mut pty = child()
        .env("EDITOR", "no-such-editor -x")
        .size(120, 24)
        .start();
    pty.wait_for("ready");
    pty.type_keys("e");
    pty.wait_for("the editor `no-such-editor -x` cannot be started; set VISUAL or EDITOR");
}
