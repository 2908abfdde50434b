# Generated from _async/rows.py by scripts/generate.py: do not edit.
"""Lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from karat._errors import KaratError
from karat._model import Model, read_model
from karat._reply import QueryValue
from karat._sync.transport import Transport

_Row = TypeVar("_Row", bound=Model)


class Rows(Generic[_Row]):
    """The rows of a list: a loop reads it page by page, no further than it goes; `all` all of it, `take` its first rows."""

    def __init__(
        self, transport: Transport, path: str, query: Mapping[str, QueryValue], field: str, model: type[_Row]
    ) -> None:
        self._transport = transport
        self._path = path
        self._query = query
        self._field = field
        self._model = model

    def __iter__(self) -> Iterator[_Row]:
        position: dict[str, str] | None = {}
        while position is not None:
            page = self._transport.request("GET", self._path, query={**self._query, **position})
            rows = page.get(self._field) if isinstance(page, dict) else None
            if not isinstance(rows, list):
                raise KaratError("unexpected_response", message="The response is no list.", body=page)
            for row in rows:
                yield read_model(self._model, row)
            position = self._next(page)

    def _next(self, page: dict[str, Any]) -> dict[str, str] | None:
        """Returns the parameter that the next page has; None after the last one."""
        if self._field == "events":
            return {"after": page["events"][-1]["id"]} if page["events"] and page["has_more"] else None
        cursor = page.get("next_cursor")
        return None if cursor is None else {"cursor": cursor}

    def take(self, most: int = 100) -> list[_Row]:
        """Returns the first rows, at most `most` of them."""
        rows: list[_Row] = []
        if most < 1:
            return rows
        for row in self:
            rows.append(row)
            if len(rows) >= most:
                break
        return rows

    def all(self) -> list[_Row]:
        """Returns all rows."""
        return [row for row in self]
