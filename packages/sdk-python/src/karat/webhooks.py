"""The signatures of webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from karat import _json
from karat._errors import KaratError
from karat._model import read_model
from karat.events import Event

#: How far the clock of a webhook may differ from this one.
_tolerance_seconds = 300


@runtime_checkable
class HeadersLike(Protocol):
    """The headers of any framework, or a dictionary."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(body: str | bytes, headers: HeadersLike | Iterable[tuple[str, str]], secret: str) -> Event:
    """
    Returns the event of a webhook whose signature by `secret` (`whsec_…`) is right (Standard Webhooks 1.0). `body` is what was
    received, unchanged. Raises `signature_invalid` for anything else, also for one that is more than 5 minutes old.
    """
    pairs = headers.items() if isinstance(headers, HeadersLike) else headers
    named = {name.lower(): value for name, value in pairs}
    try:
        id, timestamp, given = (named[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as cause:
        raise _invalid(f"The header {cause} of the webhook is missing.") from None
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > _tolerance_seconds:
        raise _invalid("The webhook is too old, or from the future.")
    key = _bytes_of(secret.removeprefix("whsec_"))
    if not key:
        raise _invalid("The secret must be whsec_ and base64, as its endpoint was created with.")
    content = body.encode() if isinstance(body, str) else body
    made = hmac.new(key, f"{id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    for one in given.split(" "):
        version, _, signature = one.partition(",")
        if version == "v1" and hmac.compare_digest(made, _bytes_of(signature)):
            return _event_of(content)
    raise _invalid("The signature of the webhook is wrong.")


def _event_of(content: bytes) -> Event:
    try:
        read = _json.loads(content)
    except ValueError as cause:
        raise KaratError("unexpected_response", message="The webhook is not JSON.") from cause
    return read_model(Event, read)


def _bytes_of(text: str) -> bytes:
    """Returns no bytes for what is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _invalid(message: str) -> KaratError:
    return KaratError("signature_invalid", message=message)
