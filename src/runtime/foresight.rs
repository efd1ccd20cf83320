//! What calls would change with arguments that an operator wrote, worked out while the loop goes on.
//!
//! Owns the questions that are under way. Changes no file, and looks at files as the agent's own tools do.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use std::path::PathBuf;

use crate::app::event::Event;
use crate::core::arguments::Arguments;
use crate::core::call::{CallKey, Preview};
use crate::tools::{Builtin, Definition, Toolbox};

/// The tools that change a file, and say beforehand what they would change of it.
const CHANGING: [Builtin; 3] = [Builtin::WriteFile, Builtin::EditFile, Builtin::DeleteFile];

/// What is being worked out. Each ends as an event.
#[derive(Default)]
pub(super) struct Foresight {
    under_way: FuturesUnordered<BoxFuture<'static, Event>>,
}

impl Foresight {
    /// `workspace` is the folder that the call's tool works in, whichever process runs it.
    pub(super) fn ask(
        &self,
        workspace: PathBuf,
        key: CallKey,
        (tool, arguments): (String, Arguments),
    ) {
        self.under_way.push(Box::pin(async move {
            let preview = look(workspace, &tool, &arguments).await.map(Box::new);
            Event::Foreseen {
                key,
                arguments,
                preview,
            }
        }));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// The next one that is known. To be awaited only while there is one.
    pub(super) async fn next(&mut self) -> Option<Event> {
        self.under_way.next().await
    }
}

async fn look(workspace: PathBuf, tool: &str, arguments: &Arguments) -> Option<Preview> {
    let open = move || Toolbox::build(&workspace, CHANGING.map(Definition::Builtin).into());
    match tokio::task::spawn_blocking(open).await {
        Ok(Ok(tools)) => tools.preview(tool, arguments).await,
        Ok(Err(faults)) => {
            tracing::warn!(?faults, "what an edited call would change cannot be told");
            None
        }
        Err(_) => None,
    }
}
