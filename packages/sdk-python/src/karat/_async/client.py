"""The client."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx

from karat import models
from karat._async.catalogue import Countries, Prices, Reserves
from karat._async.events import Events
from karat._async.operations import Operations
from karat._async.pins import Pins
from karat._async.redemptions import Redemptions
from karat._async.trades import Buys, Sells, Trades
from karat._async.transport import Transport
from karat._async.users import Users
from karat._async.webhook_endpoints import WebhookEndpoints
from karat._model import read_model
from karat._reply import QueryValue, path_of
from karat.check import NetworkLike


class AsyncKarat:
    """The partner API of Karat with one key."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        network: NetworkLike | None = None,
        partner_id: str | None = None,
        max_retries: int = 3,
        timeout_ms: float = 40_000,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """
        `base_url` is where the API is, without `/v1`. `network` is what transactions are for, such as what `network()`
        returned when you made sure of it; default: what the API says when it is needed first, which nothing may change from
        then on. `partner_id` is your partner's by your own records; default: what the API says before the first redemption is
        signed. `max_retries`: how often a request is repeated; `timeout_ms`: how long one try may take, streams have
        `silence_ms` instead; `transport`: of httpx, for proxies and certificates of your own.
        """
        self._transport = Transport(
            base_url=base_url,
            api_key=api_key,
            max_retries=max_retries,
            timeout_ms=timeout_ms,
            transport=transport,
        )
        self._pins = Pins(self._transport, network, partner_id)
        self.operations = Operations(self._transport)
        self.users = Users(self._transport)
        self.buys = Buys(self._transport, self.operations, self._pins)
        self.sells = Sells(self._transport, self.operations, self._pins)
        self.trades = Trades(self._transport)
        self.redemptions = Redemptions(self._transport, self.operations, self._pins)
        self.events = Events(self._transport)
        self.webhook_endpoints = WebhookEndpoints(self._transport)
        self.prices = Prices(self._transport)
        self.countries = Countries(self._transport)
        self.reserves = Reserves(self._transport)

    async def me(self) -> models.Me:
        """Returns the partner that the key acts for, with its fees and limits."""
        return read_model(models.Me, await self._transport.request("GET", path_of("me")))

    async def network(self) -> models.SolanaNetwork:
        """
        Returns the network that transactions are for, with the addresses on it. Raises `network_changed` if these are not the
        pinned ones.
        """
        return await self._pins.network()

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, QueryValue] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Returns the JSON of any route, such as `/v1/transactions/inspect`, with the same retries and exact amounts."""
        return await self._transport.request(
            method, path, query=query, body=body, idempotency_key=idempotency_key
        )

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncKarat:
        return self

    async def __aexit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
