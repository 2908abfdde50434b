# Generated from _async/catalogue.py by scripts/generate.py: do not edit.
"""Prices, countries and reserves."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from karat import models
from karat._model import read_model
from karat._reply import path_of
from karat._sync.rows import Rows
from karat._sync.transport import Transport


class Prices:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> models.Price:
        """Returns the price that a quote would have now."""
        return read_model(models.Price, self._transport.request("GET", path_of("price")))

    def history(
        self,
        *,
        from_: str | datetime | None = None,
        to: str | datetime | None = None,
        interval: Literal["1m", "5m", "1h", "1d"] | None = None,
    ) -> Rows[models.Candle]:
        """Returns the candles of a time, oldest first, at most 1,000."""
        query = {"from": from_, "to": to, "interval": interval}
        return Rows(self._transport, path_of("price", "history"), query, "candles", models.Candle)

    def closures(
        self,
        *,
        from_: str | datetime | None = None,
        to: str | datetime | None = None,
        interval: Literal["1m", "5m", "1h", "1d"] | None = None,
    ) -> Rows[models.Closure]:
        """Returns when the market is closed in the same time, oldest first; nothing for candles of a day."""
        query = {"from": from_, "to": to, "interval": interval}
        return Rows(self._transport, path_of("price", "history"), query, "closures", models.Closure)


class Countries:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Rows[models.Country]:
        """Returns the countries where customers may be, with their types of ids."""
        return Rows(self._transport, path_of("countries"), {}, "countries", models.Country)

    def denominations(self, *, country: str, city: str | None = None) -> Rows[models.Denomination]:
        """Returns the bars that can be picked up in a country, or in one of its cities."""
        query = {"country": country, "city": city}
        return Rows(self._transport, path_of("denominations"), query, "denominations", models.Denomination)


class Reserves:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> models.SignedReserveStatement:
        """Returns the latest statement of the reserves, with its signatures."""
        path = path_of("reserves")
        return read_model(models.SignedReserveStatement, self._transport.request("GET", path))

    def live(self) -> models.Backing:
        """Returns whether the tokens are backed now, read from the chain."""
        path = path_of("reserves", "live")
        return read_model(models.Backing, self._transport.request("GET", path))
