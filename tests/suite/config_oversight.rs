//! Reviewers, events and expiry in the configuration: what is read, and each mistake with its place.

use countersign::config::events::{Events, Webhook};
use countersign::config::reviewer::{Means, When};
use countersign::config::{check, load};
use countersign::core::review::May;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use super::config::Home;

const AGENTS: &str = "[agents.a]\nprovider = 'script'\n";

fn home(rest: &str) -> Home {
    let home = Home::new();
    home.write("countersign.toml", &format!("{AGENTS}{rest}"));
    home.write("guard.sh", "#!/bin/sh\n");
    let script = home.path().join("guard.sh");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(script, mode).expect("it is ours");
    home
}

fn mistakes(rest: &str) -> Vec<String> {
    let found = check(&home(rest).sources(&[]));
    let told = found.iter().map(ToString::to_string);
    told.map(|told| told.replace("countersign.toml:", ""))
        .collect()
}

#[test]
fn a_reviewer_may_do_nothing_that_lets_a_call_run_unless_it_says_so() {
    let home = home("[[reviewers]]\nname = 'guard'\ncommand = ['./guard.sh', '-v']\n");
    let config = load(&home.sources(&[])).expect("it is sound");
    let guard = &config.reviewers[0];
    assert_eq!(guard.may, [May::Deny, May::Ask, May::Annotate]);
    assert_eq!(
        (guard.when, guard.timeout),
        (When::Ask, Duration::from_secs(10))
    );
    let Means::Program { command, directory } = &guard.means else {
        unreachable!("it is a program");
    };
    let script = home.path().join("guard.sh").display().to_string();
    assert_eq!(command, &[script, "-v".to_owned()]);
    assert_eq!(*directory, home.path());
}

#[test]
fn all_of_a_reviewer_that_is_a_model() {
    let rest = "[[reviewers]]\nname = 'judge'\nprovider = 'openai'\nmodel = 'small'\ninstructions = 'Be strict.'\n\
                agents = ['a']\ntools = ['delete_*']\nwhen = 'always'\ntimeout = '30s'\nmay = ['allow', 'edit']\n";
    let home = home(rest);
    let sources = home.sources(&[]);
    let config = load(&sources).expect("it is sound");
    let judge = &config.reviewers[0];
    assert_eq!(
        (judge.when, judge.timeout),
        (When::Always, Duration::from_secs(30))
    );
    assert_eq!(judge.may, [May::Allow, May::Edit]);
    assert!(judge.tools[0].have("delete_file") && !judge.tools[0].have("book"));
    let missing = judge.missing_key(&sources).expect("the key is not set");
    assert!(
        missing.to_string().contains("OPENAI_API_KEY is not set"),
        "{missing}"
    );
}

#[test]
fn every_mistake_in_reviewers_is_told_with_its_place() {
    let rest = "[[reviewers]]\ncommand = ['./guard.sh']\nmodel = 'x'\n\
                [[reviewers]]\nname = 'a b'\n\
                [[reviewers]]\nname = 'one'\ncommand = ['./gone.sh']\nagents = ['b']\ntools = ['[x']\n\
                [[reviewers]]\nname = 'one'\nprovider = 'opnai'\ncommand = ['./guard.sh']\n\
                [[reviewers]]\nname = 'two'\nprovider = 'openai'\nwhen = 'never'\ntimeout = '1h'\nmay = ['edit', 'veto']\n\
                [[reviewers]]\nname = 'three'\ncommand = ['./guard.sh']\nmay = ['edit']\nmai = []\n";
    insta::assert_snapshot!(mistakes(rest).join("\n"));
}

#[test]
fn events_go_to_a_file_a_program_and_an_address() {
    let rest = "[events]\nfile = 'events.jsonl'\ncommand = ['./guard.sh']\n\
                webhook = { url = 'https://hooks.example.org/x', header = 'Authorization', header_env = 'HOOK' }\n";
    let home = home(rest);
    let config = load(&home.sources(&[])).expect("it is sound");
    let expected = Events {
        file: Some(home.path().join("events.jsonl")),
        command: Some(vec![home.path().join("guard.sh").display().to_string()]),
        webhook: Some(Webhook {
            url: "https://hooks.example.org/x".to_owned(),
            header: Some(("Authorization".to_owned(), "HOOK".to_owned())),
        }),
        directory: home.path().clone(),
    };
    assert_eq!(config.events, expected);
    // No tool is to find what the header says.
    assert!(config.key_variables().any(|name| name == "HOOK"));
}

#[test]
fn every_mistake_in_events_is_told_with_its_place() {
    let rest = "[events]\nfile = 'no/such/folder.jsonl'\ncommand = []\nwebhook = { url = 'ftp://a', header = 'x y', header_env = 'A' }\n";
    let more =
        "[events]\nwebhook = { url = 'https://user:word@a.example', header = 'x' }\nfiel = 'x'\n";
    let all = [mistakes(rest), mistakes(more)].concat();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn how_long_calls_may_wait_is_said_by_the_agent_or_the_tool() {
    let rest = "expires = '30m'\ntools = ['book']\n[tools.book]\ndescription = 'Books.'\ncommand = ['./guard.sh']\nexpires = '90s'\n";
    let config = load(&home(rest).sources(&[])).expect("it is sound");
    let agent = &config.agents["a"];
    assert_eq!(agent.expires, Some(Duration::from_mins(30)));
    let countersign::config::tool::ToolChoice::Command(tool) = &agent.tools[0] else {
        unreachable!("it is a program");
    };
    assert_eq!(tool.expires, Some(Duration::from_secs(90)));
    let told = mistakes("expires = '0s'\n");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("3:11: agents.a.expires"), "{told:?}");
}

#[test]
fn the_examples_of_the_readme_have_no_mistake() {
    let readme = include_str!("../../README.md");
    let example = |name: &str| {
        let begin = format!("<!-- example: {name} -->\n```toml\n");
        let rest = readme.split_once(&begin).expect("the example is there").1;
        rest.split_once("```").expect("it ends").0
    };
    let rest = format!("{}{}", example("reviewers"), example("events"));
    let home = home(
        &rest
            .replace("\"travel\"", "\"a\"")
            .replace("./follow.sh", "./guard.sh"),
    );
    let config = load(&home.sources(&[])).expect("the examples are sound");
    let names: Vec<_> = config
        .reviewers
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["guard", "second-look"]);
}
