"""OpenAI Agents: approve and reject, once or for the rest of the run; the rest may stay interrupted."""

from cases.shared import DELETED, DELETED_AGAIN, MAILED
from deciding import ALWAYS, ALWAYS_THESE, Decide, Refused, approve, edit, fail, reject, respond, retry
from screen import END, ONCE

PROGRAM = "openai_agents"
DONE = {"c1": "deleted reports/q3.csv", "c2": "contents of notes.md", "c3": "sent to ada@example.org"}
DEFAULT = "Tool execution was not approved."


def both(c1, c3, received, told):
    return [Decide({"c1": c1, "c3": c3}, received, DONE | told)]


def refused(name, decision, done):
    return ("plain", f"{name} is refused", [Refused({"c1": decision, "c3": approve()}, f"cannot be {done}")])


CASES = [
    ("plain", "approve", both(approve(), approve(), [DELETED, MAILED], {})),
    ("plain", "reject with a reason", both(reject("no"), reject("never"), [], {"c1": "no", "c3": "never"})),
    ("plain", "reject without a reason", both(reject(), reject(), [], {"c1": DEFAULT, "c3": DEFAULT})),
    ("plain", "mixed", both(approve(), reject("never"), [DELETED], {"c3": "never"})),
    (
        "plain",
        "partial, then the rest",
        [
            Decide({"c1": approve()}, [DELETED], {}, ["c3"], ["--partial"], code=3),
            Decide({"c3": reject("never")}, [], DONE | {"c3": "never"}),
        ],
    ),
    ("plain", "partial has to be asked for", [Refused({"c1": approve()}, "1 call is undecided", code=3)]),
    (
        "plain",
        "in a terminal: reject with a reason, and approve",
        [
            Decide(
                {},
                [MAILED],
                DONE | {"c1": "no"},
                keys=[
                    ("r", "Reject, with a reason"),
                    ("no", ONCE),
                    ("\x13", "1 pending · 1 decided"),
                    ("a", END),
                ],
            )
        ],
    ),
    refused("edit", edit(path="old.csv"), "approved with edits"),
    refused("respond", respond("done by hand"), "answered"),
    refused("retry", retry("which?"), "sent back"),
    refused("fail", fail("disk full"), "answered as failed"),
    (
        "again",
        "approve counts once",
        [Decide({"c1": approve(), "c3": approve()}, [DELETED, MAILED], DONE, ["c9"])],
    ),
    (
        "again",
        "approve always",
        [
            Decide(
                {"c1": approve(**ALWAYS), "c3": approve()},
                [DELETED, MAILED, DELETED_AGAIN],
                DONE | {"c9": "deleted reports/q4.csv"},
            )
        ],
    ),
    (
        "again",
        "reject always",
        [
            Decide(
                {"c1": reject("no", **ALWAYS), "c3": approve()},
                [MAILED],
                DONE | {"c1": "no", "c9": "no"},
            )
        ],
    ),
    refused("approve always with these arguments", approve(**ALWAYS_THESE), "approved for later calls too"),
]
