"""How a case decides: the words of a decisions file, and `countersign decide` with them or in a terminal."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from screen import Session

BINARY = Path(os.environ.get("COUNTERSIGN_BIN", "target/release/countersign")).resolve()


def approve(**more):
    return {"approve": more}


def edit(**arguments):
    return {"approve": {"arguments": arguments}}


def reject(reason=None, **more):
    return {"reject": ({} if reason is None else {"reason": reason}) | more}


def respond(result):
    return {"respond": {"result": result}}


def retry(message):
    return {"retry": {"message": message}}


def fail(message):
    return {"fail": {"message": message}}


ALWAYS = {"always": "tool"}
ALWAYS_THESE = {"always": "arguments"}


@dataclass
class Decide:
    """Decisions by call, and what the program then says."""

    decisions: dict
    received: list = field(default_factory=list)
    told: dict = field(default_factory=dict)
    waiting: list = field(default_factory=list)
    options: list = field(default_factory=list)
    # Keys instead of a decisions file, each with the text on the screen it is pressed for.
    keys: list = field(default_factory=list)
    # What else the report of the program says.
    more: dict = field(default_factory=dict)
    # 3 if calls stay undecided.
    code: int = 0


@dataclass
class Refused:
    """Decisions after which nothing is written: the framework cannot take them, or (code 3) not yet."""

    decisions: dict
    says: str
    options: list = field(default_factory=list)
    code: int = 2


def environment(folder):
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "VISUAL", "EDITOR")}
    return kept | {"COUNTERSIGN_DATA_DIR": str(folder / "data"), "TERM": "xterm-256color"}


def named_files(step, folder):
    """The command line for decisions from a file: it reads `state.json` and writes `results.json`."""
    ids = folder / "ids.json"  # where the framework has ids of its own beside the model's
    ids = json.loads(ids.read_text()) if ids.exists() else {}
    entries = [{"call": ids.get(call, call), **decision} for call, decision in step.decisions.items()]
    written = {"format": "countersign.decisions", "version": 1, "decisions": entries}
    (folder / "decisions.json").write_text(json.dumps(written))
    files = [folder / "state.json", "--out", folder / "results.json", "--decisions", folder / "decisions.json"]
    return [BINARY, "decide", *files, *step.options]


def run(step, folder):
    """Runs it without a terminal: exit code, and what it said."""
    given = {"env": environment(folder), "stderr": subprocess.PIPE, "timeout": 60, "start_new_session": True}
    if step.decisions:
        done = subprocess.run(named_files(step, folder), stdin=subprocess.DEVNULL, **given)
    else:  # nothing but flags: as a step of a pipe
        with open(folder / "state.json") as state, open(folder / "results.json", "w") as results:
            done = subprocess.run([BINARY, "decide", *step.options], stdin=state, stdout=results, **given)
    return done.returncode, done.stderr.decode()


def in_terminal(step, folder):
    """Runs it as a step of a pipe in a terminal: exit code and what the screen showed last."""
    with open(folder / "state.json") as state, open(folder / "results.json", "w") as results:
        line = [BINARY, "decide", *step.options]
        with Session(line, state, results, environment(folder)) as session:
            for keys, until in step.keys:
                session.press(keys, until)
            return session.end(), str(session.screen)
