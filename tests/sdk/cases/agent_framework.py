"""Microsoft Agent Framework: approve and reject; it has fixed words for a rejection, and runs what was approved
only when all is decided."""

from cases.shared import DELETED, DELETED_AGAIN, MAILED, READ
from deciding import ALWAYS, ALWAYS_THESE, Decide, Refused, approve, edit, fail, reject, respond, retry
from screen import END

PROGRAM = "agent_framework"
DONE = {"c1": "deleted reports/q3.csv", "c2": "contents of notes.md", "c3": "sent to ada@example.org"}
REJECTED = "Error: Tool call invocation was rejected by user."


def both(c1, c3, received, told):
    return [Decide({"c1": c1, "c3": c3}, received + [READ], DONE | told)]


def refused(name, decision, done):
    return ("requests", f"{name} is refused", [Refused({"c1": decision, "c3": approve()}, f"cannot be {done}")])


def again(c1):
    """With its middleware for standing approvals the framework asks about one call after the other."""
    return [
        Decide({"c1": c1}, [], {}, ["c3"]),
        Decide({"c3": approve()}, [DELETED, READ, MAILED], DONE, ["c9"]),
    ]


CASES = [
    ("requests", "approve", both(approve(), approve(), [DELETED, MAILED], {})),
    ("requests", "reject without a reason", both(reject(), reject(), [], {"c1": REJECTED, "c3": REJECTED})),
    ("requests", "mixed", both(approve(), reject(), [DELETED], {"c3": REJECTED})),
    ("response", "mixed", both(approve(), reject(), [DELETED], {"c3": REJECTED})),
    (
        "requests",
        "partial, then the rest",
        [
            Decide({"c1": approve()}, [], {}, ["c3"], ["--partial"], code=3),
            Decide({"c3": reject()}, [DELETED, READ], DONE | {"c3": REJECTED}),
        ],
    ),
    ("requests", "partial has to be asked for", [Refused({"c1": approve()}, "1 call is undecided", code=3)]),
    (
        "requests",
        "in a terminal: approve, and reject",
        [
            Decide(
                {},
                [DELETED, READ],
                DONE | {"c3": REJECTED},
                keys=[("a", "1 pending · 1 decided"), ("r", END)],
            )
        ],
    ),
    refused("reject with a reason", reject("no"), "rejected with a reason"),
    refused("edit", edit(path="old.csv"), "approved with edits"),
    refused("respond", respond("done by hand"), "answered"),
    refused("retry", retry("which?"), "sent back"),
    refused("fail", fail("disk full"), "answered as failed"),
    ("again", "approve counts once", again(approve())),
    (
        "again",
        "approve always",
        [
            *again(approve(**ALWAYS))[:1],
            Decide(
                {"c3": approve()},
                [DELETED, READ, MAILED, DELETED_AGAIN],
                DONE | {"c9": "deleted reports/q4.csv"},
            ),
        ],
    ),
    (
        "again",
        "approve always with these arguments",
        [
            *again(approve(**ALWAYS_THESE))[:1],
            Decide({"c3": approve()}, [DELETED, READ, MAILED], DONE, ["c9"]),
        ],
    ),
    (
        "same",
        "approve always with these arguments",
        [
            *again(approve(**ALWAYS_THESE))[:1],
            Decide(
                {"c3": approve()},
                [DELETED, READ, MAILED, DELETED],
                DONE | {"c9": "deleted reports/q3.csv"},
            ),
        ],
    ),
    (
        "again",
        # The framework keeps approvals only.
        "reject always",
        [Refused({"c1": reject(**ALWAYS), "c3": approve()}, "cannot be rejected for later calls too")],
    ),
]
