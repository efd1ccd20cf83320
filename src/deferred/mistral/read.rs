//! Reading the SDK's state: the calls that wait, and where the state contradicts itself.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Held, Runs, State, past};
use crate::core::call::{Answer, Answers, CallId};
use crate::core::verdict::Basis;
use crate::deferred::cursor::{At, Ids};
use crate::deferred::identity;
use crate::deferred::imported::{self, Imported, ImportedCall, ReadFault};
use crate::deferred::proposed::{Proposed, excerpt, same};

/// What the model asked for, by the call's id.
type Asked<'v> = HashMap<&'v str, &'v Value>;

pub(super) fn read(document: &Value) -> Result<Imported, ReadFault> {
    let root = At::root(document);
    root.object()?;
    let (conversation, warnings) = conversation(&root)?;
    let mut ids = Ids::default();
    let executed = executed(&root, &mut ids)?;
    let outputs = past::read(&root)?;
    let mut calls = Vec::new();
    let mut held = HashMap::new();
    for entry in root.need("deferred_calls")?.items()? {
        let function = entry.need("function_call")?;
        let id = CallId(function.need("tool_call_id")?.name()?.to_owned());
        ids.take(&id, &function.need("tool_call_id")?)?;
        let (call, one) = call(&entry, &function, &id, &outputs.asked)?;
        held.insert(id, one);
        calls.push(call);
    }
    Ok(Imported {
        agent: outputs.agent,
        model: outputs.model,
        calls,
        history: outputs.past,
        warnings,
        identity: identity::of(document),
        state: imported::State::Mistral(State {
            conversation,
            executed,
            calls: held,
        }),
    })
}

/// The conversation to go on with. The SDK writes null where there was none, and cannot do without the member.
fn conversation(root: &At<'_>) -> Result<(Value, Vec<String>), ReadFault> {
    match root.value.get("conversation_id") {
        Some(Value::Null) => {
            let warning = "the state names no conversation, so its results may have nowhere to go";
            Ok((Value::Null, vec![warning.to_owned()]))
        }
        Some(_) => Ok((root.need("conversation_id")?.name()?.into(), Vec::new())),
        None => Err(root.fault("`conversation_id` is missing")),
    }
}

/// The results that were not sent yet, as they came, with the members that the SDK adds where they are missing.
fn executed(root: &At<'_>, ids: &mut Ids) -> Result<Vec<Value>, ReadFault> {
    let Some(results) = root.member("executed_results") else {
        return Ok(Vec::new());
    };
    let mut executed = Vec::new();
    for result in results.items()? {
        let id = result.need("tool_call_id")?;
        ids.take(&CallId(id.name()?.to_owned()), &id)?;
        result.need("result")?.text()?;
        let mut entry = result.object()?.clone();
        for (member, expected) in [("object", "entry"), ("type", "function.result")] {
            let given = entry.entry(member).or_insert(json!(expected));
            if given != expected {
                return Err(result.fault(format!("`{member}` must be `{expected}`")));
            }
        }
        executed.push(Value::Object(entry));
    }
    Ok(executed)
}

fn call(
    entry: &At<'_>,
    function: &At<'_>,
    id: &CallId,
    asked: &Asked,
) -> Result<(ImportedCall, Held), ReadFault> {
    let tool = function.need("name")?.name()?;
    let proposed = Proposed::at(&function.need("arguments")?)?;
    let runs = runs(entry)?;
    let mut warnings = contradictions(entry.value, function.value, asked.get(id.0.as_str()));
    let answers = answers(runs, &proposed);
    warnings.extend(proposed.unreadable);
    let metadata = entry.member("metadata").map(|at| at.value);
    let call = ImportedCall {
        id: id.clone(),
        tool: tool.to_owned(),
        arguments: proposed.arguments,
        answers,
        parent: None,
        basis: match runs {
            Runs::Program => Basis::Framework {
                reason: String::new(),
            },
            Runs::Service => Basis::Provider,
        },
        risks: Vec::new(),
        schema: None,
        metadata: metadata.filter(|given| **given != json!({})).cloned(),
        warnings,
        expires: None,
        arrived: None,
        script: None,
    };
    let held = Held {
        function_call: function.value.clone(),
        runs,
    };
    Ok((call, held))
}

fn runs(entry: &At<'_>) -> Result<Runs, ReadFault> {
    let Some(reason) = entry.member("reason") else {
        return Ok(Runs::Program);
    };
    let given = reason.text()?;
    [Runs::Program, Runs::Service]
        .into_iter()
        .find(|runs| runs.reason() == given)
        .ok_or_else(|| reason.fault(format!("a call is not deferred for `{given}`")))
}

/// Whoever runs a call cannot do so with arguments that cannot be read.
fn answers(runs: Runs, proposed: &Proposed) -> Answers {
    let (refuse, explain) = (Answer::Reject, Answer::Reason);
    match (runs, &proposed.unreadable) {
        (Runs::Program, None) => {
            let (approve, edit) = (Answer::Approve, Answer::Edit);
            Answers::of([approve, edit, refuse, explain, Answer::Respond])
        }
        (Runs::Program, Some(_)) => Answers::of([refuse, explain, Answer::Respond]),
        (Runs::Service, None) => Answers::confirmation(),
        (Runs::Service, Some(_)) => Answers::of([refuse, explain]),
    }
}

/// What the state says of the call elsewhere and that is not what will run.
fn contradictions(entry: &Value, function: &Value, asked: Option<&&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    let beside = [
        ("tool_call_id", "tool_call_id"),
        ("tool_name", "name"),
        ("arguments", "arguments"),
    ];
    for (member, means) in beside {
        if let Some(said) = entry.get(member)
            && !agrees(member, said, &function[means])
        {
            let said = excerpt(said);
            warnings.push(format!(
                "`{member}` says {said}, which is not what will run"
            ));
        }
    }
    for member in ["name", "arguments"] {
        if let Some(said) = asked.and_then(|asked| asked.get(member))
            && !agrees(member, said, &function[member])
        {
            let said = excerpt(said);
            warnings.push(format!(
                "the model's `{member}` says {said}, which is not what will run"
            ));
        }
    }
    warnings
}

fn agrees(member: &str, said: &Value, runs: &Value) -> bool {
    match member {
        "arguments" => same(said, runs),
        _ => said == runs,
    }
}
