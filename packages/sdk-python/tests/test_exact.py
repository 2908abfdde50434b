"""Amounts are exact, and the keyword arguments are those of the API."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from karat import _json, requests

openapi = json.loads((Path(__file__).parents[3] / "openapi" / "partner.json").read_text())


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
    schemas = [schema, *(one for key in ("oneOf", "anyOf", "allOf") for one in schema.get(key, []))]
    return {field for one in schemas for field in one.get("properties", {})}


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
