"""
A sandbox that the caller has started: KARAT_SANDBOX_STATE is the folder with its sandbox.json. Tests that play the service
themselves need none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playing import PlayedService
from proxy import Proxy
from solders.keypair import Keypair

from karat import Karat, Kyc

kyc: Kyc = {
    "country": "PK",
    "full_name": "Ayesha Khan",
    "kyc_provider": "by hand",
    "kyc_level": "full",
    "kyc_verified_at": "2026-01-15T09:30:00Z",
}
vectors = Path(__file__).parents[3] / "docs" / "vectors"


@dataclass(frozen=True)
class Sandbox:
    folder: Path
    info: dict[str, Any]

    @property
    def base_url(self) -> str:
        return str(self.info["partner_api_url"])

    @property
    def partner_id(self) -> str:
        return str(self.info["partners"][0]["partner_id"])

    @property
    def api_key(self) -> str:
        return str(self.info["partners"][0]["api_key"])

    @property
    def partner(self) -> Keypair:
        return self.key(self.info["partners"][0]["wallet_keypair"])

    def key(self, file: str) -> Keypair:
        return Keypair.from_json((self.folder / file).read_text())

    def cheat(self, method: str, *params: object) -> None:
        """Has the chain do what only the one of a sandbox does."""
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        response = httpx.post(self.info["rpc_url"], json=call).raise_for_status().json()
        assert "error" not in response, response


@dataclass(frozen=True)
class Customer:
    service_user_id: str
    user_id: str
    key: Keypair


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    state = os.environ.get("KARAT_SANDBOX_STATE")
    if not state:
        pytest.fail("KARAT_SANDBOX_STATE must name the state folder of a sandbox that runs (npm start)")
    folder = Path(state)
    return Sandbox(folder, json.loads((folder / "sandbox.json").read_text()))


@pytest.fixture(scope="session")
def customer(sandbox: Sandbox) -> Customer:
    """A customer of these tests alone, with USDC, GOLD and SOL."""
    key = Keypair()
    wallet = str(key.pubkey())
    sandbox.cheat("requestAirdrop", wallet, 1_000_000_000)
    sandbox.cheat("karat_setTokenBalance", wallet, sandbox.info["chain"]["usdc_mint"], "100000000000")
    sandbox.cheat("karat_setTokenBalance", wallet, sandbox.info["chain"]["gold_mint"], "50000000")
    with Karat(api_key=sandbox.api_key, base_url=sandbox.base_url) as karat:
        created = karat.users.create(user_id=f"python-{wallet}", wallet_address=wallet, kyc=kyc)
    return Customer(created.service_user_id, created.user_id, key)


@pytest.fixture
def karat(sandbox: Sandbox) -> Iterator[Karat]:
    with Karat(api_key=sandbox.api_key, base_url=sandbox.base_url) as karat:
        yield karat


@pytest.fixture
def proxy(sandbox: Sandbox) -> Iterator[Proxy]:
    """Stands between a client and the sandbox."""
    with Proxy(sandbox.base_url) as proxy:
        yield proxy


@pytest.fixture
def service() -> Iterator[PlayedService]:
    with PlayedService() as service:
        yield service


def first_vector(kind: str) -> dict[str, Any]:
    """A good transaction with its request."""
    from karat import _json

    vector: dict[str, Any] = _json.loads((vectors / f"{kind}.json").read_text())[0]
    return vector
