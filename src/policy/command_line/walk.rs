//! From the parsed program to its simple commands, and to the first thing that a rule cannot see.
//!
//! Fails closed: whatever is not plainly a simple command, a list, a pipeline, a group or a plain
//! condition is a fault. The commands inside are collected all the same, for rules that deny.

use brush_parser::ast;

use super::{Line, Part, programs, word};

/// A line with more commands is not for rules to judge.
const MOST_PARTS: usize = 256;

pub(super) fn walk(text: &str, program: &ast::Program) -> Line {
    let mut walk = Walk::default();
    for list in &program.complete_commands {
        walk.list(list);
    }
    if walk.line.parts.len() > MOST_PARTS {
        walk.fault(format!("it holds more than {MOST_PARTS} commands"));
        walk.line.parts.truncate(MOST_PARTS);
    }
    // A comment is in no word. Where it begins is left to the shell.
    if text.matches('#').count() != walk.hashes {
        walk.fault("it holds a comment");
    }
    if walk.line.parts.is_empty() {
        walk.fault("it holds no command");
    }
    walk.line
}

#[derive(Default)]
struct Walk {
    line: Line,
    /// `#` signs seen in words.
    hashes: usize,
}

impl Walk {
    /// The first fault is the one that is told.
    fn fault(&mut self, why: impl Into<String>) {
        if self.line.fault.is_none() {
            self.line.fault = Some(why.into());
        }
    }

    fn list(&mut self, list: &ast::CompoundList) {
        for ast::CompoundListItem(and_or, separator) in &list.0 {
            match separator {
                ast::SeparatorOperator::Sequence => {}
                ast::SeparatorOperator::Async => self.fault("it leaves a command running"),
            }
            self.pipeline(&and_or.first);
            for next in &and_or.additional {
                match next {
                    ast::AndOr::And(pipeline) | ast::AndOr::Or(pipeline) => self.pipeline(pipeline),
                }
            }
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) {
        for command in &pipeline.seq {
            self.command(command);
        }
    }

    fn command(&mut self, command: &ast::Command) {
        match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Compound(compound, redirects) => {
                self.compound(compound);
                for redirect in redirects.iter().flat_map(|list| &list.0) {
                    self.redirect(redirect);
                }
            }
            ast::Command::Function(function) => {
                self.fault("it defines a function");
                self.compound(&function.body.0);
            }
            ast::Command::ExtendedTest(..) => self.fault("it holds a [[ ]] test"),
        }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand) {
        match compound {
            ast::CompoundCommand::BraceGroup(group) => self.list(&group.list),
            ast::CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            ast::CompoundCommand::IfClause(clause) => self.branches(clause),
            ast::CompoundCommand::WhileClause(repeat)
            | ast::CompoundCommand::UntilClause(repeat) => {
                self.list(&repeat.0);
                self.list(&repeat.1.list);
            }
            ast::CompoundCommand::ForClause(clause) => {
                self.fault("a for loop sets a variable");
                self.list(&clause.body.list);
            }
            ast::CompoundCommand::CaseClause(clause) => {
                self.fault("it holds a case");
                for body in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    self.list(body);
                }
            }
            ast::CompoundCommand::ArithmeticForClause(clause) => {
                self.fault("it holds arithmetic");
                self.list(&clause.body.list);
            }
            ast::CompoundCommand::Arithmetic(_) => self.fault("it holds arithmetic"),
            ast::CompoundCommand::Coprocess(coprocess) => {
                self.fault("it leaves a command running");
                self.command(&coprocess.body);
            }
        }
    }

    fn branches(&mut self, clause: &ast::IfClauseCommand) {
        self.list(&clause.condition);
        self.list(&clause.then);
        for branch in clause.elses.iter().flatten() {
            if let Some(condition) = &branch.condition {
                self.list(condition);
            }
            self.list(&branch.body);
        }
    }

    fn simple(&mut self, command: &ast::SimpleCommand) {
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
        let mut written = Vec::new();
        for item in prefix {
            self.item(item, &mut written);
        }
        if let Some(name) = &command.word_or_name {
            written.push(name.value.clone());
        }
        for item in suffix {
            self.item(item, &mut written);
        }
        self.part(&written);
    }

    fn item(&mut self, item: &ast::CommandPrefixOrSuffixItem, written: &mut Vec<String>) {
        match item {
            ast::CommandPrefixOrSuffixItem::Word(word) => written.push(word.value.clone()),
            // In front of a command it changes the command's surroundings, behind it it is a word.
            ast::CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                if written.is_empty() {
                    self.fault(format!("it sets {}", assignment.name));
                    self.hashes += word.value.matches('#').count();
                } else {
                    written.push(word.value.clone());
                }
            }
            ast::CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect),
            ast::CommandPrefixOrSuffixItem::ProcessSubstitution(_, inner) => {
                self.fault("it holds a process substitution");
                self.list(&inner.list);
            }
        }
    }

    fn part(&mut self, written: &[String]) {
        if written.is_empty() {
            self.fault("a command has no name");
            return;
        }
        let mut words = Vec::with_capacity(written.len());
        for raw in written {
            self.hashes += raw.matches('#').count();
            words.push(word::unquote(raw).unwrap_or_else(|why| {
                self.fault(why);
                raw.clone()
            }));
        }
        if let Some(why) = programs::fault(&words) {
            self.fault(why);
        }
        let written = written.join(" ");
        self.line.parts.push(Part { written, words });
    }

    /// Only the ways of discarding output and of joining it are seen through.
    fn redirect(&mut self, redirect: &ast::IoRedirect) {
        match redirect {
            ast::IoRedirect::File(_, _, ast::IoFileRedirectTarget::Fd(_)) => {}
            ast::IoRedirect::File(_, ast::IoFileRedirectKind::DuplicateOutput, target)
                if is_number(target) => {}
            ast::IoRedirect::File(_, kind, ast::IoFileRedirectTarget::Filename(name)) => {
                if name.value != "/dev/null" {
                    self.fault(format!("{kind} {} reads or writes a file", name.value));
                }
            }
            ast::IoRedirect::OutputAndError(name, _) => {
                self.fault(format!("it writes all output to {}", name.value));
            }
            ast::IoRedirect::File(
                _,
                _,
                ast::IoFileRedirectTarget::ProcessSubstitution(_, inner),
            ) => {
                self.fault("it holds a process substitution");
                self.list(&inner.list);
            }
            ast::IoRedirect::File(_, _, ast::IoFileRedirectTarget::Duplicate(_)) => {
                self.fault("it redirects to what a word stands for");
            }
            ast::IoRedirect::HereDocument(..) => self.fault("it holds a here-document"),
            ast::IoRedirect::HereString(..) => self.fault("it holds a here-string"),
        }
    }
}

/// `>&2` is parsed as a duplication to the word `2`.
fn is_number(target: &ast::IoFileRedirectTarget) -> bool {
    match target {
        ast::IoFileRedirectTarget::Duplicate(word) => {
            !word.value.is_empty() && word.value.bytes().all(|byte| byte.is_ascii_digit())
        }
        ast::IoFileRedirectTarget::Fd(_) => true,
        ast::IoFileRedirectTarget::Filename(_)
        | ast::IoFileRedirectTarget::ProcessSubstitution(..) => false,
    }
}
