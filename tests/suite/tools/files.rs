use super::{Bench, failed, job, result};
use countersign::core::digest::Digest;
use countersign::tools::{Expected, Job, Ran};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn a_file_is_read_as_it_stands() {
    let bench = Bench::new();
    bench.put("naïve 文件.txt", "one\r\ntwo\n\tthree ⟨x⟩");
    let ran = bench
        .run("read_file", json!({ "path": "naïve 文件.txt" }))
        .await;
    assert_eq!(ran, result("one\r\ntwo\n\tthree ⟨x⟩"));
}

#[tokio::test]
async fn some_lines_of_a_file_are_read_by_offset_and_limit() {
    let bench = Bench::new();
    bench.put("a.txt", "1\n2\n3\n4\n5\n");
    let lines = json!({ "path": "a.txt", "offset": 2, "limit": 3 });
    assert_eq!(bench.run("read_file", lines).await, result("2\n3\n4\n"));
    let past = json!({ "path": "a.txt", "offset": 9 });
    assert_eq!(bench.run("read_file", past).await, result(""));
    let last = json!({ "path": "a.txt", "offset": 5, "limit": 100 });
    assert_eq!(bench.run("read_file", last).await, result("5\n"));
}

#[tokio::test]
async fn a_long_file_is_read_up_to_the_limit_and_says_how_to_go_on() {
    let bench = Bench::new();
    let row = "x".repeat(1023) + "\n";
    bench.put("long.txt", row.repeat(300));
    let Ran::Result(text) = bench.run("read_file", json!({ "path": "long.txt" })).await else {
        unreachable!("it is readable");
    };
    let note =
        "[stopped in line 257 of long.txt: go on with offset 257, or use shell for longer lines]";
    assert_eq!(text, row.repeat(256) + note);
    let rest = bench
        .run("read_file", json!({ "path": "long.txt", "offset": 257 }))
        .await;
    assert_eq!(rest, result(&row.repeat(44)));
}

#[tokio::test]
async fn one_endless_line_is_cut() {
    let bench = Bench::new();
    bench.put("line.txt", "é".repeat(400_000));
    let Ran::Result(text) = bench.run("read_file", json!({ "path": "line.txt" })).await else {
        unreachable!("it is readable");
    };
    let note =
        "\n[stopped in line 1 of line.txt: go on with offset 1, or use shell for longer lines]";
    assert_eq!(text, "é".repeat(131_072) + note);
}

#[tokio::test]
async fn a_binary_file_is_not_read() {
    let bench = Bench::new();
    bench.put("a.bin", b"\x7fELF\0\0");
    let ran = bench.run("read_file", json!({ "path": "a.bin" })).await;
    assert_eq!(ran, failed("a.bin: not UTF-8 text (6 bytes)"));
}

#[tokio::test]
async fn a_path_out_of_the_workspace_is_refused_whatever_it_looks_like() {
    let bench = Bench::new();
    std::fs::write(bench.outside("secret"), "secret").expect("a file outside");
    bench.put("inner", "");
    let outside = bench.outside("secret").display().to_string();
    let through = bench.path("../outside/secret").display().to_string();
    let parent =
        |path: &str| format!("{path}: `..` is refused; write the path from the workspace down");
    let absolute =
        format!("{outside}: outside the workspace; give a path relative to the workspace");
    let nul = "the path holds a NUL character; no file can have that name";
    let cases = [
        ("../outside/secret".to_owned(), parent("../outside/secret")),
        (
            "a/../../outside/secret".to_owned(),
            parent("a/../../outside/secret"),
        ),
        ("./inner/..".to_owned(), parent("./inner/..")),
        (through.clone(), parent(&through)),
        (outside, absolute),
        ("in\0ner".to_owned(), nul.to_owned()),
        (
            String::new(),
            "the path is empty; give one relative to the workspace".to_owned(),
        ),
    ];
    for (path, fault) in cases {
        for tool in ["read_file", "delete_file", "list_files"] {
            assert_eq!(
                bench.run(tool, json!({ "path": path })).await,
                failed(&fault),
                "{tool}"
            );
        }
        let write = json!({ "path": path, "content": "x" });
        assert_eq!(bench.run("write_file", write).await, failed(&fault));
        let edit = json!({ "path": path, "old": "secret", "new": "x" });
        assert_eq!(bench.run("edit_file", edit).await, failed(&fault));
    }
    let secret = std::fs::read_to_string(bench.outside("secret")).expect("still there");
    assert_eq!(secret, "secret");
}

