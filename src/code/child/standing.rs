//! Where a script stands: its line, and the calls that it really waits for.
//!
//! Read from what the interpreter writes of itself. It counts every unanswered call as pending; here only
//! those are found that the script's end hangs on: a call that nobody awaits, or whose gather has failed,
//! is not among them.

use monty::{FunctionCall, ResolveFutures};
use std::collections::{BTreeSet, HashSet};

use super::awaited::Place;
use super::tree::Tree;

/// What tells the line: the innermost frame of each task, and the places that its instructions came from.
const PLACES: &[&str] = &[
    "snapshot",
    "executor",
    "module_code",
    "interns",
    "functions",
    "code",
    "location_table",
    "bytecode_offset",
    "range",
    "start_byte",
    "end_byte",
    "vm_state",
    "frames",
    "function_id",
    "instruction_ip",
];
/// What tells who waits for what.
const WAITING: &[&str] = &[
    "scheduler",
    "tasks",
    "coroutine_to_task",
    "state",
    "heap",
    "entries",
    "data",
    "call_id",
    "pending_children",
    "Blocked",
    "ExternalFuture",
    "Coroutine",
    "GatherFuture",
    "Awaited",
    "Pending",
];

/// The task that is the script itself.
const MAIN: u64 = 0;

/// Where in the script a call is.
pub(super) fn place_of(call: &FunctionCall) -> Place {
    let written = Tree::of(call, &[PLACES]);
    let snapshot = written.get("snapshot");
    place(snapshot.get("executor"), snapshot.get("vm_state"))
}

/// The interpreter's numbers of the calls that the script waits for while it stands at another one: those of
/// other tasks.
pub(super) fn beside(call: &FunctionCall) -> BTreeSet<u32> {
    let written = Tree::of(call, &[PLACES, WAITING]);
    let snapshot = written.get("snapshot");
    let heap = snapshot.get("heap").get("entries").list();
    waits(snapshot.get("vm_state").get("scheduler"), heap)
}

/// Where a script stands whose calls are awaited.
pub(super) struct Standing {
    pub line: u32,
    /// The interpreter's numbers of the calls that the script waits for.
    pub waits: BTreeSet<u32>,
}

impl Standing {
    pub fn of(futures: &ResolveFutures, code: &str) -> Self {
        let written = Tree::of(futures, &[PLACES, WAITING]);
        let state = written.get("vm_state");
        let scheduler = state.get("scheduler");
        let main = scheduler.get("tasks").entry(MAIN);
        // Put aside while another task ran, or still in its place.
        let place = if main.get("frames").list().is_empty() {
            state
        } else {
            main
        };
        Self {
            line: line_at(code, self::place(written.get("executor"), place).0),
            waits: waits(scheduler, written.get("heap").get("entries").list()),
        }
    }
}

/// What the main task waits for, through gathers and other tasks.
fn waits(scheduler: &Tree, heap: &[Tree]) -> BTreeSet<u32> {
    let (tasks, driving) = (scheduler.get("tasks"), scheduler.get("coroutine_to_task"));
    let blocked = |task: u64| {
        tasks
            .entry(task)
            .get("state")
            .form("Blocked")
            .and_then(Tree::number)
    };
    let mut waits = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut next: Vec<u64> = blocked(MAIN).into_iter().collect();
    while let Some(at) = next.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(entry) = usize::try_from(at).ok().and_then(|at| heap.get(at)) else {
            continue;
        };
        let data = entry.get("data");
        if let Some(call) = data.form("ExternalFuture") {
            let number = call.get("call_id").number();
            waits.extend(number.and_then(|number| u32::try_from(number).ok()));
        } else if let Some(gather) = data.form("GatherFuture") {
            let awaited = gather.get("state").form("Awaited");
            next.extend(
                awaited
                    .into_iter()
                    .flat_map(|awaited| awaited.get("pending_children").keys()),
            );
        } else if data.form("Coroutine").is_some() {
            next.extend(driving.entry(at).number().and_then(blocked));
        }
    }
    waits
}

/// Where in the script the innermost frame is; at its beginning if it is nowhere.
fn place(executor: &Tree, place: &Tree) -> Place {
    let function = place
        .get("frames")
        .list()
        .last()
        .map(|frame| frame.get("function_id"));
    let body = match function.and_then(Tree::number) {
        Some(id) => usize::try_from(id)
            .ok()
            .and_then(|id| executor.get("interns").get("functions").list().get(id))
            .map(|function| function.get("code")),
        None => Some(executor.get("module_code")),
    };
    let at = place.get("instruction_ip").number();
    let range = body.zip(at).and_then(|(body, at)| {
        let entries = body.get("location_table").list().iter().rev();
        let mut before = entries.filter(|entry| {
            entry
                .get("bytecode_offset")
                .number()
                .is_some_and(|offset| offset <= at)
        });
        Some(before.next()?.get("range"))
    });
    let byte = |name| usize::try_from(range?.get(name).number()?).ok();
    (
        byte("start_byte").unwrap_or(0),
        byte("end_byte").unwrap_or(0),
    )
}

/// The line that a byte of the script is in, from 1.
pub(super) fn line_at(code: &str, byte: usize) -> u32 {
    let breaks = code[..code.floor_char_boundary(byte)].matches('\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}
