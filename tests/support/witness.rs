//! Somebody who watches the screen and the keyboard, and knows nothing of how the console arms its keys.
//!
//! Remembers each frame with its time. Says of each decision whether what it was made on had been on screen, as
//! that and nothing else, for the whole arming time before the key.

use countersign::app::draft::Purpose;
use countersign::app::state::{Extent, Overlay};
use countersign::core::call::CallKey;
use countersign::core::decision::{Decision, How, Reach, Ruling};
use countersign::core::pending::Stage;
use std::collections::HashMap;

use super::desk::Desk;

const ARMING: u64 = 400;

/// A call as it came: one that comes later under the same key is another one.
pub type Known = (CallKey, usize);

/// What one frame showed.
#[derive(Debug, Clone, Default, PartialEq)]
struct Frame {
    at: u64,
    /// The call under the cursor, with how far a decision on it would reach.
    call: Option<(Known, Reach)>,
    sheet: Option<Vec<(Known, Decision)>>,
    draft: Option<(u8, Vec<Known>)>,
}

/// What was so when a key came.
#[derive(Debug, Clone)]
pub struct Before {
    open: Vec<Known>,
    cursor: Option<Known>,
    covered: Covered,
    now: u64,
}

#[derive(Debug, Clone, PartialEq)]
enum Covered {
    No,
    Sheet,
    Text { kind: u8, text: String },
    Other,
}

/// How a key came.
#[derive(Debug, Clone, PartialEq)]
pub enum Came<'a> {
    Pressed(&'a str),
    /// Held, pasted, or no key at all.
    Otherwise,
}

/// Rows that were drawn, by the size of the screen and how many there were.
type Layouts = HashMap<(usize, usize), Rows>;

/// Rows of one text at one size of the screen, and from when to when they were drawn.
#[derive(Default)]
struct Rows {
    seen: Vec<bool>,
    first: u64,
    last: u64,
}

#[derive(Default)]
pub struct Witness {
    frames: Vec<Frame>,
    arrivals: HashMap<CallKey, usize>,
    /// How often the screen took another size.
    layout: usize,
    /// Rows of each call that were drawn.
    rows: HashMap<Known, Layouts>,
    sheet_rows: Layouts,
    /// Keys that would sign, since the sheet was opened.
    asked: usize,
    /// A key that may be held down, and what was so when it came: what it decides comes later.
    waits: Option<(Before, String)>,
    pub decisions: usize,
}

impl Witness {
    pub fn arrived(&mut self, key: CallKey) {
        *self.arrivals.entry(key).or_default() += 1;
    }

    fn known(&self, key: &CallKey) -> Known {
        (
            key.clone(),
            self.arrivals.get(key).copied().unwrap_or_default(),
        )
    }

    /// A frame came out. What is on it is read from what there was to draw.
    pub fn drawn(&mut self, desk: &Desk) {
        let state = &desk.state;
        let uncovered =
            matches!(state.overlay, None | Some(Overlay::View { .. })) && state.draft.is_none();
        let call = state.selected().filter(|_| uncovered);
        let call = call.map(|waiting| (self.known(&waiting.call.key), waiting.reach));
        let now = state.now.ticks.0;
        if let Some((known, _)) = &call {
            let rows = self.rows.entry(known.clone()).or_default();
            cover(rows, self.layout, state.drawn.arguments, now);
        }
        let sheet = match &state.overlay {
            Some(Overlay::Review(review)) => {
                cover(&mut self.sheet_rows, self.layout, state.drawn.overlay, now);
                let rulings = review.rulings.iter();
                Some(
                    rulings
                        .map(|(key, decision)| (self.known(key), decision.clone()))
                        .collect(),
                )
            }
            _ => None,
        };
        self.frames.push(Frame {
            at: state.now.ticks.0,
            call,
            sheet,
            draft: self.draft(desk),
        });
    }

    /// The screen is about to take another size: what it shows stood until now.
    pub fn resized(&mut self, desk: &Desk) {
        let now = desk.state.now.ticks.0;
        let calls = self.rows.values_mut();
        let all = calls.chain([&mut self.sheet_rows]);
        for ((layout, _), rows) in all.flatten() {
            if *layout == self.layout {
                rows.last = now;
            }
        }
        self.layout += 1;
    }

