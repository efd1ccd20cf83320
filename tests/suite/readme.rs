//! What the README shows is true.

use countersign::app::keymap::Keymap;
use countersign::config::sources::Sources;
use countersign::config::{examine, load};
use countersign::runtime::check_scenario;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    fs::read_to_string(path).expect("the README is there")
}

/// What stands between two lines.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, after) = text.split_once(start).expect("the README has the marker");
    after
        .split_once(end)
        .expect("the README has the end marker")
        .0
}

#[test]
fn the_key_table_is_what_the_program_prints() {
    let readme = readme();
    assert_eq!(
        between(&readme, "<!-- keys -->\n", "<!-- /keys -->"),
        Keymap::built_in().markdown()
    );
}

#[test]
fn the_example_configuration_has_no_mistake() {
    let readme = readme();
    let example = between(&readme, "<!-- example: configuration -->\n```toml\n", "```");
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("countersign.toml");
    fs::write(&file, example).expect("the file can be written");
    let program = folder.path().join("book_flight.sh");
    fs::write(&program, "#!/bin/sh\n").expect("the program can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let sources = Sources {
        config: Some(file),
        variables: [("PATH".to_owned(), std::env::var("PATH").unwrap_or_default())].into(),
        working_dir: folder.path().to_owned(),
        ..Sources::default()
    };
    let config = load(&sources)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>());
    let config = config.expect("the example is sound");
    assert_eq!(
        config.agents.keys().collect::<Vec<_>>(),
        ["travel", "coder"]
    );
}

#[test]
fn the_example_of_servers_has_no_mistake() {
    let readme = readme();
    let example = between(&readme, "<!-- example: mcp -->\n```toml\n", "```");
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("countersign.toml");
    fs::write(&file, example).expect("the file can be written");
    for name in ["npx", "uvx"] {
        let program = folder.path().join(name);
        fs::write(&program, "#!/bin/sh\n").expect("the program can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let path = folder.path().display().to_string();
    let sources = Sources {
        config: Some(file),
        variables: [("PATH".to_owned(), path)].into(),
        working_dir: folder.path().to_owned(),
        ..Sources::default()
    };
    let config = load(&sources)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>());
    let config = config.expect("the example is sound");
    let servers: Vec<_> = config.agents["helper"].mcp.iter().collect();
    let names: Vec<_> = servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["files", "tickets", "git"]);
    let unset: Vec<_> = servers
        .iter()
        .flat_map(|server| server.unset(&sources))
        .collect();
    assert_eq!(unset, ["TICKETS_AUTHORIZATION", "GIT_AUTHOR_NAME"]);
}

#[test]
fn the_example_programs_are_those_that_are_tried() {
    let readme = readme();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples");
    for name in ["flight_mistral.py", "flight_pydantic_ai.py"] {
        let shown = between(
            &readme,
            &format!("<!-- example: {name} -->\n```python\n"),
            "```",
        );
        let tried = fs::read_to_string(folder.join(name)).expect("the example is there");
        assert_eq!(shown, tried);
        assert!(tried.lines().count() < 40, "{name} is long for an example");
    }
}

#[test]
fn the_example_of_secrets_takes_out_what_it_says() {
    let readme = readme();
    let example = between(&readme, "<!-- example: secrets -->\n```toml\n", "```");
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("countersign.toml");
    fs::write(&file, example).expect("the file can be written");
    let sources = Sources {
        config: Some(file),
        working_dir: folder.path().to_owned(),
        ..Sources::default()
    };
    let config = load(&sources).expect("the example is sound");
    let secrets = |tool, arguments| config.redaction.secrets(tool, arguments);
    assert_eq!(
        secrets("any", r#"{"password":"hunter2","user":"ada"}"#),
        ["hunter2"]
    );
    let pins = r#"{"accounts":[{"pin":"12345"},{"pin":"67890"}]}"#;
    assert_eq!(secrets("pay_bill", pins), ["12345", "67890"]);
    assert_eq!(secrets("any", pins), [""; 0]);
    let key = "sk-0123456789abcdefghij";
    assert_eq!(secrets("any", &format!(r#"{{"a":["{key}"]}}"#)), [key]);
}

#[test]
fn every_file_the_readme_links_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = readme();
    let missing: Vec<_> = readme
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(link, _)| link))
        .filter(|link| !root.join(link).exists())
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_example_decisions_can_be_read() {
    let readme = readme();
    let example = between(
        &readme,
        "counts only for the arguments it was made on:\n\n```json\n",
        "```",
    );
    let decided = countersign::deferred::native::decisions(example).expect("the example is sound");
    let words: Vec<_> = decided
        .iter()
        .map(|decided| decided.decision.word())
        .collect();
    assert_eq!(
        words,
        ["approved", "approved with edits", "rejected", "answered"]
    );
}

#[test]
fn the_example_scenario_has_no_mistake() {
    let readme = readme();
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, mark) in [
        ("countersign.toml", "rehearsal"),
        ("scenario.toml", "scenario"),
    ] {
        let start = format!("<!-- example: {mark} -->\n```toml\n");
        let example = between(&readme, &start, "```");
        fs::write(folder.path().join(name), example).expect("the file can be written");
    }
    let checked = examine(&Sources {
        config: Some(folder.path().join("countersign.toml")),
        working_dir: folder.path().to_owned(),
        ..Sources::default()
    });
    let mistakes = checked.config.err().unwrap_or_default().into_iter();
    let played = checked.scenarios.iter().flat_map(check_scenario);
    let mistakes: Vec<String> = mistakes.chain(played).map(|one| one.to_string()).collect();
    assert_eq!(mistakes, [""; 0]);
}
