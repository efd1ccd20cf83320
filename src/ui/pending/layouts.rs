//! What the pane has laid out, kept from frame to frame. Only a cache.
//!
//! Owns what the rows of a call depend on, and which of them stand beside what is signed.

use jiff::Timestamp;
use std::rc::Rc;

use super::arguments;
use super::script::{self, Known};
use super::signed::{Look, Signed};
use super::strip::Strip;
use crate::core::arguments::Arguments;
use crate::core::call::CallKey;
use crate::core::decision::Reach;
use crate::core::pending::{Stage, Waiting};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words::Scene;

/// The laid-out arguments of the selected call.
#[derive(Debug, Default)]
pub struct Layouts {
    kept: Option<(Version, Laid)>,
    /// The first row of the list in the last frame.
    pub(super) top: usize,
    /// What an empty list says, and of what.
    empty: Option<(Nothing, Rc<[Row]>)>,
}

/// All there is to read of a call.
#[derive(Debug, Clone)]
pub struct Laid {
    pub rows: Rc<[Row]>,
    /// How many of the last of them stand beside what is signed: nobody has to have seen them.
    pub beside: usize,
}

/// All that the words of an empty list depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Nothing {
    filter: String,
    pending: usize,
    width: u16,
}

/// All that the rows of a call's arguments depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    key: CallKey,
    stage: u8,
    failure: Option<String>,
    late: bool,
    warnings: Vec<String>,
    reach: Reach,
    script: Known,
    width: usize,
    /// Another call may come under the same key.
    arrived: Timestamp,
    arguments: Arguments,
    look: Look,
}

impl Layouts {
    pub(super) fn empty(&mut self, width: u16, scene: Scene<'_>) -> Rc<[Row]> {
        let nothing = Nothing {
            filter: scene.state.filter().text().to_owned(),
            pending: scene.state.pending.len(),
            width,
        };
        if let Some((kept, rows)) = &self.empty
            && *kept == nothing
        {
            return Rc::clone(rows);
        }
        let rows: Rc<[Row]> = super::empty(scene, width).into();
        self.empty = Some((nothing, Rc::clone(&rows)));
        rows
    }

    pub fn rows(
        &mut self,
        waiting: &Waiting,
        strip: Strip,
        width: usize,
        scene: Scene<'_>,
    ) -> Laid {
        let signed = Signed::now(waiting, scene.state);
        let version = Version {
            key: waiting.call.key.clone(),
            stage: match waiting.stage {
                Stage::Awaiting => 0,
                Stage::Held { .. } => 1,
                Stage::Recording { .. } => 2,
            },
            failure: waiting.failure.clone(),
            late: waiting.late,
            warnings: waiting.call.warnings.clone(),
            reach: waiting.reach,
            script: Known::of(waiting, scene.state),
            width,
            arrived: waiting.call.arrived,
            arguments: waiting.call.arguments.clone(),
            look: signed.look(),
        };
        if let Some((kept, laid)) = &self.kept
            && *kept == version
        {
            return laid.clone();
        }
        let laid = laid(signed, strip, &version.script, width, scene.theme);
        self.kept = Some((version, laid.clone()));
        laid
    }
}

/// What is signed and, beside it, the script. Of a script itself nothing is signed, so it comes first.
pub fn laid(signed: Signed<'_>, strip: Strip, script: &Known, width: usize, theme: &Theme) -> Laid {
    let call = &signed.call.call;
    let mut beside = script::rows(call, script, strip, width, theme);
    let mut rows = arguments::rows(signed, strip, width, theme);
    if call.is_script() {
        let mut first = Row::new()
            .with("rejecting or answering it ", theme.dim)
            .then(script::drops(script, theme))
            .wrapped(width, Breaks::Words);
        first.append(&mut beside);
        first.push(Row::new());
        first.append(&mut rows);
        rows = first;
    }
    let signed = rows.len();
    if !beside.is_empty() {
        rows.push(Row::new());
    }
    rows.append(&mut beside);
    Laid {
        beside: rows.len() - signed,
        rows: rows.into(),
    }
}
