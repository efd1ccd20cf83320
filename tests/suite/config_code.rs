//! Code mode in the configuration: what is read, and each mistake with its place.

use countersign::code::Limits;
use countersign::config::{check, load};
use countersign::tools::code::{Ahead, CodeTool};
use std::time::Duration;

use super::config::Home;

fn home(rest: &str) -> Home {
    let home = Home::new();
    let text = format!("[agents.a]\nprovider = 'script'\ntools = ['files', 'shell']\n{rest}");
    home.write("countersign.toml", &text);
    home
}

fn code(rest: &str) -> Option<CodeTool> {
    let config = load(&home(rest).sources(&[])).expect("it is sound");
    config.agents["a"].code.clone()
}

#[test]
fn an_agent_has_no_code_mode_unless_it_says_so() {
    assert_eq!(code(""), None);
    assert_eq!(code("code = false\n"), None);
    assert_eq!(code("code = true\n"), Some(CodeTool::default()));
    assert_eq!(code("[agents.a.code]\n"), Some(CodeTool::default()));
}

#[test]
fn all_of_code_mode() {
    let rest = "[agents.a.code]\nlook_ahead = true\ninclude = ['read_*', 'shell']\nexclude = ['sh*']\ntime = '5s'\nmemory_mib = 64\nmax_calls = 7\n";
    let wanted = CodeTool {
        limits: Limits {
            time: Duration::from_secs(5),
            memory: 64 * 1024 * 1024,
            calls: 7,
            ..Limits::default()
        },
        ahead: Ahead::Yes,
        include: Some(vec!["read_*".to_owned(), "shell".to_owned()]),
        exclude: vec!["sh*".to_owned()],
        ..CodeTool::default()
    };
    assert_eq!(code(rest), Some(wanted.clone()));
    let offered = ["read_file", "shell", "write_file", "run_code"].map(|tool| wanted.offers(tool));
    assert_eq!(offered, [true, false, false, false]);
    let all = CodeTool::default();
    let offered = ["read_file", "shell", "run_code"].map(|tool| all.offers(tool));
    assert_eq!(offered, [true, true, false]);
}

#[test]
fn every_mistake_in_code_mode_is_told_with_its_place() {
    let rest = "code = { look_ahead = 'yes', include = ['[x', 3], exclude = 'shell', time = '1h', memory_mib = 1, max_calls = 0, tme = 1 }\n\
                [agents.b]\nprovider = 'script'\ncode = 'on'\n\
                [tools.run_code]\ndescription = 'mine'\ncommand = ['true']\n";
    let found = check(&home(rest).sources(&[]));
    let told: Vec<_> = found
        .iter()
        .map(|told| told.to_string().replace("countersign.toml:", ""))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"");
}
