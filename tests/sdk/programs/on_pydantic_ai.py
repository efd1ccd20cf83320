"""Pydantic AI: `DeferredToolRequests` or a whole `Conversation` out, `DeferredToolResults` in."""

import json
from pathlib import Path

import shared
from pydantic import TypeAdapter
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessagesTypeAdapter,
    RunContext,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

REQUESTS = TypeAdapter(DeferredToolRequests)
RESULTS = TypeAdapter(DeferredToolResults)
HERE = Path(__file__).parent

OUTSIDE = [
    ("j1", "run_job", {"name": "backup"}),
    ("q1", "ask_person", {"question": "Which year?"}),
]


def first_turn(scenario):
    if scenario == "external":
        return [ToolCallPart(tool, arguments, tool_call_id=call) for call, tool, arguments in OUTSIDE]
    # One model writes arguments as an object, another as text: both are legal.
    as_text = json.dumps if scenario == "strings" else dict
    return [ToolCallPart(tool, as_text(arguments), tool_call_id=call) for call, tool, arguments in shared.CALLS]


def agent(scenario):
    told = {}

    def model(messages, _):
        parts = messages[-1].parts
        results = [part for part in parts if isinstance(part, ToolReturnPart)]
        for part in results:
            told[part.tool_call_id] = [part.outcome, part.content]
        return ModelResponse(parts=[TextPart("done")] if results else first_turn(scenario))

    made = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])
    made.tool_plain(shared.read_file)
    made.tool_plain(requires_approval=True)(shared.delete_file)

    @made.tool
    def send_mail(context: RunContext, to: str, body: str) -> str:
        if not context.tool_call_approved:
            raise ApprovalRequired(metadata={"reason": "leaves the house"})
        return shared.send_mail(to, body)

    @made.tool_plain
    def run_job(name: str) -> str:
        raise CallDeferred(metadata={"job": 7})

    @made.tool_plain
    def ask_person(question: str) -> str:
        raise CallDeferred(kind="question")

    return made, told


def defer(scenario, folder):
    if scenario == "v1":  # recorded from 1.107.10
        shared.write(folder, "history.json", (HERE / "pydantic_ai_v1_history.json").read_text())
        shared.write(folder, "state.json", (HERE / "pydantic_ai_v1_requests.json").read_text())
        return
    made, _ = agent(scenario)
    result = made.run_sync("Tidy up.")
    shared.write(folder, "history.json", result.all_messages_json().decode())
    if scenario == "conversation":
        from pydantic_ai import ConversationTypeAdapter

        shared.write(folder, "state.json", ConversationTypeAdapter.dump_json(result.conversation).decode())
    else:
        shared.write(folder, "state.json", REQUESTS.dump_json(result.output).decode())


def resume(scenario, folder):
    made, told = agent(scenario)
    result = made.run_sync(
        message_history=ModelMessagesTypeAdapter.validate_json((folder / "history.json").read_bytes()),
        deferred_tool_results=RESULTS.validate_json((folder / "results.json").read_bytes()),
    )
    waiting = []
    if isinstance(result.output, DeferredToolRequests):
        waiting = [part.tool_call_id for part in result.output.approvals + result.output.calls]
    return {"told": told, "waiting": waiting}


shared.main(defer, resume)
