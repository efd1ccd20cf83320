"""LangChain's human-in-the-loop middleware."""

from cases.shared import DELETED, MAIL, MAILED, READ, deleted, mailed
from deciding import Decide, Refused, approve, edit, fail, reject, respond, retry
from screen import END, ONCE

PROGRAM = "langchain"
TOLD = {
    "c1": ["success", "deleted reports/q3.csv"],
    "c2": ["success", "contents of notes.md"],
    "c3": ["success", "sent to ada@example.org"],
}


def replaced(tool, arguments, result):
    return [
        "success",
        "Note: a human reviewer replaced this tool call before it ran. The call recorded in your message is the one you"
        " produced, not the one that executed. This was intentional and authorized. Do not re-issue your original call."
        f" Executed instead: {tool} with arguments {arguments}.\n\nTool response:\n{result}",
    ]


def rejected(tool, reason):
    return ["error", f"User rejected the tool call for `{tool}` with reason: {reason}"]


def rejected_silently(tool, call):
    return [
        "error",
        f"User rejected the tool call for `{tool}` with id {call}. The tool was not executed. Do not retry this tool call"
        " unless the user explicitly requests it.",
    ]


EDITED = {
    "c1": replaced("delete_file", '{"path": "old.csv"}', "deleted old.csv"),
    "c3": replaced("send_mail", '{"to": "ada@example.org", "body": "hello"}', "sent to ada@example.org"),
}
REASONS = {"c1": rejected("delete_file", "no"), "c3": rejected("send_mail", "never")}
SILENT = {"c1": rejected_silently("delete_file", "c1"), "c3": rejected_silently("send_mail", "c3")}
ANSWERED = {"c1": ["success", "done by hand"]}


def every(scenario, first, second, executed):
    """The decisions that both kinds of interrupts take, by the ids of the two calls. `executed`: what the resumed
    run executes by itself."""

    def both(c1, c3, received, told):
        return [Decide({first: c1, second: c3}, received + executed, TOLD | told)]

    edits = edit(path="old.csv"), edit(**MAIL | {"body": "hello"})
    return [
        (scenario, "approve", both(approve(), approve(), [DELETED, MAILED], {})),
        (scenario, "edit", both(*edits, [deleted("old.csv"), mailed("hello")], EDITED)),
        (scenario, "reject with a reason", both(reject("no"), reject("never"), [], REASONS)),
        (scenario, "reject without a reason", both(reject(), reject(), [], SILENT)),
        (scenario, "respond", both(respond("done by hand"), approve(), [MAILED], ANSWERED)),
        (scenario, "mixed", both(edits[0], reject("never"), [deleted("old.csv")], {"c1": EDITED["c1"], "c3": REASONS["c3"]})),
        (scenario, "retry is refused", [Refused({first: retry("which?"), second: approve()}, "sent back")]),
        (scenario, "fail is refused", [Refused({first: fail("disk full"), second: approve()}, "answered as failed")]),
        (scenario, "approve all", [Decide({}, [DELETED, MAILED] + executed, TOLD, options=["--approve-all"])]),
    ]


CASES = [
    *every("batched", "0", "1", [READ]),
    ("batched", "partial is refused", [Refused({"0": approve()}, "goes on only with an answer to each call", ["--partial"], 3)]),
    *every("per_call", "c1", "c3", []),
    (
        "per_call",
        "partial, then the rest",
        [
            Decide({"c1": approve()}, [DELETED], {}, ["c3"], ["--partial"], code=3),
            Decide({"c3": reject("never")}, [], TOLD | {"c3": REASONS["c3"]}),
        ],
    ),
    ("per_call", "partial has to be asked for", [Refused({"c1": approve()}, "1 call is undecided", code=3)]),
    (
        "per_call",
        "in a terminal: respond, and reject with a reason",
        [
            Decide(
                {},
                [],
                TOLD | ANSWERED | {"c3": REASONS["c3"]},
                keys=[
                    ("x", "Answer"),
                    ("done by hand", ONCE),
                    ("\x13", "1 pending · 1 decided"),
                    ("r", "Reject, with a reason"),
                    ("never", ONCE),
                    ("\x13", END),
                ],
            )
        ],
    ),
    ("few", "edit is refused", [Refused({"0": edit(path="old.csv"), "1": approve()}, "approved with edits")]),
    ("few", "respond is refused", [Refused({"0": respond("done by hand"), "1": approve()}, "answered")]),
    ("few", "approve and reject", [Decide({"0": approve(), "1": reject("never")}, [DELETED, READ], TOLD | {"c3": REASONS["c3"]})]),
]
