"""The least of a Conversations API on the loopback that a run needs: one turn of calls, and one append.

It keeps what an append told the model, and refuses one that the real service would refuse: a client-side call
without its result, a result that no call asked for.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONVERSATION = "conv_1"


class Conversations:
    def __init__(self, calls):
        self.calls = calls
        self.told = {}  # what became of each call, as the append says it
        self.said = []  # messages beside the results
        self.appended = []  # the bodies of the appends
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.address = f"http://127.0.0.1:{self.http.server_port}"

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, args=[0.01], daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()

    def answer(self, path, body):
        if path == "/v1/conversations":
            return 200, response([entry("function.call", **call) for call in self.calls])
        assert path == f"/v1/conversations/{CONVERSATION}", path
        self.appended.append(body)
        results = [given for given in body["inputs"] if given["type"] == "function.result"]
        self.said += [given["content"] for given in body["inputs"] if given["type"] == "message.input"]
        here = {call["tool_call_id"] for call in self.calls if "confirmation_status" not in call}
        if sorted(given["tool_call_id"] for given in results) != sorted(here - self.told.keys()):
            refusal = "Not the same number of function calls and responses"
            return 400, {"object": "error", "message": refusal, "type": "invalid_request_message_order", "code": "3230"}
        for given in results:
            self.told[given["tool_call_id"]] = ["result", given["result"]]
        for given in body["tool_confirmations"] or []:
            self.told[given["tool_call_id"]] = [given["confirmation"], None]
        open_calls = [call for call in self.calls if call["tool_call_id"] not in self.told]
        done = entry("message.output", role="assistant", content="done")
        return 200, response([entry("function.call", **call) for call in open_calls] or [done])


def entry(kind, **fields):
    return {"object": "entry", "type": kind, "created_at": "2026-11-20T10:00:00Z", "id": f"{kind}_{fields.get('tool_call_id', 0)}", **fields}


def response(outputs):
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"object": "conversation.response", "conversation_id": CONVERSATION, "outputs": outputs, "usage": usage}


def handler(conversations):
    class Exchange(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, answer = conversations.answer(self.path, body)
            text = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    return Exchange
