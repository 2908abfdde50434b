"""A service that a test plays, to do what the real one should not."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Respond = Callable[[BaseHTTPRequestHandler], None]


class PlayedService:
    def __init__(self) -> None:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _play(self) -> None:
                length = int(self.headers.get("content-length", 0))
                service.bodies.append(self.rfile.read(length).decode())
                service.requests.append((self.command, self.path, self.headers.get("idempotency-key")))
                service.positions.append(self.headers.get("last-event-id"))
                many = len(service.responses) > 1
                (service.responses.pop(0) if many else service.responses[0])(self)

            do_GET = do_POST = do_PATCH = do_DELETE = _play  # noqa: N815

            def log_message(self, *_: object) -> None:
                """A test prints nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"
        #: What it does with the next requests; the last one for all others.
        self.responses: list[Respond] = []
        self.requests: list[tuple[str, str, str | None]] = []
        self.bodies: list[str] = []
        #: Where each stream was asked to begin.
        self.positions: list[str | None] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def raw(status: int, content: bytes, content_type: str, headers: dict[str, str] | None = None) -> Respond:
    def respond(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        named = {"content-type": content_type, "content-length": str(len(content)), **(headers or {})}
        for name, value in named.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)

    return respond


def reply(status: int, body: Any, **headers: str) -> Respond:
    """JSON; a text is sent as it is."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    text = body if isinstance(body, str) else json.dumps(body)
    return raw(status, text.encode(), "application/json", named)


def refuse(status: int, error: str, **headers: str) -> Respond:
    return reply(status, {"error": error, "message": error}, **headers)


def hang_up(request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True


def cut_off(request: BaseHTTPRequestHandler) -> None:
    """Begins a response that is cut."""
    request.send_response(200)
    request.send_header("content-type", "application/json")
    request.send_header("content-length", "100")
    request.end_headers()
    request.wfile.write(b'{"service_')
    request.close_connection = True


def stall(request: BaseHTTPRequestHandler) -> None:
    """Begins a response that does not go on."""
    cut_off(request)
    request.wfile.flush()
    time.sleep(3)


def stream(text: str, then: Callable[[BaseHTTPRequestHandler], None] = hang_up) -> Respond:
    """Sends the beginning of a stream of events."""

    def respond(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("content-type", "text/event-stream")
        request.send_header("connection", "close")
        request.end_headers()
        request.wfile.write(text.encode())
        request.wfile.flush()
        then(request)

    return respond


def event(sequence: int) -> dict[str, Any]:
    return {
        "id": f"evt_{sequence}",
        "sequence": sequence,
        "type": "trade.confirmed",
        "created_at": "2026-03-01T12:00:00.000Z",
        "request_id": None,
        "data": {"object_type": "trade", "object": {}},
    }


def frame(sequence: int) -> str:
    return f"id: evt_{sequence}\ndata: {json.dumps(event(sequence))}\n\n"
