"""Pydantic AI, with scripts: `run_code` waits with its script's inner calls in its metadata, and goes on from a
snapshot of the script when they are decided. This is how a tool of one's own does it: the calls that wait are
`pending` in the metadata of the request, and their decisions come back as `decisions` in that of the results.
"""

import base64

import shared
from pydantic import TypeAdapter
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessagesTypeAdapter,
    ModelRetry,
    RunContext,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_monty import FunctionSnapshot, FutureSnapshot, Monty, MontyComplete, MontyRuntimeError

SCRIPTS = {
    # Three calls wait at once.
    "gather": """import asyncio
a = await read_file(path='notes.md')
await asyncio.gather(delete_file(path='a'), delete_file(path='b'), send_mail(to='ada@example.org', body=a))
""",
    # One after the other, each refusal caught.
    "steps": """told = []
for path in ['a', 'b']:
    try:
        told.append(await delete_file(path=path))
    except RuntimeError as refused:
        told.append(str(refused))
told
""",
    # Two one after the other, then three at once.
    "long": """import asyncio
notes = await read_file(path='notes.md')
print('read', notes)
first = await delete_file(path='a')
second = await send_mail(to='ada@example.org', body=first)
print('mailed')
rest = await asyncio.gather(*[delete_file(path=path) for path in ['b', 'c', 'd']])
[first, second, rest]
""",
}
TOOLS = {"read_file": shared.read_file, "delete_file": shared.delete_file, "send_mail": shared.send_mail}
FREE = {"read_file"}


class Script:
    """A script that runs until its calls wait, and what is known of its calls."""

    def __init__(self, outer, code, kept=None):
        self.outer, self.code = outer, code
        kept = kept or {"n": 0, "pending": [], "done": [], "printed": ""}
        self.count, self.done, self.printed = kept["n"], kept["done"], kept["printed"]
        self.waiting = {call["call_id"]: call for call in kept["pending"]}  # the script's number of a call -> the call
        self.free = {}

    def print(self, _, text):
        self.printed += text

    def run(self, state, decisions):
        while not isinstance(state, MontyComplete):
            if isinstance(state, FunctionSnapshot):
                state = self.begin(state)
            elif isinstance(state, FutureSnapshot):
                state = self.settle(state, decisions)
            else:
                state = state.resume()
        return state.output

    def begin(self, state):
        self.count += 1
        call = {
            "tool_call_id": f"{self.outer}__{self.count}",
            "tool_name": state.function_name,
            "args": dict(state.kwargs),
            "call_id": state.call_id,
        }
        (self.free if state.function_name in FREE else self.waiting)[state.call_id] = call
        return state.resume({"future": ...})

    def settle(self, state, decisions):
        ids = sorted(state.pending_call_ids)
        if ready := [number for number in ids if number in self.free]:
            return state.resume({number: self.result(self.free.pop(number), True) for number in ready})
        calls = [self.waiting[number] for number in ids]
        if any(call["tool_call_id"] not in decisions for call in calls):
            self.pause(state, calls)
        return state.resume(
            {number: self.result(self.waiting.pop(number), decisions[call["tool_call_id"]]) for number, call in zip(ids, calls)}
        )

    def pause(self, state, calls):
        snapshot = base64.b64encode(state.dump()).decode()
        stands = {"kind": "code_mode", "code": self.code, "n": self.count, "pending": calls, "snapshot": snapshot}
        raise ApprovalRequired(metadata=stands | {"done": self.done, "printed": self.printed})

    def result(self, call, decision):
        made = {"tool_name": call["tool_name"], "args": call["args"]}
        if decision is True or isinstance(decision, dict) and decision["kind"] == "tool-approved":
            edited = None if decision is True else decision.get("override_args")
            came = TOOLS[call["tool_name"]](**(edited or call["args"]))
            self.done.append(made | {"outcome": "ran", "result": came})
            return {"return_value": came}
        message = decision.get("message") if decision else None
        message = message or "The tool call was denied."
        self.done.append(made | {"outcome": "denied", "result": message})
        return {"exception": RuntimeError(message)}


def agent(scenario):
    told = {}

    def model(messages, _):
        results = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        for part in results:
            told[part.tool_call_id] = [part.outcome, part.content]
        asked = ToolCallPart("run_code", {"code": SCRIPTS[scenario]}, tool_call_id="rc1")
        return ModelResponse(parts=[TextPart("done") if results else asked])

    made = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])

    @made.tool
    def run_code(context: RunContext, code: str):
        with Monty() as monty, monty.checkout() as session:
            try:
                if not context.tool_call_approved:
                    script = Script(context.tool_call_id, code)
                    return script.run(session.feed_start(code, print_callback=script.print), {})
                kept = context.tool_call_metadata
                script = Script(context.tool_call_id, code, kept)
                snapshot = session.load_snapshot(base64.b64decode(kept["snapshot"]), print_callback=script.print)
                return script.run(snapshot, kept["decisions"])
            except MontyRuntimeError as error:
                raise ModelRetry(error.display().splitlines()[-1]) from error

    return made, told


def left(result, told, folder):
    shared.write(folder, "history.json", result.all_messages_json().decode())
    if not isinstance(result.output, DeferredToolRequests):
        return {"told": told, "waiting": []}
    requests = result.output
    shared.write(folder, "state.json", TypeAdapter(DeferredToolRequests).dump_json(requests).decode())
    stands = requests.metadata["rc1"]
    waiting = [call["tool_call_id"] for call in stands["pending"]]
    return {"told": told, "waiting": waiting, "done": [call["tool_name"] for call in stands["done"]]}


def defer(scenario, folder):
    made, told = agent(scenario)
    return left(made.run_sync("Tidy up."), told, folder)


def resume(scenario, folder):
    made, told = agent(scenario)
    history = ModelMessagesTypeAdapter.validate_json((folder / "history.json").read_bytes())
    results = TypeAdapter(DeferredToolResults).validate_json((folder / "results.json").read_bytes())
    return left(made.run_sync(message_history=history, deferred_tool_results=results), told, folder)


shared.main(defer, resume)
