"""Lets the real `countersign` call real MCP servers from npm and PyPI, and checks what came of each call, what was
asked, and that no server is left.

COUNTERSIGN_BIN=target/release/countersign python tests/mcp/run.py NODE_MODULES [WORD…]

With words, only the cases whose names contain all of them. The interpreter is the one of the virtual environment that
`requirements.txt` describes; NODE_MODULES is the folder that `npm install` made from `package.json`.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "sdk"))
from screen import END, Session  # noqa: E402

BINARY = Path(os.environ.get("COUNTERSIGN_BIN", "target/release/countersign")).resolve()
NODE = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
PYTHON = Path(sys.executable).parent
PATIENCE = 60
SECRET = "not for servers"


class Differs(Exception):
    pass


def same(what, wanted, got):
    if wanted != got:
        raise Differs(f"{what}\n  wanted {json.dumps(wanted)}\n  got    {json.dumps(got)}")


def holds(what, text, got):
    if text not in got:
        raise Differs(f"{what}\n  wanted something with {text!r}\n  got    {got!r}")


class Place:
    """A folder with a configuration, a scenario and a workspace."""

    def __init__(self, folder, servers, turns):
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        tables = "".join(
            f"[mcp.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
            for name, table in servers.items()
        )
        (folder / "countersign.toml").write_text(
            "[providers.script]\nscenario = 'scenario.toml'\n"
            f"[agents.a]\nprovider = 'script'\nworkspace = 'work'\nmcp = {json.dumps(list(servers))}\n{tables}"
        )
        (folder / "scenario.toml").write_text("title = 't'\nprompt = 'go'\npace = '1ms'\n" + scenario(turns))

    def environment(self):
        return os.environ | {
            "COUNTERSIGN_DATA_DIR": str(self.folder / "data"),
            "XDG_CONFIG_HOME": str(self.folder),
            "TERM": "xterm",
            "A_SECRET": SECRET,
        }

    def run(self, *arguments):
        """Runs the program to its end without a screen: the exit status, and what it said of each call."""
        done = subprocess.run(
            [BINARY, *arguments, "--headless"],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return done.returncode, Said(done.stdout, done.stderr)

    def decide(self, decisions):
        file = self.folder / "decisions.json"
        listed = [{"call": call, **decision} for call, decision in decisions.items()]
        file.write_text(json.dumps({"format": "countersign.decisions", "version": 1, "decisions": listed}))
        return self.run("resume", "--decisions", str(file))


class Said:
    def __init__(self, out, err):
        self.err = err
        self.events = [json.loads(line) for line in out.splitlines()]

    def of(self, kind):
        return [event[kind] for event in self.events if kind in event]

    def outcome(self, call):
        """What became of the call, in one word, and its text."""
        for status in self.of("status"):
            if status["call"].startswith(call + "-") and "finished" in status["status"]:
                outcome = status["status"]["finished"]["outcome"]
                if isinstance(outcome, str):
                    return outcome, ""
                [(word, more)] = outcome.items()
                return word, next(iter(more.values()))
        raise Differs(f"{call} has not ended: {json.dumps(self.events)[-2000:]}\n{self.err}")

    def asked(self):
        return [(call["tool"], call["key"]["call"]) for call in self.of("arrived")]

    def notes(self):
        return [note["text"] for note in self.of("note")]


def scenario(turns):
    text = ""
    for number, calls in enumerate(turns, 1):
        text += f"[[turns]]\nname = 't{number}'\n" + ("on = '^go$'\n" if number == 1 else "")
        text += "calls = [\n"
        for id, tool, arguments in calls:
            text += f"  {{ id = '{id}', tool = '{tool}', arguments_text = {json.dumps(json.dumps(arguments))} }},\n"
        text += f"]\nthen = [ {{ turn = 't{number + 1}' }} ]\n"
    return text + f"[[turns]]\nname = 't{len(turns) + 1}'\ntext = 'end'\n"


def node(package):
    return str(NODE / "@modelcontextprotocol" / package / "dist" / "index.js")


def stdio(package, *arguments, **more):
    return {"command": "node", "args": [node(package), *arguments], **more}


def files(folder):
    servers = {
        "fs": stdio(
            "server-filesystem",
            ".",
            include=["read_text_file", "write_file", "list_directory"],
            requires_confirmation=["write_*"],
        )
    }
    place = Place(
        folder,
        servers,
        [
            [
                ("read", "fs.read_text_file", {"path": "a.txt"}),
                ("model", "fs__list_directory", {"path": "."}),
                ("outside", "fs.read_text_file", {"path": "/etc/passwd"}),
                ("unlisted", "fs.move_file", {"source": "a.txt", "destination": "b.txt"}),
                ("wrong", "fs.read_text_file", {"path": 3}),
                ("write", "fs.write_file", {"path": "b.txt", "content": "proposed"}),
            ]
        ],
    )
    (place.work / "a.txt").write_text("hello\n")
    code, said = place.run("run")
    same("exit code", 3, code)
    same("read", ("result", "hello\n"), said.outcome("read"))
    same("by the model's name", ("result", "[FILE] a.txt"), said.outcome("model"))
    same("outside", "failed", said.outcome("outside")[0])
    same("not included", "refused", said.outcome("unlisted")[0])
    same("schema", "refused", said.outcome("wrong")[0])
    [(tool, call)] = said.asked()
    same("asked", "fs.write_file", tool)
    same("risks", [{"claimed": "destructive"}, {"claimed": "idempotent"}], said.of("arrived")[0]["risks"])
    same("nothing is written yet", False, (place.work / "b.txt").exists())
    edited = {"path": "b.txt", "content": "edited"}
    code, said = place.decide({call: {"approve": {"arguments": edited}}})
    same("exit code", 0, code)
    same("written", "edited", (place.work / "b.txt").read_text())


def git(folder):
    place = Place(
        folder,
        {"git": {"command": str(PYTHON / "mcp-server-git"), "requires_confirmation": ["git_commit", "git_add"]}},
        [
            [
                ("log", "git.git_log", {"repo_path": "."}),
                ("add", "git.git_add", {"repo_path": ".", "files": ["b.txt"]}),
            ],
            [("commit", "git.git_commit", {"repo_path": ".", "message": "second"})],
        ],
    )
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]

    def run(*line):
        return subprocess.run(["git", *author, *line], cwd=place.work, capture_output=True, text=True, check=True).stdout

    run("init", "--quiet")
    (place.work / "a.txt").write_text("a")
    run("add", ".")
    run("commit", "--quiet", "--message", "first")
    (place.work / "b.txt").write_text("b")
    code, said = place.run("run")
    same("exit code", 3, code)
    holds("the log", "Message: first", said.outcome("log")[1])
    [(_, add)] = said.asked()
    code, said = place.decide({add: {"approve": {}}})
    same("exit code", 3, code)
    same("added", "result", said.outcome("add")[0])
    same("in the index", "A  b.txt\n", run("status", "--short"))
    # The first one is asked again, as it stood.
    [_, (_, commit)] = said.asked()
    code, said = place.decide({commit: {"reject": {"reason": "not on Fridays"}}})
    same("exit code", 0, code)
    same("commits", "1", run("rev-list", "--count", "HEAD").strip())


def clock(folder):
    place = Place(
        folder,
        {"time": {"command": str(PYTHON / "mcp-server-time"), "requires_confirmation": False}},
        [
            [
                ("now", "time.get_current_time", {"timezone": "Europe/Paris"}),
                ("nowhere", "time.get_current_time", {"timezone": "Nowhere/Land"}),
            ]
        ],
    )
    code, said = place.run("run")
    same("exit code", 0, code)
    same("now", "result", said.outcome("now")[0])
    holds("now", "Europe/Paris", said.outcome("now")[1])
    same("nowhere", "failed", said.outcome("nowhere")[0])


CALLS = [
    ("echo", "ev.echo", {"message": "hi"}),
    ("image", "ev.get-tiny-image", {}),
    ("structured", "ev.get-structured-content", {"location": "New York"}),
    ("links", "ev.get-resource-links", {"count": 2}),
    ("resource", "ev.get-resource-reference", {"resourceType": "Blob", "resourceId": 1}),
    ("long", "ev.trigger-long-running-operation", {"duration": 1, "steps": 2}),
]


def check_everything(said):
    same("echo", ("result", "Echo: hi"), said.outcome("echo"))
    holds("image", "[image image/png, ", said.outcome("image")[1])
    holds("structured", '"conditions"', said.outcome("structured")[1])
    holds("links", "[link to the resource ", said.outcome("links")[1])
    holds("resource", " bytes, not shown]", said.outcome("resource")[1])
    same("long", "result", said.outcome("long")[0])


def everything(folder):
    servers = {"ev": stdio("server-everything", requires_confirmation=False)}
    place = Place(folder, servers, [[*CALLS, ("env", "ev.get-env", {})]])
    code, said = place.run("run")
    same("exit code", 0, code)
    check_everything(said)
    environment = said.outcome("env")[1]
    holds("environment", '"PATH"', environment)
    same("a secret", False, SECRET in environment)


def question(folder):
    """A form that the server asks to be filled in is declined on the screen; progress is in the output pane."""
    servers = {"ev": stdio("server-everything", requires_confirmation=False)}
    long = ("long", "ev.trigger-long-running-operation", {"duration": 2, "steps": 2})
    place = Place(folder, servers, [[("ask", "ev.trigger-elicitation-request", {})], [long]])
    line = [BINARY, "run", "--config", folder / "countersign.toml"]
    with Session(line, None, None, place.environment()) as session:
        session.press("", "the MCP server ev asks you")
        session.press("r", "progress 1 of 2")
        session.press("", "your turn")
        session.press("q", END)
        same("exit code", 0, session.end())


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Served:
    """The server over streamable HTTP."""

    def __init__(self):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self):
        self.process = subprocess.Popen(
            ["node", node("server-everything"), "streamableHttp"],
            env=os.environ | {"PORT": str(self.port)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def over_http(folder):
    with Served() as server:
        place = Place(folder, {"ev": {"url": server.url, "requires_confirmation": False}}, [CALLS])
        code, said = place.run("run")
        same("exit code", 0, code)
        check_everything(said)


def http_dies(folder):
    """A server that dies while it runs a call: nobody knows what came of it, and a person is asked."""
    with Served() as server:
        long = ("long", "ev.trigger-long-running-operation", {"duration": 60, "steps": 60})
        place = Place(folder, {"ev": {"url": server.url, "requires_confirmation": False}}, [[long]])
        program = subprocess.Popen(
            [BINARY, "run", "--headless"], cwd=folder, env=place.environment(), stdout=subprocess.PIPE, text=True
        )
        lines = []
        for line in program.stdout:
            lines.append(line)
            if '"running"' in line:
                break
        # It is on its way now; the server answers nothing before a second is over.
        time.sleep(1)
        server.process.send_signal(signal.SIGKILL)
        rest, _ = program.communicate(timeout=PATIENCE)
    said = Said("".join(lines) + rest, "")
    same("exit code", 3, program.returncode)
    [(tool, call)] = said.asked()
    same("asked", "ev.trigger-long-running-operation", tool)
    holds("what is asked", "+unknown-0", call)
    holds("why", "the server ev", json.dumps(said.of("arrived")[0]["basis"]))


def missing(folder):
    servers = {"gone": {"url": f"http://127.0.0.1:{free_port()}/mcp"}, "time": {"command": str(PYTHON / "mcp-server-time")}}
    place = Place(folder, servers, [[("now", "gone.get_current_time", {})]])
    code, said = place.run("run")
    same("exit code", 0, code)
    same("refused", "refused", said.outcome("now")[0])
    holds("a note", "MCP server gone: it cannot be used", "\n".join(said.notes()))


CASES = {
    "files of server-filesystem: read, refused, edited and written": files,
    "server-git: allowed, approved and rejected": git,
    "server-time: a result and an error": clock,
    "server-everything over stdio": everything,
    "server-everything asks on a terminal": question,
    "server-everything over streamable HTTP": over_http,
    "server-everything dies during a call over HTTP": http_dies,
    "an address where nothing is": missing,
}


def left():
    """What is there once servers have had the time to end that they are given."""
    until = time.monotonic() + 10
    while running() and time.monotonic() < until:
        time.sleep(0.05)
    return running()


def running():
    """Command lines of servers that run below this folder or environment."""
    found = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = status.read_bytes().split(b"\0")
        except OSError:
            continue
        line = b" ".join(words).decode("utf-8", "replace").strip()
        if str(NODE) in line and "node" in words[0].decode("utf-8", "replace") or str(PYTHON / "mcp-server-") in line:
            found.append(line)
    return found


def main():
    if NODE is None or sys.argv[1] != "-" and not NODE.is_dir():
        sys.exit("name the folder that `npm install` made, or `-` for the cases that need none")
    if not BINARY.exists():
        sys.exit(f"{BINARY} is not there; build it, or name another in COUNTERSIGN_BIN")
    failed = 0
    cases = {name: case for name, case in CASES.items() if all(word in name for word in sys.argv[2:])}
    for name, case in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                # Without links, so that paths can be compared by their text.
                case(Path(folder).resolve())
                same("servers that are left", [], left())
            except Exception as error:
                failed += 1
                why = error if isinstance(error, (Differs, AssertionError)) else traceback.format_exc()
                print(f"FAILED {name}\n{why}\n")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