    /// From here on the screen does not show what a key would decide.
    pub fn lost(&mut self, desk: &Desk) {
        let at = desk.state.now.ticks.0;
        self.frames.push(Frame {
            at,
            ..Frame::default()
        });
    }

    fn draft(&self, desk: &Desk) -> Option<(u8, Vec<Known>)> {
        let draft = desk.state.draft.as_ref()?;
        let calls = draft.purpose.calls().into_iter().map(|key| self.known(key));
        Some((kind(&draft.purpose), calls.collect()))
    }

    pub fn before(&self, desk: &Desk) -> Before {
        let state = &desk.state;
        let open = state.pending.iter().filter(|waiting| waiting.is_open());
        let covered = match (&state.draft, &state.overlay) {
            (Some(draft), _) => Covered::Text {
                kind: kind(&draft.purpose),
                text: draft.text(),
            },
            (None, Some(Overlay::Review(_))) => Covered::Sheet,
            (None, None | Some(Overlay::View { .. })) => Covered::No,
            (
                None,
                Some(
                    Overlay::Help { .. }
                    | Overlay::Batch { .. }
                    | Overlay::Quit
                    | Overlay::Sessions(_)
                    | Overlay::Rule(_)
                    | Overlay::Rules(_),
                ),
            ) => Covered::Other,
        };
        Before {
            open: open.map(|waiting| self.known(&waiting.call.key)).collect(),
            cursor: state.cursor.as_ref().map(|key| self.known(key)),
            covered,
            now: state.now.ticks.0,
        }
    }

    /// What is wrong with the decisions that the event made, if anything is.
    pub fn after(&mut self, desk: &Desk, before: &Before, came: &Came<'_>) -> Result<(), String> {
        let mut decided: Vec<(Known, Ruling)> = Vec::new();
        for waiting in desk.state.pending.iter() {
            let known = self.known(&waiting.call.key);
            if let (true, Stage::Held { ruling, .. } | Stage::Recording { ruling }) =
                (before.open.contains(&known), &waiting.stage)
            {
                decided.push((known, (**ruling).clone()));
            }
        }
        self.decisions += decided.len();
        let mut verdict = self.judged(before, came, &decided);
        if let (Err(_), Some((before, key))) = (&verdict, &self.waits) {
            verdict = self.judged(before, &Came::Pressed(key), &decided);
        }
        self.waits = match (&desk.state.suspect, came) {
            (None, _) => None,
            (Some(_), Came::Pressed(key)) => Some((before.clone(), (*key).to_owned())),
            (Some(_), Came::Otherwise) => self.waits.take(),
        };
        let sheet = matches!(desk.state.overlay, Some(Overlay::Review(_)));
        match (&before.covered, sheet) {
            (Covered::Sheet, true) => self.asked += usize::from(*came == Came::Pressed("enter")),
            (_, true) => {
                self.asked = 0;
                self.sheet_rows.clear();
            }
            (_, false) => {}
        }
        let cursor = desk.state.cursor.as_ref().map(|key| self.known(key));
        if cursor != before.cursor {
            // A sheet or a text that is on screen stays what it is.
            let last = self.frames.last().cloned().unwrap_or_default();
            let at = desk.state.now.ticks.0;
            self.frames.push(Frame {
                at,
                call: None,
                ..last
            });
        }
        verdict.map_err(|why| {
            format!(
                "{why}\n{before:#?}\n{came:?}\n{decided:#?}\nframes: {:#?}",
                self.last_frames()
            )
        })
    }

    fn last_frames(&self) -> &[Frame] {
        &self.frames[self.frames.len().saturating_sub(4)..]
    }

