"""Signatures of transactions that were checked."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from karat._errors import KaratError
from karat._message import read_transaction
from karat._signers import AsyncSigner
from karat._waiting import async_resolve


async def sign_transaction(transaction: str, signers: Sequence[AsyncSigner]) -> str:
    """
    Returns a transaction (base64) with the signatures of all signers. Functions, which could change it, go first, one after
    the other. Raises `transaction_changed` when one did, before any key signs that, and `signer_unknown` for a signer that
    cannot sign it.
    """
    message = read_transaction(transaction)
    data = base64.b64decode(transaction)
    start = len(data) - len(message.content)
    keys = []
    for signer in signers:
        if not callable(signer):
            keys.append(signer)
            continue
        signed = await async_resolve(signer(data))
        if not isinstance(signed, bytes | bytearray):
            raise KaratError("signer_unknown", message="The signer returned no transaction.")
        if len(signed) != len(data) or signed[0] != data[0] or signed[start:] != message.content:
            text = "A signer returned another transaction than the one to sign."
            raise KaratError("transaction_changed", message=text)
        data = bytes(signed)
    places = []
    for key in keys:
        address = str(key.pubkey())
        if address not in message.signers:
            text = f"This transaction needs no signature of {address}."
            raise KaratError("signer_unknown", message=text)
        places.append((key, 1 + 64 * message.signers.index(address)))
    for key, at in places:
        signature = bytes(key.sign_message(message.content))
        if len(signature) != 64:
            raise KaratError("signer_unknown", message="The signer returned no signature.")
        data = data[:at] + signature + data[at + 64 :]
    return base64.b64encode(data).decode()
