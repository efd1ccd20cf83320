//! `[[rules]]` as written in a file, read into rules, with every mistake told at once.
//!
//! A rule's examples are checked here, each against its rule alone: one that must match and does not,
//! or the other way round, is a mistake like any other. Does not open files.

use serde_json::Value;
use std::path::Path;

use super::condition::{Condition, Test};
use super::rule::{Names, Rule};
use super::{Policy, Subject};
use crate::core::digest::Digest;
use crate::core::mistake::{Mistake, Mistakes, suggest};
use crate::core::reading::{self, Field, Member, Section};
use crate::core::verdict::{Basis, RuleSource, Verdict};

/// The rules that come with the program.
pub const BUILT_IN: &str = include_str!("../../assets/policy.toml");

/// What mistakes in the built-in rules are said to be in.
const BUILT_IN_NAME: &str = "built-in policy";

/// From a tool's name to the JSON pointer of its argument that is a shell command line.
pub type CommandLines<'a> = &'a dyn Fn(&str) -> Option<&'static str>;

const VERDICTS: &[(&str, Verdict)] = &[
    ("allow", Verdict::Allow),
    ("ask", Verdict::Ask),
    ("deny", Verdict::Deny),
];

/// What rules may name.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub command_lines: CommandLines<'a>,
    /// A rule for an agent that there is not is a mistake; where there are no agents, nothing is said.
    pub agents: &'a [String],
    pub proof: Proof,
}

/// Whether rules are known to be sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Each pattern is compiled and each example held against its rule.
    Needed,
    /// A test has done that: each start of the program need not do it again.
    Given,
}

/// Reads the built-in rules. They have no mistakes, and a test says so; but a program that could not
/// read its own rules must not go on without them.
pub fn built_in(command_lines: CommandLines<'_>, proof: Proof) -> Result<Vec<Rule>, Vec<Mistake>> {
    let mistakes = Mistakes::new(BUILT_IN_NAME, BUILT_IN);
    let rules = match reading::parse(BUILT_IN, &mistakes) {
        None => Vec::new(),
        Some(table) => {
            let mut root = Section::root(&table, &mistakes);
            let known = Known {
                command_lines,
                agents: &[],
                proof,
            };
            let rules = read(&root.items("rules"), RuleSource::BuiltIn, known);
            root.finish();
            rules
        }
    };
    if mistakes.is_empty() {
        Ok(rules)
    } else {
        Err(mistakes.into_vec())
    }
}

