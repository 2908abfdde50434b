"""Events, as the log, the stream and webhooks have them."""

from __future__ import annotations

from typing import TypeVar

from karat import models
from karat._model import Model, read_model

_M = TypeVar("_M", bound=Model)


class Event(models.Event):
    """
    An event. `data.object` is its object as JSON; `trade`, `operation`, `redemption`, `user` and `webhook_endpoint` are the
    same with types, where it is one.
    """

    @property
    def trade(self) -> models.Trade | None:
        return _object(self, "trade", models.Trade)

    @property
    def operation(self) -> models.Operation | None:
        return _object(self, "operation", models.Operation)

    @property
    def redemption(self) -> models.RedemptionWithFigures | None:
        return _object(self, "redemption", models.RedemptionWithFigures)

    @property
    def user(self) -> models.UserWithKyc | None:
        return _object(self, "user", models.UserWithKyc)

    @property
    def webhook_endpoint(self) -> models.WebhookEndpoint | None:
        return _object(self, "webhook_endpoint", models.WebhookEndpoint)


def _object(event: Event, object_type: str, model: type[_M]) -> _M | None:
    return read_model(model, event.data.object) if event.data.object_type == object_type else None
