# Generated from _async/trades.py by scripts/generate.py: do not edit.
"""Buys, sells and their records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Unpack, cast

from karat import models
from karat._model import read_model
from karat._reply import path_of
from karat._signers import Signer
from karat._sync.operations import Operations, longest_wait_ms
from karat._sync.pins import Pins
from karat._sync.rows import Rows
from karat._sync.transport import Transport
from karat.requests import BuyRequest, SellRequest


class Trades:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, trade_id: str) -> models.Trade:
        return read_model(models.Trade, self._transport.request("GET", path_of("trades", trade_id)))

    def list(
        self,
        *,
        service_user_id: str | None = None,
        user_id: str | None = None,
        side: Literal["buy", "sell"] | None = None,
        status: Literal["confirmed", "failed"] | None = None,
        created_from: str | datetime | None = None,
        created_to: str | datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Rows[models.Trade]:
        query = {
            "service_user_id": service_user_id,
            "user_id": user_id,
            "side": side,
            "status": status,
            "created_from": created_from,
            "created_to": created_to,
            "cursor": cursor,
            "limit": limit,
        }
        return Rows(self._transport, path_of("trades"), query, "trades", models.Trade)


class _Side:
    """What buys and sells have in common."""

    def __init__(self, transport: Transport, operations: Operations, pins: Pins) -> None:
        self._transport = transport
        self._operations = operations
        self._pins = pins

    def _submit(
        self, side: str, trade_id: str, signed_tx: str, idempotency_key: str | None
    ) -> dict[str, Any]:
        path = path_of(side, trade_id, "submit")
        body = {"signed_tx": signed_tx}
        read = self._transport.request("POST", path, body=body, idempotency_key=idempotency_key)
        return cast(dict[str, Any], read)

    def _carry_out(self, side: str, trade_id: str, signed_tx: str, wait_ms: float) -> models.Trade:
        path = path_of(side, trade_id, "submit")
        record = self._operations._carry_out(trade_id, path, signed_tx, wait_ms=wait_ms)
        return cast(models.Trade, record)


class Buys(_Side):
    def quote(
        self, *, idempotency_key: str | None = None, **request: Unpack[BuyRequest]
    ) -> models.QuoteBuyResult:
        read = self._transport.request("POST", path_of("buy"), body=request, idempotency_key=idempotency_key)
        return read_model(models.QuoteBuyResult, read)

    def sign(
        self,
        quote: models.QuoteBuyResult,
        *,
        signers: Sequence[Signer],
        wallet_address: str | None = None,
        **request: Unpack[BuyRequest],
    ) -> str:
        """
        Returns the transaction of a quote (base64) with the signatures of the signers, if it is the one of the quote's own
        request. Raises `transaction_unexpected` if it is not, before any signer is called. `wallet_address` is the customer's
        by your own records; default: what the API returned for the customer first.
        """
        transaction = quote.partially_signed_transaction
        return self._pins.sign("buy", request, quote, transaction, signers, wallet_address)

    def submit(
        self, trade_id: str, signed_tx: str, *, idempotency_key: str | None = None
    ) -> models.SubmitBuyResult:
        """Sends the quote's transaction (base64) with all signatures."""
        return read_model(models.SubmitBuyResult, self._submit("buy", trade_id, signed_tx, idempotency_key))

    def execute(
        self,
        *,
        signers: Sequence[Signer],
        wallet_address: str | None = None,
        wait_ms: float = longest_wait_ms,
        **request: Unpack[BuyRequest],
    ) -> models.Trade:
        """
        Quotes, has customer and partner sign what is the transaction of the request, submits, and returns the record once the
        chain has confirmed it. Raises `trade_failed` with the reason for one that failed on chain, `expired` when the quote's
        time is over, and `timeout` when `wait_ms` is.
        """
        quote = self.quote(**request)
        signed = self.sign(quote, signers=signers, wallet_address=wallet_address, **request)
        return self._carry_out("buy", quote.trade_id, signed, wait_ms)


class Sells(_Side):
    def quote(
        self, *, idempotency_key: str | None = None, **request: Unpack[SellRequest]
    ) -> models.QuoteSellResult:
        read = self._transport.request("POST", path_of("sell"), body=request, idempotency_key=idempotency_key)
        return read_model(models.QuoteSellResult, read)

    def sign(
        self,
        quote: models.QuoteSellResult,
        *,
        signers: Sequence[Signer],
        wallet_address: str | None = None,
        **request: Unpack[SellRequest],
    ) -> str:
        """Returns the transaction of a quote (base64) with the signatures of the signers. Raises as `buys.sign` does."""
        transaction = quote.partially_signed_transaction
        return self._pins.sign("sell", request, quote, transaction, signers, wallet_address)

    def submit(
        self, trade_id: str, signed_tx: str, *, idempotency_key: str | None = None
    ) -> models.SubmitSellResult:
        """Sends the quote's transaction (base64) with all signatures."""
        return read_model(models.SubmitSellResult, self._submit("sell", trade_id, signed_tx, idempotency_key))

    def execute(
        self,
        *,
        signers: Sequence[Signer],
        wallet_address: str | None = None,
        wait_ms: float = longest_wait_ms,
        **request: Unpack[SellRequest],
    ) -> models.Trade:
        """Quotes, has customer and partner sign, submits, and returns the record. Raises as `buys.execute` does."""
        quote = self.quote(**request)
        signed = self.sign(quote, signers=signers, wallet_address=wallet_address, **request)
        return self._carry_out("sell", quote.trade_id, signed, wait_ms)
