# Generated from _async/users.py by scripts/generate.py: do not edit.
"""Customers."""

from __future__ import annotations

from typing import Literal

from karat import models
from karat._model import read_model
from karat._reply import path_of
from karat._sync.rows import Rows
from karat._sync.transport import Transport
from karat.requests import Kyc


class Users:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, user_id: str, wallet_address: str, kyc: Kyc, idempotency_key: str | None = None
    ) -> models.CreatedUser:
        body = {"user_id": user_id, "wallet_address": wallet_address, "kyc": kyc}
        read = self._transport.request("POST", path_of("users"), body=body, idempotency_key=idempotency_key)
        return read_model(models.CreatedUser, read)

    def get(self, service_user_id: str) -> models.UserWithKyc:
        path = path_of("users", service_user_id)
        return read_model(models.UserWithKyc, self._transport.request("GET", path))

    def balances(self, service_user_id: str) -> models.Balances:
        """Returns what the wallet of a user holds on chain."""
        path = path_of("users", service_user_id, "balances")
        return read_model(models.Balances, self._transport.request("GET", path))

    def list(
        self,
        *,
        status: Literal["active", "suspended"] | None = None,
        user_id: str | None = None,
        service_user_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Rows[models.User]:
        query = {
            "status": status,
            "user_id": user_id,
            "service_user_id": service_user_id,
            "cursor": cursor,
            "limit": limit,
        }
        return Rows(self._transport, path_of("users"), query, "users", models.User)
