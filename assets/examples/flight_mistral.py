"""A flight that a person signs for, with Mistral's SDK:

    python flight_mistral.py | countersign decide | python flight_mistral.py resume
"""

import asyncio, json, os, sys

from mistralai.client import Mistral
from mistralai.client.models import FunctionCallEntry
from mistralai.extra import exceptions as sdk
from mistralai.extra.run.context import RunContext


def book_flight(destination: str, date: str) -> str:
    """Book a flight to a destination."""
    return f"Flight booked to {destination} on {date}"


def taken(type, function_call=None, **given):  # decisions are objects of the SDK, all else is as it comes
    if type == "deferred.confirmation":
        return sdk.DeferredToolCallConfirmation(function_call=FunctionCallEntry(**function_call), **given)
    return sdk.DeferredToolCallRejection(**given) if type == "deferred.rejection" else {"type": type, **given}


async def run(conversation_id, inputs):
    client = Mistral(api_key=os.environ["MISTRAL_API_KEY"], server_url=os.environ.get("MISTRAL_SERVER_URL"))
    async with RunContext(model="mistral-large-latest", conversation_id=conversation_id) as context:
        context.register_func(book_flight, requires_confirmation=True)
        try:
            print((await client.beta.conversations.run_async(run_ctx=context, inputs=inputs)).output_as_text)
        except sdk.DeferredToolCallsException as deferred:  # if the resumed run defers again: once more through the pipe
            print(json.dumps(deferred.to_dict()))


if sys.argv[1:] == ["resume"]:
    results = json.load(sys.stdin)
    asyncio.run(run(results["conversation_id"], [taken(**given) for given in results["inputs"]]))
else:
    asyncio.run(run(None, [{"role": "user", "content": "Book me a flight to Paris next Friday."}]))
