//! A rule that is about to be given, and what it would match of what the console knows.
//!
//! Owns what its sheet holds. Gives nothing: that takes a signature, and a journal.

use jiff::{SignedDuration, Timestamp};
use std::path::Path;

use super::state::{Seen, State};
use crate::core::arguments::Arguments;
use crate::core::call::{Call, CallId, CallKey, Grounds, SessionId};
use crate::core::fields;
use crate::core::mistake::Mistake;
use crate::core::name;
use crate::core::shown::Shown;
use crate::core::verdict::{Question, Verdict};
use crate::policy::Subject;
use crate::policy::grant::{Given, Grant, Lasts, Moment};
use crate::policy::propose::{Candidate, Source, candidates};

/// How long a new rule is to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    Session,
    Hour,
    EightHours,
    Always,
}

impl Term {
    pub const ALL: [Self; 4] = [Self::Session, Self::Hour, Self::EightHours, Self::Always];

    pub const fn words(self) -> &'static str {
        match self {
            Self::Session => "this session",
            Self::Hour => "1 hour",
            Self::EightHours => "8 hours",
            Self::Always => "until it is revoked",
        }
    }

    fn from(self, now: Timestamp) -> Lasts {
        let hours = |hours| {
            let end = now.checked_add(SignedDuration::from_hours(hours));
            // At the end of time nothing lasts.
            Lasts::Until(end.unwrap_or(now))
        };
        match self {
            Self::Session => Lasts::Session,
            Self::Hour => hours(1),
            Self::EightHours => hours(8),
            Self::Always => Lasts::Always,
        }
    }

    /// The next one; after the last the first.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|term| *term == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// How far a proposal has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Open,
    /// Its text is in the operator's editor.
    Editing,
    /// It is being recorded.
    Giving,
}

/// What a rule does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    Yes,
    /// It is meant, but something asks about it that the rule does not answer.
    AskedAnyway,
    No,
}

/// A call that the rule was held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// `None`: it is a call of before.
    pub pending: Option<CallKey>,
    pub tool: Shown,
    pub summary: Shown,
    pub matches: Match,
}

/// A rule that could be given, as it is on screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The calls it is made from.
    pub from: Vec<CallId>,
    pub session: SessionId,
    /// Where it counts.
    pub workspace: String,
    answers: Vec<Question>,
    /// The tools it can be about, with the argument that is a command line.
    tools: Vec<(String, Option<String>)>,
    pub candidates: Vec<Candidate>,
    pub chosen: usize,
    pub verdict: Verdict,
    pub term: Term,
    /// The rule that this one takes the place of.
    pub replaces: Option<Box<Grant>>,
    pub progress: Progress,
    /// The calls of its tools, pending and of before.
    pub covers: Vec<Covered>,
    /// Why the text is no rule.
    pub fault: Option<String>,
    pub top: usize,
    pub seen: Seen,
    /// Enter was pressed while rows were unseen.
    pub asked: bool,
}

/// Why no rule can be made of some calls.
pub const SEVERAL: &str = "a rule is made from calls of one session";
pub const NONE: &str = "no rule of yours could answer this call: it is not the policy that asks";

impl Proposal {
    /// A rule from these pending calls.
    pub fn of(state: &State, keys: &[CallKey]) -> Result<Self, &'static str> {
        let calls = keys.iter().filter_map(|key| state.pending.get(key));
        let calls: Vec<&Call> = calls.map(|waiting| &waiting.call).collect();
        let grounds: Option<Vec<&Grounds>> =
            calls.iter().map(|call| call.grounds.as_ref()).collect();
        let (Some(first), Some(grounds)) = (calls.first(), grounds) else {
            return Err(NONE);
        };
        let same = |call: &&Call| call.key.session == first.key.session;
        if !calls.iter().all(same) {
            return Err(SEVERAL);
        }
        let sources: Vec<Source<'_>> = calls
            .iter()
            .zip(&grounds)
            .map(|(call, grounds)| Source {
                agent: &call.agent,
                tool: &call.tool,
                arguments: &call.arguments,
                command_line: grounds.command_line.as_deref(),
                workspace: &grounds.workspace,
            })
            .collect();
        let mut answers = Vec::new();
        for question in grounds.iter().flat_map(|grounds| &grounds.questions) {
            if !answers.contains(question) {
                answers.push(question.clone());
            }
        }
        let candidates = candidates(&sources);
        let workspace = grounds.first().map(|grounds| grounds.workspace.clone());
        if candidates.is_empty() {
            return Err(NONE);
        }
        let mut proposal = Self {
            from: calls.iter().map(|call| call.key.call.clone()).collect(),
            session: first.key.session.clone(),
            workspace: workspace.unwrap_or_default(),
            answers,
            tools: Vec::new(),
            candidates,
            ..Self::blank()
        };
        proposal.weigh(state);
        Ok(proposal)
    }

    /// A rule that was given, to be given anew in another form.
    pub fn again(state: &State, grant: &Grant) -> Self {
        let verdict = Given::read(grant.clone()).map(|given| given.verdict());
        let mut proposal = Self {
            from: grant.from.clone(),
            session: grant.session.clone(),
            workspace: grant.workspace.clone(),
            answers: grant.answers.clone(),
            candidates: vec![Candidate::written(grant.text.clone())],
            verdict: verdict.unwrap_or(Verdict::Deny),
            term: match grant.lasts {
                Lasts::Session => Term::Session,
                Lasts::Until(_) => Term::Hour,
                Lasts::Always => Term::Always,
            },
            replaces: Some(Box::new(grant.clone())),
            ..Self::blank()
        };
        proposal.weigh(state);
        proposal
    }

    fn blank() -> Self {
        Self {
            from: Vec::new(),
            session: SessionId(String::new()),
            workspace: String::new(),
            answers: Vec::new(),
            tools: Vec::new(),
            candidates: Vec::new(),
            chosen: 0,
            verdict: Verdict::Allow,
            term: Term::Session,
            replaces: None,
            progress: Progress::Open,
            covers: Vec::new(),
            fault: None,
            top: 0,
            seen: Seen::default(),
            asked: false,
        }
    }

    /// Whether it is made from command lines.
    pub fn is_of_command_lines(&self) -> bool {
        self.tools.iter().any(|(_, line)| line.is_some())
    }

    pub fn candidate(&self) -> Option<&Candidate> {
        self.candidates.get(self.chosen)
    }

    /// The text that will be written, and read.
    pub fn text(&self) -> String {
        let candidate = self.candidate();
        candidate.map_or_else(String::new, |candidate| candidate.text(self.verdict))
    }

    /// The rule as it would be given now.
    pub fn grant(&self, state: &State) -> Result<Given, Vec<Mistake>> {
        let (text, at) = (self.text(), state.now.wall);
        let who = state.settings.who.clone();
        Given::read(Grant {
            id: Grant::name(&text, &who, at, &self.session),
            text,
            lasts: self.term.from(at),
            session: self.session.clone(),
            from: self.from.clone(),
            workspace: self.workspace.clone(),
            answers: self.answers.clone(),
            who,
            at,
        })
    }

    /// What changed has to be looked at anew, and is held against the calls anew.
    pub fn weigh(&mut self, state: &State) {
        (self.seen, self.asked, self.top) = (Seen::default(), false, 0);
        match self.grant(state) {
            Ok(given) => {
                self.fault = None;
                // A rule that a person wrote says itself which it is.
                self.verdict = given.verdict();
                self.tools = tools(state, self, &given);
                self.covers = covers(state, self, &given);
            }
            Err(mistakes) => {
                self.fault = Some(
                    mistakes
                        .first()
                        .map(ToString::to_string)
                        .unwrap_or_default(),
                );
                self.covers.clear();
            }
        }
    }

    /// How many of the pending calls, or of those of before, it would match, of how many.
    pub fn count(&self, of: impl Fn(&Covered) -> bool) -> (usize, usize) {
        let all = self.covers.iter().filter(|covered| of(covered));
        let yes = all.clone().filter(|covered| covered.matches == Match::Yes);
        (yes.count(), all.count())
    }
}

