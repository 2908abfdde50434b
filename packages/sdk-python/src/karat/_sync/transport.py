# Generated from _async/transport.py by scripts/generate.py: do not edit.
"""Requests that are repeated where they can be."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from karat import _json
from karat._errors import KaratError, error_of, retry_after_ms
from karat._reply import QueryValue, Reply, query_of, taken
from karat._url import base_url_of
from karat._waiting import sleep

_first_delay_ms = 250
_longest_delay_ms = 70_000
_retried = frozenset((429, 502, 503, 504))


class Transport:
    """
    Repeats what can be repeated: without a whole response, and on 429, 502, 503 and 504. Writes carry one `Idempotency-Key`
    for all tries; if the last try of a write gets 429, its outcome is that of an earlier try that may have been carried out.
    Waits as long as `retry-after` says, else ever longer, with jitter. Follows no redirect, which would carry the API key
    elsewhere.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str | None = None,
        max_retries: int = 3,
        timeout_ms: float = 40_000,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = base_url_of(base_url)
        self._max_retries = max_retries
        self._timeout_s = timeout_ms / 1_000
        headers = {"accept": "application/json"}
        if api_key is not None:
            headers["x-api-key"] = api_key
        self._client = httpx.Client(headers=headers, follow_redirects=False, transport=transport)

    def close(self) -> None:
        self._client.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, QueryValue] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Returns the JSON of a response. Raises the `KaratError` of any that is no success."""
        headers = {}
        if method != "GET":
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        if body is not None:
            headers["content-type"] = "application/json"
        request = self._client.build_request(
            method,
            self.base_url + path,
            params=query_of(query or {}),
            content=None if body is None else _json.dumps(body).encode(),
            headers=headers,
            timeout=self._timeout_s,
        )
        return self._tried(request)

    def _tried(self, request: httpx.Request) -> Any:
        is_write = request.method != "GET"
        # A challenge is used up by the key that it is for, whether or not the response arrives.
        once = request.url.path.endswith("/v1/auth/api-key")
        # Outcome of the last try that may have been carried out.
        lost: Reply | KaratError | None = None
        tried = 0
        while True:
            last = tried >= self._max_retries
            wait_ms = _first_delay_ms * 2**tried * random.uniform(0.5, 1)  # noqa: S311
            try:
                reply = self._whole(request)
            except httpx.HTTPError as cause:
                message = f"The API at {self.base_url} did not respond."
                failed = KaratError("network_error", message=message)
                failed.__cause__ = cause
                if last or once:
                    raise failed from cause
                if is_write:
                    lost = failed
            else:
                passing = reply.status_code in _retried or (tried > 0 and _is_still_at_work(reply))
                if is_write and reply.status_code >= 500:
                    lost = reply
                asked_ms = retry_after_ms(reply.headers)
                wait_ms = wait_ms if asked_ms is None else asked_ms
                is_end = last or not passing or wait_ms > _longest_delay_ms
                if is_end or (once and reply.status_code != 429):
                    # A 429 for the repeat does not mean that the earlier try did nothing.
                    end = lost if lost is not None and reply.status_code == 429 else reply
                    if isinstance(end, KaratError):
                        raise end
                    return taken(end, after_lost_try=lost is not None)
            sleep(wait_ms / 1_000)
            tried += 1

    def _whole(self, request: httpx.Request) -> Reply:
        """Reads a response to its end, so that one that is cut counts as none."""
        end = time.monotonic() + self._timeout_s
        response = self._client.send(request, stream=True)
        try:
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("no whole response in time", request=request)
        finally:
            response.close()
        return Reply(response.status_code, response.headers, bytes(content))

    @contextmanager
    def stream(
        self, path: str, *, query: Mapping[str, QueryValue], last_event_id: str | None, silence_ms: float
    ) -> Iterator[Iterator[bytes]]:
        """Opens a stream of server-sent events, once; it is lost after a silence. Raises what refuses it."""
        headers = {"accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        opened = self._client.stream(
            "GET", self.base_url + path, params=query_of(query), headers=headers, timeout=silence_ms / 1_000
        )
        try:
            with opened as response:
                is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
                if response.status_code != 200 or not is_stream:
                    body = _json_or_none(response.read())
                    raise error_of(response.status_code, response.headers, body)
                yield response.iter_bytes()
        except httpx.HTTPError as cause:
            message = f"The event stream of {self.base_url} was lost."
            raise KaratError("network_error", message=message) from cause


def _is_still_at_work(reply: Reply) -> bool:
    """Whether a repeated request was refused because an earlier try, whose response was lost, has not ended yet."""
    return reply.status_code == 409 and b'"idempotency_conflict"' in reply.content


def _json_or_none(content: bytes) -> Any:
    try:
        return _json.loads(content)
    except ValueError:
        return None
