"""Server-sent events."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerSent:
    """One message; a comment has neither id nor data."""

    id: str | None
    data: str | None


class Messages:
    """Takes the bytes of a stream as they come, cut anywhere, and returns the messages that are whole."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[ServerSent]:
        *blocks, self._rest = (self._rest + chunk).split(b"\n\n")
        return [_read(block.decode()) for block in blocks]


def _read(block: str) -> ServerSent:
    found: dict[str, str] = {}
    for line in block.split("\n"):
        name, separator, value = line.partition(":")
        if separator:
            found.setdefault(name, value.strip())
    return ServerSent(found.get("id"), found.get("data"))
