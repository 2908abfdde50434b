"""What requests take, as keyword arguments. Amounts are `Decimal` or `int`, never a float."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, NotRequired, Required, TypedDict

Amount = Decimal | int


class BuyRequest(TypedDict, total=False):
    """A buy: what goes in, `usdc_amount`, or what comes out, `gold_amount`."""

    service_user_id: Required[str]
    usdc_amount: Amount | None
    gold_amount: Amount | None
    #: How far the price may move, in hundredths of a percent; default: 50.
    slippage_bps: int | None
    #: The least GOLD that comes out; default: the slippage below what is quoted.
    min_gold_out: Amount | None


class SellRequest(TypedDict, total=False):
    """A sell: what goes in, `gold_amount`, or what comes out, `usdc_amount`."""

    service_user_id: Required[str]
    gold_amount: Amount | None
    usdc_amount: Amount | None
    #: How far the price may move, in hundredths of a percent; default: 50.
    slippage_bps: int | None
    #: The least USDC that comes out; default: the slippage below what is quoted.
    min_usdc_out: Amount | None


class RedemptionRequest(TypedDict):
    """A redemption of GOLD for a bar."""

    service_user_id: str
    denomination_id: str
    city: str


class Kyc(TypedDict):
    """What the partner has found out about a customer."""

    #: ISO 3166-1, two letters.
    country: str
    full_name: str
    kyc_provider: str
    kyc_level: Literal["none", "basic", "full"]
    kyc_verified_at: str | datetime
    kyc_data: NotRequired[dict[str, Any] | None]


class EndpointChanges(TypedDict, total=False):
    """What an endpoint of webhooks gets: `types` None is every type."""

    url: str
    types: list[str] | None
    description: str | None
    status: Literal["active", "disabled"]
