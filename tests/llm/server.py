"""A server on the loopback address that speaks the protocol of OpenAI, with faults on demand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[int, dict[str, Any]], Any]


class Model(ThreadingHTTPServer):
    """`answer(number, question)` returns what `Handler` sends: a reply, a code with headers, or a fault."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.questions, self.headers, self.lock = answer, [], [], threading.Lock()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error here."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.questions)
            self.server.questions.append(question)
            self.server.headers.append(dict(self.headers))
        assert self.path == "/v1/chat/completions"
        answer = self.server.answer(number, question)
        if answer == "disconnect":
            self.close_connection = True
            self.connection.close()
            return
        if answer == "hang":
            time.sleep(3)
            answer = "late"
        if answer == "half":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices"')
            self.close_connection = True
            return
        code, headers, body = answer if isinstance(answer, tuple) else (200, {}, completion(answer))
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(code)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: Any) -> None:
        """Print nothing."""


def completion(text: str, logprob: float | None = None) -> dict[str, Any]:
    """The body of a reply."""
    choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    if logprob is not None:
        choice["logprobs"] = {"content": [{"token": text, "logprob": logprob}]}
    return {"choices": [choice], "usage": {"prompt_tokens": 50, "completion_tokens": 2}}


def document_of(question: dict[str, Any]) -> str:
    """The document that a question is about."""
    text: str = question["messages"][-1]["content"]
    return text.removeprefix("<document>\n").removesuffix("\n</document>")


@contextmanager
def serving(answer: Answer) -> Iterator[Model]:
    """Serve in a thread."""
    with Model(answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
