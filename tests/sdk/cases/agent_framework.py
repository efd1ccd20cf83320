"""Microsoft Agent Framework: approve and reject; it has fixed words for a rejection, and runs what was approved
only when all is decided."""

from cases.shared import DELETED, DELETED_AGAIN, MAILED, READ
from deciding import ALWAYS, Decide, Refused, approve, edit, fail, reject, respond, retry

PROGRAM = "agent_framework"
DONE = {"c1": "deleted reports/q3.csv", "c2": "contents of notes.md", "c3": "sent to ada@example.org"}
REJECTED = "Error: Tool call invocation was rejected by user."


def both(c1, c3, received, told):
    return [Decide({"c1": c1, "c3": c3}, received + [READ], DONE | told)]


def refused(name, decision):
    return ("requests", f"{name} is refused", [Refused({"c1": decision, "c3": approve()}, name)])


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
            Decide({"c1": approve()}, [], {}, ["c3"], ["--partial"]),
            Decide({"c3": reject()}, [DELETED, READ], DONE | {"c3": REJECTED}),
        ],
    ),
    ("requests", "partial has to be asked for", [Refused({"c1": approve()}, "--partial")]),
    refused("reason", reject("no")),
    refused("edit", edit(path="old.csv")),
    refused("respond", respond("done by hand")),
    refused("retry", retry("which?")),
    refused("fail", fail("disk full")),
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
]
