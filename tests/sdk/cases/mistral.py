"""Mistral's SDK: calls that the program runs itself, and calls of a connector that the service runs."""

from cases.shared import DELETED, MAIL, MAILED, deleted, mailed
from deciding import Decide, Refused, approve, edit, fail, reject, respond, retry
from screen import END, ONCE

PROGRAM = "mistral"
READ = {"c2": ["result", "contents of notes.md"]}
DONE = READ | {"c1": ["result", "deleted reports/q3.csv"], "c3": ["result", "sent to ada@example.org"]}
REJECTED = ["result", "Rejected by user"]
ALLOW, DENY = ["allow", None], ["deny", None]


def both(c1, c3, received, told):
    return [Decide({"c1": c1, "c3": c3}, received, DONE | told)]


def gmail(g1, g2, told, **more):
    return [Decide({"g1": g1, "g2": g2}, [], told, **more)]


CASES = [
    ("local", "approve", both(approve(), approve(), [DELETED, MAILED], {})),
    (
        "local",
        "edit",
        both(edit(path="old.csv"), edit(**MAIL | {"body": "hello"}), [deleted("old.csv"), mailed("hello")], {"c1": ["result", "deleted old.csv"]}),
    ),
    (
        "recursive",
        "edit takes an argument away",
        [Decide({"c1": edit(path="reports")}, [deleted("reports")], {"c1": ["result", "deleted reports"]})],
    ),
    ("local", "reject with a reason", both(reject("no"), reject("never"), [], {"c1": ["result", "no"], "c3": ["result", "never"]})),
    ("local", "mixed", both(approve(), reject("never"), [DELETED], {"c3": ["result", "never"]})),
    ("local", "respond", both(respond("done by hand"), approve(), [MAILED], {"c1": ["result", "done by hand"]})),
    ("local", "partial is refused", [Refused({"c1": approve()}, "goes on only with an answer to each call", ["--partial"], 3)]),
    ("local", "retry is refused", [Refused({"c1": retry("which?"), "c3": approve()}, "sent back")]),
    ("local", "fail is refused", [Refused({"c1": fail("disk full"), "c3": approve()}, "answered as failed")]),
    ("local", "reject without a reason", both(reject(), reject(), [], {"c1": REJECTED, "c3": REJECTED})),
    (
        "local",
        "in a terminal: approve, and reject with a reason",
        [
            Decide(
                {},
                [DELETED],
                DONE | {"c3": ["result", "never"]},
                keys=[
                    ("a", "1 pending · 1 decided"),
                    ("r", "Reject, with a reason"),
                    ("never", ONCE),
                    ("\x13", END),
                ],
            )
        ],
    ),
    ("connector", "approve", gmail(approve(), approve(), {"g1": ALLOW, "g2": ALLOW})),
    ("connector", "reject without a reason", gmail(reject(), reject(), {"g1": DENY, "g2": DENY})),
    ("connector", "mixed", gmail(approve(), reject(), {"g1": ALLOW, "g2": DENY})),
    (
        "connector",
        "reject with a reason",
        gmail(approve(), reject("not now"), {"g1": ALLOW, "g2": DENY}, more={"said": ["gmail_send was rejected: not now"]}),
    ),
    ("connector", "edit is refused", [Refused({"g1": edit(query="x"), "g2": approve()}, "approved with edits")]),
    ("connector", "respond is refused", [Refused({"g1": respond("x"), "g2": approve()}, "answered")]),
    (
        "both",
        "mixed",
        [
            Decide(
                {"g1": approve(), "g2": reject(), "c1": approve(), "c3": reject("never")},
                [DELETED],
                DONE | {"c3": ["result", "never"], "g1": ALLOW, "g2": DENY},
            )
        ],
    ),
]
