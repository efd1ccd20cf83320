"""A flight that a person signs for, with Pydantic AI:

    python flight_pydantic_ai.py | countersign decide | python flight_pydantic_ai.py resume
"""

import os
import sys
from pathlib import Path

from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelMessagesTypeAdapter

HISTORY = Path("flight.history.json")
MODEL = os.environ.get("MODEL", "mistral:mistral-large-latest")
agent = Agent(MODEL, instructions="You are a travel assistant.", output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def book_flight(destination: str, date: str) -> str:
    """Book a flight to a destination."""
    return f"Flight booked to {destination} on {date}"


if sys.argv[1:] == ["resume"]:
    results = TypeAdapter(DeferredToolResults).validate_json(sys.stdin.read())  # before it comes, the other end runs still
    history = ModelMessagesTypeAdapter.validate_json(HISTORY.read_bytes())
    result = agent.run_sync(message_history=history, deferred_tool_results=results)
else:
    result = agent.run_sync("Book me a flight to Paris next Friday.")

if isinstance(result.output, DeferredToolRequests):  # if the resumed run defers again: once more through the pipe
    HISTORY.write_bytes(result.all_messages_json())
    print(TypeAdapter(DeferredToolRequests).dump_json(result.output).decode())
else:
    print(result.output)
