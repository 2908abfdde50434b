"""What a stream does when its connection does not do what it should; the service is played by the test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from playing import PlayedService, frame, hang_up, raw, refuse, stream

from karat import AsyncKarat, Event, Karat, KaratError


@pytest.fixture
def karat(service: PlayedService) -> Iterator[Karat]:
    with Karat(api_key="k", base_url=service.base_url, timeout_ms=300) as karat:
        yield karat


def ids(events: Generator[Event, None, None], count: int) -> list[str]:
    found = [next(events).id for _ in range(count)]
    events.close()
    return found


def failure(karat: Karat, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as raised:
        next(karat.events.stream(**options))
    return raised.value


def test_a_stream_outlives_the_time_of_a_request_and_goes_on_behind_the_last_event(
    karat: Karat, service: PlayedService
) -> None:
    # Events and letters may be cut anywhere.
    second = frame(2).replace('"request_id": null', '"request_id": "é"').encode()
    place = second.index("é".encode()) + 1

    def go_on(request: BaseHTTPRequestHandler) -> None:
        time.sleep(0.6)
        for part in (second[:place], second[place:]):
            request.wfile.write(part)
            request.wfile.flush()
            time.sleep(0.05)

    # One that it had already is left out.
    service.responses = [stream(frame(1), go_on), hang_up, stream(frame(1) + frame(3))]
    assert ids(karat.events.stream(after="evt_0"), 3) == ["evt_1", "evt_2", "evt_3"]
    assert service.positions == ["evt_0", "evt_2", "evt_2"]


def test_a_stream_that_is_silent_for_too_long_is_opened_again_and_comments_are_signs_of_life(
    karat: Karat, service: PlayedService
) -> None:
    commented = 0

    def comment(request: BaseHTTPRequestHandler) -> None:
        nonlocal commented
        for _ in range(8):
            time.sleep(0.25)
            request.wfile.write(b": still here\n\n")
            request.wfile.flush()
            commented += 1
        time.sleep(5)

    service.responses = [stream(frame(1), comment), stream(frame(2))]
    begun = time.monotonic()
    assert ids(karat.events.stream(silence_ms=1_000), 2) == ["evt_1", "evt_2"]
    assert commented == 8
    assert 2.9 < time.monotonic() - begun < 6
    assert service.positions == [None, "evt_1"]


def test_a_stream_that_is_lost_before_any_event_goes_on_where_it_began(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [stream("id: evt_7\n\n"), stream(frame(8))]
    assert ids(karat.events.stream(types=["trade.confirmed", "trade.failed"]), 1) == ["evt_8"]
    assert service.positions == [None, "evt_7"]
    assert service.requests[0][1] == "/v1/events/stream?types=trade.confirmed%2Ctrade.failed"


def test_a_stream_that_is_lost_before_its_place_was_read_begins_with_what_comes_next(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [stream(": hello"), stream(f"id: evt_2\n\n{frame(3)}")]
    assert ids(karat.events.stream(), 1) == ["evt_3"]
    assert service.positions == [None, None]


def test_a_stream_that_never_names_where_it_begins_is_an_error(karat: Karat, service: PlayedService) -> None:
    service.responses = [stream(": hello\n\n")]
    assert failure(karat).code == "network_error"
    assert len(service.positions) == 4


def test_a_stream_that_is_a_page_of_something_else_is_an_error(karat: Karat, service: PlayedService) -> None:
    service.responses = [raw(200, b"<!doctype html>", "text/html")]
    error = failure(karat)
    assert (error.code, error.status) == ("unexpected_response", 200)
    service.responses = [raw(307, b"", "text/html", {"location": "/elsewhere"})]
    assert failure(karat).status == 307
    assert len(service.positions) == 2


def test_an_event_that_cannot_be_read_is_an_error_and_is_not_left_out(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [stream("id: evt_1\ndata: {\n\n")]
    assert failure(karat).code == "unexpected_response"
    service.responses = [stream('id: evt_1\ndata: {"id": "evt_1"}\n\n')]
    assert failure(karat).code == "unexpected_response"
    assert len(service.positions) == 2


def test_a_stream_is_refused_also_later_on(karat: Karat, service: PlayedService) -> None:
    service.responses = [refuse(401, "unauthorized")]
    assert failure(karat).code == "unauthorized"
    service.responses = [refuse(429, "rate_limited", retry_after="30")]
    assert failure(karat).retry_after_ms == 30_000
    service.responses = [stream(frame(1)), refuse(403, "partner_suspended")]
    events = karat.events.stream()
    assert next(events).id == "evt_1"
    with pytest.raises(KaratError, match="partner_suspended"):
        next(events)


def test_a_stream_waits_while_those_of_its_key_are_counted_that_were_lost(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [
        stream(frame(1)),
        refuse(429, "rate_limited", retry_after="1"),
        refuse(503, "service_unavailable", retry_after="0"),
        stream(frame(2)),
    ]
    assert ids(karat.events.stream(), 2) == ["evt_1", "evt_2"]


def test_a_stream_is_an_error_when_nothing_is_there_from_the_start(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [hang_up]
    assert failure(karat).code == "network_error"
    assert len(service.positions) == 4


def test_a_stream_of_a_task_is_resumed_and_ends_when_the_task_is_cancelled(service: PlayedService) -> None:
    service.responses = [stream(frame(1)), stream(frame(2), lambda _: time.sleep(3))]
    found: list[str] = []

    async def follow() -> None:
        async with AsyncKarat(api_key="k", base_url=service.base_url) as karat:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(2):
                    async for event in karat.events.stream():
                        found.append(event.id)

    asyncio.run(follow())
    assert found == ["evt_1", "evt_2"]
    assert service.positions == [None, "evt_1"]