#[tokio::test]
async fn an_absolute_path_inside_the_workspace_is_taken() {
    let bench = Bench::new();
    bench.put("a.txt", "inside");
    let path = bench.path("a.txt").display().to_string();
    assert_eq!(
        bench.run("read_file", json!({ "path": path })).await,
        result("inside")
    );
}

#[tokio::test]
async fn a_symlink_out_of_the_workspace_is_refused() {
    let bench = Bench::new();
    std::fs::write(bench.outside("secret"), "secret").expect("a file outside");
    symlink(bench.outside("secret"), bench.path("absolute")).expect("a link");
    symlink("../outside/secret", bench.path("relative")).expect("a link");
    symlink("../outside", bench.path("folder")).expect("a link");
    let fault = |path: &str| {
        failed(&format!(
            "{path}: a symbolic link there leads out of the workspace; refused"
        ))
    };
    for path in ["absolute", "relative", "folder/secret", "folder/new"] {
        let write = json!({ "path": path, "content": "x" });
        let told = if path == "folder/new" {
            "folder/new"
        } else {
            path
        };
        assert_eq!(bench.run("write_file", write).await, fault(told));
        let edit = json!({ "path": path, "old": "secret", "new": "x" });
        assert_eq!(bench.run("edit_file", edit).await, fault(told));
        assert_eq!(
            bench.run("read_file", json!({ "path": path })).await,
            fault(told)
        );
    }
    assert_eq!(
        bench.run("list_files", json!({ "path": "folder" })).await,
        fault("folder")
    );
    let delete = bench
        .run("delete_file", json!({ "path": "folder/secret" }))
        .await;
    assert_eq!(delete, fault("folder"));
    let secret = std::fs::read_to_string(bench.outside("secret")).expect("still there");
    assert_eq!(secret, "secret");
}

#[test]
fn a_folder_exchanged_for_a_symlink_while_files_are_written_leads_nowhere() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).expect("a folder");
    symlink("../outside", bench.path("link")).expect("a link");
    let (folder, link, spare) = (
        bench.path("folder"),
        bench.path("link"),
        bench.path("spare"),
    );
    let done = AtomicBool::new(false);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let turn = [
                    (&folder, &spare),
                    (&link, &folder),
                    (&folder, &link),
                    (&spare, &folder),
                ];
                for (from, to) in turn {
                    std::fs::rename(from, to).ok();
                }
            }
        });
        runtime.block_on(async {
            for turn in 0..300 {
                let path = format!("folder/{turn}");
                bench
                    .run("write_file", json!({ "path": path, "content": "x" }))
                    .await;
            }
        });
        done.store(true, Ordering::Relaxed);
    });
    let outside = std::fs::read_dir(bench.outside("")).expect("the folder outside");
    assert_eq!(outside.count(), 0);
}

#[tokio::test]
async fn a_symlink_inside_the_workspace_stays_and_its_file_is_written() {
    let bench = Bench::new();
    bench.put("real.txt", "old");
    symlink("real.txt", bench.path("link.txt")).expect("a link");
    let write = json!({ "path": "link.txt", "content": "new" });
    let told = "wrote 3 bytes to real.txt: what was there is replaced";
    assert_eq!(bench.run("write_file", write).await, result(told));
    assert_eq!(bench.text("real.txt"), "new");
    assert!(bench.path("link.txt").is_symlink());
    assert_eq!(
        bench
            .run("delete_file", json!({ "path": "link.txt" }))
            .await,
        result("deleted link.txt")
    );
    assert_eq!(bench.names(), ["real.txt"]);
}

#[tokio::test]
async fn a_symlink_to_nothing_is_not_written_through() {
    let bench = Bench::new();
    symlink("nothing", bench.path("link")).expect("a link");
    let ran = bench
        .run("write_file", json!({ "path": "link", "content": "x" }))
        .await;
    let told = "link: a symbolic link to nothing; delete it first, or name another file";
    assert_eq!(ran, failed(told));
}

