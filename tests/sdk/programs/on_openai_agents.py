"""OpenAI Agents: `RunState.to_json()` out, the same with the decisions in it back in."""

import asyncio

import shared
from agents import Agent, Model, ModelResponse, Runner, RunState, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)
TOLD = {}


class Scripted(Model):
    def __init__(self, scenario):
        self.scenario = scenario

    async def get_response(self, system_instructions, input, *_, **__):
        items = [] if isinstance(input, str) else input
        TOLD.update({item["call_id"]: item["output"] for item in items if item.get("type") == "function_call_output"})
        return ModelResponse(output=self.output(), usage=Usage(), response_id=None)

    def output(self):
        if not TOLD:
            return [asked(call, number) for number, call in enumerate(shared.CALLS)]
        if self.scenario in shared.SECOND and "c9" not in TOLD:
            return [asked(shared.SECOND[self.scenario], 9)]
        text = ResponseOutputText(annotations=[], text="done", type="output_text")
        return [
            ResponseOutputMessage(id="m1", content=[text], role="assistant", status="completed", type="message")
        ]

    def stream_response(self, *_, **__):
        raise NotImplementedError


def asked(call, number):
    ident, tool, arguments = call
    text = shared.json.dumps(arguments)
    return ResponseFunctionToolCall(call_id=ident, name=tool, arguments=text, type="function_call", id=f"fc_{number}")


def agent(scenario):
    return Agent(
        name="tidy",
        model=Scripted(scenario),
        tools=[
            function_tool(shared.delete_file, needs_approval=True),
            function_tool(shared.read_file),
            function_tool(shared.send_mail, needs_approval=True),
        ],
    )


def waiting(result, folder):
    if result.interruptions:
        shared.write(folder, "state.json", result.to_state().to_json())
    return [item.call_id for item in result.interruptions]


def defer(scenario, folder):
    waiting(asyncio.run(Runner.run(agent(scenario), "Tidy up.")), folder)


async def resumed(scenario, folder):
    made = agent(scenario)
    state = await RunState.from_json(made, shared.read(folder, "results.json"))
    return await Runner.run(made, state)


def resume(scenario, folder):
    result = asyncio.run(resumed(scenario, folder))
    return {"told": TOLD, "waiting": waiting(result, folder)}


shared.main(defer, resume)
