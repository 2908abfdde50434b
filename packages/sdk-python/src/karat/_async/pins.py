"""What no later response may change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat import models
from karat._async.signing import sign_transaction
from karat._async.transport import Transport
from karat._errors import KaratError
from karat._model import Model, read_model
from karat._reply import path_of
from karat._signers import AsyncSigner
from karat.check import Kind, NetworkLike, Parties, check_transaction

_max_users = 10_000


class Pins:
    """Network and partner, as they were given or read first, and the wallets of customers."""

    def __init__(self, transport: Transport, network: NetworkLike | None, partner_id: str | None) -> None:
        self._transport = transport
        # Of threads that read it at the same time, one pins it.
        self._networks: dict[None, NetworkLike] = {} if network is None else {None: network}
        self._partner_ids: dict[None, str] = {} if partner_id is None else {None: partner_id}
        self._wallets: dict[str, str] = {}

    async def network(self) -> models.SolanaNetwork:
        """Returns what the API says of the network. Raises `network_changed` if that is not what is pinned; else pins it."""
        read = read_model(models.SolanaNetwork, await self._transport.request("GET", path_of("network")))
        pinned = self._networks.setdefault(None, read)
        if _named(read) == _named(pinned):
            return read
        message = f"The API names another network than the pinned one: {_named(read)}, not {_named(pinned)}."
        raise KaratError("network_changed", message=message, body=read)

    async def sign(
        self,
        kind: Kind,
        request: Mapping[str, Any],
        quote: Model,
        transaction: str,
        signers: Sequence[AsyncSigner],
        wallet_address: str | None,
    ) -> str:
        """
        Has a quote's transaction signed, which is the one of its request: nothing else is given to any signer. Raises
        `transaction_unexpected`, `network_changed`, and what signing raises.
        """
        network = self._networks.get(None) or await self.network()
        user_wallet = wallet_address
        if user_wallet is None:
            user_wallet = await self._wallet_of(request["service_user_id"])
        known = [str(signer.pubkey()) for signer in signers if not callable(signer)]
        partner_id = await self._own_id() if kind == "redemption" else None
        # A trade names the partner's wallet, a redemption only the partner.
        parties = Parties(user_wallet, [one for one in known if one != user_wallet], partner_id)
        check_transaction(
            transaction, kind=kind, request=request, quote=quote, network=network, parties=parties
        )
        return await sign_transaction(transaction, signers)

    async def _own_id(self) -> str:
        known = self._partner_ids.get(None)
        if known is not None:
            return known
        me = read_model(models.Me, await self._transport.request("GET", path_of("me")))
        return self._partner_ids.setdefault(None, me.partner_id)

    async def _wallet_of(self, service_user_id: str) -> str:
        known = self._wallets.get(service_user_id)
        if known is not None:
            return known
        read = await self._transport.request("GET", path_of("users", service_user_id))
        if len(self._wallets) >= _max_users:
            self._wallets.clear()
        return self._wallets.setdefault(service_user_id, read_model(models.UserWithKyc, read).wallet_address)


def _named(network: NetworkLike) -> str:
    addresses = [network.program_id, network.usdc_mint, network.gold_mint, *sorted(network.service_signers)]
    return " ".join(addresses)
