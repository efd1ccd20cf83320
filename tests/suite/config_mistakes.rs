//! Every mistake of a file in one go, each with its place and what to do.

use countersign::config::sources::Sources;
use countersign::config::{check, load};

use super::config::Home;

/// The mistakes of a file, one to a line.
fn report(sources: &Sources) -> String {
    let lines = check(sources)
        .iter()
        .map(|mistake| format!("{mistake}\n"))
        .collect::<Vec<_>>();
    lines.concat()
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let sources = Sources {
        config: Some("mistakes.toml".into()),
        working_dir: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/config").into(),
        ..Sources::default()
    };
    assert_eq!(
        report(&sources),
        include_str!("../fixtures/config/mistakes.txt")
    );
}

#[test]
fn syntax_errors_come_alone() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "default_agent = travel\nnonsense = 1\n[agents.a\nprovider = 'script'\n",
    );
    assert_eq!(
        report(&home.sources(&[])),
        "countersign.toml:1:17: this is no value; put a text in quotes; without quotes stand numbers, dates, true and false\n\
         countersign.toml:3:10: this heading is not closed; write `]` at its end\n"
    );
}

#[test]
fn a_key_that_stands_twice_is_a_mistake() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "[agents.a]\nprovider = 'script'\nprovider = 'mistral'\n",
    );
    assert_eq!(
        report(&home.sources(&[])),
        "countersign.toml:3:1: this name stands twice; keep one of them\n"
    );
}

#[test]
fn several_agents_need_a_default_one_where_none_is_named() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "[agents.a]\nprovider = 'script'\n[agents.b]\nprovider = 'script'\n",
    );
    let config = load(&home.sources(&[])).expect("a run can name one");
    let named = config.agent(Some("b")).map(|agent| agent.name.clone());
    assert_eq!(named.ok().as_deref(), Some("b"));
    let mistake = config.agent(None).map(|agent| agent.name.clone());
    let told = mistake.expect_err("none is named").to_string();
    assert!(
        told.ends_with(
            "there are several agents and no \"default_agent\"; name one of \"a\" or \"b\" after `run`, or set it to one of them"
        ),
        "{told}"
    );
}

#[test]
fn wrong_kinds_of_values_are_told_everywhere() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "default_agent = 1\ndefault_policy = 'no'\nproviders = 1\nagents = []\ntools = 'x'\nrules = {}\ndecisions = 1\nui = 'dark'\n",
    );
    assert_eq!(
        report(&home.sources(&[])),
        "countersign.toml:1:17: default_agent must be a string, not 1; put it in quotes\n\
         countersign.toml:2:18: default_policy must be true or false, not a string; write true or false without quotes\n\
         countersign.toml:3:13: providers must be a table, not 1; write { key = value }\n\
         countersign.toml:4:10: agents must be a table, not a list; write { key = value }\n\
         countersign.toml:5:9: tools must be a table, not a string; write { key = value }\n\
         countersign.toml:6:9: rules must be a list, not a table; put it in [ ]\n\
         countersign.toml:7:13: decisions must be a table, not 1; write { key = value }\n\
         countersign.toml:8:6: ui must be a table, not a string; write { key = value }\n"
    );
}

#[test]
fn columns_count_characters() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "decisions = { hold = '€€€', arming = 'é' }\n",
    );
    assert_eq!(
        report(&home.sources(&[])),
        "countersign.toml:1:22: decisions.hold is no duration: \"€€€\"; \
         write a number with its unit, such as \"60s\", \"2m\" or \"400ms\"\n\
         countersign.toml:1:38: decisions.arming is no duration: \"é\"; \
         write a number with its unit, such as \"60s\", \"2m\" or \"400ms\"\n"
    );
}

#[test]
fn a_configuration_that_is_refused_is_never_refused_in_silence() {
    let home = Home::new();
    let text = include_str!("../fixtures/config/mistakes.toml");
    for part in text.split("\n\n") {
        home.write("countersign.toml", part);
        if let Err(mistakes) = load(&home.sources(&[])) {
            assert!(!mistakes.is_empty(), "{part}");
        }
    }
}

#[test]
fn a_name_cannot_put_control_characters_on_the_screen() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "[agents.\"\\u001b[2J\"]\nprovider = \"\\u0007\"\n\"\\u202e\" = 1\n",
    );
    let report = report(&home.sources(&[]));
    assert_eq!(report.lines().count(), 3, "{report}");
    assert!(
        report
            .chars()
            .all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')),
        "{report}"
    );
}

#[test]
fn a_rule_for_an_agent_that_is_not_there_guards_nothing_and_is_a_mistake() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "[agents.travel]\nprovider = 'script'\n\
         [[rules]]\ntool = 'shell'\nagent = ['tr*', 'travle', '[a-c]*']\nverdict = 'deny'\n",
    );
    assert_eq!(
        report(&home.sources(&[])),
        "countersign.toml:5:17: rules[1].agent[2] matches no agent: \"travle\"; did you mean \"travel\"?\n\
         countersign.toml:5:27: rules[1].agent[3] matches no agent: \"[a-c]*\"; use one of \"travel\"\n"
    );
}

#[test]
fn rules_may_stand_in_a_file_without_agents() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "[[rules]]\ntool = 'shell'\nagent = 'travel'\nverdict = 'deny'\n",
    );
    assert_eq!(report(&home.sources(&[])), "");
}

#[test]
fn a_name_that_is_known_twice_is_suggested_once() {
    let home = Home::new();
    home.write(
        "countersign.toml",
        "[tools.shell]\ndescription = 'd'\ncommand = ['true']\n\
         [agents.a]\nprovider = 'script'\ntools = ['zzzzzz']\n",
    );
    let report = report(&home.sources(&[]));
    let line = report.lines().find(|line| line.contains("zzzzzz"));
    let line = line.expect("it is told");
    assert_eq!(line.matches("\"shell\"").count(), 1, "{line}");
}
