"""Runs real programs of agent frameworks to the point where calls wait, decides with the real `countersign`,
goes on in a new process, and checks what the tools received and what the model was told.

COUNTERSIGN_BIN=target/release/countersign python tests/sdk/run.py [WORD…]

With words, only the cases whose names contain all of them. The interpreter is the one of the virtual environment
that `requirements.txt` describes.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import deciding
import examples
from cases import CASES
from deciding import Refused

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"


class Differs(Exception):
    pass


def half(program, which, scenario, folder):
    line = [sys.executable, str(PROGRAMS / f"on_{program}.py"), which, scenario, str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Differs(f"{program} could not {which}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def same(what, wanted, got):
    if wanted != got:
        raise Differs(f"{what}\n  wanted {json.dumps(wanted)}\n  got    {json.dumps(got)}")


def take(step, program, scenario, folder):
    (folder / "results.json").unlink(missing_ok=True)
    if isinstance(step, Refused):
        code, said = deciding.run(step, folder)
        same(f"exit code ({said.strip()})", step.code, code)
        if step.says not in said:
            raise Differs(f"what it said\n  wanted {step.says}\n  got    {said}")
        same("whether anything is written", False, (folder / "results.json").exists())
        return
    code, said = deciding.in_terminal(step, folder) if step.keys else deciding.run(step, folder)
    same(f"exit code ({said.strip()})", step.code, code)
    try:
        report = half(program, "resume", scenario, folder)
    except Differs as differs:
        raise Differs(f"{differs}\nwith {(folder / 'results.json').read_text()[:2000]}") from None
    wanted = {"received": sorted(step.received, key=json.dumps), "told": step.told, "waiting": step.waiting, **step.more}
    report["received"].sort(key=json.dumps)
    for what, value in wanted.items():
        same(what, value, report.get(what))


def run_case(name, program, scenario, steps, deferred, folder):
    try:
        if isinstance(deferred[program, scenario], Differs):
            raise deferred[program, scenario]
        shutil.copytree(deferred[program, scenario], folder)
        for step in steps:
            take(step, program, scenario, folder)
    except (Differs, AssertionError, subprocess.TimeoutExpired) as differs:
        return name, str(differs)
    except Exception:
        return name, traceback.format_exc()
    return name, None


def run_example(name, folder):
    try:
        got, wanted = examples.run(name, folder)
        same("what came of it", wanted, got)
    except (Differs, AssertionError) as differs:
        return name, str(differs)
    except Exception:
        return name, traceback.format_exc()
    return name, None


def defer(program, scenario, folder):
    folder.mkdir()
    try:
        half(program, "defer", scenario, folder)
    except Differs as differs:
        return differs
    return folder


def main():
    def wanted(name):
        return all(word in name for word in sys.argv[1:])

    if not deciding.BINARY.exists():
        sys.exit(f"{deciding.BINARY} is not there; build it, or name another in COUNTERSIGN_BIN")
    cases = [case for case in CASES if wanted(case[0])]
    # One after another they take minutes, most of it the frameworks' imports.
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor((os.cpu_count() or 1) + 1) as threads:
        folder = Path(folder)
        firsts = sorted({(program, scenario) for _, program, scenario, _ in cases})
        made = threads.map(lambda first: defer(*first, folder / "-".join(first)), firsts)
        deferred = dict(zip(firsts, made))
        running = [
            threads.submit(run_case, *case, deferred, folder / str(number)) for number, case in enumerate(cases)
        ]
        running += [
            threads.submit(run_example, name, folder / name.replace(" ", "-")) for name in examples.NAMES if wanted(name)
        ]
        ended = [task.result() for task in running]
    for name, difference in ended:
        if difference:
            print(f"FAILED {name}\n{difference}\n")
    failed = sum(1 for _, difference in ended if difference)
    print(f"{len(ended) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
