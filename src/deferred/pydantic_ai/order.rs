//! Requests beside a message history: the calls in the model's order, as the framework will run them.

use std::collections::{HashMap, HashSet};

use super::history::History;
use super::requests::Waiting;
use crate::deferred::imported::ReadFault;
use crate::deferred::proposed::{excerpt, same};

/// The framework runs the history's calls, in its order, and wants an answer to each that is open.
pub(super) fn in_model_order<'v>(
    asked: Vec<Waiting<'v>>,
    history: &mut History<'v>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Waiting<'v>>, ReadFault> {
    if let Some(done) = asked.iter().find(|call| history.answered.contains(call.id)) {
        let what = format!(
            "the call `{}` has a result in the message history already",
            done.id
        );
        return Err(done.at.fault(what));
    }
    let open = history.take_open();
    let places: HashMap<_, _> = open
        .iter()
        .enumerate()
        .map(|(at, call)| (call.id, at))
        .collect();
    let ids: HashSet<_> = asked.iter().map(|call| call.id).collect();
    let forgotten: Vec<_> = open
        .iter()
        .map(|call| call.id)
        .filter(|id| !ids.contains(id))
        .collect();
    if let Some(first) = forgotten.first() {
        warnings.push(format!(
            "the message history has {} more open calls than the requests, `{first}` first; the framework will not \
             go on without a result of each",
            forgotten.len()
        ));
    }
    let mut ordered: Vec<_> = asked
        .into_iter()
        .map(|call| {
            let place = places.get(call.id).copied();
            let will_run = place.and_then(|place| open.get(place));
            (place.unwrap_or(usize::MAX), as_it_will_run(call, will_run))
        })
        .collect();
    ordered.sort_by_key(|(place, _)| *place);
    Ok(ordered.into_iter().map(|(_, call)| call).collect())
}

fn as_it_will_run<'v>(mut call: Waiting<'v>, will_run: Option<&Waiting<'v>>) -> Waiting<'v> {
    let Some(will_run) = will_run else {
        let warning = "the last response in the message history has no such call, so the framework will not take an \
                       answer to it";
        call.warnings.push(warning.to_owned());
        return call;
    };
    if call.tool != will_run.tool {
        let said = call.tool;
        let warning = format!("the request says `{said}`, which is not what will run");
        call.warnings.push(warning);
    }
    if !same(call.arguments(), will_run.arguments()) {
        let said = excerpt(call.arguments());
        let warning = format!("the request says {said}, which is not what will run");
        call.warnings.push(warning);
    }
    call.tool = will_run.tool;
    call.part = will_run.part.clone();
    call
}
