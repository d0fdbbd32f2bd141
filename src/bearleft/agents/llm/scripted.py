"""A local server with scripted answers, which stands in for a language model in tests and benchmarks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

CHARACTERS_PER_TOKEN = 4  # of the counts that the server reports


@dataclass(frozen=True)
class Reply:
    """What a scripted server sends.

    Attributes:
        text: The answer.
        finish: Why it ends.
        status: The status of HTTP.
        seconds: How long the server waits before.
        headers: Further headers.
        body: The body instead of a chat completion.
        cut: Whether the connection ends within the body.
    """

    text: str = ""
    finish: str = "stop"
    status: int = 200
    seconds: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: bool = False


Script = Callable[[list[dict[str, Any]]], str | Reply]


def words_of(message: Mapping[str, Any]) -> str:
    """Return the words of a message, without its pictures."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


class ScriptedServer:
    """An OpenAI-compatible endpoint on a free port of this machine; use it in a `with` statement.

    Args:
        script: Returns the answer to the messages of a conversation.

    Attributes:
        requests: The bodies of all requests.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                server._answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.request_queue_size = 64
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The address of the endpoint."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        row = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(row)
            self.keys.add(handler.headers.get("Authorization", ""))
            scripted = self.script(row["messages"])
        reply = Reply(scripted) if isinstance(scripted, str) else scripted
        if reply.seconds:
            time.sleep(reply.seconds)
        body = completion(row["messages"], reply) if reply.body is None else reply.body
        try:
            handler.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body[: len(body) // 2] if reply.cut else body)
            handler.close_connection = reply.cut
        except OSError:  # the client did not wait
            handler.close_connection = True


def completion(messages: Sequence[Mapping[str, Any]], reply: Reply) -> bytes:
    """Return the body of a chat completion, with counts of tokens."""
    characters = sum(len(words_of(message)) for message in messages)
    counts = characters // CHARACTERS_PER_TOKEN, len(reply.text) // CHARACTERS_PER_TOKEN
    message = {"role": "assistant", "content": reply.text}
    row = {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts)},
    }
    return json.dumps(row).encode()
