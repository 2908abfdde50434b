# Generated from _async/redemptions.py by scripts/generate.py: do not edit.
"""Redemptions of GOLD for bars."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Unpack, cast

from karat import models
from karat._model import read_model
from karat._reply import path_of
from karat._signers import Signer
from karat._sync.operations import Operations, longest_wait_ms
from karat._sync.pins import Pins
from karat._sync.rows import Rows
from karat._sync.transport import Transport
from karat.requests import Amount, RedemptionRequest

Status = Literal[
    "submitted", "preparing", "ready", "collected", "cancellation_requested", "cancelled", "failed"
]


class Redemptions:
    def __init__(self, transport: Transport, operations: Operations, pins: Pins) -> None:
        self._transport = transport
        self._operations = operations
        self._pins = pins

    def quote(
        self, *, idempotency_key: str | None = None, **request: Unpack[RedemptionRequest]
    ) -> models.QuoteRedemptionResult:
        read = self._transport.request(
            "POST", path_of("redemptions"), body=request, idempotency_key=idempotency_key
        )
        return read_model(models.QuoteRedemptionResult, read)

    def sign(
        self,
        quote: models.QuoteRedemptionResult,
        *,
        signers: Sequence[Signer],
        wallet_address: str | None = None,
        max_tokens: Amount | None = None,
        **request: Unpack[RedemptionRequest],
    ) -> str:
        """
        Returns the transaction of a quote (base64) with the customer's signature. Raises as `buys.sign` does. `max_tokens` is
        the most GOLD that the redemption may take, with its fee; default: what the quote requires.
        """
        limited = {**request, "max_tokens": max_tokens}
        transaction = quote.partially_signed_transaction
        return self._pins.sign("redemption", limited, quote, transaction, signers, wallet_address)

    def submit(
        self, redemption_id: str, signed_tx: str, *, idempotency_key: str | None = None
    ) -> models.SubmitRedemptionResult:
        """Sends the quote's transaction (base64) with the customer's signature."""
        path = path_of("redemptions", redemption_id, "submit")
        body = {"signed_tx": signed_tx}
        read = self._transport.request("POST", path, body=body, idempotency_key=idempotency_key)
        return read_model(models.SubmitRedemptionResult, read)

    def execute(
        self,
        *,
        signers: Sequence[Signer],
        wallet_address: str | None = None,
        max_tokens: Amount | None = None,
        wait_ms: float = longest_wait_ms,
        **request: Unpack[RedemptionRequest],
    ) -> models.RedemptionWithFigures:
        """Quotes, has the customer sign, submits, and returns the record once it is paid. Raises as `buys.execute` does."""
        quote = self.quote(**request)
        signed = self.sign(
            quote, signers=signers, wallet_address=wallet_address, max_tokens=max_tokens, **request
        )
        path = path_of("redemptions", quote.redemption_id, "submit")
        record = self._operations._carry_out(quote.redemption_id, path, signed, wait_ms=wait_ms)
        return cast(models.RedemptionWithFigures, record)

    def cancel(
        self, redemption_id: str, reason: str | None = None, *, idempotency_key: str | None = None
    ) -> models.CancelRedemptionResult:
        path = path_of("redemptions", redemption_id, "cancel")
        body = {} if reason is None else {"reason": reason}
        read = self._transport.request("POST", path, body=body, idempotency_key=idempotency_key)
        return read_model(models.CancelRedemptionResult, read)

    def get(self, redemption_id: str) -> models.RedemptionWithCode:
        """Returns the single record, which has the pickup code while it is ready."""
        path = path_of("redemptions", redemption_id)
        return read_model(models.RedemptionWithCode, self._transport.request("GET", path))

    def list(
        self,
        *,
        service_user_id: str | None = None,
        user_id: str | None = None,
        status: Status | None = None,
        city: str | None = None,
        created_from: str | datetime | None = None,
        created_to: str | datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Rows[models.Redemption]:
        query = {
            "service_user_id": service_user_id,
            "user_id": user_id,
            "status": status,
            "city": city,
            "created_from": created_from,
            "created_to": created_to,
            "cursor": cursor,
            "limit": limit,
        }
        return Rows(self._transport, path_of("redemptions"), query, "redemptions", models.Redemption)
