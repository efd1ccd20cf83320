//! Drives a script from one pause to the next.
//!
//! Owns the numbers of calls, and what happens at each place where the interpreter asks for something:
//! a declared function becomes a call, all else is refused as Python would.

mod tell;

use monty::{Dump, MontyRun, RunProgress, Session};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, NameLookupResult,
    PrintWriter, ResourceLimits, ResourceTracker,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::super::wire::{Answer, Bounds, Declared, Made, Stop, Unmet};
use super::arguments::{Wrong, arguments};
use super::printed::Printed;
use super::source::Source;
use super::standing::{Standing, beside, place_of};
use super::value::{Telling, object};

/// What a script is called in tracebacks.
const NAME: &str = "script.py";

type Progress = Result<RunProgress, MontyException>;

/// What is known of a script that was paused in another process.
pub(super) struct Past {
    pub made: u32,
    pub open: Vec<(u32, u32)>,
    pub unmet: Vec<Unmet>,
}

/// Where the script stands.
enum At {
    /// At a call, or before several.
    Paused {
        progress: Box<RunProgress>,
        line: u32,
        waits: BTreeSet<u32>,
        later: BTreeSet<u32>,
    },
    Ended(Result<MontyObject, MontyException>),
    Stopped(Stop),
}

/// A script on its way.
pub(super) struct Drive {
    source: Source,
    functions: Vec<Declared>,
    bounds: Bounds,
    /// How many calls it has made.
    made: u32,
    /// The calls it made since it last spoke.
    new: Vec<Made>,
    /// The calls that are not answered: the interpreter's number, and ours.
    open: BTreeMap<u32, u32>,
    /// Those of them that it has not waited for yet.
    unmet: Vec<Unmet>,
    /// The room that is left for arguments until it speaks.
    telling: Telling,
    printed: Printed,
    spent: Duration,
    at: At,
}

impl Drive {
    /// Runs a script to where it first stands.
    pub fn start(code: String, functions: Vec<Declared>, bounds: Bounds) -> Self {
        let past = Past {
            made: 0,
            open: Vec::new(),
            unmet: Vec::new(),
        };
        let mut drive = Self::of(code, functions, bounds, past);
        if let Some(refusal) = drive.source.refusal() {
            drive.at = At::Ended(Err(refusal));
            return drive;
        }
        let code = drive.source.run().to_owned();
        let limits = ResourceLimits::default()
            .max_duration(Duration::from_micros(bounds.time))
            .max_suspensions(usize::MAX);
        drive.run(|out| {
            let run = MontyRun::new(code, NAME, Vec::new(), CompileOptions::default())?;
            run.start(Vec::new(), ResourceTracker::new(limits), out)
        });
        drive
    }

    /// A script that stands where it stood in another process. Nothing of it runs.
    pub fn restore(
        bytes: &[u8],
        code: String,
        functions: Vec<Declared>,
        bounds: Bounds,
        past: Past,
    ) -> Self {
        let unreadable = |why: String| At::Stopped(Stop::Unreadable { why });
        let mut drive = Self::of(code, functions, bounds, past);
        drive.at = match Dump::load(bytes) {
            Err(error) => unreadable(error.to_string()),
            Ok(Dump {
                state: Session::Running(progress),
                ..
            }) => drive.stand(*progress),
            Ok(_) => unreadable("it is no paused script".to_owned()),
        };
        drive
    }

    fn of(code: String, functions: Vec<Declared>, bounds: Bounds, past: Past) -> Self {
        Self {
            source: Source::of(code, &functions),
            functions,
            bounds,
            made: past.made,
            new: Vec::new(),
            open: past
                .open
                .into_iter()
                .map(|(number, call)| (call, number))
                .collect(),
            unmet: past.unmet,
            telling: Telling::within(bounds.result),
            printed: Printed::within(bounds.printed),
            spent: Duration::ZERO,
            at: At::Ended(Ok(MontyObject::None)),
        }
    }

