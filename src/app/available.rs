//! Which commands mean something now, and why the others do not.
//!
//! Owns the one answer that dispatch, the footer and the help page share. Changes nothing.

use super::command::{Command, Context};
use super::draft::Purpose;
use super::proposal::proposed;
use super::refusal;
use super::rules::{self, Proposal};
use super::state::{Leaves, Overlay, Pane, State};
use crate::core::call::{Answer, Call, CallKey};
use crate::core::count;
use crate::core::decision::Reach;
use crate::core::pending::{Stage, Waiting};
use crate::core::run::RunState;
use crate::core::session::Home;
use crate::policy::propose::{Breadth, Candidate};

/// Whether a command can be carried out now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    Yes,
    /// Not now, and why; where nothing stands against it but that there is nothing to do, `refusal` says so.
    No(Option<String>),
}

fn no(why: &str) -> Availability {
    Availability::No(Some(why.to_owned()))
}

const fn when(condition: bool) -> Availability {
    if condition {
        Availability::Yes
    } else {
        Availability::No(None)
    }
}

/// The contexts in which a key is looked up now, the nearest first.
pub fn contexts(state: &State) -> &'static [Context] {
    if state.draft.is_some() {
        return &[Context::Text];
    }
    match (&state.overlay, state.focus) {
        (Some(Overlay::View { .. }), _) => &[Context::Sheet, Context::Scroll, Context::Pending],
        (Some(Overlay::Help { .. } | Overlay::Batch { .. } | Overlay::Review(_)), _) => {
            &[Context::Sheet, Context::Scroll]
        }
        (Some(Overlay::Sessions(_)), _) => &[Context::List, Context::Sheet, Context::Scroll],
        (Some(Overlay::Rule(_) | Overlay::Rules(_)), _) => {
            &[Context::Rules, Context::Sheet, Context::Scroll]
        }
        (Some(Overlay::Quit), _) => &[Context::Sheet],
        (None, Pane::Pending) => &[Context::Pending, Context::Global],
        (None, Pane::Conversation | Pane::Output) => &[Context::Scroll, Context::Global],
    }
}

/// These work whatever covers the screen.
pub const EVERYWHERE: [Command; 3] = [Command::Interrupt, Command::Suspend, Command::Redraw];
/// These work on a sheet too.
pub const BESIDE_SHEETS: [Command; 2] = [Command::Copy, Command::CopyId];

/// The calls that a decision key acts on: the marked ones that are listed, else the selected one.
pub fn targets(state: &State) -> Vec<CallKey> {
    if marked(state) == 0 {
        return state.cursor.iter().cloned().collect();
    }
    let key = |waiting: &Waiting| waiting.call.key.clone();
    state.pending.marked().map(key).collect()
}

/// How many calls are marked, of those that are listed and that nobody has decided.
pub const fn marked(state: &State) -> usize {
    state.pending.marked_tally().calls
}

/// Whether `command` can be carried out now.
pub fn available(state: &State, command: Command) -> Availability {
    let fits = fitting(state, command);
    if fits != Availability::Yes || !decides_selected(state, command) {
        return fits;
    }
    // Rule 7: on screen, as the selected call, for long enough.
    match state.arms_in() {
        Some(0) => Availability::Yes,
        Some(_) => no("this call has only just appeared; look at it first"),
        None if state.drawn.call == state.cursor => {
            no("the terminal has not shown this call yet; a key decides once it has")
        }
        None => no("this call is not on screen"),
    }
}

/// Whether the command would decide the call under the cursor without a sheet or a text in between,
/// which have to be on screen for as long themselves.
pub(super) fn decides_selected(state: &State, command: Command) -> bool {
    let Some(selected) = state.selected() else {
        return false;
    };
    // Where no reason is told to anybody, none is asked for.
    let deaf = !selected.call.answers.take(Answer::Reason);
    if command == Command::RejectAll {
        let only = state.pending.open_tally().taking(Answer::Reject) == 1;
        return only && deaf && selected.is_open() && selected.call.answers.take(Answer::Reject);
    }
    let alone = match marked(state) {
        0 => true,
        1 => selected.marked && selected.is_open(),
        _ => false,
    };
    alone && (command == Command::Approve || command == Command::Reject && deaf)
}

/// Whether a reason reaches the model of this call.
pub fn takes_reason(state: &State, key: &CallKey) -> bool {
    let waiting = state.pending.get(key);
    waiting.is_some_and(|waiting| waiting.call.answers.take(Answer::Reason))
}

