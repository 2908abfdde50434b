"""Customers."""

from __future__ import annotations

from typing import Literal

from karat import models
from karat._async.rows import AsyncRows
from karat._async.transport import Transport
from karat._model import read_model
from karat._reply import path_of
from karat.requests import Kyc


class Users:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def create(
        self, *, user_id: str, wallet_address: str, kyc: Kyc, idempotency_key: str | None = None
    ) -> models.CreatedUser:
        body = {"user_id": user_id, "wallet_address": wallet_address, "kyc": kyc}
        read = await self._transport.request(
            "POST", path_of("users"), body=body, idempotency_key=idempotency_key
        )
        return read_model(models.CreatedUser, read)

    async def get(self, service_user_id: str) -> models.UserWithKyc:
        path = path_of("users", service_user_id)
        return read_model(models.UserWithKyc, await self._transport.request("GET", path))

    async def balances(self, service_user_id: str) -> models.Balances:
        """Returns what the wallet of a user holds on chain."""
        path = path_of("users", service_user_id, "balances")
        return read_model(models.Balances, await self._transport.request("GET", path))

    def list(
        self,
        *,
        status: Literal["active", "suspended"] | None = None,
        user_id: str | None = None,
        service_user_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncRows[models.User]:
        query = {
            "status": status,
            "user_id": user_id,
            "service_user_id": service_user_id,
            "cursor": cursor,
            "limit": limit,
        }
        return AsyncRows(self._transport, path_of("users"), query, "users", models.User)
