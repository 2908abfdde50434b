"""A whole response."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx

from karat import _json
from karat._errors import KaratError, error_of

QueryValue = str | int | datetime | Sequence[str] | None


@dataclass(frozen=True)
class Reply:
    status_code: int
    headers: httpx.Headers
    content: bytes


def taken(reply: Reply, *, after_lost_try: bool) -> Any:
    """Returns the body of a response, or raises its `KaratError`."""
    is_success = 200 <= reply.status_code < 300
    try:
        body = _json.loads(reply.content)
    except ValueError as cause:
        if is_success:
            raise KaratError("unexpected_response", message="The response is not JSON.") from cause
        body = None
    if is_success:
        return body
    raise error_of(reply.status_code, reply.headers, body, after_lost_try=after_lost_try)


def path_of(*parts: str) -> str:
    """
    Returns a path of the API; ids are quoted. One that would make it another path, of a list even, is sent as "-", which is
    none of anything.
    """
    quoted = (quote(part, safe="") for part in parts)
    return "/v1/" + "/".join(re.sub(r"^\.{0,2}$", "-", part) for part in quoted)


def query_of(values: Mapping[str, QueryValue]) -> dict[str, str]:
    """Returns the parameters of a query; lists are separated by commas, None is left out."""
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: str | int | datetime | Sequence[str]) -> str:
    if isinstance(value, str | int):
        return str(value)
    return _json.time_of(value) if isinstance(value, datetime) else ",".join(value)
