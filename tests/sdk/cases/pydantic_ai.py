"""Pydantic AI. The scenarios differ in the form of the state; every decision is possible."""

from cases.shared import DELETED, MAILED, deleted, mailed
from deciding import Decide, Refused, approve, edit, fail, reject, respond, retry
from screen import END, ONCE

PROGRAM = "pydantic_ai"
READ = {"c2": ["success", "contents of notes.md"]}
BOTH = {"c1": ["success", "deleted reports/q3.csv"], "c3": ["success", "sent to ada@example.org"]}
DENIED = ["denied", "The tool call was denied."]


def both(c1, c3, received, told):
    return [Decide({"c1": c1, "c3": c3}, received, READ | told)]


CASES = [
    ("approvals", "approve", both(approve(), approve(), [DELETED, MAILED], BOTH)),
    (
        "approvals",
        "edit",
        both(
            edit(path="old.csv"),
            edit(to="ada@example.org", body="hello"),
            [deleted("old.csv"), mailed("hello")],
            {"c1": ["success", "deleted old.csv"], "c3": ["success", "sent to ada@example.org"]},
        ),
    ),
    ("approvals", "reject with a reason", both(reject("no"), reject("never"), [], {"c1": ["denied", "no"], "c3": ["denied", "never"]})),
    ("approvals", "reject without a reason", both(reject(), reject(), [], {"c1": DENIED, "c3": DENIED})),
    ("approvals", "respond", both(respond("done by hand"), approve(), [MAILED], BOTH | {"c1": ["success", "done by hand"]})),
    ("approvals", "retry", both(retry("which?"), approve(), [MAILED], BOTH | {"c1": ["retried", "which?"]})),
    # Requests alone may be from version 1, which would take it for a result.
    ("approvals", "fail is refused", [Refused({"c1": fail("disk full"), "c3": approve()}, "answered as failed")]),
    ("conversation", "fail", both(fail("disk full"), approve(), [MAILED], BOTH | {"c1": ["failed", "disk full"]})),
    ("approvals", "mixed", both(approve(), reject("no"), [DELETED], BOTH | {"c3": ["denied", "no"]})),
    ("approvals", "partial is refused", [Refused({"c1": approve()}, "goes on only with an answer to each call", ["--partial"], 3)]),
    (
        "approvals",
        "in two sittings",
        [
            Refused({"c1": approve()}, "1 call is undecided", code=3),
            Decide({"c3": reject("no")}, [DELETED], READ | BOTH | {"c3": ["denied", "no"]}),
        ],
    ),
    (
        "conversation",
        "in a terminal: edit, and respond",
        [
            Decide(
                {},
                [deleted("old.csv")],
                READ | {"c1": ["success", "deleted old.csv"], "c3": ["success", "done by hand"]},
                keys=[
                    ("e", "Edit, then approve"),
                    # To the end of the line of the path, and back over it.
                    ("\x10\x1b[B\x1b[F" + "\x7f" * len('reports/q3.csv"') + 'old.csv"', ONCE),
                    ("\x13", "approve 1 call with edits"),
                    ("\r", "1 pending · 1 decided"),
                    ("x", "Answer"),
                    ("done by hand", ONCE),
                    ("\x13", END),
                ],
            )
        ],
    ),
    ("approvals", "approve all", [Decide({}, [DELETED, MAILED], READ | BOTH, options=["--approve-all"])]),
    (
        "approvals",
        "reject all",
        [Decide({}, [], READ | {"c1": ["denied", "no"], "c3": ["denied", "no"]}, options=["--reject-all", "no"])],
    ),
    (
        "approvals",
        "twice only when asked for",
        [
            *both(approve(), reject("no"), [DELETED], BOTH | {"c3": ["denied", "no"]}),
            Refused({"c1": reject("no"), "c3": reject("no")}, "--again"),
            Decide({}, [], READ | {"c1": ["denied", "no"], "c3": ["denied", "no"]}, options=["--again", "--reject-all", "no"]),
        ],
    ),
    ("strings", "approve", both(approve(), approve(), [DELETED, MAILED], BOTH)),
    (
        "strings",
        "edit",
        both(edit(path="old.csv"), reject("no"), [deleted("old.csv")], {"c1": ["success", "deleted old.csv"], "c3": ["denied", "no"]}),
    ),
    (
        "conversation",
        "mixed",
        both(edit(path="old.csv"), reject("no"), [deleted("old.csv")], {"c1": ["success", "deleted old.csv"], "c3": ["denied", "no"]}),
    ),
    (
        "v1",
        "mixed",
        both(edit(path="old.csv"), reject("no"), [deleted("old.csv")], {"c1": ["success", "deleted old.csv"], "c3": ["denied", "no"]}),
    ),
    ("v1", "approve", both(approve(), approve(), [DELETED, MAILED], BOTH)),
    (
        "external",
        "respond",
        [
            Decide(
                {"j1": respond("saved"), "q1": respond("1999")},
                [],
                {"j1": ["success", "saved"], "q1": ["success", "1999"]},
            )
        ],
    ),
    (
        "external",
        "retry and fail",
        [
            Decide(
                {"j1": fail("no disk"), "q1": retry("ask better")},
                [],
                {"j1": ["failed", "no disk"], "q1": ["retried", "ask better"]},
            )
        ],
    ),
    (
        "external",
        "reject",
        [Decide({"j1": reject("no"), "q1": reject()}, [], {"j1": ["denied", "no"], "q1": DENIED})],
    ),
    ("external", "approve is refused", [Refused({"j1": approve(), "q1": respond("1999")}, "j1")]),
]
