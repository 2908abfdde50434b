"""The error that this library raises."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx


class KaratError(Exception):
    """
    Every error of this library. `code` is the `error` of a response, or one of its own: `network_error` (no response),
    `unexpected_response` (not of the API, such as a proxy's), `trade_failed` and `redemption_failed` (the chain refused the
    transaction, `reason` says why), `expired`, `timeout` (it is not known whether the transaction of `operation_id` lands),
    `signature_invalid`, `signer_unknown`, `transaction_changed`, `transaction_unexpected` (what was to be signed is not the
    transaction of the request: `field` names the difference), `network_changed` and `url_insecure`.
    """

    def __init__(
        self,
        code: str,
        *,
        message: str,
        status: int | None = None,
        reason: str | None = None,
        field: str | None = None,
        request_id: str | None = None,
        doc_url: str | None = None,
        operation_id: str | None = None,
        may_have_arrived: bool = False,
        retry_after_ms: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: HTTP status; None where there was no response.
        self.status = status
        #: Why, from a closed list: `doc_url` is its page.
        self.reason = reason
        #: Path of the input field to blame.
        self.field = field
        self.request_id = request_id
        self.doc_url = doc_url
        #: The trade or redemption, once `execute` has submitted it, for `operations.get`; after a `timeout` it may still land.
        self.operation_id = operation_id
        #: Whether an earlier try of the same write got no response: what that did is not known, whatever this error says.
        self.may_have_arrived = may_have_arrived
        #: Milliseconds after which the API asks to try again.
        self.retry_after_ms = retry_after_ms
        #: The whole body of the response, or the operation that did not succeed.
        self.body = body

    def __reduce__(self) -> tuple[Any, ...]:
        """Has it pass between processes."""
        return _restored, (self.__dict__,)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def _restored(known: dict[str, Any]) -> KaratError:
    error = KaratError(known["code"], message=known["message"])
    error.__dict__.update(known)
    return error


def retry_after_ms(headers: httpx.Headers) -> float | None:
    """Returns how long a response asks to wait, milliseconds; None when it does not."""
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        wait_ms = float(text) * 1_000
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return None
        wait_ms = (when - datetime.now(when.tzinfo and UTC)).total_seconds() * 1_000
    return max(0.0, wait_ms) if math.isfinite(wait_ms) else None


def error_of(status: int, headers: httpx.Headers, body: Any, *, after_lost_try: bool = False) -> KaratError:
    """Returns the error that a response is."""
    known: dict[str, Any] = body if isinstance(body, dict) else {}

    def text(name: str) -> str | None:
        value = known.get(name)
        return value if isinstance(value, str) else None

    return KaratError(
        text("error") or "unexpected_response",
        message=text("message") or f"The API returned {status}.",
        status=status,
        reason=text("reason"),
        field=text("field"),
        request_id=headers.get("x-request-id"),
        doc_url=text("doc_url"),
        may_have_arrived=after_lost_try,
        retry_after_ms=retry_after_ms(headers),
        body=body,
    )
