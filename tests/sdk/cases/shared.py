"""What the tools of `programs/shared.py` receive and return for the calls that every model there makes."""

DELETED = ["delete_file", {"path": "reports/q3.csv", "recursive": False}]
DELETED_AGAIN = ["delete_file", {"path": "reports/q4.csv", "recursive": False}]
MAILED = ["send_mail", {"to": "ada@example.org", "body": "hi"}]
READ = ["read_file", {"path": "notes.md"}]

MAIL = {"to": "ada@example.org", "body": "hi"}


def deleted(path, recursive=False):
    return ["delete_file", {"path": path, "recursive": recursive}]


def mailed(body):
    return ["send_mail", {"to": "ada@example.org", "body": body}]
