//! What this side knows of a script, checked against all that its process says.
//!
//! Owns the numbers of calls and which of them may be answered. A process that says something that does
//! not follow from what it said before is not believed.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use super::wire::{Bounds, Declared, Made, Order, Unmet};
use super::{Fault, Function, Limits, Snapshot, Wanted, names};

/// The form of a snapshot.
const FORM: u32 = 2;
/// The bytes that say how long the record is, before it and what only the interpreter can read.
const LENGTH: usize = 4;

/// A script, as far as this side needs it to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    form: u32,
    /// The interpreter whose bytes these are.
    engine: String,
    code: String,
    pub functions: Vec<Known>,
    /// Microseconds that it ran.
    pub spent: u64,
    /// How many calls it has made.
    made: u32,
    /// Those that may still be answered, by number.
    open: BTreeMap<u32, Open>,
    /// Those of them that it can be given now.
    waits: BTreeSet<u32>,
    /// Those that it waits for too, and can only be given after these.
    later: BTreeSet<u32>,
    pub line: u32,
    pub printed: String,
}

/// A function, and the tool behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    tool: String,
    declared: Declared,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Open {
    wanted: Wanted,
    /// The interpreter's number.
    call: u32,
    /// The script has waited for it.
    met: bool,
}

/// What a process said of its script that cannot be.
pub(super) type Odd = &'static str;

impl Record {
    pub fn new(code: &str, functions: &[Function]) -> Self {
        Self {
            form: FORM,
            engine: monty_types::MONTY_VERSION.to_owned(),
            code: code.to_owned(),
            functions: functions.iter().map(known).collect(),
            spent: 0,
            made: 0,
            open: BTreeMap::new(),
            waits: BTreeSet::new(),
            later: BTreeSet::new(),
            line: 1,
            printed: String::new(),
        }
    }

    fn declared(&self) -> Vec<Declared> {
        self.functions
            .iter()
            .map(|known| known.declared.clone())
            .collect()
    }

    /// What is left of the limits.
    fn bounds(&self, limits: &Limits) -> Bounds {
        let time = u64::try_from(limits.time.as_micros()).unwrap_or(u64::MAX);
        Bounds {
            time: time.saturating_sub(self.spent),
            memory: limits.memory,
            calls: limits.calls,
            printed: limits.printed.saturating_sub(self.printed.len()),
            result: limits.result,
            snapshot: limits.snapshot,
        }
    }

    pub fn start(&self, limits: &Limits) -> Order {
        Order::Start {
            code: self.code.clone(),
            functions: self.declared(),
            bounds: self.bounds(limits),
        }
    }

    pub fn look_ahead(&self, limits: &Limits) -> Order {
        Order::LookAhead {
            code: self.code.clone(),
            functions: self.declared(),
            bounds: self.bounds(limits),
        }
    }

    pub fn restore(&self, limits: &Limits) -> Order {
        let unmet = self.open.values().filter(|open| !open.met);
        Order::Restore {
            code: self.code.clone(),
            functions: self.declared(),
            bounds: self.bounds(limits),
            made: self.made,
            open: self
                .open
                .iter()
                .map(|(number, open)| (*number, open.call))
                .collect(),
            unmet: unmet
                .map(|open| Unmet {
                    number: open.wanted.number,
                    function: open.wanted.function.clone(),
                    line: open.wanted.line,
                })
                .collect(),
        }
    }

    /// The line of the script that is nearest to this one.
    pub fn line_of(&self, line: u32) -> u32 {
        let lines = self.code.lines().count().max(1);
        line.clamp(1, u32::try_from(lines).unwrap_or(u32::MAX))
    }

    /// The calls that the script waits for.
    pub fn calls(&self) -> Vec<Wanted> {
        self.waits
            .union(&self.later)
            .filter_map(|number| self.open.get(number))
            .map(|open| open.wanted.clone())
            .collect()
    }

    /// The numbers of those that it can be given now.
    pub fn waits(&self) -> &BTreeSet<u32> {
        &self.waits
    }

    /// A reply is on its way.
    pub fn answered(&mut self, number: u32) {
        self.open.remove(&number);
        self.waits.remove(&number);
    }

