//! How many calls of a set take which answer, counted as they come and go. The row of a script is none of
//! them: it is decided by itself.

use crate::core::call::{Answer, Call};
use crate::core::decision::Reach;

const ANSWERS: [Answer; 11] = [
    Answer::Approve,
    Answer::Edit,
    Answer::Reject,
    Answer::Reason,
    Answer::Respond,
    Answer::Retry,
    Answer::Fail,
    Answer::AlwaysArguments,
    Answer::AlwaysTool,
    Answer::NeverArguments,
    Answer::NeverTool,
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub calls: usize,
    taking: [usize; ANSWERS.len()],
    /// Those that can be approved with other arguments.
    pub editable: usize,
    /// Those of which a decision can be kept for later calls.
    pub lasting: usize,
    /// Those that a rule could have answered.
    pub grounded: usize,
    /// Those that were running when the program stopped.
    pub unknown: usize,
}

impl Tally {
    pub(super) fn add(&mut self, call: &Call) {
        self.turn(call, |count| *count += 1);
    }

    pub(super) fn remove(&mut self, call: &Call) {
        self.turn(call, |count| *count -= 1);
    }

    fn turn(&mut self, call: &Call, turn: impl Fn(&mut usize)) {
        if call.is_script() {
            return;
        }
        turn(&mut self.calls);
        for (count, answer) in self.taking.iter_mut().zip(ANSWERS) {
            if call.answers.take(answer) {
                turn(count);
            }
        }
        if call.is_editable() {
            turn(&mut self.editable);
        }
        if is_lasting(call) {
            turn(&mut self.lasting);
        }
        if call.grounds.is_some() {
            turn(&mut self.grounded);
        }
        if call.basis.is_unknown() {
            turn(&mut self.unknown);
        }
    }

    /// How many take this answer.
    pub fn taking(&self, answer: Answer) -> usize {
        let counts = self.taking.iter().zip(ANSWERS);
        counts
            .filter(|(_, known)| *known == answer)
            .map(|(count, _)| *count)
            .sum()
    }
}

fn is_lasting(call: &Call) -> bool {
    Reach::LASTING
        .iter()
        .any(|reach| reach.is_kept(&call.answers))
}
