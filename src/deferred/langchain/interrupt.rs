//! One interrupt: which calls it asks about, and which answers each takes.

use std::collections::HashMap;

use super::super::cursor::{At, Ids};
use super::super::imported::{ImportedCall, ReadFault};
use super::schema;
use crate::core::call::{Answer, Answers, CallId};
use crate::core::verdict::Basis;

/// How an interrupt asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// All calls of a turn, answered together.
    Batched,
    /// One call.
    PerCall,
}

/// An interrupt that asks a person to decide calls.
#[derive(Debug)]
pub(super) struct Interrupt<'a> {
    at: At<'a>,
    request: At<'a>,
    pub(super) id: Option<&'a str>,
    pub(super) shape: Shape,
}

/// The list of interrupts in a document, where it is one or has one.
pub(super) fn listed<'a>(root: &At<'a>) -> Option<At<'a>> {
    let list = if root.value.is_array() {
        Some(root.clone())
    } else {
        let list = root.member("__interrupt__");
        list.or_else(|| root.member("interrupts"))
    };
    list.filter(|list| list.value.is_array())
}

/// The interrupt that a value is, if it asks a person to decide calls.
pub(super) fn find<'a>(at: &At<'a>) -> Option<Interrupt<'a>> {
    let inner = at.member("value").filter(|value| shape(value).is_some());
    let request = inner.unwrap_or_else(|| at.clone());
    let id = at.member("id").or_else(|| at.member("interrupt_id"));
    Some(Interrupt {
        at: at.clone(),
        id: id
            .and_then(|id| id.value.as_str())
            .filter(|id| !id.is_empty()),
        shape: shape(&request)?,
        request,
    })
}

fn shape(request: &At<'_>) -> Option<Shape> {
    if request.member("action_requests").is_some() {
        return Some(Shape::Batched);
    }
    let kind = request.member("type")?;
    (kind.value == "tool_approval").then_some(Shape::PerCall)
}

/// All interrupts that ask for decisions, and how many there are that ask for something else.
pub(super) fn all<'a>(root: &At<'a>) -> Result<(Vec<Interrupt<'a>>, usize), ReadFault> {
    let Some(list) = listed(root) else {
        let one = find(root).ok_or_else(|| {
            root.fault("there is no interrupt here that asks a person to decide calls")
        })?;
        return Ok((vec![one], 0));
    };
    let (mut found, mut others) = (Vec::new(), 0);
    for item in list.items()? {
        match find(&item) {
            Some(interrupt) => found.push(interrupt),
            None => others += 1,
        }
    }
    Ok((found, others))
}

impl Interrupt<'_> {
    /// Whether the framework takes the answer by this interrupt's id even where it is the only one. It
    /// knows a map of answers by its keys, which are 32 hexadecimal digits.
    pub(super) fn goes_by_id(&self) -> bool {
        let digits = |id: &str| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.shape == Shape::PerCall && self.id.is_some_and(digits)
    }

    /// Among several, each needs an id of its own.
    pub(super) fn check_id(&self, several: bool, ids: &mut Ids) -> Result<(), ReadFault> {
        match self.id {
            Some(id) => ids.take(&CallId(id.to_owned()), &self.at),
            None if several => Err(self.at.fault(
                "there are several interrupts and this one has no `id`, so no answer could name it",
            )),
            None => Ok(()),
        }
    }

    pub(super) fn calls(
        &self,
        several: bool,
        seen: &mut Ids,
        calls: &mut Vec<ImportedCall>,
    ) -> Result<(), ReadFault> {
        match self.shape {
            Shape::Batched => self.batched(several, seen, calls),
            Shape::PerCall => {
                let call = self.per_call()?;
                seen.take(&call.id, &self.request)?;
                calls.push(call);
                Ok(())
            }
        }
    }

    fn batched(
        &self,
        several: bool,
        seen: &mut Ids,
        calls: &mut Vec<ImportedCall>,
    ) -> Result<(), ReadFault> {
        let configs = Configs::read(&self.request)?;
        for (place, action) in self.request.need("action_requests")?.items()?.enumerate() {
            let tool = action.need("name")?.name()?;
            let (answers, warnings) = configs.answers(place, tool, &action)?;
            let id = match self.id {
                Some(id) if several => format!("{id}#{place}"),
                Some(_) | None => place.to_string(),
            };
            let call = call(CallId(id), tool, &action, answers, warnings)?;
            seen.take(&call.id, &action)?;
            calls.push(call);
        }
        Ok(())
    }

    fn per_call(&self) -> Result<ImportedCall, ReadFault> {
        let request = &self.request;
        let tool = request.need("name")?.name()?;
        let id = request.member("tool_call_id").map(|id| id.text());
        let id = id.transpose()?.filter(|id| !id.is_empty()).or(self.id);
        let id = id.unwrap_or("0").to_owned();
        let schema = self.at.member("response_schema");
        let allowed = schema.as_ref().map(schema::allowed).unwrap_or_default();
        let (answers, warnings) = if allowed.is_empty() {
            let unsaid = "the interrupt does not say which decisions it takes".to_owned();
            let safe = [Answer::Approve, Answer::Reject, Answer::Reason];
            (Answers::of(safe), vec![unsaid])
        } else {
            answers(allowed.into_iter(), request)?
        };
        let mut call = call(CallId(id), tool, request, answers, warnings)?;
        call.schema = schema.as_ref().and_then(schema::arguments);
        Ok(call)
    }
}

