"""Pydantic AI with scripts: each inner call is decided by itself, and the script goes on from its snapshot."""

from cases.shared import deleted
from deciding import Decide, Refused, approve, edit, reject

PROGRAM = "code_mode"

MAILED = ["send_mail", {"to": "ada@example.org", "body": "contents of notes.md"}]
ALL = {"rc1__2": approve(), "rc1__3": approve(), "rc1__4": approve()}
CASES = [
    ("gather", "approve", [Decide(ALL, [deleted("a"), deleted("b"), MAILED], {"rc1": ["success", ["deleted a", "deleted b", "sent to ada@example.org"]]})]),
    (
        "gather",
        "mixed",
        [
            Decide(
                ALL | {"rc1__3": edit(path="old.csv"), "rc1__4": reject("no mail")},
                [deleted("a"), deleted("old.csv")],
                {"rc1": ["retried", "RuntimeError: no mail"]},
            )
        ],
    ),
    ("gather", "partial is refused", [Refused({"rc1__2": approve()}, "still undecided")]),
    (
        "steps",
        "reject, then approve in the next round",
        [
            Decide({"rc1__1": reject("not a")}, [], {}, ["rc1__2"]),
            Decide({"rc1__2": approve()}, [deleted("b")], {"rc1": ["success", ["not a", "deleted b"]]}),
        ],
    ),
    (
        "steps",
        "approve, then reject without a reason",
        [
            Decide({"rc1__1": approve()}, [deleted("a")], {}, ["rc1__2"]),
            Decide({"rc1__2": reject()}, [], {"rc1": ["success", ["deleted a", "The tool call was denied."]]}),
        ],
    ),
]
