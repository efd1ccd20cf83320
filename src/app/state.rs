//! All that the console knows. Changed by `update` alone; drawn from `&State`.

use std::collections::HashMap;
use std::sync::Arc;

use super::attention::{Attention, Rules};
use super::batch::Batch;
use super::draft::Draft;
use super::given::RuleList;
use super::keymap::Keymap;
use super::mouse::{Click, Region};
use super::press::{Press, Suspect};
use super::rewritten::{Change, Rewritten};
use super::rules::Proposal;
pub use super::seen::{Extent, Seen, Sight};
use super::sessions::{Choice, Configured, SessionList};
use crate::core::call::{CallKey, SessionId};
use crate::core::decision::{Decision, How};
use crate::core::filter::Filter;
use crate::core::pending::{Arrangement, Pending, Waiting};
use crate::core::run::Level;
use crate::core::session::Session;
use crate::core::time::{Now, Ticks};

/// The three panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    Conversation,
    Pending,
    Output,
}

/// When the console closes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leaves {
    /// Never: the operator quits.
    #[default]
    WhenAsked,
    /// As soon as each call is decided and recorded: somebody waits for the results.
    WhenDecided,
}

/// What the configuration says of deciding. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long a call must have been on screen before a key decides it.
    pub arming: u64,
    /// How long a decision is held back so that it can be undone.
    pub hold: u64,
    /// The same for calls marked destructive.
    pub hold_destructive: u64,
    /// User and host of the operator.
    pub who: String,
    pub leaves: Leaves,
    pub attention: Rules,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            arming: 400,
            hold: 0,
            hold_destructive: 3000,
            who: "operator".to_owned(),
            leaves: Leaves::WhenAsked,
            attention: Rules::default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub now: Now,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    pub settings: Settings,
    pub keymap: Arc<Keymap>,

    pub sessions: Vec<Session>,
    /// How often a session took the place of one that had ended here. What was known of that is not so of this.
    pub replaced: u64,
    /// The agents that can be started.
    pub agents: Vec<Configured>,
    /// What is being opened: one thing at a time.
    pub opening: Option<Choice>,
    /// The session whose conversation and output are shown.
    pub current: SessionId,
    pub pending: Pending,

    pub focus: Pane,
    /// The pane to go back to when the composer or the filter is closed.
    pub focus_before: Pane,
    /// The call under the cursor. Names a call, not a row, so arrivals cannot change it.
    pub cursor: Option<CallKey>,
    /// The call whose output is shown; `None` follows the newest that wrote something.
    pub output_of: Option<CallKey>,
    pub newest_output: Option<CallKey>,

    pub conversation_scroll: Scroll,
    pub output_scroll: Scroll,
    /// Rows of the arguments pane above its first visible row.
    pub arguments_top: usize,

    pub overlay: Option<Overlay>,
    pub draft: Option<Draft>,
    /// Calls of one batch whose arguments are edited already, while the next is being edited.
    pub edited: Vec<(CallKey, Decision)>,
    /// Calls that are signed, or were, with arguments of the operator's: as they would run.
    pub rewritten: HashMap<CallKey, Rewritten>,
    /// A text that was left without being accepted: it is there again when the same is asked for.
    pub left: Option<Draft>,
    /// The unsent message, kept when the composer is left.
    pub unsent: String,
    /// Sent messages, oldest first.
    pub history: Vec<String>,
    pub notice: Option<Notice>,
    /// The call under the cursor when the filter was opened: it comes back as soon as it is listed.
    pub cursor_before: Option<CallKey>,
    /// The filter as it was when it was opened: it comes back if it is left.
    pub filter_before: String,
    /// What became of the calls that were last signed together.
    pub batch: Option<Batch>,
    /// Where the operator is, and when they were last called.
    pub attention: Attention,

    /// The last key, and when it came.
    pub press: Option<Press>,
    /// The last click on something.
    pub click: Option<Click>,
    /// A decision whose key may be held down: carried out in a moment, unless it is.
    pub suspect: Option<Suspect>,
    /// What the last frame showed.
    pub drawn: Drawn,
    /// How often what is on screen began to count afresh. A frame that was drawn before says nothing of what
    /// is to be seen since.
    pub afresh: u64,
    /// The call on screen as the one under the cursor, and since when.
    pub sight: Option<Sight>,
    /// How much of each call's arguments has been on screen.
    pub seen: HashMap<CallKey, Seen>,
    /// When the review sheet came on screen.
    pub sheet_since: Option<Ticks>,
    /// When the text that is being written, and what it decides, came on screen.
    pub draft_since: Option<Ticks>,
}

