use super::{Bench, job};
use countersign::core::arguments::Arguments;
use countersign::core::call::Preview;
use countersign::core::diff::{Diff, DiffKind, DiffRow};
use countersign::core::digest::Digest;
use countersign::core::shown::Shown;
use countersign::tools::{Expected, Ran};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

async fn preview(bench: &Bench, tool: &str, arguments: Value) -> Option<Preview> {
    let arguments = Arguments::from_value(&arguments).expect("an object");
    bench.tools.preview(tool, &arguments).await
}

/// A preview that is one row of words.
fn remark(path: &str, words: &str, before: Option<Digest>) -> Preview {
    let row = DiffRow {
        kind: DiffKind::Hunk,
        text: Shown::label(words),
    };
    let diff = Diff {
        rows: vec![row],
        ..Diff::default()
    };
    Preview {
        path: path.into(),
        fails: None,
        diff,
        before,
    }
}

fn compared(path: &str, old: &str, new: &str, before: Option<Digest>) -> Preview {
    Preview {
        path: path.into(),
        fails: None,
        diff: Diff::between(old, new),
        before,
    }
}

/// The preview of a call that cannot succeed.
fn failing(path: &str, why: &str) -> Preview {
    Preview {
        path: path.into(),
        fails: Some(why.into()),
        diff: Diff::default(),
        before: None,
    }
}

#[tokio::test]
async fn each_change_is_shown_as_a_diff_from_what_is_there() {
    let bench = Bench::new();
    bench.put("a.txt", "one\ntwo\n");
    let digest = Some(Digest::of_bytes(b"one\ntwo\n"));
    let write = json!({ "path": "./a.txt", "content": "one\nthree\n" });
    let expected = Some(compared(
        "a.txt",
        "one\ntwo\n",
        "one\nthree\n",
        digest.clone(),
    ));
    assert_eq!(preview(&bench, "write_file", write).await, expected);
    let edit = json!({ "path": "a.txt", "old": "two", "new": "2" });
    let expected = Some(compared("a.txt", "one\ntwo\n", "one\n2\n", digest.clone()));
    assert_eq!(preview(&bench, "edit_file", edit).await, expected);
    let expected = Some(compared("a.txt", "one\ntwo\n", "", digest));
    assert_eq!(
        preview(&bench, "delete_file", json!({ "path": "a.txt" })).await,
        expected
    );
    let new = json!({ "path": "new/b.txt", "content": "x\n" });
    assert_eq!(
        preview(&bench, "write_file", new).await,
        Some(compared("new/b.txt", "", "x\n", None))
    );
    assert_eq!(bench.names(), ["a.txt"]);
}

#[tokio::test]
async fn a_preview_names_the_file_behind_a_link() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("reports")).expect("a folder");
    bench.put("reports/q3.csv", "1\n");
    symlink("reports", bench.path("harmless")).expect("a link");
    let digest = Some(Digest::of_bytes(b"1\n"));
    let delete = json!({ "path": "harmless/q3.csv" });
    let expected = Some(compared("reports/q3.csv", "1\n", "", digest));
    assert_eq!(preview(&bench, "delete_file", delete).await, expected);
}

#[tokio::test]
async fn what_cannot_be_compared_is_said_in_a_row() {
    let bench = Bench::new();
    bench.put("a.bin", b"\0\xff");
    let binary = Some(Digest::of_bytes(b"\0\xff"));
    let large = "x\n".repeat(600_000);
    bench.put("large.txt", &large);
    let large_digest = Some(Digest::of_bytes(large.as_bytes()));
    bench.put("empty", "");
    let empty = Some(Digest::of_bytes(b""));
    symlink("/etc/passwd", bench.path("link")).expect("a link");
    let link = Some(Digest::of_bytes(b"symbolic link\0/etc/passwd"));
    let deletions = [
        (
            "a.bin",
            "a binary file of 2 bytes is deleted",
            binary.clone(),
        ),
        (
            "large.txt",
            "a file of 1,200,000 bytes is deleted; too large to show",
            large_digest.clone(),
        ),
        ("empty", "an empty file is deleted", empty.clone()),
        (
            "link",
            "a symbolic link to /etc/passwd is deleted; what it points to stays",
            link,
        ),
    ];
    for (path, words, before) in deletions {
        let shown = preview(&bench, "delete_file", json!({ "path": path })).await;
        assert_eq!(shown, Some(remark(path, words, before)));
    }
    let writings = [
        (
            "a.bin",
            "a binary file of 2 bytes is replaced by a text of 3 bytes",
            "new",
            binary,
        ),
        (
            "large.txt",
            "a file of 1,200,000 bytes, too large to compare, is replaced by a text of 3 bytes",
            "new",
            large_digest,
        ),
        (
            "new",
            "the new content, 1,200,000 bytes, is too large to compare",
            large.as_str(),
            None,
        ),
        ("new", "a new, empty file", "", None),
        ("empty", "the file already is exactly this", "", empty),
    ];
    for (path, words, content, before) in writings {
        let shown = preview(
            &bench,
            "write_file",
            json!({ "path": path, "content": content }),
        )
        .await;
        assert_eq!(shown, Some(remark(path, words, before)));
    }
}

#[tokio::test]
async fn a_call_that_would_fail_says_so_before_anyone_signs() {
    let bench = Bench::new();
    bench.put("a.txt", "one one");
    let edit = json!({ "path": "a.txt", "old": "one", "new": "1" });
    let words =
        "a.txt: `old` occurs 2 times; give more of the text around it, or set `all` to true";
    assert_eq!(
        preview(&bench, "edit_file", edit).await,
        Some(failing("a.txt", words))
    );
    let gone = json!({ "path": "none" });
    assert_eq!(
        preview(&bench, "delete_file", gone).await,
        Some(failing("none", "none: no such file or folder"))
    );
    let out = json!({ "path": "../a.txt", "content": "x" });
    let words = "../a.txt: `..` is refused; write the path from the workspace down";
    assert_eq!(
        preview(&bench, "write_file", out).await,
        Some(failing("../a.txt", words))
    );
}

#[tokio::test]
async fn tools_that_change_no_file_have_no_preview() {
    let bench = Bench::new();
    let calls = [
        ("read_file", json!({ "path": "a" })),
        ("list_files", json!({})),
        ("shell", json!({ "command": "rm -rf ." })),
        ("fetch", json!({ "url": "http://localhost" })),
        ("unknown", json!({})),
    ];
    for (tool, arguments) in calls {
        assert_eq!(preview(&bench, tool, arguments).await, None);
    }
}

#[tokio::test]
async fn what_a_preview_was_bound_to_may_run_and_nothing_else_even_for_a_large_file() {
    let bench = Bench::new();
    let large = std::fs::File::create(bench.path("large")).expect("a file");
    large.set_len(20 * 1024 * 1024).expect("a large file");
    let arguments = json!({ "path": "large" });
    let shown = preview(&bench, "delete_file", arguments.clone())
        .await
        .expect("a preview");
    large.set_len(20 * 1024 * 1024 + 1).expect("a change");
    let mut stale = job("delete_file", arguments.clone());
    stale.expected = Expected::of(shown.before);
    assert!(matches!(bench.finish(stale).await.0, Ran::Failed(_)));
    let shown = preview(&bench, "delete_file", arguments.clone())
        .await
        .expect("a preview");
    let mut fresh = job("delete_file", arguments);
    fresh.expected = Expected::of(shown.before);
    assert_eq!(
        bench.finish(fresh).await.0,
        Ran::Result("deleted large".into())
    );
}