/// The tools that the rule is about, as the pending calls know them.
fn tools(state: &State, proposal: &Proposal, given: &Given) -> Vec<(String, Option<String>)> {
    let mut tools = proposal.tools.clone();
    for waiting in state.pending.iter() {
        let call = &waiting.call;
        let Some(grounds) = &call.grounds else {
            continue;
        };
        let known = tools.iter().any(|(tool, _)| *tool == call.tool);
        if !known && given.concerns(&call.agent, &call.tool) {
            tools.push((call.tool.clone(), grounds.command_line.clone()));
        }
    }
    tools
}

/// The calls of its tools, with what it does with each: pending ones first, then those of the session.
fn covers(state: &State, proposal: &Proposal, given: &Given) -> Vec<Covered> {
    let pending = state.pending.iter().filter(|waiting| {
        waiting.is_open() && given.concerns(&waiting.call.agent, &waiting.call.tool)
    });
    let pending = pending.map(|waiting| Covered {
        pending: Some(waiting.call.key.clone()),
        tool: waiting.tool.clone(),
        summary: waiting.summary.clone(),
        matches: of_pending(state, given, &waiting.call),
    });
    let mut covers: Vec<Covered> = pending.collect();
    let Some(session) = state.session(&proposal.session) else {
        return covers;
    };
    let workspace = Path::new(&proposal.workspace);
    for (id, record) in session.conversation.calls() {
        let key = CallKey {
            session: session.id.clone(),
            call: id.clone(),
        };
        let tool = proposal.tools.iter().find(|(tool, _)| *tool == record.tool);
        let (Some((tool, command_line)), false) = (tool, state.pending.contains(&key)) else {
            continue;
        };
        let Ok(arguments) = Arguments::parse(&record.arguments) else {
            continue;
        };
        let digest = arguments.digest(tool);
        let matches = given.matches(&Subject {
            agent: &session.agent,
            tool,
            arguments: arguments.value(),
            default: Verdict::Ask,
            command_line: command_line.as_deref(),
            workspace,
            digest: Some(&digest),
        });
        covers.push(Covered {
            pending: None,
            tool: name::shown(tool),
            summary: fields::summary(&arguments),
            matches: if matches { Match::Yes } else { Match::No },
        });
    }
    covers
}

/// What a rule would do with a call that waits.
pub fn of_pending(state: &State, given: &Given, call: &Call) -> Match {
    let Some(grounds) = &call.grounds else {
        return Match::No;
    };
    let digest = call.digest();
    let subject = Subject {
        agent: &call.agent,
        tool: &call.tool,
        arguments: call.arguments.value(),
        default: Verdict::Ask,
        command_line: grounds.command_line.as_deref(),
        workspace: Path::new(&grounds.workspace),
        digest: Some(&digest),
    };
    let moment = Moment {
        session: &call.key.session,
        at: state.now.wall,
    };
    if !given.grant.reaches(moment, subject.workspace) || !given.matches(&subject) {
        return Match::No;
    }
    match given.verdict() {
        Verdict::Allow if !given.answers(&grounds.questions) => Match::AskedAnyway,
        Verdict::Allow | Verdict::Ask | Verdict::Deny => Match::Yes,
    }
}
