"""What waits: the same names for both kinds of clients, which scripts/generate.py puts in place of each other."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable
from typing import TypeVar

_T = TypeVar("_T")


async def async_sleep(seconds: float) -> None:
    """Waits; a task that is cancelled waits no longer."""
    await asyncio.sleep(seconds)


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


async def async_resolve(value: Awaitable[_T] | _T) -> _T:
    """Returns what a callable of the caller's returned, which may be asynchronous."""
    return await value if inspect.isawaitable(value) else value


def resolve(value: _T) -> _T:
    """Returns what a callable of the caller's returned."""
    return value