/// Reads a list of rules. A rule with a mistake is told of and left out; its number stays taken.
pub fn read(rules: &[Field<'_>], source: RuleSource, known: Known<'_>) -> Vec<Rule> {
    let numbered = rules.iter().zip(1..);
    numbered
        .filter_map(|(field, number)| rule(field, number, source, known))
        .collect()
}

fn rule(field: &Field<'_>, number: usize, source: RuleSource, known: Known<'_>) -> Option<Rule> {
    let mut section = field.section()?;
    let tools = section.required("tool", "name the tool, or \"*\" for every tool");
    let tools = tools.and_then(|field| names(&field));
    let agents = section
        .field("agent")
        .map(|field| agents(&field, known.agents));
    let arguments = section.field("arguments");
    let conditions = conditions(arguments.as_ref(), known.proof);
    let digest = section.field("digest");
    let digests = digest.as_ref().map(digests);
    let verdict = section.required("verdict", "say \"allow\", \"ask\" or \"deny\"");
    let verdict = verdict.and_then(|field| field.one_of(VERDICTS));
    let reason = section.field("reason").map(|field| field.text());
    let must = section.items("match");
    let must_not = section.items("not_match");
    section.finish();
    let rule = Rule {
        number,
        source,
        verdict: verdict?,
        reason: reason.map_or(Some(""), |reason| reason)?.to_owned(),
        print: print(
            verdict?,
            tools.as_ref()?,
            agents.as_ref(),
            [arguments, digest],
        ),
        tools: tools?,
        agents: agents.map_or(Some(None), |agents| agents.map(Some))?,
        conditions: conditions?,
        digests: digests.map_or(Some(None), |digests| digests.map(Some))?,
    };
    let examples = Examples {
        rule: &rule,
        command_lines: known.command_lines,
    };
    if known.proof == Proof::Needed {
        examples.check(&must, Expected::Match);
        examples.check(&must_not, Expected::NoMatch);
    }
    Some(rule)
}

/// What a rule says, as a digest: the same for the same rule, wherever it stands.
fn print(
    verdict: Verdict,
    tools: &Names,
    agents: Option<&Option<Names>>,
    rest: [Option<Field<'_>>; 2],
) -> String {
    let agents = agents.and_then(Option::as_ref);
    let agents = agents.map(|agents| &agents.written);
    let rest = rest.map(|field| field.and_then(|field| field.json()));
    let said = serde_json::json!([verdict, tools.written, agents, rest]);
    Digest::of_bytes(said.to_string().as_bytes()).to_string()
}

/// One digest or a list of them.
fn digests(field: &Field<'_>) -> Option<Vec<Digest>> {
    let fields = field.one_or_more();
    if fields.is_empty() {
        field.mistake("names nothing", "leave it out, or name a call's digest");
        return None;
    }
    let read = |field: &Field<'_>| {
        let digest = Digest::try_from(field.text()?.to_owned());
        if let Err(fault) = &digest {
            let what = format!("is no digest: {fault}");
            field.mistake(&what, "copy it from the audit log");
        }
        digest.ok()
    };
    let digests: Vec<_> = fields.iter().map(read).collect();
    digests.into_iter().collect()
}

/// One pattern or a list of them.
fn names(field: &Field<'_>) -> Option<Names> {
    let fields = field.one_or_more();
    if fields.is_empty() {
        field.mistake("names nothing", "name something, or \"*\" for all");
    }
    let written: Vec<_> = fields.iter().map(Field::words).collect();
    let written: Vec<String> = written
        .into_iter()
        .map(|name| name.map(str::to_owned))
        .collect::<Option<_>>()
        .filter(|written: &Vec<String>| !written.is_empty())?;
    match Names::compile(written) {
        Ok(names) => Some(names),
        Err((index, why)) => {
            let at = fields.get(index).unwrap_or(field);
            at.mistake(&format!("is no pattern: {why}"), "correct the pattern");
            None
        }
    }
}

/// Patterns of which each must match an agent there is: one that matches none guards nothing.
fn agents(field: &Field<'_>, known: &[String]) -> Option<Names> {
    let agents = names(field)?;
    if known.is_empty() {
        return Some(agents);
    }
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    for (place, at) in field.one_or_more().iter().enumerate() {
        if !names.iter().any(|name| agents.match_one(place, name)) {
            let written = &agents.written[place];
            let what = format!("matches no agent: {written:?}");
            at.mistake(&what, suggest(written, &names));
        }
    }
    Some(agents)
}

/// `None` if any has a mistake.
fn conditions(arguments: Option<&Field<'_>>, proof: Proof) -> Option<Vec<Condition>> {
    let Some(field) = arguments else {
        return Some(Vec::new());
    };
    let members = field.members()?;
    let conditions: Vec<_> = members
        .iter()
        .map(|member| condition(member, proof))
        .collect();
    conditions.into_iter().collect()
}

fn condition(member: &Member<'_>, proof: Proof) -> Option<Condition> {
    let name = member.name;
    let pointer = name.starts_with('/');
    if !pointer {
        let todo = format!("write \"/{name}\"");
        let field = &member.field;
        field.mistake("is no JSON pointer, which begins with a slash", todo);
    }
    let mut section = member.field.section()?;
    let regex = match proof {
        Proof::Needed => Test::regex,
        Proof::Given => Test::proven,
    };
    let tests = [
        section
            .field("equals")
            .map(|field| field.json().map(Test::Equals)),
        section
            .field("glob")
            .map(|field| pattern(&field, Test::glob)),
        section.field("regex").map(|field| pattern(&field, regex)),
        section
            .field("under")
            .map(|field| field.words().map(|folder| Test::Under(folder.to_owned()))),
    ];
    section.finish();
    if tests.iter().all(Option::is_none) {
        let todo = "say \"equals\", \"glob\", \"regex\" or \"under\"";
        member.field.mistake("asks for nothing", todo);
        return None;
    }
    let tests = tests.into_iter().flatten().collect::<Option<Vec<_>>>()?;
    pointer.then(|| Condition {
        pointer: name.to_owned(),
        tests,
    })
}

fn pattern(field: &Field<'_>, compile: fn(&str) -> Result<Test, String>) -> Option<Test> {
    match compile(field.text()?) {
        Ok(test) => Some(test),
        Err(why) => {
            field.mistake(&format!("is no pattern: {why}"), "correct the pattern");
            None
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Match,
    NoMatch,
}

/// Examples are held against one rule as if it were the only one.
struct Examples<'a> {
    rule: &'a Rule,
    command_lines: CommandLines<'a>,
}

impl Examples<'_> {
    fn check(&self, examples: &[Field<'_>], expected: Expected) {
        for example in examples {
            match (self.matches(example), expected) {
                (None, _) | (Some(true), Expected::Match) | (Some(false), Expected::NoMatch) => {}
                (Some(false), Expected::Match) => {
                    example.mistake("does not match its rule", REMEDY);
                }
                (Some(true), Expected::NoMatch) => {
                    example.mistake("matches its rule", REMEDY);
                }
            }
        }
    }

    /// `None` if the example itself has a mistake.
    fn matches(&self, example: &Field<'_>) -> Option<bool> {
        let mut section = example.section()?;
        let tool = name(&mut section, "tool", self.rule.tools.only());
        let only = match &self.rule.agents {
            None => Some("any"),
            Some(agents) => agents.only(),
        };
        let agent = name(&mut section, "agent", only);
        let arguments = section.field("arguments");
        section.finish();
        let arguments = arguments.map_or_else(
            || Some(Value::Object(serde_json::Map::new())),
            |field| field.members().and_then(|_| field.json()),
        );
        let (tool, agent, arguments) = (tool?, agent?, arguments?);
        let judgement = Policy::new(vec![self.rule.clone()], Vec::new()).evaluate(&Subject {
            agent: &agent,
            tool: &tool,
            arguments: &arguments,
            default: opposite(self.rule.verdict),
            command_line: (self.command_lines)(&tool),
            workspace: Path::new(EXAMPLE_WORKSPACE),
            digest: None,
        });
        Some(matches!(judgement.basis, Basis::Rule { .. }))
    }
}

const REMEDY: &str = "correct the rule or the example";

/// Where the examples' relative paths count from.
const EXAMPLE_WORKSPACE: &str = "/workspace";

/// A default that does not hide what the rule itself says.
const fn opposite(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Allow => Verdict::Ask,
        Verdict::Ask | Verdict::Deny => Verdict::Allow,
    }
}

/// The name an example gives, or the only one its rule can mean.
fn name(section: &mut Section<'_>, key: &'static str, only: Option<&str>) -> Option<String> {
    match section.field(key) {
        Some(field) => field.text().map(str::to_owned),
        None if only.is_none() => {
            let what = format!(
                "{} has no {key:?}, and its rule names a pattern",
                section.path()
            );
            let todo = format!("add {key} = \"…\"");
            section.mistakes().add(&section.span(), what, todo);
            None
        }
        None => only.map(str::to_owned),
    }
}
