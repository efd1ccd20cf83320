use super::{Bench, failed, result};
use countersign::tools::Ran;
use serde_json::json;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;

#[tokio::test]
async fn a_folder_is_listed_in_order_and_as_deep_as_asked() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("b/inner")).expect("folders");
    bench.put("b/inner/deep.txt", "12345");
    bench.put("b/x", "");
    bench.put("c.txt", "123");
    bench.put("a.txt", "1");
    symlink("../outside", bench.path("z")).expect("a link");
    let flat = "a.txt  1 bytes\nb/\nc.txt  3 bytes\nz -> ../outside\n";
    assert_eq!(bench.run("list_files", json!({})).await, result(flat));
    let deep = "a.txt  1 bytes\nb/\nb/inner/\nb/inner/deep.txt  5 bytes\nb/x  0 bytes\nc.txt  3 bytes\nz -> ../outside\n";
    assert_eq!(
        bench
            .run("list_files", json!({ "path": ".", "depth": 3 }))
            .await,
        result(deep)
    );
    let below = "b/inner/\nb/x  0 bytes\n";
    assert_eq!(
        bench.run("list_files", json!({ "path": "b" })).await,
        result(below)
    );
}

#[tokio::test]
async fn what_is_not_a_folder_is_not_listed() {
    let bench = Bench::new();
    bench.put("a.txt", "");
    let told = "a.txt: not a folder; use read_file for a file";
    assert_eq!(
        bench.run("list_files", json!({ "path": "a.txt" })).await,
        failed(told)
    );
    let told = "none: no such file or folder";
    assert_eq!(
        bench.run("list_files", json!({ "path": "none" })).await,
        failed(told)
    );
}

#[tokio::test]
async fn an_empty_folder_says_so() {
    let bench = Bench::new();
    assert_eq!(
        bench.run("list_files", json!({})).await,
        result("[the folder is empty]\n")
    );
}

#[tokio::test]
async fn a_name_with_a_line_break_cannot_pass_for_two_files() {
    let bench = Bench::new();
    bench.put("a\nb.txt", "1");
    let listed = bench.run("list_files", json!({})).await;
    assert_eq!(listed, result("\"a\\nb.txt\"  1 bytes\n"));
}

#[tokio::test]
async fn a_folder_of_thousands_is_listed_up_to_the_limit() {
    let bench = Bench::new();
    for number in 0..2100 {
        bench.put(&format!("{number:04}"), "");
    }
    let mut rows = String::new();
    for number in 0..2000 {
        writeln!(rows, "{number:04}  0 bytes").expect("a row");
    }
    rows += "[more than 2000 entries: list a folder below]\n";
    assert_eq!(bench.run("list_files", json!({})).await, Ran::Result(rows));
}
