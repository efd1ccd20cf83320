"""`countersign` in a pseudo-terminal, as a step of a pipe: the state on its standard input, the results on its
standard output, and a person's keys and screen on the controlling terminal only.

The screen is the least of a terminal that the program's own output needs: where the cursor goes, what is
written there, what is erased.
"""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ROWS, COLUMNS = 36, 120
LEAD = "import os, sys; os.open(sys.argv[1], os.O_RDWR); os.execvp(sys.argv[2], sys.argv[2:])"
END, ONCE = object(), object()
PATIENCE = 30
# How long a call must have been on the screen before it takes a decision, and a little.
ARMED = 0.45
# The cursor to a place, to the right or into a column, erasing, any other sequence, a character.
PIECES = re.compile(r"\x1b\[(\d*);?(\d*)H|\x1b\[(\d*)([CGJKX])|(\x1b(?:\[[?>=<]?[\d;:]*[ -/]*[@-~]|[\]P_][^\x07\x1b]*(?:\x07|\x1b\\)|[()].|[^\[\]P_]))|([^\x1b])")
UNFINISHED = re.compile(r"\x1b(?:\[[^@-~]*|[\]P_][^\x07]*)?$")


class Screen:
    def __init__(self):
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.kept = (0, 0)
        self.left = ""
        self.answers = ""

    def feed(self, text):
        text = self.left + text
        unfinished = UNFINISHED.search(text)
        self.left = unfinished.group() if unfinished else ""
        for piece in PIECES.finditer(text[: len(text) - len(self.left)]):
            row, column, count, does, other, character = piece.groups()
            if does == "C":
                self.column = min(self.column + int(count or 1), COLUMNS - 1)
            elif does == "G":
                self.column = int(count or 1) - 1
            elif does == "J":
                self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
            elif does == "K":
                self.cells[self.row][self.column :] = [" "] * (COLUMNS - self.column)
            elif does == "X":
                end = min(self.column + int(count or 1), COLUMNS)
                self.cells[self.row][self.column : end] = [" "] * (end - self.column)
            elif row is not None:
                self.row, self.column = int(row or 1) - 1, int(column or 1) - 1
            elif other == "\x1b7":
                self.kept = (self.row, self.column)
            elif other == "\x1b8":
                self.row, self.column = self.kept
            elif other == "\x1b[6n":
                self.answers += f"\x1b[{self.row + 1};{self.column + 1}R"
            elif character and not other:
                self.write(character)

    def write(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, ROWS - 1)
        elif character >= " " and self.column < COLUMNS:
            self.cells[self.row][self.column] = character
            self.column += 1

    def __str__(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)


class Session:
    """One run of the program in a terminal of its own."""

    def __init__(self, command, stdin, stdout, environment):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

        # The first terminal that the leader of a session opens becomes the one that controls it.
        led = [sys.executable, "-S", "-c", LEAD, os.ttyname(theirs), *map(str, command)]
        self.process = subprocess.Popen(
            led, stdin=stdin or theirs, stdout=stdout or theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)
        self.screen = Screen()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Whatever still runs of the pipe after a failure.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.ours)

    def see(self, seconds):
        """Takes in what comes within the time; false if nothing does."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            self.screen.feed(os.read(self.ours, 65536).decode("utf-8", "replace"))
            os.write(self.ours, self.screen.answers.encode())
            self.screen.answers = ""
        except OSError:  # the other side is closed
            return False
        return True

    def press(self, keys, until):
        """Presses keys, again and again since a call takes none before it has been read, until the text is shown
        or, with `END`, the program ends. With `ONCE` they are pressed once and nothing is waited for."""
        if until is ONCE:
            os.write(self.ours, keys.encode())
            return
        deadline = time.monotonic() + PATIENCE
        # A key that comes late must not be pressed twice: the second would be text for what the first opened.
        while self.process.poll() is None and self.see(ARMED) and time.monotonic() < deadline:
            pass
        while not self.came(until):
            if time.monotonic() > deadline or until is not END and self.process.poll() is not None:
                raise AssertionError(f"waited in vain for `{until}`:\n{self.screen}")
            os.write(self.ours, keys.encode())
            again = time.monotonic() + 2
            while not self.came(until) and time.monotonic() < again:
                self.see(0.05)

    def came(self, until):
        if until is END:
            return self.process.poll() is not None
        return until in str(self.screen)

    def end(self):
        """Waits for the end and gives the exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.see(0.05)
            if time.monotonic() > deadline:
                raise AssertionError(f"it did not end:\n{self.screen}")
        return self.process.returncode
