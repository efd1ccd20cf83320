//! How an operator who looks elsewhere is called: the words that configuration, console and terminal share.

/// How a terminal is asked to call its operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Call {
    /// The bell alone.
    #[default]
    Bell,
    Osc9,
    Osc777,
    Osc99,
}

/// What stands between this program and the terminal, and passes on only what is wrapped for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Through {
    #[default]
    Nothing,
    Tmux,
    Screen,
}

/// What is assumed of an operator whose terminal does not say whether it is in focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// Away after a while without a key.
    #[default]
    Idle,
    Away,
    Here,
}
