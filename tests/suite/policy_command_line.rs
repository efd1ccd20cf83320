//! Shell command lines: what they are taken apart into, what is not understood, what cannot be dodged.

use countersign::policy::command_line::{Line, Part, take_apart};
use proptest::prelude::*;
use serde_json::json;
use std::time::{Duration, Instant};

use super::policy::{judge, policy, short};

fn part(written: &str, words: &[&str]) -> Part {
    Part {
        written: written.to_owned(),
        words: words.iter().map(|&word| word.to_owned()).collect(),
    }
}

#[test]
fn a_line_is_taken_apart_into_its_simple_commands() {
    let cases: [(&str, &[&str]); 24] = [
        ("git status", &["git status"]),
        ("  git   status\t", &["git status"]),
        ("git status; rm -rf ~", &["git status", "rm -rf ~"]),
        ("a && b || c", &["a", "b", "c"]),
        ("a | b | c", &["a", "b", "c"]),
        ("a |& b", &["a", "b"]),
        ("a\nb\n\n c", &["a", "b", "c"]),
        ("(a; b)", &["a", "b"]),
        ("{ a; b; }", &["a", "b"]),
        ("((a); b)", &["a", "b"]),
        ("! a", &["a"]),
        ("time a", &["a"]),
        (
            "if a; then b; elif c; then d; else e; fi",
            &["a", "b", "c", "d", "e"],
        ),
        ("while a; do b; done", &["a", "b"]),
        ("until a; do b; done", &["a", "b"]),
        ("echo 'a; b' \"c && d\"", &["echo 'a; b' \"c && d\""]),
        ("echo a\\;b", &["echo a\\;b"]),
        ("ls \\\n  -l", &["ls -l"]),
        ("git commit -m 'one\ntwo'", &["git commit -m 'one\ntwo'"]),
        ("ls >/dev/null 2>&1", &["ls"]),
        ("ls >&2", &["ls"]),
        ("[ -f x ] && y", &["[ -f x ]", "y"]),
        ("git show HEAD@{1} a=b", &["git show HEAD@{1} a=b"]),
        ("echo 'fix #12' a#b", &["echo 'fix #12' a#b"]),
    ];
    for (text, expected) in cases {
        let line = take_apart(text);
        let written: Vec<&str> = line
            .parts
            .iter()
            .map(|part| part.written.as_str())
            .collect();
        assert_eq!(
            (written.as_slice(), &line.fault),
            (expected, &None),
            "{text:?}"
        );
    }
}

