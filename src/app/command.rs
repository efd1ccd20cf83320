//! What a key can ask for. The names are those of `keymap.toml`.

use serde::{Deserialize, Serialize};

/// Where a key is looked up. Several are active at once; see `Context::active`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Context {
    Global,
    Pending,
    Scroll,
    Text,
    Sheet,
    List,
    Rules,
}

/// Everything a key can ask for, in the order of the help page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    // pending
    Approve,
    Reject,
    Edit,
    Take,
    Set,
    Answer,
    Retry,
    Fail,
    Always,
    Propose,
    Mark,
    MarkAll,
    ApproveAll,
    RejectAll,
    Undo,
    View,
    Filter,
    Unfilter,
    Group,
    Sort,
    Next,
    Previous,
    First,
    Last,
    NextPage,
    PreviousPage,
    ArgumentsDown,
    ArgumentsUp,
    // global
    Message,
    FocusNext,
    FocusPrevious,
    OutputNext,
    OutputPrevious,
    NextSession,
    Narrow,
    Sessions,
    Batch,
    Rules,
    Interrupt,
    Resend,
    Copy,
    CopyId,
    Help,
    Redraw,
    Suspend,
    Quit,
    // scroll
    ScrollDown,
    ScrollUp,
    ScrollPageDown,
    ScrollPageUp,
    ScrollTop,
    ScrollBottom,
    // text
    Accept,
    AcceptLine,
    Leave,
    Editor,
    Older,
    Newer,
    // sheet
    Sign,
    Close,
    // list
    Choose,
    Search,
    // rules
    Wider,
    Narrower,
    AllowOrDeny,
    Lasts,
    Change,
    Revoke,
}

impl Command {
    pub const ALL: [Self; 68] = [
        Self::Approve,
        Self::Reject,
        Self::Edit,
        Self::Take,
        Self::Set,
        Self::Answer,
        Self::Retry,
        Self::Fail,
        Self::Always,
        Self::Propose,
        Self::Mark,
        Self::MarkAll,
        Self::ApproveAll,
        Self::RejectAll,
        Self::Undo,
        Self::View,
        Self::Filter,
        Self::Unfilter,
        Self::Group,
        Self::Sort,
        Self::Next,
        Self::Previous,
        Self::First,
        Self::Last,
        Self::NextPage,
        Self::PreviousPage,
        Self::ArgumentsDown,
        Self::ArgumentsUp,
        Self::Message,
        Self::FocusNext,
        Self::FocusPrevious,
        Self::OutputNext,
        Self::OutputPrevious,
        Self::NextSession,
        Self::Narrow,
        Self::Sessions,
        Self::Batch,
        Self::Rules,
        Self::Interrupt,
        Self::Resend,
        Self::Copy,
        Self::CopyId,
        Self::Help,
        Self::Redraw,
        Self::Suspend,
        Self::Quit,
        Self::ScrollDown,
        Self::ScrollUp,
        Self::ScrollPageDown,
        Self::ScrollPageUp,
        Self::ScrollTop,
        Self::ScrollBottom,
        Self::Accept,
        Self::AcceptLine,
        Self::Leave,
        Self::Editor,
        Self::Older,
        Self::Newer,
        Self::Sign,
        Self::Close,
        Self::Choose,
        Self::Search,
        Self::Wider,
        Self::Narrower,
        Self::AllowOrDeny,
        Self::Lasts,
        Self::Change,
        Self::Revoke,
    ];

    /// The context whose table names this command.
    pub const fn context(self) -> Context {
        match self {
            Self::Approve
            | Self::Reject
            | Self::Edit
            | Self::Take
            | Self::Set
            | Self::Answer
            | Self::Retry
            | Self::Fail
            | Self::Always
            | Self::Propose
            | Self::Mark
            | Self::MarkAll
            | Self::ApproveAll
            | Self::RejectAll
            | Self::Undo
            | Self::View
            | Self::Filter
            | Self::Unfilter
            | Self::Group
            | Self::Sort
            | Self::Next
            | Self::Previous
            | Self::First
            | Self::Last
            | Self::NextPage
            | Self::PreviousPage
            | Self::ArgumentsDown
            | Self::ArgumentsUp => Context::Pending,
            Self::Message
            | Self::FocusNext
            | Self::FocusPrevious
            | Self::OutputNext
            | Self::OutputPrevious
            | Self::NextSession
            | Self::Narrow
            | Self::Sessions
            | Self::Batch
            | Self::Rules
            | Self::Interrupt
            | Self::Resend
            | Self::Copy
            | Self::CopyId
            | Self::Help
            | Self::Redraw
            | Self::Suspend
            | Self::Quit => Context::Global,
            Self::ScrollDown
            | Self::ScrollUp
            | Self::ScrollPageDown
            | Self::ScrollPageUp
            | Self::ScrollTop
            | Self::ScrollBottom => Context::Scroll,
            Self::Accept
            | Self::AcceptLine
            | Self::Leave
            | Self::Editor
            | Self::Older
            | Self::Newer => Context::Text,
            Self::Sign | Self::Close => Context::Sheet,
            Self::Choose | Self::Search => Context::List,
            Self::Wider
            | Self::Narrower
            | Self::AllowOrDeny
            | Self::Lasts
            | Self::Change
            | Self::Revoke => Context::Rules,
        }
    }

    /// Whether a held key may go on asking for it. Nothing that decides, opens or sends may.
    pub const fn repeats(self) -> bool {
        matches!(
            self,
            Self::Next
                | Self::Previous
                | Self::NextPage
                | Self::PreviousPage
                | Self::ArgumentsDown
                | Self::ArgumentsUp
                | Self::ScrollDown
                | Self::ScrollUp
                | Self::ScrollPageDown
                | Self::ScrollPageUp
        )
    }
}
