# Generated from _async/mint.py by scripts/generate.py: do not edit.
"""New API keys."""

from __future__ import annotations

import base64
from typing import SupportsBytes

import httpx

from karat import models
from karat._model import read_model
from karat._reply import path_of
from karat._signers import SignMessage
from karat._sync.transport import Transport
from karat._waiting import resolve


def mint_api_key(
    *,
    base_url: str,
    partner_id: str,
    wallet_address: str,
    key_name: str,
    sign_message: SignMessage,
    max_retries: int = 3,
    timeout_ms: float = 40_000,
    transport: httpx.BaseTransport | None = None,
) -> models.MintedApiKey:
    """
    Mints an API key: has a challenge signed by one of the partner's registered wallets, such as by `keypair.sign_message`.
    The key itself is shown only here.
    """
    api = Transport(base_url=base_url, max_retries=max_retries, timeout_ms=timeout_ms, transport=transport)
    try:
        desired = {"wallet_address": wallet_address, "partner_id": partner_id}
        read = api.request("POST", path_of("auth", "challenge"), body=desired)
        challenge = read_model(models.Challenge, read)
        signed: SupportsBytes | str = resolve(sign_message(challenge.message.encode()))
        signature = signed if isinstance(signed, str) else base64.b64encode(bytes(signed)).decode()
        minting = {"challenge_id": challenge.challenge_id, "signature": signature, "key_name": key_name}
        return read_model(models.MintedApiKey, api.request("POST", path_of("auth", "api-key"), body=minting))
    finally:
        api.close()