#[tokio::test]
async fn special_files_are_refused_without_waiting_for_them() {
    let bench = Bench::new();
    let mode = Mode::from_raw_mode(0o600);
    mknodat(CWD, bench.path("pipe"), FileType::Fifo, mode, 0).expect("a named pipe");
    let _socket = UnixListener::bind(bench.path("socket")).expect("a socket");
    std::fs::create_dir(bench.path("folder")).expect("a folder");
    for (path, kind) in [
        ("pipe", "a named pipe"),
        ("socket", "a socket"),
        ("folder", "a folder"),
    ] {
        let fault = failed(&format!("{path}: {kind}, not a regular file; refused"));
        assert_eq!(bench.run("read_file", json!({ "path": path })).await, fault);
        let write = json!({ "path": path, "content": "x" });
        assert_eq!(bench.run("write_file", write).await, fault);
        let edit = json!({ "path": path, "old": "a", "new": "b" });
        assert_eq!(bench.run("edit_file", edit).await, fault);
        assert_eq!(
            bench.run("delete_file", json!({ "path": path })).await,
            fault
        );
    }
    assert_eq!(bench.names(), ["folder", "pipe", "socket"]);
}

#[tokio::test]
async fn writing_makes_the_folders_and_leaves_nothing_beside_the_file() {
    let bench = Bench::new();
    let write = json!({ "path": "a/b/c.txt", "content": "x\n" });
    assert_eq!(
        bench.run("write_file", write).await,
        result("wrote 2 bytes to a/b/c.txt: a new file")
    );
    assert_eq!(bench.text("a/b/c.txt"), "x\n");
    let left = std::fs::read_dir(bench.path("a/b"))
        .expect("the folder")
        .count();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn an_existing_files_mode_stays() {
    let bench = Bench::new();
    bench.put("run.sh", "old");
    let mode = |bits| std::fs::Permissions::from_mode(bits);
    std::fs::set_permissions(bench.path("run.sh"), mode(0o751)).expect("its mode");
    bench
        .run("write_file", json!({ "path": "run.sh", "content": "new" }))
        .await;
    bench
        .run(
            "edit_file",
            json!({ "path": "run.sh", "old": "new", "new": "newer" }),
        )
        .await;
    let found = std::fs::metadata(bench.path("run.sh"))
        .expect("the file")
        .permissions();
    assert_eq!(
        (found.mode() & 0o7777, bench.text("run.sh")),
        (0o751, "newer".into())
    );
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_fails_with_the_systems_words() {
    let bench = Bench::new();
    bench.put("taken", "a file where a folder would have to be");
    let write = json!({ "path": "taken/a.txt", "content": "x" });
    assert_eq!(
        bench.run("write_file", write).await,
        failed("taken/a.txt: not a folder; use read_file for a file")
    );
    std::fs::create_dir(bench.path("closed")).expect("a folder");
    let read_only = std::fs::Permissions::from_mode(0o555);
    std::fs::set_permissions(bench.path("closed"), read_only).expect("its mode");
    let ran = bench
        .run(
            "write_file",
            json!({ "path": "closed/a.txt", "content": "x" }),
        )
        .await;
    let expected = if rustix::process::geteuid().is_root() {
        result("wrote 1 bytes to closed/a.txt: a new file")
    } else {
        failed("closed/a.txt: Permission denied (os error 13)")
    };
    assert_eq!(ran, expected);
}

#[tokio::test]
async fn an_edit_must_be_unambiguous() {
    let bench = Bench::new();
    bench.put("a.txt", "one two one aaa");
    let edit = |old: &str, new: &str| json!({ "path": "a.txt", "old": old, "new": new });
    let cases = [
        (
            edit("one", "1"),
            "a.txt: `old` occurs 2 times; give more of the text around it, or set `all` to true",
        ),
        (
            edit("aa", "b"),
            "a.txt: `old` occurs 2 times; give more of the text around it, or set `all` to true",
        ),
        (
            edit("three", "3"),
            "a.txt: `old` does not occur in the file; read it again and copy the text exactly",
        ),
        (
            edit("", "3"),
            "a.txt: `old` is empty; give the text to be replaced",
        ),
        (
            edit("two", "two"),
            "a.txt: `old` and `new` are the same; nothing would change",
        ),
    ];
    for (arguments, fault) in cases {
        assert_eq!(bench.run("edit_file", arguments).await, failed(fault));
    }
    assert_eq!(bench.text("a.txt"), "one two one aaa");
    assert_eq!(
        bench.run("edit_file", edit("two", "2")).await,
        result("changed a.txt in 1 place")
    );
    let all = json!({ "path": "a.txt", "old": "one", "new": "1", "all": true });
    assert_eq!(
        bench.run("edit_file", all).await,
        result("changed a.txt in 2 places")
    );
    assert_eq!(bench.text("a.txt"), "1 2 1 aaa");
}

#[tokio::test]
async fn a_file_that_is_not_text_or_not_there_is_not_edited() {
    let bench = Bench::new();
    bench.put("a.bin", b"a\xff");
    let edit = |path: &str| json!({ "path": path, "old": "a", "new": "b" });
    assert_eq!(
        bench.run("edit_file", edit("a.bin")).await,
        failed("a.bin: not UTF-8 text (2 bytes)")
    );
    assert_eq!(
        bench.run("edit_file", edit("none")).await,
        failed("none: no such file or folder")
    );
    let large = std::fs::File::create(bench.path("large")).expect("a file");
    large.set_len(17 * 1024 * 1024).expect("a large file");
    let told = "large: 17825792 bytes is more than edit_file takes (16777216); use shell";
    assert_eq!(bench.run("edit_file", edit("large")).await, failed(told));
}

#[tokio::test]
async fn a_text_takes_the_place_of_no_file_that_was_not_shown() {
    let bench = Bench::new();
    let write = || Job {
        expected: Expected::Unseen,
        ..job("write_file", json!({ "path": "a.txt", "content": "new" }))
    };
    let (ran, _) = bench.finish(write()).await;
    assert!(matches!(ran, Ran::Result(_)), "{ran:?}");
    bench.put("a.txt", "somebody else's");
    let told = "a.txt: there is a file already, and the operator, who named it in place of another, was not shown what it holds; propose the change for this path";
    assert_eq!(bench.finish(write()).await.0, failed(told));
    assert_eq!(bench.text("a.txt"), "somebody else's");
}

#[tokio::test]
async fn a_file_that_has_changed_since_its_diff_was_shown_is_left_alone() {
    let bench = Bench::new();
    let calls = [
        ("write_file", json!({ "path": "a.txt", "content": "new" })),
        (
            "edit_file",
            json!({ "path": "a.txt", "old": "shown", "new": "new" }),
        ),
        ("delete_file", json!({ "path": "a.txt" })),
    ];
    let told = "a.txt: the file has changed since its diff was shown; read it again and propose the change anew";
    for (tool, arguments) in calls {
        bench.put("a.txt", "shown, and changed since");
        for before in [Some(Digest::of_bytes(b"shown")), None] {
            let mut job = job(tool, arguments.clone());
            job.expected = Expected::of(before);
            assert_eq!(bench.finish(job).await.0, failed(told), "{tool}");
            assert_eq!(bench.text("a.txt"), "shown, and changed since");
        }
        let mut as_shown = job(tool, arguments.clone());
        as_shown.expected = Expected::Content(Digest::of_bytes(b"shown, and changed since"));
        assert!(
            matches!(bench.finish(as_shown).await.0, Ran::Result(_)),
            "{tool}"
        );
        std::fs::remove_file(bench.path("a.txt")).ok();
        let mut gone = job(tool, arguments);
        gone.expected = Expected::Content(Digest::of_bytes(b"shown"));
        assert_eq!(bench.finish(gone).await.0, failed(told), "{tool}");
        assert_eq!(bench.names(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn edits_of_one_file_side_by_side_lose_nothing() {
    let bench = Bench::new();
    bench.put("a.txt", "a b c d e f g h");
    let edits = "abcdefgh".chars().map(|c| {
        let arguments = json!({ "path": "a.txt", "old": c, "new": c.to_ascii_uppercase() });
        bench.run("edit_file", arguments)
    });
    futures::future::join_all(edits).await;
    assert_eq!(bench.text("a.txt"), "A B C D E F G H");
}

#[tokio::test]
async fn an_interrupted_call_changes_nothing() {
    let bench = Bench::new();
    let job = job("write_file", json!({ "path": "a.txt", "content": "x" }));
    job.cancel.cancel();
    assert_eq!(bench.finish(job).await.0, Ran::Interrupted);
    assert_eq!(bench.names(), Vec::<String>::new());
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_named() {
    let bench = Bench::new();
    let told = "the arguments do not fit this tool: unknown field `mode`, expected `path`";
    let ran = bench
        .run("delete_file", json!({ "path": "a", "mode": 1 }))
        .await;
    assert_eq!(ran, failed(told));
    let told = "the arguments do not fit this tool: missing field `content`";
    assert_eq!(
        bench.run("write_file", json!({ "path": "a" })).await,
        failed(told)
    );
}
