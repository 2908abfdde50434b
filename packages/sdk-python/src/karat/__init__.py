"""Client of the Karat partner API: buy, sell and redeem gold on Solana."""

from karat import models
from karat._async.client import AsyncKarat
from karat._async.mint import mint_api_key_async
from karat._async.rows import AsyncRows
from karat._errors import KaratError
from karat._signers import AsyncSigner, KeySigner, Signer
from karat._sync.client import Karat
from karat._sync.mint import mint_api_key
from karat._sync.rows import Rows
from karat.check import Difference, Network, Parties, check_transaction
from karat.events import Event
from karat.requests import Amount, BuyRequest, EndpointChanges, Kyc, RedemptionRequest, SellRequest
from karat.webhooks import verify_webhook

__all__ = [
    "Amount",
    "AsyncKarat",
    "AsyncRows",
    "AsyncSigner",
    "BuyRequest",
    "Difference",
    "EndpointChanges",
    "Event",
    "Karat",
    "KaratError",
    "KeySigner",
    "Kyc",
    "Network",
    "Parties",
    "RedemptionRequest",
    "Rows",
    "SellRequest",
    "Signer",
    "check_transaction",
    "mint_api_key",
    "mint_api_key_async",
    "models",
    "verify_webhook",
]