fn call(
    id: CallId,
    tool: &str,
    action: &At<'_>,
    answers: Answers,
    warnings: Vec<String>,
) -> Result<ImportedCall, ReadFault> {
    let description = action.member("description").map(|text| text.text());
    Ok(ImportedCall {
        id,
        tool: tool.to_owned(),
        arguments: action.need("args")?.arguments()?,
        answers,
        parent: None,
        basis: Basis::Framework {
            reason: description.transpose()?.unwrap_or_default().to_owned(),
        },
        risks: Vec::new(),
        schema: None,
        metadata: None,
        warnings,
        expires: None,
        arrived: None,
        script: None,
    })
}

/// What a batched request says of the answers: a list beside that of the calls.
struct Configs<'a> {
    list: Vec<(Option<&'a str>, At<'a>)>,
    /// The first place of each name.
    names: HashMap<&'a str, usize>,
}

impl<'a> Configs<'a> {
    fn read(request: &At<'a>) -> Result<Self, ReadFault> {
        let configs = request.need("review_configs")?.items()?.map(|config| {
            let name = config.member("action_name");
            (name.and_then(|name| name.value.as_str()), config)
        });
        let list: Vec<_> = configs.collect();
        let mut names = HashMap::new();
        for (place, (name, _)) in list.iter().enumerate() {
            if let Some(name) = name {
                names.entry(*name).or_insert(place);
            }
        }
        Ok(Self { list, names })
    }

    /// By its place, as the framework writes them; else by the tool's name.
    fn answers(
        &self,
        place: usize,
        tool: &str,
        action: &At<'_>,
    ) -> Result<(Answers, Vec<String>), ReadFault> {
        let at = self.list.get(place).filter(|(name, _)| *name == Some(tool));
        let config = at.or_else(|| self.list.get(*self.names.get(tool)?));
        let (_, config) = config.ok_or_else(|| {
            action.fault("no entry of `review_configs` says which decisions it takes")
        })?;
        let allowed = config.need("allowed_decisions")?;
        let words: Result<Vec<_>, _> = allowed.items()?.map(|word| word.text()).collect();
        answers(words?.into_iter(), &allowed)
    }
}

/// The answers that go by these words, and what is odd about them.
fn answers<'a>(
    words: impl Iterator<Item = &'a str>,
    at: &At<'_>,
) -> Result<(Answers, Vec<String>), ReadFault> {
    let (mut answers, mut warnings) = (Vec::new(), Vec::new());
    for word in words {
        match word {
            "approve" => answers.push(Answer::Approve),
            "edit" => answers.push(Answer::Edit),
            "reject" => answers.extend([Answer::Reject, Answer::Reason]),
            "respond" => answers.push(Answer::Respond),
            other => warnings.push(format!(
                "it takes a decision that this program does not know: {other}"
            )),
        }
    }
    if answers.is_empty() {
        return Err(at.fault("it takes no decision that is known"));
    }
    Ok((Answers::of(answers), warnings))
}
