//! Putting requests and messages together: the calls as they are shown and decided.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::document::{Asked, Document};
use super::history::{self, History};
use super::offer::{Version, own};
use super::order::in_model_order;
use super::requests::{self, Waiting};
use super::{Seat, State, code_mode};
use crate::core::call::CallId;
use crate::deferred::identity;
use crate::deferred::imported::{self, Imported, ImportedCall, Past, ReadFault};
use crate::deferred::place::{Place, broken};

const UNTOLD: &str = "a message history alone does not say which calls wait for approval and which for a result from \
                      outside; approving one of the latter ends the run with an error";

pub(super) fn read(document: &Value) -> Result<Imported, ReadFault> {
    let root = Place::root(document);
    let parts = Document::at(&root)?;
    let mut history = match &parts.messages {
        Some(messages) => history::read(messages)?,
        None => History::default(),
    };
    let mut warnings = Vec::new();
    let mut version = if parts.is_conversation || history.is_of_version_2 {
        Version::Two
    } else {
        Version::Untold
    };
    let waiting = match &parts.asked {
        Asked::Requests(requests) => {
            version = version.or(requests);
            let asked = requests::read(requests)?;
            match parts.messages {
                Some(_) => in_model_order(asked, &mut history, &mut warnings)?,
                None => asked,
            }
        }
        Asked::Messages => {
            warnings.push(UNTOLD.to_owned());
            history.take_open()
        }
        Asked::Nothing => Vec::new(),
    };
    let mut seated = Seated::among(&history.past);
    for call in waiting {
        seated.add(call, version)?;
    }
    history.past.append(&mut seated.untold);
    Ok(Imported {
        agent: None,
        model: history.model,
        calls: seated.calls,
        history: history.past,
        warnings,
        identity: identity::of(document),
        state: imported::State::PydanticAi(State {
            seats: seated.seats,
            metadata: seated.metadata,
        }),
    })
}

/// The calls that are decided, each with the place of its answer.
#[derive(Default)]
struct Seated {
    calls: Vec<ImportedCall>,
    seats: HashMap<CallId, Seat>,
    metadata: Map<String, Value>,
    /// The scripts, which are not decided themselves.
    scripts: HashSet<CallId>,
    /// The calls that the history tells of.
    told: HashSet<CallId>,
    /// Scripts that it does not tell of.
    untold: Vec<Past>,
}

impl Seated {
    fn among(past: &[Past]) -> Self {
        let called = past.iter().filter_map(|past| match past {
            Past::Called { call, .. } => Some(call.clone()),
            Past::User(_)
            | Past::Agent(_)
            | Past::Thinking(_)
            | Past::Result { .. }
            | Past::Note(_) => None,
        });
        Self {
            told: called.collect(),
            ..Self::default()
        }
    }

    fn add(&mut self, mut call: Waiting, version: Version) -> Result<(), ReadFault> {
        let mut inner = Vec::new();
        if let Some((metadata, pointer)) = &call.metadata {
            self.metadata
                .insert(call.id.to_owned(), (*metadata).clone());
            if call.kind == requests::Kind::Approval {
                inner = code_mode::inner(&call, &Place::with_pointer(metadata, pointer))?;
            }
        }
        if inner.is_empty() {
            let pointer = std::mem::take(&mut call.pointer);
            let call =
                own(call, version).map_err(|what| broken(format!("{pointer}/args"), what))?;
            return self.seat(call, Seat::Own, pointer);
        }
        let script = CallId(call.id.to_owned());
        if !self.told.contains(&script) {
            self.untold.push(history::called(&call));
        }
        if self.seats.contains_key(&script) || !self.scripts.insert(script.clone()) {
            return Err(twice(&script, call.pointer));
        }
        for (inner, pointer) in inner {
            self.seat(inner, Seat::Within(script.clone()), pointer)?;
        }
        Ok(())
    }

    fn seat(&mut self, call: ImportedCall, seat: Seat, pointer: String) -> Result<(), ReadFault> {
        let taken = self.scripts.contains(&call.id);
        if taken || self.seats.insert(call.id.clone(), seat).is_some() {
            return Err(twice(&call.id, pointer));
        }
        self.calls.push(call);
        Ok(())
    }
}

fn twice(id: &CallId, pointer: String) -> ReadFault {
    broken(
        pointer,
        format!("the call `{id}` stands twice in this state"),
    )
}