/// A place in a long text that stays where it is when text is added or the width changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// Follows the end.
    #[default]
    End,
    /// The first visible row is row `row` of entry (conversation) or line (output) `item`.
    At { item: u64, row: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    pub anchor: Anchor,
    /// Rows the operator has scrolled since the last frame; negative is up. Drawing resolves it.
    pub by: isize,
}

/// What a frame showed. Drawing reports it and `update` learns from it, so that "has been on screen"
/// means just that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawn {
    /// How often the state had begun afresh to count what is on screen.
    pub afresh: u64,
    /// The pending call whose row and arguments were visible.
    pub call: Option<CallKey>,
    /// Of that call's arguments and diff, and of what stands beside them.
    pub arguments: Extent,
    /// How many of the last rows of it, or of a review sheet over it, nobody has to have seen: they are not
    /// signed, or were read before.
    pub beside: usize,
    /// Rows of the list that fit.
    pub list_height: usize,
    pub conversation: Anchor,
    pub conversation_height: usize,
    pub output: Anchor,
    pub output_height: usize,
    /// Of the overlay: the review sheet, the full view, the help page.
    pub overlay: Extent,
    /// The review sheet was visible, as a whole or in part.
    pub review: bool,
    /// A text that decides something was visible, with what it decides.
    pub draft: bool,
    /// What lies where, for the mouse.
    pub regions: Vec<Region>,
}

/// What covers the panes.
#[derive(Debug, Clone, PartialEq)]
pub enum Overlay {
    /// The selected call on the whole screen.
    View {
        top: usize,
    },
    Help {
        top: usize,
    },
    /// What became of each call of the last batch.
    Batch {
        top: usize,
    },
    Review(Review),
    /// A rule that is about to be given.
    Rule(Box<Proposal>),
    /// The rules that were given.
    Rules(RuleList),
    /// What there is to open and to start.
    Sessions(SessionList),
    /// Asks before quitting while calls wait or tools run.
    Quit,
}

/// What is about to be signed.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Each call with its decision, in the order of the list.
    pub rulings: Vec<(CallKey, Decision)>,
    pub how: How,
    pub top: usize,
    /// How much of the sheet has been on screen.
    pub seen: Seen,
    /// Enter was pressed while rows of it were unseen; the next enter signs all the same.
    pub asked: bool,
}

impl Review {
    /// Its rows are others than before: what was not seen as a whole is to be seen again, and what is unseen is
    /// to be asked about again.
    pub fn laid_anew(&mut self) {
        self.seen.laid_anew();
        self.asked = false;
    }
}

/// One line for the operator, until the next key or until it is no longer news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub level: Level,
    pub text: String,
    /// When it goes by itself; `None` for what must not be missed.
    pub until: Option<Ticks>,
}

impl State {
    /// A console on these sessions. There is at least one before the first frame.
    pub fn new(settings: Settings, keymap: Arc<Keymap>, sessions: Vec<Session>) -> Self {
        let current = sessions
            .first()
            .map_or_else(|| SessionId(String::new()), |first| first.id.clone());
        Self {
            now: Now::default(),
            size: (0, 0),
            settings,
            keymap,
            current,
            sessions,
            replaced: 0,
            agents: Vec::new(),
            opening: None,
            pending: Pending::default(),
            focus: Pane::Pending,
            focus_before: Pane::Pending,
            cursor: None,
            output_of: None,
            newest_output: None,
            conversation_scroll: Scroll::default(),
            output_scroll: Scroll::default(),
            arguments_top: 0,
            overlay: None,
            draft: None,
            left: None,
            edited: Vec::new(),
            rewritten: HashMap::new(),
            unsent: String::new(),
            history: Vec::new(),
            notice: None,
            cursor_before: None,
            filter_before: String::new(),
            batch: None,
            attention: Attention::default(),
            press: None,
            click: None,
            suspect: None,
            drawn: Drawn::default(),
            afresh: 0,
            sight: None,
            seen: HashMap::new(),
            sheet_since: None,
            draft_since: None,
        }
    }

