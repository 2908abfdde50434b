"""The log of events, and its stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from karat import _json
from karat._async.rows import AsyncRows
from karat._async.transport import Transport
from karat._errors import KaratError
from karat._model import read_model
from karat._reply import path_of
from karat._sse import Messages
from karat._waiting import async_sleep
from karat.events import Event

_first_pause_ms, _longest_pause_ms = 500, 15_000
#: How often a stream is tried to be opened for the first time.
_first_tries = 4


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        after: str | None = None,
        types: Sequence[str] | str | None = None,
        object_id: str | None = None,
        limit: int | None = None,
    ) -> AsyncRows[Event]:
        """Lists events, oldest first, behind the event `after`; `object_id`: only those of this object, such as a trade."""
        query = {"after": after, "types": types, "object_id": object_id, "limit": limit}
        return AsyncRows(self._transport, path_of("events"), query, "events", Event)

    async def stream(
        self,
        *,
        after: str | None = None,
        types: Sequence[str] | str | None = None,
        silence_ms: float = 40_000,
    ) -> AsyncGenerator[Event, None]:
        """
        Yields events as they happen, each once and in order, behind the event `after` or from now on, until the reader stops:
        a connection that is lost, or silent for too long, is made again behind the last event. Raises the `KaratError` of a
        stream that is refused: without a valid key, or one too many of a key or partner.
        """
        last, sequence, tried = after, 0, 0
        # Whether the API has said where the stream begins, which is the first that it sends.
        begun = False
        while True:
            wait_ms: float = min(_longest_pause_ms, _first_pause_ms * 2**tried)
            tried += 1
            opened = self._transport.stream(
                path_of("events", "stream"),
                query={"types": types},
                last_event_id=last,
                silence_ms=silence_ms,
            )
            try:
                async with opened as chunks:
                    messages = Messages()
                    async for chunk in chunks:
                        for message in messages.feed(chunk):
                            begun = begun or message.id is not None
                            tried = 0 if begun else tried
                            last = last if message.id is None else message.id
                            event = None if message.data is None else _event_of(message.data)
                            if event is None or event.sequence <= sequence:
                                continue
                            sequence = event.sequence
                            yield event
                if not begun:
                    text = "The event stream ended before it sent its starting position."
                    raise KaratError("network_error", message=text)
            except KaratError as error:
                status = error.status or 0
                # One that was lost may still be counted among those of the key.
                passing = status == 0 or status >= 500 or (begun and status == 429)
                if not passing or (not begun and tried >= _first_tries):
                    raise
                wait_ms = wait_ms if error.retry_after_ms is None else error.retry_after_ms
            await async_sleep(wait_ms / 1_000)


def _event_of(data: str) -> Event:
    try:
        read = _json.loads(data)
    except ValueError as cause:
        raise KaratError("unexpected_response", message="The event is not JSON.", status=200) from cause
    return read_model(Event, read, status=200)
