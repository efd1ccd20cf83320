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
use crate::deferred::cursor::{At, Ids};
use crate::deferred::identity;
use crate::deferred::imported::{self, Imported, ImportedCall, Past, ReadFault};

const UNTOLD: &str = "a message history alone does not say which calls wait for approval and which for a result from \
                      outside; approving one of the latter ends the run with an error";

pub(super) fn read(document: &Value) -> Result<Imported, ReadFault> {
    let root = At::root(document);
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
    /// Of the calls and of the scripts.
    ids: Ids,
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

    fn add(&mut self, call: Waiting<'_>, version: Version) -> Result<(), ReadFault> {
        let mut inner = Vec::new();
        let metadata = call.metadata.clone();
        if let Some(metadata) = &metadata {
            self.metadata
                .insert(call.id.to_owned(), metadata.value.clone());
            if call.kind == requests::Kind::Approval {
                inner = code_mode::inner(&call, metadata)?;
            }
        }
        let id = CallId(call.id.to_owned());
        if inner.is_empty() {
            self.ids.take(&id, &call.at)?;
            self.seats.insert(id, Seat::Own);
            self.calls.push(own(call, version)?);
            return Ok(());
        }
        self.ids.take(&id, &call.at)?;
        if !self.told.contains(&id) {
            self.untold.push(history::called(&call));
        }
        let script = match &metadata {
            Some(metadata) => Some(code_mode::itself(call, metadata, &inner, version)?),
            None => None,
        };
        for (inner, at) in inner {
            self.ids.take(&inner.id, &at)?;
            self.seats
                .insert(inner.id.clone(), Seat::Within(id.clone()));
            self.calls.push(inner);
        }
        if let Some(script) = script {
            self.seats.insert(id, Seat::Own);
            self.calls.push(script);
        }
        Ok(())
    }
}
