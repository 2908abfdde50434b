"""A proxy over TCP that a test has change or cut what passes."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable
from typing import Self

import httpx

#: Gets a request and its response, and returns what is passed on; the connection is cut behind less than the whole.
Change = Callable[[bytes, bytes], bytes]


class Proxy:
    def __init__(self, target: str) -> None:
        url = httpx.URL(target)
        self._target = (url.host, url.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = []
        #: Every request that came, headers included.
        self.requests: list[bytes] = []
        self.change: Change = lambda _request, response: response

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # Closing alone does not wake the thread that accepts.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def keys(self) -> list[bytes]:
        """The idempotency keys that came."""
        return [
            key for request in self.requests for key in re.findall(rb"(?im)^idempotency-key: (\S+)", request)
        ]

    def cut(self) -> None:
        """Cuts all connections."""
        while self._open:
            one = self._open.pop()
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                self._open += [client, server]
                threading.Thread(target=self._relay, args=(client, server), daemon=True).start()

    def _relay(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError), client, server:
            while request := _read(client):
                self.requests.append(request)
                server.sendall(request)
                response = _read(server)
                changed = self.change(request, response)
                client.sendall(changed)
                if len(changed) < len(response):
                    return
                # A stream has no length, and no end.
                while b"text/event-stream" in response and (chunk := server.recv(65_536)):
                    client.sendall(chunk)


def _read(source: socket.socket) -> bytes:
    """Reads a request or response; of one without a length the head."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = source.recv(65_536)
        if not chunk:
            return b""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: (\d+)", head)
    while length and len(body) < int(length[1]):
        body += source.recv(65_536)
    return head + b"\r\n\r\n" + body
