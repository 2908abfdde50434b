"""JSON whose amounts are exact: no number is ever a float."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NoReturn

#: From here on numbers are written with an exponent.
_longest_plain = 30


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def loads(text: str | bytes) -> Any:
    """Reads JSON; numbers with a point or an exponent are a `Decimal`. Raises `ValueError` for anything else."""
    return json.loads(text, parse_float=Decimal, parse_constant=_no_constant)


def dumps(value: Any) -> str:
    """
    Writes JSON: a `Decimal` digit by digit, a `datetime` in ISO 8601. Raises `TypeError` for a float, which would have been
    rounded before it came here, and `ValueError` for a number that is none or a time without a time zone.
    """
    if isinstance(value, Decimal):
        return _number(value)
    if value is None or isinstance(value, bool | int | str):
        return json.dumps(value)
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float, which is not exact: write Decimal({str(value)!r})")
    if isinstance(value, datetime):
        return json.dumps(time_of(value))
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_name(key)}:{dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dumps, value)) + "]"
    raise TypeError(f"{value!r} has no place in JSON")


def time_of(value: datetime) -> str:
    """Returns a time in ISO 8601. Raises `ValueError` for one without a time zone."""
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone")
    return value.isoformat()


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{key!r} is no name of a field")
    return json.dumps(key)


def _number(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"{value} is no number")
    exponent = value.as_tuple().exponent
    plain = isinstance(exponent, int) and -_longest_plain <= exponent <= _longest_plain
    return format(value, "f") if plain else str(value)
