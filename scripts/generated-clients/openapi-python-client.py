import importlib
import os
import pkgutil

import karat_operator
import karat_operator.api.limits.put_partner_limits as put_partner_limits
import karat_operator.models
import karat_partner
import karat_partner.api.trades.quote_buy as quote_buy
import karat_partner.models
import karat_tradebook
import karat_tradebook.api.prices.estimate_purchase as estimate_purchase
import karat_tradebook.models

AMOUNT = 98765.432109
OUNCES = 123.456789

# What Python compiles is every module.
for package in (karat_partner, karat_tradebook, karat_operator):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)

trades = karat_partner.AuthenticatedClient(
    base_url=os.environ["KARAT_PARTNER_URL"],
    token=os.environ["KARAT_PARTNER_KEY"],
    auth_header_name="x-api-key",
    prefix="",
)
buy = karat_partner.models.QuoteBuyByUsdcAmount(service_user_id=os.environ["KARAT_USER"], usdc_amount=AMOUNT)
print("partner", quote_buy.sync(client=trades, body=buy).quote.usdc_amount)

prices = karat_tradebook.AuthenticatedClient(
    base_url=os.environ["KARAT_TRADEBOOK_URL"],
    token=os.environ["KARAT_TRADEBOOK_KEY"],
    auth_header_name="x-api-key",
    prefix="",
)
estimate = karat_tradebook.models.EstimatePurchaseRequest(gold_amount=OUNCES)
print("tradebook", estimate_purchase.sync(client=prices, body=estimate).data.gold_amount)

limits = karat_operator.AuthenticatedClient(
    base_url=os.environ["KARAT_OPERATOR_URL"], token=os.environ["KARAT_OPERATOR_TOKEN"]
)
change = karat_operator.models.PutPartnerLimitsRequest(partner_daily_gold=AMOUNT)
changed = put_partner_limits.sync(os.environ["KARAT_PARTNER"], client=limits, body=change)
print("operator", changed.own.partner_daily_gold)
