"""Pydantic AI with scripts: each inner call is decided by itself, and the script goes on from its snapshot."""

from cases.shared import deleted, mailed
from deciding import Decide, Refused, approve, edit, reject, respond, retry
from screen import END

PROGRAM = "code_mode"

MAILED = ["send_mail", {"to": "ada@example.org", "body": "contents of notes.md"}]
RETURNED = ["deleted a", "deleted b", "sent to ada@example.org"]
ALL = {"rc1__2": approve(), "rc1__3": approve(), "rc1__4": approve()}
CASES = [
    ("gather", "approve", [Decide(ALL, [deleted("a"), deleted("b"), MAILED], {"rc1": ["success", RETURNED]})]),
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
    ("gather", "partial is refused", [Refused({"rc1__2": approve()}, "goes on only with an answer to each call", ["--partial"], 3)]),
    ("gather", "respond is refused", [Refused(ALL | {"rc1__2": respond("done by hand")}, "answered")]),
    ("gather", "retry is refused", [Refused(ALL | {"rc1__2": retry("which?")}, "sent back")]),
    (
        "gather",
        "in a terminal: approve all",
        [
            Decide(
                {},
                [deleted("a"), deleted("b"), MAILED],
                {"rc1": ["success", RETURNED]},
                keys=[("A", "approve 3 calls"), ("\r", END)],
            )
        ],
    ),
    (
        "gather",
        "the script itself is rejected",
        [Decide({"rc1": reject("not like this")}, [], {"rc1": ["denied", "not like this"]})],
    ),
    ("gather", "the script itself cannot be approved", [Refused({"rc1": approve()}, "approved")]),
    (
        "gather",
        "in a terminal: the script is dropped",
        [
            Decide(
                {},
                [],
                {"rc1": ["denied", "no"]},
                keys=[("g", "drop script"), ("r", "Drop the script"), ("no", "│ no"), ("\x13", END)],
            )
        ],
    ),
    (
        # Each process makes what was approved before it, and no call a second time.
        "long",
        "two in sequence, then three at once, in three more processes",
        [
            Decide({"rc1__2": approve()}, [deleted("a")], {}, ["rc1__3"], more={"done": ["read_file", "delete_file"]}),
            Decide(
                {"rc1__3": approve()},
                [mailed("deleted a")],
                {},
                ["rc1__4", "rc1__5", "rc1__6"],
                more={"done": ["read_file", "delete_file", "send_mail"]},
            ),
            Decide(
                {"rc1__4": approve(), "rc1__5": edit(path="other"), "rc1__6": approve()},
                [deleted("b"), deleted("other"), deleted("d")],
                {"rc1": ["success", ["deleted a", "sent to ada@example.org", ["deleted b", "deleted other", "deleted d"]]]},
            ),
        ],
    ),
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