    fn judged(
        &self,
        before: &Before,
        came: &Came<'_>,
        decided: &[(Known, Ruling)],
    ) -> Result<(), String> {
        let Some((known, ruling)) = decided.first() else {
            return Ok(());
        };
        let Came::Pressed(key) = came else {
            return Err("something else than a pressed key decided".to_owned());
        };
        if ruling.how == How::Interrupt {
            return if *key == "ctrl-c" {
                Ok(())
            } else {
                Err("an interrupt without its key".to_owned())
            };
        }
        let stood = |what: &dyn Fn(&Frame) -> bool| self.stood(before.now, what);
        let approves = |ruling: &Ruling| matches!(ruling.decision, Decision::Approve { .. });
        match &before.covered {
            Covered::Other => Err("decided behind a sheet".to_owned()),
            Covered::No => {
                let one = decided.len() == 1 && before.cursor.as_ref() == Some(known);
                // The row says it where only an approval would last.
                let as_said = |reach: Reach| {
                    reach == ruling.reach || ruling.reach == Reach::Once && !approves(ruling)
                };
                let shows = |(call, reach): &(Known, Reach)| call == known && as_said(*reach);
                let on_screen = stood(&|frame| frame.call.as_ref().is_some_and(shows));
                let read = !approves(ruling) || self.are_read(self.rows.get(known), before.now);
                match (one, ["a", "r", "R"].contains(key), on_screen, read) {
                    (true, true, true, true) => Ok(()),
                    wrong => Err(format!("one, by its key, on screen, read: {wrong:?}")),
                }
            }
            Covered::Sheet => {
                let shows = |frame: &Frame| {
                    let all = frame.sheet.as_ref();
                    all.is_some_and(|all| {
                        decided.iter().all(|(known, ruling)| {
                            all.contains(&(known.clone(), ruling.decision.clone()))
                        })
                    })
                };
                let read = !decided.iter().any(|(_, ruling)| approves(ruling))
                    || self.are_read(Some(&self.sheet_rows), before.now)
                    || self.asked > 0;
                match (*key == "enter", stood(&shows), read) {
                    (true, true, true) => Ok(()),
                    wrong => Err(format!("by enter, on the sheet, read or asked: {wrong:?}")),
                }
            }
            Covered::Text { kind, text } => {
                let shows = |frame: &Frame| {
                    let draft = frame.draft.as_ref();
                    draft.is_some_and(|(of, calls)| of == kind && calls.contains(known))
                };
                let said = match (&ruling.decision, kind) {
                    (Decision::Reject { reason: told }, 1)
                    | (Decision::Retry { message: told }, 4)
                    | (Decision::Fail { message: told }, 5) => {
                        text.trim() == told || told.is_empty()
                    }
                    (Decision::Respond { result }, 3) => text == result,
                    _ => false,
                };
                match (decided.len(), *key == "ctrl-s", stood(&shows), said) {
                    (1, true, true, true) => Ok(()),
                    wrong => Err(format!(
                        "one, by ctrl-s, on screen, in its words: {wrong:?}"
                    )),
                }
            }
        }
    }

    /// Whether all rows were drawn at a size of the screen that did not only flash by.
    fn are_read(&self, layouts: Option<&Layouts>, now: u64) -> bool {
        let stood = |layout: usize, rows: &Rows| {
            let last = if layout == self.layout {
                now
            } else {
                rows.last
            };
            last - rows.first >= ARMING
        };
        layouts.is_some_and(|layouts| {
            let mut layouts = layouts.iter();
            layouts.any(|((layout, _), rows)| {
                rows.seen.iter().all(|seen| *seen) && stood(*layout, rows)
            })
        })
    }

    /// Whether each frame showed it that was on screen at any time of the arming time before `now`.
    fn stood(&self, now: u64, shows: &dyn Fn(&Frame) -> bool) -> bool {
        let Some(from) = now.checked_sub(ARMING) else {
            return false;
        };
        let first = self.frames.iter().rposition(|frame| frame.at <= from);
        first.is_some_and(|first| self.frames[first..].iter().all(shows))
    }
}

/// A word for what a text decides: 0 for a message and a filter, 2 for an edit, which decides nothing by itself.
const fn kind(purpose: &Purpose) -> u8 {
    match purpose {
        Purpose::Message | Purpose::Filter | Purpose::Sessions => 0,
        Purpose::Reason { .. } => 1,
        Purpose::Edit { .. } | Purpose::Set { .. } => 2,
        Purpose::Answer { .. } => 3,
        Purpose::Retry { .. } => 4,
        Purpose::Failure { .. } => 5,
    }
}

fn cover(layouts: &mut Layouts, layout: usize, extent: Extent, now: u64) {
    let rows = layouts
        .entry((layout, extent.total))
        .or_insert_with(|| Rows {
            seen: vec![false; extent.total],
            first: now,
            last: now,
        });
    rows.last = now;
    for row in rows.seen.iter_mut().skip(extent.top).take(extent.height) {
        *row = true;
    }
}