    pub fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.iter().find(|session| session.id == *id)
    }

    pub fn session_mut(&mut self, id: &SessionId) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.id == *id)
    }

    pub fn current_session(&self) -> Option<&Session> {
        self.session(&self.current)
    }

    /// The waiting call under the cursor.
    pub fn selected(&self) -> Option<&Waiting> {
        self.cursor.as_ref().and_then(|key| self.pending.get(key))
    }

    /// The pending calls that are listed, in the order of the list.
    pub fn listed(&self) -> impl DoubleEndedIterator<Item = &Waiting> {
        self.pending.listed()
    }

    /// What lists only some of the pending calls.
    pub const fn filter(&self) -> &Filter {
        &self.pending.arrangement().filter
    }

    /// Only the calls of the current session are listed.
    pub const fn is_narrowed(&self) -> bool {
        self.pending.arrangement().only.is_some()
    }

    /// Lists only what fits this text.
    pub fn list_only(&mut self, text: &str) {
        let sessions: Vec<SessionId> = self.sessions.iter().map(|open| open.id.clone()).collect();
        let filter = Filter::parse(text, &sessions);
        self.arrange(|arrangement| arrangement.filter = filter);
    }

    /// Lists the pending calls in another way.
    pub fn arrange(&mut self, change: impl FnOnce(&mut Arrangement)) {
        let mut arrangement = self.pending.arrangement().clone();
        change(&mut arrangement);
        self.pending.arrange(arrangement);
    }

    /// The call whose output is shown: the chosen one, else the newest that ran.
    pub fn shown_output(&self) -> Option<&CallKey> {
        self.output_of.as_ref().or(self.newest_output.as_ref())
    }

    /// Milliseconds until the selected call may be decided; 0 once it may. `None` if it is not on screen.
    pub fn arms_in(&self) -> Option<u64> {
        let sight = self
            .sight
            .as_ref()
            .filter(|sight| Some(&sight.call) == self.cursor.as_ref())?;
        let due = sight.since.plus(self.settings.arming);
        Some(due.since(self.now.ticks))
    }

    /// Whether as much time has passed since then as a decision asks for.
    pub(super) const fn is_past(&self, since: Ticks) -> bool {
        self.now.ticks.since(since) >= self.settings.arming
    }

    /// The call as it would run with arguments of the operator's, if a decision on it has any.
    pub fn rewritten(&self, key: &CallKey, decision: &Decision) -> Option<&Rewritten> {
        let edited = decision.edited()?;
        let rewritten = self.rewritten.get(key);
        rewritten.filter(|rewritten| rewritten.is_of(edited))
    }

    /// Whether it is not known yet what a call of the sheet would change.
    pub fn awaits_change(&self, review: &Review) -> bool {
        let is_asked = |(key, decision): &(CallKey, Decision)| {
            let rewritten = self.rewritten(key, decision);
            rewritten.is_some_and(|rewritten| rewritten.change == Change::Asked)
        };
        review.rulings.iter().any(is_asked)
    }

    /// Whether all of a call has been on screen, laid out in one way for as long as a decision asks for.
    pub fn is_read(&self, key: &CallKey) -> bool {
        let stands = |sight: &Sight| sight.call == *key && self.is_past(sight.laid);
        let stood = |seen: &Seen| seen.stood || self.sight.as_ref().is_some_and(stands);
        self.seen
            .get(key)
            .is_some_and(|seen| seen.unseen() == 0 && stood(seen))
    }
}
