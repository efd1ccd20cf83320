//! `[mcp.*]` in the configuration: what is read, and each mistake with its place.

use countersign::config::mcp::Means;
use countersign::config::unmatched::{Offered, unmatched};
use countersign::config::{check, load};
use countersign::tools::mcp::Reach;
use std::path::Path;
use std::time::Duration;

use super::config::Home;

const SOUND: &str = r#"
[mcp.git]
command = "sh"
args = ["-c", "true"]
env = ["GIT_TOKEN"]
include = ["git_*"]
requires_confirmation = ["git_push"]
timeout = "5s"

[mcp.web]
url = "https://mcp.example.org/mcp"
headers = { Authorization = "WEB_TOKEN" }

[agents.a]
provider = "script"
mcp = ["git", "web"]
"#;

#[test]
fn a_server_is_a_program_or_an_address() {
    let home = Home::new();
    home.write("countersign.toml", SOUND);
    let sources = home.sources(&[
        ("PATH", "/usr/bin:/bin"),
        ("GIT_TOKEN", "t"),
        ("SECRET", "s"),
    ]);
    let config = load(&sources).expect("it is sound");
    let [git, web] = config.mcp.as_slice() else {
        unreachable!("there are two: {:?}", config.mcp);
    };
    let Means::Program {
        arguments,
        variables,
        ..
    } = &git.means
    else {
        unreachable!("it is a program: {git:?}");
    };
    assert_eq!(arguments, &["-c", "true"]);
    assert_eq!(variables, &["GIT_TOKEN"]);
    assert_eq!(git.timeout, Duration::from_secs(5));
    assert_eq!(
        web.means,
        Means::Address {
            url: "https://mcp.example.org/mcp".to_owned(),
            headers: vec![("Authorization".to_owned(), "WEB_TOKEN".to_owned())],
        }
    );
    // What one server is given is kept from every tool.
    let hidden: Vec<_> = config.key_variables().collect();
    assert!(hidden.contains(&"GIT_TOKEN".to_owned()), "{hidden:?}");
    assert!(hidden.contains(&"WEB_TOKEN".to_owned()), "{hidden:?}");
    let Reach::Program { environment, .. } = git.spec(&sources, Path::new("us")).reach else {
        unreachable!("it is a program");
    };
    let expected = [("PATH", "/usr/bin:/bin"), ("GIT_TOKEN", "t")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(environment, expected);
}

#[test]
fn a_header_whose_variable_is_not_set_is_told_when_the_server_is_to_start() {
    let home = Home::new();
    home.write("countersign.toml", SOUND);
    let sources = home.sources(&[("PATH", "/usr/bin:/bin")]);
    let config = load(&sources).expect("the file has no mistake");
    let web = &config.mcp[1];
    assert_eq!(web.unset(&sources), ["WEB_TOKEN"]);
    let Reach::Missing(what) = web.spec(&sources, Path::new("us")).reach else {
        unreachable!("nothing must be sent without it");
    };
    assert_eq!(
        what,
        "the header Authorization needs WEB_TOKEN, which is not set; set it in the environment"
    );
}

#[test]
fn a_pattern_that_matches_no_tool_is_told_with_its_place_and_what_it_was_held_against() {
    let home = Home::new();
    let text = r#"[mcp.git]
command = "sh"

[agents.a]
provider = "script"
tools = ["shell", "read_file"]
mcp = ["git"]
code = { include = ["read_*", "reed_*", "git.*"] }

[[rules]]
tool = ["shell", "shel", "git.nothing", "*", "g*log", "web.search"]
verdict = "ask"

[[reviewers]]
name = "guard"
command = ["sh"]
tools = ["write_*"]
"#;
    home.write("countersign.toml", text);
    let sources = home.sources(&[("PATH", "/usr/bin:/bin")]);
    let config = load(&sources).expect("it is sound");
    let told = |offered: Offered| -> Vec<String> {
        let found = unmatched(&config, &sources, &offered);
        found.iter().map(ToString::to_string).collect()
    };
    let known = [
        "countersign.toml:8:31: agents.a.code.include[2] matches no tool of the agents here: \"reed_*\"; use one of \"shell\", \"read_file\" or \"run_code\"",
        "countersign.toml:11:18: rules[1].tool[2] matches no tool of the agents here: \"shel\"; did you mean \"shell\"?",
        "countersign.toml:11:55: rules[1].tool[6] matches no tool of the agents here: \"web.search\"; use one of \"shell\", \"read_file\" or \"run_code\"",
        "countersign.toml:17:10: reviewers[1].tools[1] matches no tool of the agents here: \"write_*\"; use one of \"shell\", \"read_file\" or \"run_code\"",
    ];
    // What a server has is not known before it is asked.
    assert_eq!(told(Vec::new()), known);
    let asked = told(vec![("git".to_owned(), vec!["git.log".to_owned()])]);
    let more = "countersign.toml:11:26: rules[1].tool[3] matches no tool of the agents here: \"git.nothing\"; did you mean \"git.log\"?";
    assert!(asked.iter().any(|line| line == more), "{asked:#?}");
    assert_eq!(asked.len(), known.len() + 1);
}

#[test]
fn every_mistake_has_its_place() {
    let home = Home::new();
    let text = r#"[mcp.both]
command = "sh"
url = "https://example.org"

[mcp.neither]
timeout = "5s"

[mcp.lists]
command = "sh"
include = ["a"]
exclude = ["b"]

[mcp.wrong]
command = "no-such-program-at-all"
args = [1]
env = ["A=b"]
headers = { X = "Y" }
requires_confirmation = "yes"
inclde = []

[mcp.address]
url = "ftp://example.org"
args = ["a"]
headers = { "X Y" = "A", Z = "tok-en" }

[mcp."a.b"]
command = "sh"
include = ["[a"]

[agents.a]
provider = "script"
mcp = ["lists", "list", "address", "address"]
"#;
    home.write("countersign.toml", text);
    let sources = home.sources(&[("PATH", "/usr/bin:/bin")]);
    let found: Vec<String> = check(&sources).iter().map(ToString::to_string).collect();
    let expected = [
        "countersign.toml:1:1: mcp.both has both a command and a url; make two servers of it",
        "countersign.toml:5:1: mcp.neither says nothing of how it is reached; say \"command\" for a program or \"url\" for an address",
        "countersign.toml:11:11: mcp.lists.exclude stands beside include; keep one of the two",
        "countersign.toml:14:11: mcp.wrong.command cannot run: there is no program \"no-such-program-at-all\" in PATH; name the program alone, and its arguments in \"args\"; a path counts from this file's folder",
        "countersign.toml:15:9: mcp.wrong.args[1] must be a string, not 1; put it in quotes",
        "countersign.toml:16:8: mcp.wrong.env[1] is no name of an environment variable; name the variable that holds the value, not the value",
        "countersign.toml:17:11: mcp.wrong.headers goes with a url only; leave it out",
        "countersign.toml:18:25: mcp.wrong.requires_confirmation must be true, false or a list; write true, false, or a list of tools such as [\"write_*\"]",
        "countersign.toml:19:1: mcp.wrong has no key \"inclde\"; did you mean \"include\"?",
        "countersign.toml:22:7: mcp.address.url must begin with http:// or https://; write one such as \"https://mcp.example.org/mcp\"",
        "countersign.toml:23:8: mcp.address.args goes with a command only; leave it out",
        "countersign.toml:24:13: \"X Y\" is no name of a header; write one such as Authorization",
        "countersign.toml:24:30: mcp.address.headers.Z is no name of an environment variable; name the variable that holds the value, not the value",
        "countersign.toml:26:6: \"a.b\" is no name for a server; use letters, digits, _ and -, at most 32",
        "countersign.toml:28:12: mcp.\"a.b\".include[1] is no pattern: unclosed character class; missing ']'; correct the pattern",
        "countersign.toml:32:17: agents.a.mcp[2] names no MCP server: \"list\"; did you mean \"lists\"?",
    ];
    assert_eq!(found, expected);
}
