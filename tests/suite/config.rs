//! What a sound configuration means, from the file, the environment and the defaults.

use countersign::config::agent::Agent;
use countersign::config::attention::{Attention, Title, Webhook};
use countersign::config::provider::{Endpoint, ProviderChoice, Scenario};
use countersign::config::settings::{Colours, Decisions, Interface, Mouse, Theme};
use countersign::config::sources::Sources;
use countersign::config::tool::ToolChoice;
use countersign::config::{Config, check, load};
use countersign::core::attention::{Call, Through, Unknown};
use countersign::core::call::Risk;
use countersign::core::schema::Schema;
use countersign::core::verdict::Verdict;
use countersign::policy::Subject;
use countersign::tools::{Builtin, CommandTool};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// A folder with nothing in it but what a test puts there.
pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        Self(TempDir::new().expect("a scratch folder can be made"))
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().canonicalize().expect("the folder is there")
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        let folder = path.parent().expect("a file has a folder");
        fs::create_dir_all(folder).expect("the folder can be made");
        fs::write(&path, text).expect("the file can be written");
        path
    }

    pub fn sources(&self, variables: &[(&str, &str)]) -> Sources {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Sources {
            config: None,
            variables: variables.iter().map(owned).collect(),
            working_dir: self.path(),
            config_home: self.path().join("config"),
            data_home: self.path().join("data"),
        }
    }

    /// The configuration that a text in the usual place means.
    fn load(&self, text: &str, variables: &[(&str, &str)]) -> Config {
        self.write("countersign.toml", text);
        load(&self.sources(variables)).expect("the configuration is sound")
    }
}

fn mistral() -> Endpoint {
    Endpoint {
        base_url: "https://api.mistral.ai".to_owned(),
        api_key_env: Some("MISTRAL_API_KEY".to_owned()),
        read_timeout: Duration::from_mins(2),
    }
}

fn agent<'a>(config: &'a Config, name: &str) -> &'a Agent {
    config.agent(Some(name)).expect("the agent is there")
}

#[test]
fn a_configuration_without_agents_says_what_to_do() {
    let home = Home::new();
    let config = home.load("", &[]);
    let told = config
        .agent(None)
        .expect_err("there is no agent")
        .to_string();
    let todo = "add [agents.NAME], or remove the file to try the built-in rehearsal";
    assert!(
        told.ends_with(&format!("countersign.toml: no agent is configured; {todo}")),
        "{told}"
    );
}

#[test]
fn what_is_left_out_has_its_usual_value() {
    let home = Home::new();
    let config = home.load("[agents.a]\nprovider = 'script'\n", &[]);
    assert_eq!(config.data_dir, home.path().join("data/countersign"));
    let keymap = home.path().join("config/countersign/keymap.toml");
    assert_eq!(config.keymap, keymap);
    assert_eq!(config.default_agent, "a");
    assert_eq!(agent(&config, "a").missing_key(&home.sources(&[])), None);
    assert_eq!(config.decisions, Decisions::default());
    let interface = Interface {
        mouse: Mouse::LeftAlone,
        colours: Colours::Sixteen,
        theme: Theme::Dark,
        editor: None,
    };
    assert_eq!(config.interface, interface);
    assert_eq!(config.policy.rules().len(), 8);
}

#[test]
fn the_configuration_in_the_documentation_means_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root
        .join("tests/fixtures/config")
        .canonicalize()
        .expect("it is there");
    let sources = Sources {
        config: Some("tests/fixtures/config/issue.toml".into()),
        working_dir: root.to_owned(),
        ..Sources::default()
    };
    let config = load(&sources).expect("the configuration is sound");
    let travel = agent(&config, "travel");
    assert_eq!(travel.provider, ProviderChoice::Mistral(mistral()));
    assert_eq!(travel.model, "mistral-large-latest");
    assert_eq!(travel.instructions, "You are a travel assistant.");
    assert!(travel.stream);
    assert_eq!(travel.workspace, folder);
    assert_eq!((travel.max_rounds, travel.max_parallel), (50, 8));
    let connector = json!({
        "type": "connector",
        "connector_id": "gmail",
        "tool_configuration": { "requires_confirmation": ["gmail_search"] },
    });
    assert_eq!(travel.server_tools, [connector]);
    let book_flight = CommandTool {
        name: "book_flight".to_owned(),
        description: "Book a flight to a destination.".to_owned(),
        command: vec![
            root.join("tests/fixtures/config/tools/book_flight.sh")
                .display()
                .to_string(),
            "--quiet".to_owned(),
        ],
        schema: Schema::new(json!({
            "type": "object",
            "properties": { "destination": { "type": "string" }, "date": { "type": "string" } },
            "required": ["destination", "date"],
        })),
        default: Verdict::Ask,
        risks: vec![Risk::Destructive, Risk::OpenWorld],
        timeout: Duration::from_secs(90),
        directory: folder.clone(),
        environment: Vec::new(),
    };
    let ToolChoice::Command(tool) = &travel.tools[0] else {
        unreachable!("the first tool named is a command");
    };
    let keys = |schema: &Schema| schema.value()["properties"].to_string();
    assert_eq!(
        keys(&tool.schema),
        keys(&book_flight.schema),
        "in the order of the file"
    );
    let mut tools = vec![ToolChoice::Command(Arc::new(book_flight))];
    tools.extend(Builtin::FILES.map(ToolChoice::BuiltIn));
    tools.push(ToolChoice::BuiltIn(Builtin::Shell));
    assert_eq!(travel.tools, tools);
    assert_eq!(config.policy.rules().len(), 9);
}