/// The listed, undecided calls whose origin takes this answer. A script is dropped by itself only: with its
/// calls rejected it goes on, and can do something about it.
pub fn listed_taking(state: &State, answer: Answer) -> Vec<CallKey> {
    let takes = |waiting: &&Waiting| {
        let call = &waiting.call;
        call.answers.take(answer) && !call.is_script()
    };
    state
        .pending
        .open()
        .filter(takes)
        .map(|waiting| waiting.call.key.clone())
        .collect()
}

/// As `available`, whether or not the call has been on screen for long enough.
pub(super) fn fitting(state: &State, command: Command) -> Availability {
    match command {
        Command::Approve => decide(state, &[Answer::Approve], "approved"),
        Command::Reject => decide(state, &[Answer::Reject], "rejected"),
        Command::Edit | Command::Set => decide(state, &[Answer::Approve, Answer::Edit], "edited"),
        Command::Take => take(state),
        Command::Answer => decide(state, &[Answer::Respond], "answered by you"),
        Command::Retry => decide(state, &[Answer::Retry], "sent back with a message"),
        Command::Fail => decide(state, &[Answer::Fail], "answered as failed"),
        Command::Always => always(state),
        Command::Propose => propose(state),
        Command::Wider | Command::Narrower => {
            proposal(state, |proposal| proposal.candidates.len() > 1)
        }
        Command::AllowOrDeny => proposal(state, |proposal| {
            let written = |candidate: &Candidate| candidate.breadth == Breadth::Written;
            !proposal.candidate().is_some_and(written)
        }),
        Command::Lasts => proposal(state, |_| true),
        Command::Change => match &state.overlay {
            Some(Overlay::Rules(list)) => when(list.selected().is_some()),
            _ => proposal(state, |_| true),
        },
        Command::Revoke => {
            when(matches!(&state.overlay, Some(Overlay::Rules(list)) if list.selected().is_some()))
        }
        Command::ApproveAll => all(state, Answer::Approve),
        Command::RejectAll => all(state, Answer::Reject),
        Command::Mark => mark(state),
        Command::MarkAll => when(state.pending.open_tally().calls > 0),
        Command::Undo => when(state.pending.next_due().is_some()),
        Command::Group | Command::Sort => {
            when(state.overlay.is_none() && !state.pending.is_empty())
        }
        Command::Batch if state.overlay.is_none() && state.batch.is_none() => {
            no("no calls have been signed together yet")
        }
        Command::Batch | Command::Rules => when(state.overlay.is_none()),
        Command::View => when(state.selected().is_some() && state.overlay.is_none()),
        Command::Unfilter => when(!state.filter().is_empty()),
        Command::Filter => when(!state.pending.is_empty() || !state.filter().is_empty()),
        Command::Next
        | Command::Previous
        | Command::First
        | Command::Last
        | Command::NextPage
        | Command::PreviousPage => when(state.pending.listed_len() > 0),
        Command::ArgumentsDown | Command::ArgumentsUp => when(state.selected().is_some()),
        Command::Message => message(state),
        Command::Interrupt => when(
            state
                .current_session()
                .is_some_and(|s| s.run.is_busy() && s.home != Home::File),
        ),
        Command::Resend => when(
            state
                .current_session()
                .is_some_and(|s| matches!(s.run, RunState::Failed { .. })),
        ),
        Command::OutputNext | Command::OutputPrevious => when(
            state
                .current_session()
                .is_some_and(|s| !s.conversation.calls().is_empty()),
        ),
        Command::NextSession | Command::Narrow => when(state.sessions.len() > 1),
        // A console that somebody waits for closes with its own calls.
        Command::Sessions => {
            when(state.overlay.is_none() && state.settings.leaves == Leaves::WhenAsked)
        }
        Command::Choose | Command::Search => {
            when(matches!(state.overlay, Some(Overlay::Sessions(_))))
        }
        Command::Help => when(!matches!(state.overlay, Some(Overlay::Help { .. }))),
        Command::Editor => text(state, |purpose| !purpose.is_line()),
        Command::Older | Command::Newer => text(state, |purpose| {
            *purpose == Purpose::Message && !state.history.is_empty()
        }),
        Command::Accept | Command::Leave => text(state, |_| true),
        Command::AcceptLine => text(state, Purpose::is_line),
        Command::Sign => when(matches!(
            state.overlay,
            Some(Overlay::Review(_) | Overlay::Rule(_) | Overlay::Quit)
        )),
        Command::Close => when(state.overlay.is_some()),
        Command::CopyId => when(state.cursor.is_some()),
        Command::FocusNext
        | Command::FocusPrevious
        | Command::Copy
        | Command::Redraw
        | Command::Suspend
        | Command::Quit
        | Command::ScrollDown
        | Command::ScrollUp
        | Command::ScrollPageDown
        | Command::ScrollPageUp
        | Command::ScrollTop
        | Command::ScrollBottom => Availability::Yes,
    }
}