    /// The script stands at calls.
    pub fn paused(
        &mut self,
        made: Vec<Made>,
        (waits, later): (Vec<u32>, Vec<u32>),
        limits: &Limits,
    ) -> Result<(), Odd> {
        for made in made {
            let wanted = self.wanted(&made)?;
            self.made = wanted.number;
            if self.made > limits.calls {
                return Err("more calls than it may make");
            }
            let open = Open {
                wanted,
                call: made.call,
                met: false,
            };
            self.open.insert(made.number, open);
        }
        let count = waits.len() + later.len();
        let waits: BTreeSet<u32> = waits.into_iter().collect();
        let later: BTreeSet<u32> = later.into_iter().collect();
        let all: BTreeSet<u32> = waits.union(&later).copied().collect();
        if waits.is_empty() || all.len() != count {
            return Err("a pause without calls");
        }
        for number in &all {
            self.open
                .get_mut(number)
                .ok_or("a call that it has not made, or is done with")?
                .met = true;
        }
        self.open
            .retain(|number, open| all.contains(number) || !open.met);
        self.waits = waits;
        self.later = later;
        Ok(())
    }

    /// The calls that were found without running the script.
    pub fn foreseen(&self, made: &[Made], limits: &Limits) -> Result<Vec<Wanted>, Odd> {
        let found: Result<Vec<_>, _> = made.iter().map(|made| self.checked(made)).collect();
        let found = found?;
        let rising = found.windows(2).all(|pair| pair[0].number < pair[1].number);
        let within = found.last().is_none_or(|last| last.number <= limits.calls);
        if rising && within {
            Ok(found)
        } else {
            Err("calls out of order")
        }
    }

    /// The next call, if it can be that.
    fn wanted(&self, made: &Made) -> Result<Wanted, Odd> {
        if self.made.checked_add(1) != Some(made.number)
            || self.open.values().any(|open| open.call == made.call)
        {
            return Err("a call out of order");
        }
        self.checked(made)
    }

    fn checked(&self, made: &Made) -> Result<Wanted, Odd> {
        let known = self
            .functions
            .iter()
            .find(|known| known.declared.name == made.function);
        let known = known.ok_or("a call of something that was not declared")?;
        if !made.arguments.is_object() {
            return Err("arguments that are no object");
        }
        if made.number == 0 || made.line != self.line_of(made.line) {
            return Err("a line that is not there");
        }
        Ok(Wanted {
            number: made.number,
            function: made.function.clone(),
            tool: known.tool.clone(),
            arguments: made.arguments.clone(),
            line: made.line,
        })
    }

    /// This, and what only the interpreter can read, as one.
    pub fn snapshot(&self, bytes: &[u8]) -> Result<Snapshot, Fault> {
        let unreadable = |why: String| Fault::Unreadable { why };
        let record = serde_json::to_vec(self).map_err(|error| unreadable(error.to_string()))?;
        let length = u32::try_from(record.len()).map_err(|error| unreadable(error.to_string()))?;
        Ok(Snapshot(
            [&length.to_be_bytes(), record.as_slice(), bytes].concat(),
        ))
    }

    /// What was put together so.
    pub fn of(snapshot: &Snapshot) -> Result<(Self, &[u8]), Fault> {
        let unreadable = |why: &str| Fault::Unreadable {
            why: why.to_owned(),
        };
        let short = || unreadable("it is not whole");
        let (length, rest) = snapshot.0.split_first_chunk::<LENGTH>().ok_or_else(short)?;
        let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| short())?;
        let (record, bytes) = rest.split_at_checked(length).ok_or_else(short)?;
        let record: Self =
            serde_json::from_slice(record).map_err(|_| unreadable("it has another form"))?;
        if record.form != FORM || record.engine != monty_types::MONTY_VERSION {
            return Err(unreadable("another version of this program has written it"));
        }
        Ok((record, bytes))
    }
}

fn known(function: &Function) -> Known {
    Known {
        tool: function.tool.clone(),
        declared: Declared {
            name: function.name.clone(),
            parameters: names::parameters(&function.parameters),
        },
    }
}