    /// Takes replies and runs on, if there is a reply to something that the script waits for.
    pub fn reply(&mut self, replies: Vec<(u32, Answer)>) {
        let At::Paused {
            progress,
            line,
            waits,
            later,
        } = std::mem::replace(&mut self.at, At::Ended(Ok(MontyObject::None)))
        else {
            return;
        };
        let mut results: Vec<(u32, ExtFunctionResult)> = Vec::new();
        for (number, answer) in replies {
            let call = self
                .open
                .iter()
                .find(|(_, open)| **open == number)
                .map(|(call, _)| *call);
            if let Some(call) = call.filter(|_| waits.contains(&number)) {
                self.open.remove(&call);
                results.push((call, result(answer)));
            }
        }
        self.telling = Telling::within(self.bounds.result);
        match (*progress, results.pop()) {
            (RunProgress::FunctionCall(call), Some((_, result))) => {
                self.run(|out| call.resume(result, out));
            }
            (RunProgress::ResolveFutures(futures), Some(last)) => {
                results.push(last);
                self.run(|out| futures.resume(results, out));
            }
            (progress, _) => {
                self.at = At::Paused {
                    progress: Box::new(progress),
                    line,
                    waits,
                    later,
                }
            }
        }
    }

    /// Runs the interpreter until the script stands.
    fn run(&mut self, first: impl FnOnce(PrintWriter<'_>) -> Progress) {
        let begun = Instant::now();
        let mut progress = first(PrintWriter::Callback(&mut self.printed));
        self.at = loop {
            progress = match progress {
                Err(exception) => break self.ended(exception, begun.elapsed()),
                Ok(RunProgress::Complete(value)) => break At::Ended(Ok(value)),
                Ok(progress) => match self.ask(progress) {
                    Asked::Answered(progress) => *progress,
                    Asked::Stands(at) => break *at,
                },
            };
        };
        self.spent += begun.elapsed();
    }

    /// The end by an exception. The interpreter's own for time cannot be caught, but can be imitated.
    fn ended(&self, exception: MontyException, running: Duration) -> At {
        let told = exception
            .message()
            .is_some_and(|told| told.starts_with("time limit exceeded:"));
        let over = self.spent + running >= Duration::from_micros(self.bounds.time);
        if exception.exc_type() == ExcType::TimeoutError && told && over {
            At::Stopped(Stop::TimeUp)
        } else {
            At::Ended(Err(self.source.told(exception)))
        }
    }

    /// Answers what the interpreter asks for, unless it is a call.
    fn ask(&mut self, progress: RunProgress) -> Asked {
        match progress {
            RunProgress::FunctionCall(call) => self.call(call),
            RunProgress::OsCall(call) => {
                let refusal = call.function_call.on_no_handler();
                Asked::answered(call.resume(refusal, PrintWriter::Callback(&mut self.printed)))
            }
            RunProgress::NameLookup(lookup) => {
                let declared =
                    lookup.object_id().is_none() && self.declared(&lookup.name).is_some();
                let value = if declared {
                    NameLookupResult::Value(MontyObject::Function {
                        name: lookup.name.clone(),
                        docstring: None,
                    })
                } else {
                    NameLookupResult::Undefined
                };
                Asked::answered(lookup.resume(value, PrintWriter::Callback(&mut self.printed)))
            }
            RunProgress::ResolveFutures(futures) => {
                let standing = Standing::of(&futures, self.source.run());
                let given_up: Vec<_> = standing
                    .waits
                    .iter()
                    .filter(|call| !self.open.contains_key(*call))
                    .copied()
                    .collect();
                if given_up.is_empty() {
                    return Asked::Stands(Box::new(
                        self.stand(RunProgress::ResolveFutures(futures)),
                    ));
                }
                let results = given_up
                    .into_iter()
                    .map(|call| (call, ExtFunctionResult::Error(abandoned())));
                Asked::answered(
                    futures.resume(results.collect(), PrintWriter::Callback(&mut self.printed)),
                )
            }
            RunProgress::Complete(value) => Asked::Stands(Box::new(At::Ended(Ok(value)))),
        }
    }

    fn declared(&self, name: &str) -> Option<&Declared> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// A call of something that is not a function of the script.
    fn call(&mut self, mut call: monty::FunctionCall) -> Asked {
        let name = call.function_name.clone();
        let out = |printed| PrintWriter::Callback(printed);
        let function = self
            .functions
            .iter()
            .find(|function| function.name == name && call.object_id.is_none());
        let Some(function) = function else {
            return Asked::answered(
                call.resume(ExtFunctionResult::NotFound(name), out(&mut self.printed)),
            );
        };
        let (given, named) = (
            std::mem::take(&mut call.args),
            std::mem::take(&mut call.kwargs),
        );
        let number = self.made + 1;
        let arguments = match arguments(function, given, named, &mut self.telling) {
            Ok(arguments) => arguments,
            Err(Wrong::Raise(exception)) => {
                return Asked::answered(call.resume(exception, out(&mut self.printed)));
            }
            Err(Wrong::TooLarge) => {
                return Asked::stopped(Stop::ArgumentsTooLarge {
                    number,
                    function: name,
                });
            }
        };
        if self.made >= self.bounds.calls {
            return Asked::stopped(Stop::TooManyCalls);
        }
        self.made = number;
        let place = place_of(&call);
        let line = self.source.line_at(place.0);
        self.open.insert(call.call_id, number);
        self.new.push(Made {
            number,
            call: call.call_id,
            function: name.clone(),
            arguments,
            line,
        });
        if self.source.awaits(place) {
            self.unmet.push(Unmet {
                number,
                function: name,
                line,
            });
            return Asked::answered(call.resume_pending(out(&mut self.printed)));
        }
        Asked::Stands(Box::new(self.stand(RunProgress::FunctionCall(call))))
    }

    /// The script stands here, if it can be told what it waits for.
    fn stand(&mut self, progress: RunProgress) -> At {
        let (line, calls, beside) = match &progress {
            RunProgress::FunctionCall(call) => {
                let line = self.source.line_at(place_of(call).0);
                let alone = self.open.len() < 2;
                let beside = if alone { BTreeSet::new() } else { beside(call) };
                (line, BTreeSet::from([call.call_id]), beside)
            }
            RunProgress::ResolveFutures(futures) => {
                let standing = Standing::of(futures, self.source.run());
                (standing.line, standing.waits, BTreeSet::new())
            }
            RunProgress::OsCall(_) | RunProgress::NameLookup(_) | RunProgress::Complete(_) => {
                return At::Stopped(Stop::Unreadable {
                    why: "it does not stand at a call".to_owned(),
                });
            }
        };
        let numbers = |calls: &BTreeSet<u32>| -> BTreeSet<u32> {
            let numbers = calls.iter().filter_map(|call| self.open.get(call));
            numbers.copied().collect()
        };
        let (waits, later) = (numbers(&calls), numbers(&beside));
        if waits.is_empty() {
            return At::Ended(Err(MontyException::runtime_error(
                "the script waits for something that cannot come",
            )));
        }
        let met = |number: &u32| waits.contains(number) || later.contains(number);
        self.unmet.retain(|call| !met(&call.number));
        // Once waited for and now no more: given up, as the other members of a gather that failed.
        let unmet: BTreeSet<u32> = self.unmet.iter().map(|call| call.number).collect();
        self.open
            .retain(|_, number| met(number) || unmet.contains(number));
        At::Paused {
            progress: Box::new(progress),
            line,
            waits,
            later,
        }
    }
}

/// What came of a question of the interpreter.
enum Asked {
    Answered(Box<Progress>),
    Stands(Box<At>),
}

impl Asked {
    fn answered(progress: Progress) -> Self {
        Self::Answered(Box::new(progress))
    }

    fn stopped(stop: Stop) -> Self {
        Self::Stands(Box::new(At::Stopped(stop)))
    }
}

fn result(answer: Answer) -> ExtFunctionResult {
    match answer {
        Answer::Value(value) => ExtFunctionResult::Return(object(value)),
        Answer::Raise(message) => ExtFunctionResult::Error(MontyException::runtime_error(message)),
    }
}

fn abandoned() -> MontyException {
    MontyException::runtime_error("this call was given up when the gather that it was in failed")
}
