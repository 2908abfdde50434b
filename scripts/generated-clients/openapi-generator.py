import importlib
import os
import pkgutil

import karat_operator
import karat_partner
import karat_tradebook

AMOUNT = 98765.432109
OUNCES = 123.456789

# What Python compiles is every module.
for package in (karat_partner, karat_tradebook, karat_operator):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)

trades = karat_partner.Configuration(
    host=os.environ["KARAT_PARTNER_URL"], api_key={"apiKey": os.environ["KARAT_PARTNER_KEY"]}
)
with karat_partner.ApiClient(trades) as client:
    buy = karat_partner.QuoteBuyByUsdcAmount(service_user_id=os.environ["KARAT_USER"], usdc_amount=AMOUNT)
    request = karat_partner.QuoteBuyRequest(buy)
    print("partner", karat_partner.TradesApi(client).quote_buy(request).quote.usdc_amount)

prices = karat_tradebook.Configuration(
    host=os.environ["KARAT_TRADEBOOK_URL"], api_key={"apiKey": os.environ["KARAT_TRADEBOOK_KEY"]}
)
with karat_tradebook.ApiClient(prices) as client:
    estimate = karat_tradebook.EstimatePurchaseRequest(goldAmount=OUNCES)
    print("tradebook", karat_tradebook.PricesApi(client).estimate_purchase(estimate).data.gold_amount)

limits = karat_operator.Configuration(
    host=os.environ["KARAT_OPERATOR_URL"], access_token=os.environ["KARAT_OPERATOR_TOKEN"]
)
with karat_operator.ApiClient(limits) as client:
    change = karat_operator.PutPartnerLimitsRequest(partner_daily_gold=AMOUNT)
    changed = karat_operator.LimitsApi(client).put_partner_limits(os.environ["KARAT_PARTNER"], change)
    print("operator", changed.own.partner_daily_gold)
