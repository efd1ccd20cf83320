"""LangChain: the interrupts of the human-in-the-loop middleware out, what `Command(resume=…)` takes in.

The scenario names how the middleware interrupts: `batched` (one interrupt a turn, answers by position) or
`per_call` (one a call, answers by interrupt); `few` permits only approve and reject.
"""

import sqlite3
from dataclasses import asdict

import shared
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

THREAD = {"configurable": {"thread_id": "1"}}
TOLD = {}


class Model(BaseChatModel):
    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        results = [message for message in messages if isinstance(message, ToolMessage)]
        TOLD.update({message.tool_call_id: [message.status, message.content] for message in results})
        calls = [] if results else [{"id": call, "name": tool, "args": args} for call, tool, args in shared.CALLS]
        message = AIMessage("done" if results else "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def agent(scenario, folder):
    permitted = {"allowed_decisions": ["approve", "reject"]} if scenario == "few" else True
    review = HumanInTheLoopMiddleware(
        interrupt_on={"delete_file": permitted, "send_mail": permitted},
        interrupt_mode="per_call" if scenario == "per_call" else "batched",
    )
    return create_agent(
        Model(),
        [shared.delete_file, shared.read_file, shared.send_mail],
        middleware=[review],
        checkpointer=SqliteSaver(sqlite3.connect(folder / "checkpoints.db", check_same_thread=False)),
    )


def waiting(result, folder):
    interrupts = [asdict(interrupt) for interrupt in result.get("__interrupt__", [])]
    if interrupts:
        shared.write(folder, "state.json", interrupts)
    return [interrupt["value"].get("tool_call_id") for interrupt in interrupts]


def defer(scenario, folder):
    result = agent(scenario, folder).invoke({"messages": [{"role": "user", "content": "Tidy up."}]}, THREAD)
    waiting(result, folder)


def resume(scenario, folder):
    result = agent(scenario, folder).invoke(Command(resume=shared.read(folder, "results.json")), THREAD)
    return {"told": TOLD, "waiting": waiting(result, folder)}


shared.main(defer, resume)
