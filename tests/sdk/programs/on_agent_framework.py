"""Microsoft Agent Framework: function approval requests out, a message with function approval responses in.

The state is the list of requests, or, in the scenario `response`, the whole agent response. The session, which
the next process needs too, the program keeps for itself.
"""

import asyncio

import shared
from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    ToolApprovalMiddleware,
    tool,
)

TOLD = {}


class Scripted(FunctionInvocationLayer, BaseChatClient):
    def __init__(self, scenario):
        super().__init__()
        self.scenario = scenario

    async def _inner_get_response(self, *, messages, stream, options, **_):
        for content in (content for message in messages for content in message.contents):
            if content.type == "function_result":
                TOLD[content.call_id] = content.result
        return ChatResponse(messages=[Message("assistant", self.contents())], response_id="r1")

    def contents(self):
        if not TOLD:
            return [asked(*call) for call in shared.CALLS]
        if self.scenario in shared.SECOND and "c9" not in TOLD:
            return [asked(*shared.SECOND[self.scenario])]
        return [Content.from_text("done")]


def asked(call, name, arguments):
    return Content.from_function_call(call_id=call, name=name, arguments=shared.json.dumps(arguments))


def agent(scenario):
    return Agent(
        Scripted(scenario),
        tools=[
            tool(shared.delete_file, approval_mode="always_require"),
            tool(shared.read_file, approval_mode="never_require"),
            tool(shared.send_mail, approval_mode="always_require"),
        ],
        # Standing approvals need it.
        middleware=[ToolApprovalMiddleware()] if scenario in shared.SECOND else [],
    )


def run(scenario, folder, messages, session):
    response = asyncio.run(agent(scenario).run(messages, session=session))
    requests = [request.to_dict() for request in response.user_input_requests]
    shared.write(folder, "session.json", session.to_dict())
    if requests:
        shared.write(folder, "state.json", response.to_dict() if scenario == "response" else requests)
    ids = {request["function_call"]["call_id"]: request["id"] for request in requests}
    shared.write(folder, "ids.json", ids)
    return list(ids)


def defer(scenario, folder):
    run(scenario, folder, "Tidy up.", AgentSession())


def resume(scenario, folder):
    session = AgentSession.from_dict(shared.read(folder, "session.json"))
    waiting = run(scenario, folder, Message.from_dict(shared.read(folder, "results.json")), session)
    return {"told": TOLD, "waiting": waiting}


shared.main(defer, resume)