#[test]
fn words_lose_their_quoting() {
    let line = take_apart(r#"g'i't "sta"tus a\ b "c \"d\"" '' é "\x""#);
    let expected = Line {
        parts: vec![part(
            r#"g'i't "sta"tus a\ b "c \"d\"" '' é "\x""#,
            &["git", "status", "a b", "c \"d\"", "", "é", "\\x"],
        )],
        fault: None,
        pieces: Vec::new(),
    };
    assert_eq!(line, expected);
}

#[test]
fn what_a_rule_cannot_see_is_not_understood() {
    let cases = [
        ("", "it holds no command"),
        (" \n ", "it holds no command"),
        ("# only a comment", "it holds a comment"),
        ("ls # rm", "it holds a comment"),
        ("echo \"open", "it is not a complete command line"),
        ("echo 'open", "it is not a complete command line"),
        ("a &&", "it is not a complete command line"),
        ("(a", "it is not a complete command line"),
        ("a)", "it is not a complete command line"),
        ("if a; then b", "it is not a complete command line"),
        (
            "echo $(rm x)",
            "what $(rm x) stands for is seen only when it runs",
        ),
        (
            "echo `rm x`",
            "what `rm x` stands for is seen only when it runs",
        ),
        (
            "echo \"$(rm x)\"",
            "what a text in quotation marks stands for is seen only when it runs",
        ),
        ("$X -rf /", "what $X stands for is seen only when it runs"),
        ("cat ${F}", "what ${F} stands for is seen only when it runs"),
        (
            "cat $'\\x2e'",
            "what $'\\x2e' stands for is seen only when it runs",
        ),
        (
            "cat ~root/x",
            "what ~root/x stands for is seen only when it runs",
        ),
        (
            "cat .en?",
            "which files .en? names is seen only when it runs",
        ),
        ("rm *", "which files * names is seen only when it runs"),
        (
            "cat [.]env",
            "which files [.]env names is seen only when it runs",
        ),
        ("cat {.env,x}", "{.env,x} stands for several words"),
        ("diff <(a) x", "it holds a process substitution"),
        ("ls > x", "> x reads or writes a file"),
        ("ls >> x", ">> x reads or writes a file"),
        ("ls >| x", ">| x reads or writes a file"),
        ("wc < x", "< x reads or writes a file"),
        ("ls &> x", "it writes all output to x"),
        ("ls >/dev/nul", "> /dev/nul reads or writes a file"),
        ("{ ls; } > x", "> x reads or writes a file"),
        ("sh <<E\nrm x\nE", "it holds a here-document"),
        ("sh <<< x", "it holds a here-string"),
        ("eval ls", "eval changes what other commands mean"),
        ("source x", "source changes what other commands mean"),
        (". ./x", ". changes what other commands mean"),
        ("alias ls=rm", "alias changes what other commands mean"),
        ("trap 'rm x' EXIT", "trap changes what other commands mean"),
        ("export PATH=.", "export changes what other commands mean"),
        ("LD_PRELOAD=./x.so ls", "it sets LD_PRELOAD"),
        ("PATH=.", "it sets PATH"),
        ("f() { rm x; }", "it defines a function"),
        ("function f { rm x; }", "it defines a function"),
        ("sleep 9 &", "it leaves a command running"),
        ("coproc a", "it leaves a command running"),
        ("for f in a b; do ls; done", "a for loop sets a variable"),
        ("case a in b) c;; esac", "it holds a case"),
        ("[[ a == b ]]", "it holds a [[ ]] test"),
        ("((1+1))", "it holds arithmetic"),
        ("sh -c 'rm x'", "sh runs commands out of a text"),
        (
            "/bin/bash -c 'rm x'",
            "/bin/bash runs commands out of a text",
        ),
        ("curl x | sh", "sh runs commands out of a text"),
        ("env FOO=1 bash -c x", "bash runs commands out of a text"),
        ("sudo su; ls\r", "it holds the character U+000D"),
        ("ls\u{a0}-l", "it holds the character U+00A0"),
        ("ls\0", "it holds the character U+0000"),
        (
            "99999999999999999999>x",
            "it holds a file descriptor or tilde number that is too large",
        ),
        (
            "a=~99999999999999999999",
            "it holds a file descriptor or tilde number that is too large",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(
            take_apart(text).fault.as_deref(),
            Some(expected),
            "{text:?}"
        );
    }
}

/// `git *` and `ls` are allowed, `rm *` is denied, the rest asks.
const RULES: &str = "
[[rules]]
tool = 'shell'
arguments = { '/command' = { regex = '(git .*|ls|cat .*|cd .*)' } }
verdict = 'allow'
[[rules]]
tool = 'shell'
arguments = { '/command' = { regex = 'rm( .*)?' } }
verdict = 'deny'
";

#[test]
fn each_command_of_a_line_is_judged_on_its_own() {
    let policy = policy(RULES);
    let cases = [
        ("git status", "allow by 1"),
        ("git log | cat -n && ls", "allow by 1"),
        ("git log 'a; rm b'", "allow by 1"),
        ("git status; make", "ask by default"),
        ("git status; rm -rf ~", "deny by 2"),
        ("git status\nrm -rf ~", "deny by 2"),
        ("git status || (ls; rm -rf ~)", "deny by 2"),
        ("git status > ../x", "ask: > ../x reads or writes a file"),
        ("\"git\" status", "ask by default"),
        ("'git status'", "ask by default"),
        ("git status &", "ask: it leaves a command running"),
        (
            "git log $(ls)",
            "ask: what $(ls) stands for is seen only when it runs",
        ),
    ];
    for (line, expected) in cases {
        let judgement = judge(&policy, "shell", &json!({ "command": line }));
        assert_eq!(short(&judgement), expected, "{line:?}");
    }
}

#[test]
fn no_disguise_dodges_a_rule_that_denies() {
    let policy = policy(RULES);
    let lines = [
        "rm x",
        "r'm' x",
        "\"rm\" x",
        "\\rm x",
        "/bin/rm x",
        "../../bin/rm x",
        "rm\tx",
        "r\\\nm x",
        "sudo rm x",
        "sudo -u root /bin/rm x",
        "env A=1 rm x",
        "command rm x",
        "xargs rm < list",
        "find . -exec rm x ';'",
        "timeout 5 nice rm x",
        "A=1 rm x",
        "rm x > log",
        "rm $X",
        "rm *",
        "echo $(rm x)",
        "echo `rm x`",
        "echo \"$(sudo rm x)\"",
        "cat <(rm x)",
        "sh -c 'rm x'",
        "bash -c \"ls; rm x\"",
        "f() { rm x; }; f",
        "for i in a; do rm $i; done",
        "case a in a) rm x;; esac",
        "coproc rm x",
        "! rm x",
        "if rm x; then ls; fi",
        "ls & rm x",
        "ls # \nrm x",
        "sh <<E\nrm x\nE",
        "rm x; echo 'open",
        "((((((((((((((rm x",
        "ls\r; rm x",
    ];
    for line in lines {
        let judgement = judge(&policy, "shell", &json!({ "command": line }));
        assert_eq!(short(&judgement), "deny by 2", "{line:?}");
    }
}

#[test]
fn a_rule_that_allows_the_whole_of_a_compound_line_does_not_allow_it() {
    let policy = policy(
        "[[rules]]\ntool = 'shell'\nverdict = 'allow'\n\
         arguments = { '/command' = { equals = 'make; make install' } }\n",
    );
    let judgement = judge(
        &policy,
        "shell",
        &json!({ "command": "make; make install" }),
    );
    assert_eq!(short(&judgement), "ask by default");
}

#[test]
fn a_rule_that_asks_about_the_whole_of_a_compound_line_asks() {
    let policy = policy(
        "[[rules]]\ntool = 'shell'\nverdict = 'allow'\n\
         [[rules]]\ntool = 'shell'\nverdict = 'ask'\narguments = { '/command' = { glob = '*make; make*' } }\n",
    );
    let line = |line: &str| short(&judge(&policy, "shell", &json!({ "command": line })));
    assert_eq!(line("make; make install"), "ask by 2");
    assert_eq!(line("make"), "allow by 1");
}

#[test]
fn even_a_rule_that_allows_every_line_does_not_allow_what_is_not_understood() {
    let policy = policy("[[rules]]\ntool = 'shell'\nverdict = 'allow'\n");
    let judgement = judge(&policy, "shell", &json!({ "command": "$X" }));
    assert_eq!(
        short(&judgement),
        "ask: what $X stands for is seen only when it runs"
    );
}

#[test]
fn arguments_without_a_command_line_are_asked_about() {
    let policy = policy("[[rules]]\ntool = 'shell'\nverdict = 'allow'\n");
    for arguments in [
        json!({}),
        json!({ "command": ["ls"] }),
        json!({ "command": null }),
    ] {
        let judgement = judge(&policy, "shell", &arguments);
        assert_eq!(short(&judgement), "ask: there is no text at /command");
    }
}

/// On a stack that is smaller than any the program uses, so that an overflow shows here.
fn on_a_small_stack(text: String) -> (Option<String>, Duration) {
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let taken = thread.spawn(move || {
        let begun = Instant::now();
        (take_apart(&text).fault, begun.elapsed())
    });
    taken
        .expect("a thread can be started")
        .join()
        .expect("taking a line apart does not panic")
}

#[test]
fn deep_nesting_costs_neither_the_stack_nor_the_time() {
    let openings = [
        "(",
        "( ",
        "((",
        "$(",
        "\"$(",
        "`",
        "<(",
        "a=(",
        "${a:-",
        "$((",
        "{ ",
        "a[",
        "[[ ( ",
        "if ",
        "while ",
        "case a in a) ",
        "for a in b; do ",
        "! ",
        "time ",
        "coproc ",
        "f() { ",
        "function f ",
        "if a; then b; else ",
        "a;",
        "a|",
        "a&&",
        "a ",
        "a=b ",
        "<<a ",
        "<a ",
        "\\\n",
        "~",
        "#",
        "\n",
    ];
    for opening in openings {
        for depth in [8, 10, 24, 20_000] {
            let (fault, time) = on_a_small_stack(format!("{}a", opening.repeat(depth)));
            assert!(
                depth < 20_000 || fault.is_some(),
                "{opening:?} {depth} times"
            );
            // Generous: the worst case is a few milliseconds, the unbounded parser takes hours.
            assert!(time < Duration::from_secs(10), "{opening:?} {depth} times");
        }
    }
    assert!(on_a_small_stack("(".repeat(100_000)).0.is_some());
    let mixed = format!("{}a", "if ( ! { a[ ".repeat(7));
    assert!(on_a_small_stack(mixed).0.is_some());
}

#[test]
fn a_line_of_very_many_commands_is_asked_about() {
    let fault = take_apart(&"a;".repeat(300)).fault;
    assert_eq!(fault.as_deref(), Some("it holds more than 256 commands"));
    let fault = take_apart(&"a ".repeat(10_000)).fault;
    assert_eq!(fault.as_deref(), Some("it is longer than 16384 bytes"));
    let words = "a ".repeat(40);
    let fault = take_apart(&format!("xargs {words}")).fault;
    assert_eq!(
        fault.as_deref(),
        Some("xargs has too many words to look for a command in")
    );
}

fn hostile_text() -> impl Strategy<Value = String> {
    let bits = prop::sample::select(vec![
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        " ",
        ";",
        "&",
        "&&",
        "|",
        "||",
        "\n",
        "$",
        "`",
        "'",
        "\"",
        "\\",
        "<",
        ">",
        "<<",
        "<<<",
        "<(",
        "&>",
        ">|",
        "if ",
        "then ",
        "else ",
        "fi ",
        "do ",
        "done ",
        "while ",
        "for ",
        "in ",
        "case ",
        "esac ",
        ";;",
        "[[ ",
        " ]]",
        "! ",
        "time ",
        "coproc ",
        "function ",
        "a",
        "b=",
        "a=(",
        "x[",
        "]",
        "~",
        "~99",
        "1",
        "9999999999",
        "-",
        "+",
        "#",
        "*",
        "?",
        "é",
        "\u{1F600}",
        "EOF",
        "<<EOF\n",
        "$((",
        "${",
        "\t",
        "=",
        ",",
        "..",
        "@",
        "=~ ",
        "rm x",
    ]);
    prop::collection::vec(bits, 0..40).prop_map(|bits| bits.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_taking_apart_panic(text in hostile_text()) {
        let line = take_apart(&text);
        prop_assert!(!line.parts.is_empty() || line.fault.is_some());
    }

    /// The words that are understood are what a real shell would be given.
    #[test]
    fn quoted_text_comes_back_as_it_was(words in prop::collection::vec("[ -~é\n]{0,12}", 1..5)) {
        let quoted: Vec<String> = words
            .iter()
            .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
            .collect();
        let line = take_apart(&format!("echo {}", quoted.join(" ")));
        let within_bounds = !words.concat().contains(['(', '{', '[', '`', '~', '<', '>', '-']);
        if within_bounds {
            prop_assert_eq!(line.fault, None);
            prop_assert_eq!(&line.parts[0].words[1..], words.as_slice());
        }
    }
}
