"""The examples of the README, each as the pipe that it is in a shell, in a terminal with a person's keys."""

import os
import shlex
import sys
from pathlib import Path

import deciding
from screen import END, Session

EXAMPLES = Path(__file__).parents[2] / "assets" / "examples"
sys.path.append(str(Path(__file__).parent / "programs"))

from conversations import Conversations  # noqa: E402

FLIGHT = {"tool_call_id": "6TI17yZkV", "name": "book_flight", "arguments": '{"destination": "Paris", "date": "2026-11-27"}'}


def mistral(folder):
    with Conversations([FLIGHT]) as server:
        variables = {"MISTRAL_API_KEY": "none", "MISTRAL_SERVER_URL": server.address}
        said = pipe("flight_mistral.py", folder, variables)
        return [said, server.told], ["done", {"6TI17yZkV": ["result", "Flight booked to Paris on 2026-11-27"]}]


def pydantic_ai(folder):
    # The framework's own model for tests, which calls every tool once and says what came of it.
    return pipe("flight_pydantic_ai.py", folder, {"MODEL": "test"}), '{"book_flight":"Flight booked to a on a"}'


def pipe(example, folder, variables):
    """What the end of the pipe prints."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "countersign").symlink_to(deciding.BINARY)
    environment = deciding.environment(folder) | variables
    environment["PATH"] = os.pathsep.join([str(programs), str(Path(sys.executable).parent), environment["PATH"]])
    file = shlex.quote(str(EXAMPLES / example))
    shell = f"cd {shlex.quote(str(folder))}; python {file} | countersign decide | python {file} resume"
    with open(folder / "printed", "w") as printed:
        with Session(["sh", "-c", shell], None, printed, environment) as session:
            for keys, until in [("", "1 pending"), ("a", END)]:
                session.press(keys, until)
    return (folder / "printed").read_text().strip()


def run(name, folder):
    """What came of it, and what should have."""
    folder.mkdir()
    return NAMES[name](folder)


NAMES = {"example mistral": mistral, "example pydantic_ai": pydantic_ai}
