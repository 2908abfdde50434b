"""Transactions of Solana in the legacy format."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass

from solders.pubkey import Pubkey

_max_transaction_bytes = 1_232


class MalformedError(Exception):
    """What makes a transaction unreadable; `version` if it is of another version."""

    def __init__(self, text: str, difference: str = "malformed") -> None:
        super().__init__(text)
        self.difference = difference


@dataclass(frozen=True)
class Instruction:
    program: str
    accounts: list[str]
    data: bytes


@dataclass(frozen=True)
class Message:
    #: What is signed.
    content: bytes
    signers: list[str]
    instructions: list[Instruction]


def read_transaction(transaction: str) -> Message:
    """
    Reads a legacy transaction (base64) to its last byte, as strictly as nodes do: what reads differently elsewhere is refused.
    One with lookup tables, whose addresses are not in it, is another version. Raises `MalformedError`.
    """
    data = _bytes_of(transaction)
    at = 0

    def take(length: int) -> bytes:
        nonlocal at
        if at + length > len(data):
            raise MalformedError("its bytes end too early")
        at += length
        return data[at - length : at]

    def byte() -> int:
        return take(1)[0]

    def count() -> int:
        """In the short form of wire transactions; no count of a transaction is beyond two bytes."""
        low = byte()
        if low < 0x80:
            return low
        high = byte()
        if high == 0 or high >= 0x80:
            raise MalformedError("a count is not in its shortest form")
        return (low & 0x7F) + 128 * high

    signatures = count()
    take(64 * signatures)
    start = at
    if data[at : at + 1] >= b"\x80":
        raise MalformedError("it is of another version than the legacy one", "version")
    required, readonly_signed, readonly_unsigned = byte(), byte(), byte()
    keys = [str(Pubkey.from_bytes(take(32))) for _ in range(count())]
    if signatures != required or readonly_signed >= required or required + readonly_unsigned > len(keys):
        raise MalformedError("its header contradicts its signatures and accounts")
    if len(set(keys)) != len(keys):
        raise MalformedError("it names an account twice")
    take(32)
    instructions = [_read_instruction(keys, byte, count, take) for _ in range(count())]
    if at != len(data):
        raise MalformedError("bytes follow its end")
    return Message(data[start:], keys[:required], instructions)


def _read_instruction(
    keys: list[str], byte: Callable[[], int], count: Callable[[], int], take: Callable[[int], bytes]
) -> Instruction:
    def key(index: int) -> str:
        if index >= len(keys):
            raise MalformedError("it uses an account that it does not name")
        return keys[index]

    program = key(byte())
    accounts = [key(index) for index in take(count())]
    return Instruction(program, accounts, take(count()))


def _bytes_of(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        data = b""
    if not data or len(data) > _max_transaction_bytes:
        raise MalformedError("it is no base64 of a transaction")
    return data
