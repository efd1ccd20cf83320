"""How a case decides: the words of a decisions file, and `countersign decide` with them or in a terminal."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

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


@dataclass
class Refused:
    """Decisions that the framework cannot take: exit code 2, this on stderr, and nothing written."""

    decisions: dict
    says: str
    options: list = field(default_factory=list)


def environment(folder):
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "VISUAL", "EDITOR")}
    return kept | {"COUNTERSIGN_DATA_DIR": str(folder / "data"), "TERM": "xterm-256color"}


def command(step, folder):
    """The command line; what it reads is `state.json`, what it writes `results.json`."""
    line = [str(BINARY), "decide", str(folder / "state.json"), "--out", str(folder / "results.json"), *step.options]
    if not step.decisions:
        return line
    entries = [{"call": call, **decision} for call, decision in step.decisions.items()]
    written = {"format": "countersign.decisions", "version": 1, "decisions": entries}
    (folder / "decisions.json").write_text(json.dumps(written))
    return [*line, "--decisions", str(folder / "decisions.json")]


def run(step, folder):
    """Runs it without a terminal: exit code and stderr."""
    done = subprocess.run(
        command(step, folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(folder),
        timeout=60,
        start_new_session=True,
    )
    return done.returncode, done.stdout + done.stderr


def in_terminal(step, folder):
    """Runs it as a step of a pipe in a terminal: exit code and what the screen showed last."""
    from screen import Session

    line = [str(BINARY), "decide", *step.options]
    with open(folder / "state.json") as state, open(folder / "results.json", "w") as results:
        session = Session(line, state, results, environment(folder))
        for keys, shown in step.keys:
            if shown is None:
                session.type(keys)
            else:
                session.press_for(keys, shown)
        return session.end(), str(session.screen)
