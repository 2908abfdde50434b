"""Amounts are exact, and the keyword arguments are those of the API."""

from __future__ import annotations

import inspect
import json
import pickle
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from karat import KaratError, _json, requests
from karat._sync import catalogue, events, operations, redemptions, trades, users, webhook_endpoints

root = Path(__file__).parents[3]
openapi = json.loads((root / "openapi" / "partner.json").read_text())


@pytest.mark.parametrize(
    "text", ["0.1", "98765.432109", "0.000001", "123456789012.345678", "1000", "0.30000000000000004"]
)
def test_a_number_is_written_as_it_was_read(text: str) -> None:
    # Whatever precision the caller computes with.
    with localcontext(prec=3):
        assert _json.dumps(_json.loads(text)) == text


def test_json_is_written_as_the_standard_library_reads_it() -> None:
    value = {"a": [1, True, None, 'é"\n'], "b": {"c": Decimal("1E-7"), "d": Decimal("1E+3")}, "e": ()}
    text = _json.dumps(value)
    assert json.loads(text) == {"a": [1, True, None, 'é"\n'], "b": {"c": 1e-7, "d": 1000}, "e": []}
    assert '"c":0.0000001,"d":1000' in text
    assert _json.dumps(datetime(2026, 3, 1, tzinfo=UTC)) == '"2026-03-01T00:00:00+00:00"'
    assert json.loads(_json.dumps(Decimal("1E+999999"))) == float("inf")


@pytest.mark.parametrize("value", [0.1, [1.0], {"a": {"b": 2.5}}])
def test_a_float_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"write Decimal\('"):
        _json.dumps(value)


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), datetime(2026, 3, 1)])
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"no number|no time zone"):
        _json.dumps(value)


@pytest.mark.parametrize("value", [{1: 2}, object(), {b"a": 1}])
def test_what_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        _json.dumps(value)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "{", ""])
def test_what_is_no_json_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        _json.loads(text)


def fields_of(name: str) -> set[str]:
    schema = openapi["components"]["schemas"][name]
    named = [one["$ref"].split("/")[-1] for one in schema.get("oneOf", [])]
    return {*schema.get("properties", {}), *(field for one in named for field in fields_of(one))}


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        (requests.BuyRequest, "QuoteBuyRequest"),
        (requests.SellRequest, "QuoteSellRequest"),
        (requests.RedemptionRequest, "QuoteRedemptionRequest"),
        (requests.EndpointChanges, "ChangeWebhookEndpointRequest"),
    ],
)
def test_keyword_arguments_are_the_fields_of_the_request(arguments: type, schema: str) -> None:
    assert set(get_type_hints(arguments)) == fields_of(schema)


def test_kyc_has_the_fields_of_the_request() -> None:
    kyc = openapi["components"]["schemas"]["CreateUserRequest"]["properties"]["kyc"]
    assert set(get_type_hints(requests.Kyc)) == set(kyc["properties"])


#: What a stream is told by a header, and all other parameters of paths.
elsewhere = {"self", "operation_id", "endpoint_id", "silence_ms", "after"}


@pytest.mark.parametrize(
    ("method", "operation_id"),
    [
        (users.Users.list, "listUsers"),
        (trades.Trades.list, "listTrades"),
        (redemptions.Redemptions.list, "listRedemptions"),
        (events.Events.list, "listEvents"),
        (events.Events.stream, "streamEvents"),
        (operations.Operations.get, "getOperation"),
        (catalogue.Prices.history, "listPriceHistory"),
        (catalogue.Prices.closures, "listPriceHistory"),
        (catalogue.Countries.denominations, "listDenominations"),
        (webhook_endpoints.WebhookEndpoints.list, "listWebhookEndpoints"),
        (webhook_endpoints.WebhookEndpoints.deliveries, "listWebhookDeliveries"),
    ],
)
def test_keyword_arguments_are_the_parameters_of_the_query(
    method: Callable[..., Any], operation_id: str
) -> None:
    routes = [
        route for path in openapi["paths"].values() for route in path.values() if isinstance(route, dict)
    ]
    [parameters] = [one.get("parameters", []) for one in routes if one.get("operationId") == operation_id]
    named = [
        openapi["components"]["parameters"][one["$ref"].split("/")[-1]] if "$ref" in one else one
        for one in parameters
    ]
    query = {one["name"] for one in named if one["in"] == "query"}
    arguments = {name.rstrip("_") for name in inspect.signature(method).parameters}
    assert arguments - elsewhere == query - elsewhere


def test_an_error_passes_between_processes_whole() -> None:
    error = KaratError("expired", message="late", reason="quote_expired", body={"a": Decimal("0.1")})
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(copy), str(copy), vars(copy)) == (KaratError, "expired: late", vars(error))


def test_the_version_is_that_of_all_packages() -> None:
    project = tomllib.loads((root / "packages" / "sdk-python" / "pyproject.toml").read_text())["project"]
    assert project["version"] == json.loads((root / "package.json").read_text())["version"]