fn message(state: &State) -> Availability {
    match state.current_session() {
        Some(session) if session.home == Home::File => {
            no("this is a state that was handed over: its agent does not run here")
        }
        Some(session) if session.run != RunState::Ended => Availability::Yes,
        Some(_) | None => no("this session has ended"),
    }
}

fn text(state: &State, fits: impl Fn(&Purpose) -> bool) -> Availability {
    when(
        state
            .draft
            .as_ref()
            .is_some_and(|draft| fits(&draft.purpose)),
    )
}

/// The selected call must be undecided and its origin must take the answer; with marks set, each
/// marked call must.
fn decide(state: &State, answers: &[Answer], done: &str) -> Availability {
    let waiting = match marked(state) {
        0 => state.selected(),
        1 => state.pending.marked().next(),
        _ => return several(state, answers, done),
    };
    let Some(waiting) = waiting else {
        return Availability::No(None);
    };
    match &waiting.stage {
        Stage::Held { .. } => return no("already decided; undo it first"),
        Stage::Recording { .. } => return no("already decided; it is being recorded"),
        Stage::Awaiting if waiting.late => {
            return no("its time is over; nobody can decide it any more");
        }
        Stage::Awaiting => {}
    }
    if !takes(&waiting.call, answers) {
        if waiting.call.is_script() {
            return no(
                "this is the script itself: decide the calls that it makes, or reject it to drop it",
            );
        }
        return no(&refusal::not_taken(&waiting.call, done));
    }
    Availability::Yes
}

fn takes(call: &Call, answers: &[Answer]) -> bool {
    match answers {
        [Answer::Approve, Answer::Edit] => call.is_editable(),
        answers => answers.iter().all(|answer| call.answers.take(*answer)),
    }
}

fn several(state: &State, answers: &[Answer], done: &str) -> Availability {
    let tally = state.pending.marked_tally();
    let taking = match answers {
        [only] => tally.taking(*only),
        [Answer::Approve, Answer::Edit] => tally.editable,
        several => {
            let takes = |waiting: &&Waiting| takes(&waiting.call, several);
            state.pending.marked().filter(takes).count()
        }
    };
    match tally.calls - taking {
        0 => Availability::Yes,
        others => no(&format!(
            "{} of the {} marked calls cannot be {done}; unmark them",
            count::number(others),
            count::number(tally.calls)
        )),
    }
}

fn mark(state: &State) -> Availability {
    match state.selected() {
        Some(waiting) if waiting.call.is_script() => {
            no("a script is decided by itself; mark the calls that it makes")
        }
        selected => when(selected.is_some_and(Waiting::is_open)),
    }
}

fn take(state: &State) -> Availability {
    match decide(state, &[Answer::Approve, Answer::Edit], "edited") {
        Availability::Yes if proposed(state).is_some() => Availability::Yes,
        Availability::Yes if marked(state) > 1 => {
            no("the proposal of a reviewer is taken for one call at a time; unmark the others")
        }
        Availability::Yes => no("no reviewer proposes other arguments for this call"),
        no @ Availability::No(_) => no,
    }
}

/// A decision on one of them, at least, can be kept for later calls.
fn always(state: &State) -> Availability {
    let none = || no("where this call comes from, no decision lasts for later calls");
    if marked(state) > 0 {
        return match state.pending.marked_tally().lasting {
            0 => none(),
            _ => Availability::Yes,
        };
    }
    let keeps = |waiting: &Waiting| {
        let answers = &waiting.call.answers;
        waiting.is_open() && Reach::LASTING.iter().any(|reach| reach.is_kept(answers))
    };
    match state.selected() {
        Some(waiting) if keeps(waiting) => Availability::Yes,
        Some(waiting) if waiting.is_open() => none(),
        Some(_) | None => Availability::No(None),
    }
}

/// A rule can be made where the policy asked, and would have been answered by one.
fn propose(state: &State) -> Availability {
    let (calls, asked) = match marked(state) {
        0 => {
            let asked = |waiting: &Waiting| usize::from(waiting.call.grounds.is_some());
            let selected = state.selected();
            (usize::from(selected.is_some()), selected.map_or(0, asked))
        }
        marked => (marked, state.pending.marked_tally().grounded),
    };
    if calls == 0 {
        return Availability::No(None);
    }
    if asked == calls {
        Availability::Yes
    } else {
        no(rules::NONE)
    }
}

fn proposal(state: &State, fits: impl Fn(&Proposal) -> bool) -> Availability {
    when(matches!(&state.overlay, Some(Overlay::Rule(proposal)) if fits(proposal)))
}

fn all(state: &State, answer: Answer) -> Availability {
    when(state.pending.open_tally().taking(answer) > 0)
}
