"""What the programs have in common: the tools, which write down what they receive, and the two halves.

Each program stands for somebody's own: `defer` runs an agent until calls wait and leaves `state.json` as its
framework writes it (beside whatever it keeps for itself), and `resume`, a process that knows nothing of the
first, goes on with the `results.json` that `countersign decide` wrote.
"""

import json
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

RECEIVED = []


def received(tool, **arguments):
    RECEIVED.append([tool, arguments])


def delete_file(path: str, recursive: bool = False) -> str:
    """Delete a file."""
    received("delete_file", path=path, recursive=recursive)
    return f"deleted {path}"


def read_file(path: str) -> str:
    """Read a file."""
    received("read_file", path=path)
    return f"contents of {path}"


def send_mail(to: str, body: str) -> str:
    """Send a mail."""
    received("send_mail", to=to, body=body)
    return f"sent to {to}"


# What every model here asks for in its first turn: two calls that wait around one that does not.
CALLS = [
    ("c1", "delete_file", {"path": "reports/q3.csv"}),
    ("c2", "read_file", {"path": "notes.md"}),
    ("c3", "send_mail", {"to": "ada@example.org", "body": "hi"}),
]
# What the model of a scenario asks for in its second turn: the same tool, or the same call altogether.
SECOND = {
    "again": ("c9", "delete_file", {"path": "reports/q4.csv"}),
    "same": ("c9", "delete_file", {"path": "reports/q3.csv"}),
}


def write(folder: Path, name: str, value) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    (folder / name).write_text(text)


def read(folder: Path, name: str):
    return json.loads((folder / name).read_text())


def main(defer, resume) -> None:
    half, scenario, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    report = {"defer": defer, "resume": resume}[half](scenario, folder)
    print(json.dumps({"received": RECEIVED, **(report or {})}))
