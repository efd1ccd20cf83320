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
    let wanted = [
        "1:1: there are several agents and no \"default_agent\"; set it to \"a\" or \"b\"",
        "4:23: agents.a.code.look_ahead must be true or false, not a string; write true or false without quotes",
        "4:41: agents.a.code.include[1] is no pattern: unclosed character class; missing ']'; write a tool's name, with * for any part of it",
        "4:47: agents.a.code.include[2] must be a string, not 3; put it in quotes",
        "4:61: agents.a.code.exclude must be a list, not a string; put it in [ ]",
        "4:77: agents.a.code.time must be from 100ms to 10m, not \"1h\"; choose one in that range",
        "4:96: agents.a.code.memory_mib must be a whole number from 16 to 4096, not 1; choose one in that range",
        "4:111: agents.a.code.max_calls must be a whole number from 1 to 10000, not 0; choose one in that range",
        "4:114: agents.a.code has no key \"tme\"; did you mean \"time\"?",
        "7:8: agents.b.code must be true, false or a table; write code = true",
        "8:8: \"run_code\" is the name of a built-in tool; choose another one: letters, digits, _ and -, at most 64",
        "10:11: tools.run_code.command cannot run: there is no program \"true\" in PATH; correct the command; a path counts from this file's folder",
    ];
    assert_eq!(told, wanted);
}
