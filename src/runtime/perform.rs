//! Effects, carried out.

use super::console::Console;
use crate::app::effect::Effect;
use crate::app::event::Event;
use crate::core::run::RunCommand;
use crate::term::editor;

/// Whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Go,
    /// The program is to be stopped, which takes a look at its signals.
    Suspend,
    /// The terminal is to be the operator's editor's for a while.
    Edit,
    Quit,
}

impl Console {
    pub(super) fn perform(&mut self, effect: Effect) -> std::io::Result<Flow> {
        match effect {
            Effect::Record(ruling) => self.storing.record(*ruling),
            Effect::Deliver(ruling) => {
                let session = ruling.key.session.clone();
                self.agents.send(&session, RunCommand::Ruling(ruling));
            }
            Effect::Message { session, text } => {
                self.agents.send(&session, RunCommand::Message { text });
            }
            Effect::Interrupt(session) => self.agents.send(&session, RunCommand::Interrupt),
            Effect::Resend(session) => self.agents.send(&session, RunCommand::Retry),
            Effect::Give { grant, replaces } => self.storing.give(*grant, replaces),
            Effect::Revoke { grant, who, at } => self.storing.revoke(*grant, who, at),
            Effect::ListRules => self.storing.list_rules(),
            Effect::ListSessions => self.opening.list(),
            Effect::Open(session) => self.opening.open(session),
            Effect::Start(agent) => self.opening.start(agent),
            Effect::Foresee {
                key,
                workspace,
                tool,
                arguments,
            } => self.foresight.ask(workspace.into(), key, (tool, arguments)),
            Effect::OpenEditor { text, extension } => {
                self.editing = Some(Outside { text, extension });
                return Ok(Flow::Edit);
            }
            Effect::Copy(text) => self.terminal.copy(&text)?,
            Effect::Notify { waiting } => self.terminal.notify(waiting)?,
            Effect::TellOutside(waits) => self.outside.tell(waits),
            Effect::Suspend => return Ok(Flow::Suspend),
            Effect::Redraw => self.repaint(),
            Effect::Quit => return Ok(Flow::Quit),
        }
        Ok(Flow::Go)
    }
}

/// A text on its way to the operator's editor.
#[derive(Debug)]
pub(super) struct Outside {
    text: String,
    extension: &'static str,
}

impl Console {
    pub(super) async fn edit(&mut self) -> std::io::Result<()> {
        let Some(Outside { text, extension }) = self.editing.take() else {
            return Ok(());
        };
        self.hush().await;
        self.close_input();
        let edited = self
            .terminal
            .with_released(|| editor::edit(&text, extension))?;
        self.open_input()?;
        self.queue(Event::Edited(edited.map_err(|error| error.to_string())));
        Ok(())
    }
}
