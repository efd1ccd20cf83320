//! What a tool wrote: bounded, numbered, and the same however it was cut into pieces.

use countersign::core::output::{Output, OutputLine, OutputRow, Stream};
use countersign::core::shown::Shown;
use proptest::prelude::*;

fn row(stream: Stream, text: &str) -> OutputRow {
    OutputRow {
        stream,
        text: Shown::prose(text),
    }
}

/// All that an output holds: its rows (a gap as its count), then the open row.
fn lines(output: &Output) -> Vec<Result<OutputRow, u64>> {
    let line = |line: OutputLine<'_>| match line {
        OutputLine::Row(row) => Ok(row.clone()),
        OutputLine::Gap(count) => Err(count),
    };
    let kept = (0..output.len()).filter_map(|index| output.line(index).map(line));
    kept.chain(output.open_row().map(Ok)).collect()
}

fn texts(output: &Output) -> Vec<String> {
    let text = |line: Result<OutputRow, u64>| {
        line.map_or_else(|gap| format!("gap {gap}"), |row| row.text.to_string())
    };
    lines(output).into_iter().map(text).collect()
}

fn written(pieces: &[&str]) -> Output {
    let mut output = Output::default();
    for piece in pieces {
        output.push(Stream::Out, piece);
    }
    output
}

#[test]
fn nothing_written_is_empty() {
    let mut output = Output::default();
    output.push(Stream::Out, "");
    output.end_row();
    assert_eq!(output, Output::default());
    assert!(output.is_empty());
    assert_eq!((output.len(), output.total(), output.line(0)), (0, 0, None));
}

#[test]
fn a_row_is_open_until_it_ends() {
    let mut output = written(&["one\ntw"]);
    assert_eq!(
        lines(&output),
        [Ok(row(Stream::Out, "one")), Ok(row(Stream::Out, "tw"))]
    );
    assert_eq!((output.len(), output.total(), output.line(1)), (2, 1, None));
    output.push(Stream::Out, "o\n\n");
    assert_eq!(texts(&output), ["one", "two", ""]);
    assert_eq!(
        (output.len(), output.total(), output.open_row()),
        (3, 3, None)
    );
    output.push(Stream::Err, "rest");
    output.end_row();
    output.end_row();
    assert_eq!(
        output.line(3),
        Some(OutputLine::Row(&row(Stream::Err, "rest")))
    );
    assert_eq!((output.len(), output.total(), output.line(4)), (4, 4, None));
}

#[test]
fn another_stream_ends_the_row() {
    let mut output = Output::default();
    for (stream, text) in [
        (Stream::Out, "a"),
        (Stream::Err, "b\nc"),
        (Stream::Err, "d"),
        (Stream::Out, "e\n"),
    ] {
        output.push(stream, text);
    }
    let expected = [
        row(Stream::Out, "a"),
        row(Stream::Err, "b"),
        row(Stream::Err, "cd"),
        row(Stream::Out, "e"),
    ];
    assert_eq!(lines(&output), expected.map(Ok));
}

#[test]
fn a_line_end_of_two_characters_may_come_in_two_pieces() {
    for pieces in [
        &["a\r\nb\r\n"][..],
        &["a\r", "\nb", "\r", "\n"],
        &["a", "\r\n", "b\r\n"],
    ] {
        assert_eq!(texts(&written(pieces)), ["a", "b"]);
    }
    assert_eq!(
        texts(&written(&["10%\r20%\r\r\n"])),
        ["10%⟨U+000D⟩20%⟨U+000D⟩"]
    );
}

#[test]
fn what_a_tool_writes_is_made_visible() {
    assert_eq!(
        texts(&written(&["\u{1b}[31mred\u{1b}", "[0m\t\u{202e}\n"])),
        ["⟨U+001B⟩[31mred⟨U+001B⟩[0m→⟨U+202E⟩"]
    );
}

#[test]
fn a_million_rows_keep_the_first_and_the_last() {
    let mut output = Output::default();
    for number in 0..1_000_000 {
        output.push(Stream::Out, &format!("row {number}\n"));
    }
    assert_eq!(output.total(), 1_000_000);
    assert!(bytes(&output) < 8 * 1024 * 1024);
    let gap = (0..output.len())
        .find(|index| matches!(output.line(*index), Some(OutputLine::Gap(_))))
        .expect("a million rows do not fit");
    let text_of = |index| match output.line(index) {
        Some(OutputLine::Row(row)) => row.text.to_string(),
        Some(OutputLine::Gap(count)) => format!("gap {count}"),
        None => "nothing".to_owned(),
    };
    let dropped = 1_000_000 - (output.len() - 1);
    assert_eq!(text_of(0), "row 0");
    assert_eq!(text_of(gap - 1), format!("row {}", gap - 1));
    assert_eq!(text_of(gap), format!("gap {dropped}"));
    assert_eq!(text_of(gap + 1), format!("row {}", gap + dropped));
    assert_eq!(text_of(output.len() - 1), "row 999999");
    // A number stays with its row; the gap stands for all that it swallowed.
    for index in [0, gap - 1, gap + 1, output.len() - 1] {
        assert_eq!(text_of(index), format!("row {}", output.number(index)));
        assert_eq!(output.index(output.number(index)), index);
    }
    let (first, last) = (gap as u64, (gap + dropped - 1) as u64);
    assert_eq!(output.number(gap), last);
    assert_eq!(
        [first, first + 1, last].map(|number| output.index(number)),
        [gap; 3]
    );
}

fn bytes(output: &Output) -> usize {
    lines(output)
        .into_iter()
        .flatten()
        .map(|row| row.text.as_str().len())
        .sum()
}

#[test]
fn one_endless_line_stays_bounded() {
    let mut output = Output::default();
    let piece = "é".repeat(500_000);
    for _ in 0..20 {
        output.push(Stream::Out, &piece);
    }
    assert!(bytes(&output) < 9 * 1024 * 1024);
    let longest = lines(&output)
        .into_iter()
        .flatten()
        .map(|row| row.text.as_str().len())
        .max();
    assert_eq!(longest, Some(16 * 1024));
    output.push(Stream::Out, "\nend\n");
    assert_eq!(texts(&output).last().map(String::as_str), Some("end"));
}

#[test]
fn an_endless_line_in_one_piece_is_shown() {
    let output = written(&[&"x".repeat(40_000)]);
    let lengths: Vec<_> = texts(&output).iter().map(String::len).collect();
    assert_eq!(lengths, [16_384, 16_384, 40_000 - 2 * 16_384]);
}

#[test]
fn a_line_that_just_fits_is_one_row() {
    let line = "x".repeat(16_384);
    for pieces in [&[line.as_str(), "\n"][..], &[&format!("{line}\n")]] {
        assert_eq!(texts(&written(pieces)), [line.as_str()]);
    }
}

proptest! {
    #[test]
    fn rows_do_not_depend_on_how_the_text_was_cut(text in "([a\r\n\té→]{0,12}|x{16380,16390}){0,6}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let mut whole = written(&[&text]);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<_> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let mut cut = written(&pieces);
        prop_assert_eq!(&cut, &whole);
        cut.end_row();
        whole.end_row();
        prop_assert_eq!(cut.total(), whole.len() as u64);
    }
}
