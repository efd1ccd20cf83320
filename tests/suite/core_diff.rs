//! What an edit would change, as rows of visible text.

use countersign::core::diff::{Diff, DiffKind, DiffRow};
use countersign::core::shown::Shown;
use proptest::prelude::*;
use std::fmt::Write as _;

/// The rows with their signs, as a unified diff has them.
fn unified(diff: &Diff) -> Vec<String> {
    diff.rows
        .iter()
        .map(|row| format!("{}{}", row.kind.sign(), row.text))
        .collect()
}

#[test]
fn identical_texts_have_no_diff() {
    for text in ["", "a", "a\nb\n"] {
        let diff = Diff::between(text, text);
        assert_eq!(diff, Diff::default());
        assert!(diff.is_empty());
    }
}

#[test]
fn a_change_stands_between_three_rows_on_each_side() {
    let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
    let row = |kind, text| DiffRow {
        kind,
        text: Shown::label(text),
    };
    let rows = vec![
        row(DiffKind::Hunk, "-2,7 +2,7"),
        row(DiffKind::Same, "2"),
        row(DiffKind::Same, "3"),
        row(DiffKind::Same, "4"),
        row(DiffKind::Removed, "5"),
        row(DiffKind::Added, "five"),
        row(DiffKind::Same, "6"),
        row(DiffKind::Same, "7"),
        row(DiffKind::Same, "8"),
    ];
    assert_eq!(
        Diff::between(before, after),
        Diff {
            rows,
            added: 1,
            removed: 1
        }
    );
}

#[test]
fn changes_far_apart_are_hunks_of_their_own() {
    let before: String = (0..40).map(|n| format!("{n}\n")).collect();
    let after = before
        .replace("\n5\n", "\n")
        .replace("\n35\n", "\n35\nnew\n");
    let hunks: Vec<_> = unified(&Diff::between(&before, &after))
        .into_iter()
        .filter(|row| row.starts_with('@'))
        .collect();
    assert_eq!(hunks, ["@-3,7 +3,6", "@-34,6 +33,7"]);
}

#[test]
fn a_new_file_and_an_emptied_one() {
    assert_eq!(
        unified(&Diff::between("", "a\nb\n")),
        ["@-0,0 +1,2", "+a", "+b"]
    );
    assert_eq!(
        unified(&Diff::between("a\nb\n", "")),
        ["@-1,2 +0,0", "-a", "-b"]
    );
}

#[test]
fn a_missing_newline_at_the_end_is_said() {
    assert_eq!(
        unified(&Diff::between("a\n", "a")),
        ["@-1 +1", "-a", "+a", "@no newline at the end"]
    );
    assert_eq!(
        unified(&Diff::between("a", "a\n")),
        ["@-1 +1", "-a", "@no newline at the end", "+a"]
    );
    assert_eq!(
        unified(&Diff::between("a", "b")),
        [
            "@-1 +1",
            "-a",
            "@no newline at the end",
            "+b",
            "@no newline at the end"
        ]
    );
}

#[test]
fn line_ends_that_differ_are_visible() {
    assert_eq!(
        unified(&Diff::between("a\r\nb\n", "a\nb\n")),
        ["@-1,2 +1,2", "-a⟨U+000D⟩", "+a", " b"]
    );
    // A lone carriage return ends no row.
    assert_eq!(
        unified(&Diff::between("", "a\rb\u{2028}c\u{85}\n")),
        ["@-0,0 +1", "+a⟨U+000D⟩b⟨U+2028⟩c⟨U+0085⟩"]
    );
}

#[test]
fn hostile_content_is_written_out() {
    let after = "\u{1b}[8mhidden\u{202e}\n@@ -1 +1 @@\n+x\t⟨\n";
    let rows = [
        "@-0,0 +1,3",
        "+⟨U+001B⟩[8mhidden⟨U+202E⟩",
        "+@@ -1 +1 @@",
        "++x→⟨U+27E8⟩",
    ];
    assert_eq!(unified(&Diff::between("", after)), rows);
}

#[test]
fn big_texts_that_share_nothing_are_compared_in_time() {
    let (mut before, mut after) = (String::new(), String::new());
    for n in 0..20_000 {
        // Writing to a String cannot fail.
        let _ = writeln!(before, "a {}", n * 7919 % 20_011);
        let _ = writeln!(after, "b {}", n * 104_729 % 20_011);
    }
    let diff = Diff::between(&before, &after);
    assert_eq!((diff.added, diff.removed), (20_000, 20_000));
}

#[test]
fn a_diff_can_be_stored() {
    let diff = Diff::between("a\n", "b\u{202e}");
    let stored = serde_json::to_string(&diff).expect("it can be stored");
    assert_eq!(
        serde_json::from_str::<Diff>(&stored).expect("it can be read"),
        diff
    );
}

proptest! {
    #[test]
    fn rows_add_up_to_both_texts(before in "[ab\r\n]{0,30}", after in "[ab\r\n]{0,30}") {
        let diff = Diff::between(&before, &after);
        let count = |kind| diff.rows.iter().filter(|row| row.kind == kind).count();
        prop_assert_eq!((diff.added, diff.removed), (count(DiffKind::Added), count(DiffKind::Removed)));
        prop_assert_eq!(diff.is_empty(), before == after);
        let rows = |text: &str| text.split_inclusive('\n').count();
        let grown = diff.added.cast_signed() - diff.removed.cast_signed();
        prop_assert_eq!(rows(&after).cast_signed() - rows(&before).cast_signed(), grown);
    }
}
