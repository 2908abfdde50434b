"""New API keys."""

from __future__ import annotations

import base64
from typing import SupportsBytes

import httpx

from karat import models
from karat._async.transport import Transport
from karat._model import read_model
from karat._reply import path_of
from karat._signers import AsyncSignMessage
from karat._waiting import async_resolve


async def mint_api_key_async(
    *,
    base_url: str,
    partner_id: str,
    wallet_address: str,
    key_name: str,
    sign_message: AsyncSignMessage,
    max_retries: int = 3,
    timeout_ms: float = 40_000,
    transport: httpx.AsyncBaseTransport | None = None,
) -> models.MintedApiKey:
    """
    Mints an API key: has a challenge signed by one of the partner's registered wallets, such as by `keypair.sign_message`.
    The key itself is shown only here.
    """
    api = Transport(base_url=base_url, max_retries=max_retries, timeout_ms=timeout_ms, transport=transport)
    try:
        desired = {"wallet_address": wallet_address, "partner_id": partner_id}
        read = await api.request("POST", path_of("auth", "challenge"), body=desired)
        challenge = read_model(models.Challenge, read)
        signed: SupportsBytes | str = await async_resolve(sign_message(challenge.message.encode()))
        signature = signed if isinstance(signed, str) else base64.b64encode(bytes(signed)).decode()
        minting = {"challenge_id": challenge.challenge_id, "signature": signature, "key_name": key_name}
        return read_model(
            models.MintedApiKey, await api.request("POST", path_of("auth", "api-key"), body=minting)
        )
    finally:
        await api.aclose()
