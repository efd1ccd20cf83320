"""Mistral's SDK: `DeferredToolCallsException.to_dict()` out, one confirmation or rejection a call in."""

import asyncio
import json

import shared
from conversations import Conversations
from mistralai.client import Mistral
from mistralai.client.models import FunctionCallEntry
from mistralai.extra.exceptions import (
    DeferredToolCallConfirmation,
    DeferredToolCallRejection,
    DeferredToolCallsException,
)
from mistralai.extra.run.context import RunContext


def local(call, tool, arguments):
    return {"tool_call_id": call, "name": tool, "arguments": json.dumps(arguments)}


def connected(call, tool, arguments):
    return {**local(call, tool, arguments), "confirmation_status": "pending"}


LOCAL = [local(*call) for call in shared.CALLS]
GMAIL = [
    connected("g1", "gmail_search", {"query": "is:unread"}),
    connected("g2", "gmail_send", {"to": "ada@example.org", "body": "hi"}),
]
# An argument more than the shared call, so that an edit can take it away.
RECURSIVE = [local("c1", "delete_file", {"path": "reports", "recursive": True})]
TURNS = {"local": LOCAL, "connector": GMAIL, "both": GMAIL + LOCAL, "recursive": RECURSIVE}


async def run(scenario, server, conversation, inputs):
    client = Mistral(api_key="none", server_url=server.address)
    async with RunContext(model="mistral-large-latest") as context:
        context.conversation_id = conversation
        context.register_func(shared.read_file)
        context.register_func(shared.delete_file, requires_confirmation=True)
        context.register_func(shared.send_mail, requires_confirmation=True)
        return await client.beta.conversations.run_async(run_ctx=context, inputs=inputs, instructions="Tidy up.")


def until_deferred(scenario, folder, server, conversation, inputs):
    try:
        asyncio.run(run(scenario, server, conversation, inputs))
    except DeferredToolCallsException as deferred:
        shared.write(folder, "state.json", deferred.to_dict())
        return [call.tool_call_id for call in deferred.deferred_calls]
    return []


def defer(scenario, folder):
    with Conversations(TURNS[scenario]) as server:
        until_deferred(scenario, folder, server, None, [{"role": "user", "content": "Tidy up."}])


DECISIONS = {
    "deferred.confirmation": DeferredToolCallConfirmation,
    "deferred.rejection": DeferredToolCallRejection,
}


def as_input(given):
    """Decisions are objects of the SDK; all else goes as it is."""
    if given["type"] not in DECISIONS:
        return given
    fields = {name: value for name, value in given.items() if name != "type"}
    if "function_call" in fields:
        fields["function_call"] = FunctionCallEntry(**fields["function_call"])
    return DECISIONS[given["type"]](**fields)


def resume(scenario, folder):
    results = shared.read(folder, "results.json")
    with Conversations(TURNS[scenario]) as server:
        inputs = [as_input(given) for given in results["inputs"]]
        waiting = until_deferred(scenario, folder, server, results["conversation_id"], inputs)
        assert [by_hand(results, server.told)] == server.appended, [results, server.appended]
        return {"told": server.told, "said": server.said, "waiting": waiting}


def by_hand(results, told):
    """What a program without the SDK would send: the body that is given, and the results of what it ran."""
    ran = [
        {"type": "function.result", "tool_call_id": call["tool_call_id"], "result": told[call["tool_call_id"]][1]}
        for call in results["run"]
    ]
    inputs = results["append"]["inputs"] + [{"object": "entry", **result} for result in ran]
    return results["append"] | {"inputs": inputs}


shared.main(defer, resume)