#[test]
fn providers_need_no_table_and_few_keys() {
    let config = Home::new().load(
        "
default_agent = 'a'
[providers.local]
kind = 'openai'
base_url = 'http://localhost:11434/v1/'
read_timeout = '5m'
[providers.eu]
kind = 'mistral'
base_url = 'https://eu.api.mistral.ai'
[providers.proxy]
kind = 'mistral'
base_url = 'https://mistral.example.org'
[providers.open]
kind = 'mistral'
api_key_env = ''
[agents.a]
provider = 'mistral'
model = 'm'
[agents.b]
provider = 'openai'
model = 'm'
[agents.c]
provider = 'local'
model = 'm'
[agents.d]
provider = 'eu'
model = 'm'
[agents.e]
provider = 'proxy'
model = 'm'
[agents.f]
provider = 'open'
model = 'm'
[agents.g]
provider = 'script'
",
        &[],
    );
    let endpoint = |base_url: &str, key: Option<&str>, seconds| Endpoint {
        base_url: base_url.to_owned(),
        api_key_env: key.map(str::to_owned),
        read_timeout: Duration::from_secs(seconds),
    };
    let key = Some("MISTRAL_API_KEY");
    let openai = endpoint("https://api.openai.com/v1", Some("OPENAI_API_KEY"), 120);
    let expected = [
        ("a", ProviderChoice::Mistral(mistral())),
        ("b", ProviderChoice::OpenAi(openai)),
        // A vendor's key is not sent to someone else's host.
        (
            "c",
            ProviderChoice::OpenAi(endpoint("http://localhost:11434/v1", None, 300)),
        ),
        (
            "d",
            ProviderChoice::Mistral(endpoint("https://eu.api.mistral.ai", key, 120)),
        ),
        (
            "e",
            ProviderChoice::Mistral(endpoint("https://mistral.example.org", None, 120)),
        ),
        (
            "f",
            ProviderChoice::Mistral(endpoint("https://api.mistral.ai", None, 120)),
        ),
        ("g", ProviderChoice::Script(Scenario::BuiltIn)),
    ];
    let found = config
        .agents
        .iter()
        .map(|(name, agent)| (name.as_str(), agent.provider.clone()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn only_the_agent_that_is_run_needs_its_key() {
    let home = Home::new();
    let config = home.load(
        "default_agent = 'a'\n[agents.a]\nprovider = 'mistral'\nmodel = 'm'\n[agents.b]\nprovider = 'script'\n",
        &[],
    );
    let missing = agent(&config, "a").missing_key(&home.sources(&[("MISTRAL_API_KEY", "")]));
    assert_eq!(
        missing.map(|mistake| mistake.to_string()).as_deref(),
        Some(
            "countersign.toml:3:12: agents.a.provider needs a key, and MISTRAL_API_KEY is not set; \
             set MISTRAL_API_KEY in the environment"
        )
    );
    let set = home.sources(&[("MISTRAL_API_KEY", "k")]);
    assert_eq!(agent(&config, "a").missing_key(&set), None);
    assert_eq!(agent(&config, "b").missing_key(&home.sources(&[])), None);
}

#[test]
fn an_agent_that_is_not_there_is_told_with_the_nearest_name() {
    let home = Home::new();
    let config = home.load("[agents.travel]\nprovider = 'script'\n", &[]);
    let told = config.agent(Some("travl")).map(|agent| agent.name.clone());
    let file = home.path().join("countersign.toml");
    assert_eq!(
        told.map_err(|mistake| mistake.to_string()),
        Err(format!(
            "{}: there is no agent \"travl\"; did you mean \"travel\"?",
            file.display()
        ))
    );
}

#[test]
fn the_only_agent_is_the_default_one() {
    let config = Home::new().load("[agents.clerk]\nprovider = 'script'\n", &[]);
    assert_eq!(config.default_agent, "clerk");
}

#[test]
fn the_environment_overrides_the_folders_and_the_colours() {
    let home = Home::new();
    let sources = home.sources(&[
        ("COUNTERSIGN_DATA_DIR", "elsewhere"),
        ("NO_COLOR", "1"),
        ("EDITOR", "vi"),
        ("VISUAL", "code --wait"),
    ]);
    let config = load(&sources).expect("nothing is wrong");
    assert_eq!(config.data_dir, home.path().join("elsewhere"));
    let expected = Interface {
        mouse: Mouse::LeftAlone,
        colours: Colours::Sixteen,
        theme: Theme::Mono,
        editor: Some(vec!["code".to_owned(), "--wait".to_owned()]),
    };
    assert_eq!(config.interface, expected);
    let empty = [
        ("COUNTERSIGN_DATA_DIR", ""),
        ("NO_COLOR", ""),
        ("EDITOR", "vi"),
        ("VISUAL", ""),
    ];
    let config = load(&home.sources(&empty)).expect("nothing is wrong");
    assert_eq!(config.data_dir, home.path().join("data/countersign"));
    let expected = Interface {
        mouse: Mouse::LeftAlone,
        colours: Colours::Sixteen,
        theme: Theme::Dark,
        editor: Some(vec!["vi".to_owned()]),
    };
    assert_eq!(config.interface, expected);
}

#[test]
fn the_file_says_how_the_console_behaves_and_looks() {
    let config = Home::new().load(
        "[decisions]\nhold = '2s'\nhold_destructive = '1m'\narming = '600ms'\n[ui]\ntheme = 'light'\neditor = 'nano -w'\n",
        &[("NO_COLOR", "1"), ("EDITOR", "vi")],
    );
    let decisions = Decisions {
        hold: Duration::from_secs(2),
        hold_destructive: Duration::from_mins(1),
        arming: Duration::from_millis(600),
    };
    assert_eq!(config.decisions, decisions);
    let interface = Interface {
        mouse: Mouse::LeftAlone,
        colours: Colours::Sixteen,
        theme: Theme::Light,
        editor: Some(vec!["nano".to_owned(), "-w".to_owned()]),
    };
    assert_eq!(config.interface, interface);
}

#[test]
fn the_named_file_counts_before_the_current_folder_and_that_before_the_users() {
    let home = Home::new();
    let text = |agent: &str| format!("[agents.{agent}]\nprovider = 'script'\n");
    let users = home.write("config/countersign/countersign.toml", &text("users"));
    let found = |sources: &Sources| {
        let config = load(sources).expect("the configuration is sound");
        (config.default_agent, config.file)
    };
    assert_eq!(found(&home.sources(&[])), ("users".to_owned(), Some(users)));
    let here = home.write("countersign.toml", &text("here"));
    assert_eq!(found(&home.sources(&[])), ("here".to_owned(), Some(here)));
    let named = home.write("other/named.toml", &text("named"));
    let mut sources = home.sources(&[]);
    sources.config = Some("other/named.toml".into());
    assert_eq!(found(&sources), ("named".to_owned(), Some(named)));
    let config = load(&sources).expect("the configuration is sound");
    assert_eq!(agent(&config, "named").workspace, home.path().join("other"));
}

#[test]
fn a_file_that_cannot_be_read_is_not_passed_over() {
    let home = Home::new();
    let told = |sources: &Sources| {
        let mistakes = check(sources);
        mistakes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let mut sources = home.sources(&[]);
    sources.config = Some("absent.toml".into());
    let expected = "absent.toml: the configuration cannot be read: it does not exist; correct the path or the file";
    assert_eq!(told(&sources), [expected]);
    fs::write(home.path().join("countersign.toml"), b"x = '\xff'")
        .expect("the file can be written");
    let expected = "countersign.toml: the configuration cannot be read: it is not UTF-8; correct the path or the file";
    assert_eq!(told(&home.sources(&[])), [expected]);
    fs::remove_file(home.path().join("countersign.toml")).expect("the file is there");
    fs::create_dir(home.path().join("countersign.toml")).expect("a folder can be made");
    let told = told(&home.sources(&[]));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("countersign.toml: the configuration cannot be read: "));
}

#[test]
fn a_program_without_a_slash_is_looked_for_in_the_path() {
    let home = Home::new();
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/config/tools");
    let text = "[tools.book]\ndescription = 'Books.'\ncommand = ['book_flight.sh']\n\
                [agents.a]\nprovider = 'script'\ntools = ['book', 'fetch']\n";
    let config = home.load(text, &[("PATH", &format!("/no/such:{}", tools.display()))]);
    let book = CommandTool {
        name: "book".to_owned(),
        description: "Books.".to_owned(),
        command: vec![tools.join("book_flight.sh").display().to_string()],
        schema: Schema::new(json!({ "type": "object", "properties": {} })),
        default: Verdict::Allow,
        risks: Vec::new(),
        timeout: Duration::from_mins(1),
        directory: home.path().clone(),
        environment: Vec::new(),
    };
    let expected = [
        ToolChoice::Command(Arc::new(book)),
        ToolChoice::BuiltIn(Builtin::Fetch),
    ];
    assert_eq!(agent(&config, "a").tools, expected);
}

#[test]
fn the_rules_that_come_with_the_program_can_be_switched_off() {
    let read_env = |text: &str| {
        let config = Home::new().load(text, &[]);
        let judgement = config.policy.evaluate(&Subject {
            agent: "travel",
            tool: "read_file",
            arguments: &json!({ "path": ".env" }),
            default: Verdict::Allow,
            command_line: None,
            workspace: Path::new("/ws"),
            digest: None,
        });
        judgement.verdict
    };
    assert_eq!(read_env("default_policy = true\n"), Verdict::Ask);
    assert_eq!(read_env("default_policy = false\n"), Verdict::Allow);
}

#[test]
fn every_variable_that_may_hold_a_key_is_known() {
    let config = Home::new().load(
        "[providers.p]\nkind = 'openai'\nbase_url = 'http://localhost'\napi_key_env = 'MINE'\n",
        &[],
    );
    let known: Vec<String> = config.key_variables().collect();
    assert_eq!(known, ["MINE", "MISTRAL_API_KEY", "OPENAI_API_KEY"]);
}

#[test]
fn what_a_terminal_understands_is_told_from_the_environment() {
    let home = Home::new();
    let told = |variables: &[(&str, &str)]| {
        let attention = Attention::usual(&home.sources(variables));
        (attention.notify, attention.through)
    };
    let plain = Through::Nothing;
    assert_eq!(told(&[]), (Some(Call::Bell), plain));
    assert_eq!(told(&[("TERM", "xterm-kitty")]), (Some(Call::Osc99), plain));
    assert_eq!(
        told(&[("TERM_PROGRAM", "WezTerm")]),
        (Some(Call::Osc9), plain)
    );
    assert_eq!(told(&[("TERM", "foot-extra")]), (Some(Call::Osc777), plain));
    assert_eq!(
        told(&[
            ("TMUX", "socket,1,0"),
            ("TERM", "screen-256color"),
            ("LC_TERMINAL", "iTerm2")
        ]),
        (Some(Call::Osc9), Through::Tmux)
    );
    assert_eq!(
        told(&[("TERM", "screen"), ("STY", "1.pts")]),
        (Some(Call::Bell), Through::Screen)
    );
}

#[test]
fn attention_means_what_it_says() {
    let home = Home::new();
    let text = "[attention]\nnotify = 'off'\nunknown_focus = 'away'\nevery = '30s'\ntitle = false\n\
                [attention.webhook]\nurl = 'https://example.org/hook'\nafter = '5m'\nkey_env = 'HOOK_KEY'\n";
    let config = home.load(text, &[]);
    let expected = Attention {
        notify: None,
        every: Duration::from_secs(30),
        unknown: Unknown::Away,
        title: Title::LeftAlone,
        through: Through::Nothing,
        webhook: Some(Webhook {
            url: "https://example.org/hook".to_owned(),
            after: Duration::from_mins(5),
            key_env: Some("HOOK_KEY".to_owned()),
        }),
    };
    assert_eq!(config.attention, expected);
    // No tool is to see the key.
    assert!(config.key_variables().any(|name| name == "HOOK_KEY"));
}

#[test]
fn no_more_colours_are_used_than_the_terminal_says_it_has() {
    let colours = |wanted: &str, variables: &[(&str, &str)]| {
        let text = format!("[ui]\ncolours = '{wanted}'\n");
        Home::new().load(&text, variables).interface.colours
    };
    let (tty, many) = (("TERM", "linux"), ("TERM", "xterm-256color"));
    let all = ("COLORTERM", "truecolor");
    assert_eq!(colours("true", &[tty]), Colours::Sixteen);
    assert_eq!(colours("true", &[many]), Colours::Indexed);
    assert_eq!(colours("true", &[many, all]), Colours::True);
    assert_eq!(colours("256", &[many, all]), Colours::Indexed);
    assert_eq!(colours("16", &[many, all]), Colours::Sixteen);
}

#[test]
fn a_terminal_without_colours_gets_none() {
    for term in ["vt220", "xterm-mono", "vt100"] {
        let config = Home::new().load("", &[("TERM", term)]);
        assert_eq!(config.interface.theme, Theme::Mono, "{term}");
    }
}
