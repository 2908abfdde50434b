# Generated from _async/operations.py by scripts/generate.py: do not edit.
"""What became of trades and redemptions."""

from __future__ import annotations

import math
import time
from typing import Literal

from karat import models
from karat._errors import KaratError
from karat._model import read_model
from karat._reply import path_of
from karat._sync.transport import Transport
from karat._waiting import sleep

Status = Literal["submitted", "confirmed", "finalized", "failed", "expired", "unknown"]

longest_wait_ms = 120_000
_longest_seconds = 16
#: After so long without an outcome, what a node did not take is sent again.
_send_again_ms = 4_000


class Operations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self, operation_id: str, *, wait: int | None = None, status: Status | None = None
    ) -> models.Operation:
        """
        Returns what became of a trade or redemption; with `wait`, once its status is another than `status`, which the caller
        knows, or after so many seconds, up to 30.
        """
        path = path_of("operations", operation_id)
        query = {"wait": wait, "status": status}
        return read_model(models.Operation, self._transport.request("GET", path, query=query))

    def outcome(self, operation_id: str, *, wait_ms: float = longest_wait_ms) -> models.Operation:
        """
        Returns an operation once its transaction is on chain, or can no longer land. Raises `timeout` after `wait_ms`: then
        the transaction may still land.
        """
        end = time.monotonic() + wait_ms / 1_000
        known: Status | None = None
        while True:
            left = end - time.monotonic()
            # The first only looks: what it finds is what the others wait for to change.
            wait = 0 if known is None else max(0, min(_longest_seconds, math.ceil(left)))
            try:
                operation = self.get(operation_id, wait=wait, status=known)
            except KaratError as error:
                if wait == 0 or error.code != "rate_limited":
                    raise
                # As many requests of the partner wait as may: this one only looks.
                sleep((1_000 if error.retry_after_ms is None else error.retry_after_ms) / 1_000)
                operation = self.get(operation_id)
            if operation.status not in ("submitted", "unknown"):
                return operation
            if left <= 0:
                raise _not_known(operation_id, operation)
            known = operation.status

    def _carry_out(
        self, operation_id: str, path: str, signed_tx: str, *, wait_ms: float
    ) -> models.Trade | models.RedemptionWithFigures:
        """
        Submits what was signed of a quote, again where a node does not take it for now, and returns its record. Raises
        `trade_failed` or `redemption_failed` with the reason, `expired`, what submit was refused with, or `timeout` when the
        transaction was sent and its outcome could not be read; each with the operation's id.
        """
        end = time.monotonic() + wait_ms / 1_000
        lost: KaratError | None = None
        while True:
            try:
                self._transport.request("POST", path, body={"signed_tx": signed_tx})
                lost = None
            except KaratError as error:
                lost = lost or self._unless_refused(operation_id, error)
            left_ms = max(0.0, (end - time.monotonic()) * 1_000)
            # A node that lags takes the same bytes a moment later.
            for_now = lost is not None and lost.reason == "node_unavailable" and left_ms > _send_again_ms
            try:
                look_ms = _send_again_ms if for_now else left_ms
                operation = self.outcome(operation_id, wait_ms=look_ms)
            except Exception as error:
                seen = error.body if isinstance(error, KaratError) and error.code == "timeout" else None
                if for_now and seen is not None:
                    continue
                raise _not_known(operation_id, seen) from (lost or error)
            return _record_of(operation)

    def _unless_refused(self, operation_id: str, error: KaratError) -> KaratError:
        """
        Returns the error of a submit whose transaction the chain may have all the same; raises any other. A refusal is
        believed only if no earlier try may have arrived, and the operation, of which the API is asked first, has it as its
        last word.
        """
        error.operation_id = operation_id
        if error.status is None or error.status >= 500 or error.may_have_arrived:
            return error
        try:
            operation = self.get(operation_id)
        except KaratError:
            raise error from None
        if operation.status == "unknown" or (operation.status == "submitted" and operation.reason):
            raise error
        return error


def _record_of(operation: models.Operation) -> models.Trade | models.RedemptionWithFigures:
    id, reason = operation.id, operation.reason
    if operation.status == "expired":
        text = operation.message or f"The transaction of {id} has expired: request a new quote."
        reason = reason or "quote_expired"
        raise KaratError("expired", message=text, reason=reason, operation_id=id, body=operation)
    if operation.status != "failed":
        if operation.record is None:
            raise _not_known(id, operation)
        return operation.record
    code = "redemption_failed" if operation.kind == "redemption" else "trade_failed"
    text = operation.message or f"The transaction of {id} has failed on chain."
    raise KaratError(code, message=text, reason=reason, operation_id=id, body=operation)


def _not_known(operation_id: str, operation: models.Operation | None) -> KaratError:
    message = (
        f"It is not known yet what became of {operation_id}: it may still land. "
        "Ask again with operations.outcome."
    )
    reason = operation.reason if operation is not None else None
    return KaratError("timeout", message=message, operation_id=operation_id, reason=reason, body=operation)
