# Generated from _async/webhook_endpoints.py by scripts/generate.py: do not edit.
"""Where webhooks go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Unpack

from karat import models
from karat._model import read_model
from karat._reply import path_of
from karat._sync.rows import Rows
from karat._sync.transport import Transport
from karat.requests import EndpointChanges


class WebhookEndpoints:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        url: str,
        types: Sequence[str] | None = None,
        description: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.WebhookEndpointWithSecret:
        """Registers an endpoint, of every type unless `types` are named; its `secret` is shown only here."""
        body = {"url": url, "types": types, "description": description}
        named = {name: value for name, value in body.items() if value is not None}
        read = self._transport.request(
            "POST", path_of("webhook-endpoints"), body=named, idempotency_key=idempotency_key
        )
        return read_model(models.WebhookEndpointWithSecret, read)

    def list(self, *, cursor: str | None = None, limit: int | None = None) -> Rows[models.WebhookEndpoint]:
        query = {"cursor": cursor, "limit": limit}
        return Rows(
            self._transport, path_of("webhook-endpoints"), query, "webhook_endpoints", models.WebhookEndpoint
        )

    def get(self, endpoint_id: str) -> models.WebhookEndpoint:
        path = path_of("webhook-endpoints", endpoint_id)
        return read_model(models.WebhookEndpoint, self._transport.request("GET", path))

    def update(
        self, endpoint_id: str, *, idempotency_key: str | None = None, **changes: Unpack[EndpointChanges]
    ) -> models.WebhookEndpoint:
        """Changes what is named; an endpoint is disabled and made active again by `status`."""
        path = path_of("webhook-endpoints", endpoint_id)
        read = self._transport.request("PATCH", path, body=changes, idempotency_key=idempotency_key)
        return read_model(models.WebhookEndpoint, read)

    def delete(self, endpoint_id: str, *, idempotency_key: str | None = None) -> None:
        path = path_of("webhook-endpoints", endpoint_id)
        self._transport.request("DELETE", path, idempotency_key=idempotency_key)

    def rotate_secret(
        self, endpoint_id: str, *, overlap_hours: int | None = None, idempotency_key: str | None = None
    ) -> models.WebhookEndpointWithSecret:
        """Returns the endpoint with a new `secret`; the one before signs, too, until `overlap_hours` are over."""
        path = path_of("webhook-endpoints", endpoint_id, "rotate-secret")
        body = {} if overlap_hours is None else {"overlap_hours": overlap_hours}
        read = self._transport.request("POST", path, body=body, idempotency_key=idempotency_key)
        return read_model(models.WebhookEndpointWithSecret, read)

    def test(
        self, endpoint_id: str, *, idempotency_key: str | None = None
    ) -> models.TestWebhookEndpointResult:
        """Sends `webhook.test` now and returns what came back."""
        path = path_of("webhook-endpoints", endpoint_id, "test")
        read = self._transport.request("POST", path, idempotency_key=idempotency_key)
        return read_model(models.TestWebhookEndpointResult, read)

    def deliveries(
        self,
        endpoint_id: str,
        *,
        status: Literal["pending", "delivered", "failed"] | None = None,
        type_: str | None = None,
        event_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Rows[models.WebhookDelivery]:
        """Lists what was and will be sent, newest first, with every attempt."""
        path = path_of("webhook-endpoints", endpoint_id, "deliveries")
        query = {
            "status": status,
            "type": type_,
            "event_id": event_id,
            "cursor": cursor,
            "limit": limit,
        }
        return Rows(self._transport, path, query, "deliveries", models.WebhookDelivery)

    def resend(
        self,
        endpoint_id: str,
        *,
        event_id: str | None = None,
        event_ids: Sequence[str] | None = None,
        from_: str | datetime | None = None,
        to: str | datetime | None = None,
        idempotency_key: str | None = None,
    ) -> models.ResendWebhookEventsResult:
        """Sends an event again, or several, or all of a time; returns how many."""
        path = path_of("webhook-endpoints", endpoint_id, "resend")
        named: dict[str, Any] = {"event_id": event_id, "event_ids": event_ids, "from": from_, "to": to}
        body = {name: value for name, value in named.items() if value is not None}
        read = self._transport.request("POST", path, body=body, idempotency_key=idempotency_key)
        return read_model(models.ResendWebhookEventsResult, read)
