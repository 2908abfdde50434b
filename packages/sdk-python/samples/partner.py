"""
The partner API from a key to a bar of gold, against a sandbox that runs. Its regions are the samples of the reference, by the
names of operations, and those of docs/partner-guide.md. The programs of the other SDKs have the same regions and print the same.

    python packages/sdk-python/samples/partner.py [<key file of the customer>]
"""

# region setup
import json
import os
import sys
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

from solders.keypair import Keypair

# region client
from karat import Karat, KaratError, mint_api_key, verify_webhook

# endregion client

state = Path(os.environ.get("KARAT_STATE_DIR", ".karat"))
if not (state / "sandbox.json").exists():
    sys.exit(f"No sandbox runs on {state}: start one, or name its state folder in KARAT_STATE_DIR.")
sandbox = json.loads((state / "sandbox.json").read_text())
base_url = sandbox["partner_api_url"]
partner_id = sandbox["partners"][0]["partner_id"]
customer_file = sys.argv[1] if len(sys.argv) > 1 else "keys/spare-2.json"
partner = Keypair.from_json((state / "keys/acme-wallet.json").read_text())
customer = Keypair.from_json((state / customer_file).read_text())
# endregion setup

# region authentication
# region createChallenge
# region createApiKey
# Requests a challenge, has the partner's wallet sign it, and sends the signature.
minted = mint_api_key(
    base_url=base_url,
    partner_id=partner_id,
    wallet_address=str(partner.pubkey()),
    key_name="guide",
    sign_message=partner.sign_message,
)
# endregion createApiKey
# endregion createChallenge
# region client
karat = Karat(api_key=minted.api_key, base_url=base_url)
# endregion client
print("key", minted.key_id)
# endregion authentication

# region listApiKeys
keys = karat.request("GET", "/v1/partner/api-keys")["api_keys"]
print(keys[0]["key_name"], keys[0]["status"])
# endregion listApiKeys

# region discovery
# region getMe
me = karat.me()
print(me.name, me.open_fee_bps)
# endregion getMe
# region getNetwork
network = karat.network()
print(network.network, network.explorer_url_template)
# endregion getNetwork
# region listCountries
for country in karat.countries.list():
    if country.denominations > 0:
        print(country.code, country.name)
# endregion listCountries
# endregion discovery

# region createUser
created = karat.users.create(
    user_id=f"customer-{customer.pubkey()}",
    wallet_address=str(customer.pubkey()),
    kyc={
        "country": "PK",
        "full_name": "Bilal Ahmed",
        "kyc_provider": "by hand",
        "kyc_level": "full",
        "kyc_verified_at": "2026-01-15T09:30:00+05:00",
        "kyc_data": {"id_type": "cnic", "id_number": "42101-7654321-3"},
    },
)
service_user_id = created.service_user_id
# endregion createUser

# region getUser
user = karat.users.get(service_user_id)
print("user", user.status, user.kyc and user.kyc.kyc_level)
# endregion getUser

# region listUsers
newest = karat.users.list(status="active").take(1)[0]
print("newest", newest.service_user_id == service_user_id)
# endregion listUsers

# region getUserBalances
balances = karat.users.balances(service_user_id)
print("balances", balances.gold, balances.usdc)
# endregion getUserBalances

# region prices
# region getPrice
price = karat.prices.get()
print("price", price.market, price.price_per_troy_oz)
# endregion getPrice
# region listPriceHistory
candles = karat.prices.history(interval="1m").all()
print("close", candles[-1].close)
# endregion listPriceHistory
# endregion prices

# region buy
bought = karat.buys.execute(
    service_user_id=service_user_id,
    usdc_amount=1000,
    slippage_bps=100,
    signers=[partner, customer],
)
print(bought.status, bought.gold_amount, "GOLD")
# endregion buy

# region submitBuy
# region quoteBuy
quote = karat.buys.quote(
    service_user_id=service_user_id,
    gold_amount=Decimal("0.5"),
)
print("half an ounce for", quote.quote.usdc_amount, "USDC")
# endregion quoteBuy
# endregion submitBuy

# region inspectTransaction
inspected = karat.request(
    "POST",
    "/v1/transactions/inspect",
    body={"transaction": quote.partially_signed_transaction},
)
print(inspected["summary"])
# endregion inspectTransaction

# region submitBuy
# region signing
# Compares the transaction with the request before anyone signs.
signed = karat.buys.sign(
    quote,
    service_user_id=service_user_id,
    gold_amount=Decimal("0.5"),
    signers=[partner, customer],
)
sent = karat.buys.submit(quote.trade_id, signed)
print("sent", sent.tx_hash)
# endregion signing
# endregion submitBuy

# region getOperation
# Waits until the transaction is on chain, or can no longer land.
operation = karat.operations.outcome(quote.trade_id)
print("half an ounce", operation.status)
# endregion getOperation

# region getTrade
trade = karat.trades.get(quote.trade_id)
print(trade.side, trade.gold_amount, "GOLD")
# endregion getTrade

# region sell
sold = karat.sells.execute(
    service_user_id=service_user_id,
    usdc_amount=250,
    signers=[partner, customer],
)
print(sold.status, sold.usdc_amount, "USDC")
# endregion sell

# region submitSell
# region quoteSell
offer = karat.sells.quote(
    service_user_id=service_user_id,
    gold_amount=Decimal("0.1"),
)
print("a tenth of an ounce for", offer.quote.usdc_amount, "USDC")
# endregion quoteSell

signed_sale = karat.sells.sign(
    offer,
    service_user_id=service_user_id,
    gold_amount=Decimal("0.1"),
    signers=[partner, customer],
)
karat.sells.submit(offer.trade_id, signed_sale)
print("a tenth", karat.operations.outcome(offer.trade_id).status)
# endregion submitSell

# region listTrades
trades = karat.trades.list(
    service_user_id=service_user_id,
    created_from="2026-01-01T00:00:00Z",
)
for one in trades:
    print(one.side, one.gold_amount, "GOLD", one.usdc_amount, "USDC")
# endregion listTrades

# region failure
try:
    karat.buys.execute(
        service_user_id=service_user_id,
        usdc_amount=100,
        min_gold_out=1,
        signers=[partner, customer],
    )
except KaratError as error:
    print(error.code, error.reason, error.doc_url)
    if error.operation_id:
        print("it is", karat.operations.get(error.operation_id).status)
# endregion failure

# region redeem
# region listDenominations
bar = karat.countries.denominations(country="PK", city="Karachi").take(1)[0]
print(bar.label, bar.city)
# endregion listDenominations
redemption = karat.redemptions.execute(
    service_user_id=service_user_id,
    denomination_id=bar.id,
    city=bar.city,
    signers=[customer],
)
print(redemption.status, redemption.quote and redemption.quote.tokens_required, "GOLD")
# endregion redeem

# region submitRedemption
# region quoteRedemption
cost = karat.redemptions.quote(
    service_user_id=service_user_id,
    denomination_id="pk_tola_1",
    city="Karachi",
)
print("a tola for", cost.quote.tokens_required, "GOLD")
# endregion quoteRedemption

paid = karat.redemptions.sign(
    cost,
    service_user_id=service_user_id,
    denomination_id="pk_tola_1",
    city="Karachi",
    signers=[customer],
)
karat.redemptions.submit(cost.redemption_id, paid)
print("a tola", karat.operations.outcome(cost.redemption_id).status)
# endregion submitRedemption

# region getRedemption
# While it is ready, the record has the pickup_code to show to the customer.
record = karat.redemptions.get(cost.redemption_id)
print(record.status, record.pickup_code or "no code yet")
# endregion getRedemption

# region listRedemptions
for row in karat.redemptions.list(service_user_id=service_user_id, city="Karachi"):
    print(row.denomination, row.status)
# endregion listRedemptions

# region cancelRedemption
cancelled = karat.redemptions.cancel(redemption.redemption_id, "moved to another city")
print(cancelled.status)
# endregion cancelRedemption

# region refused
try:
    karat.buys.quote(service_user_id=service_user_id, usdc_amount=-5)
except KaratError as error:
    print(error.code, error.field, error.status)
# endregion refused

# region following
# region listEvents
first = karat.events.list(object_id=bought.trade_id).take(1)[0]
print(first.type)
# endregion listEvents
# region streamEvents
types = ["trade.confirmed", "redemption.submitted"]
for event in karat.events.stream(after=first.id, types=types):
    print(event.type)
    if event.redemption:
        break
# endregion streamEvents
# endregion following


# region webhooks
class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = verify_webhook(body, self.headers, endpoint.secret)
            print("webhook", event.type)
            self.send_response(200)
        except KaratError:
            self.send_response(400)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Leaves out the log of requests."""


server = HTTPServer(("127.0.0.1", 0), Receiver)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/karat"
# region createWebhookEndpoint
# The secret is shown only here.
endpoint = karat.webhook_endpoints.create(
    url=url,
    types=["trade.confirmed", "redemption.ready"],
)
# endregion createWebhookEndpoint
# region testWebhookEndpoint
tested = karat.webhook_endpoints.test(endpoint.endpoint_id)
print("delivered", tested.delivered)
# endregion testWebhookEndpoint
# endregion webhooks

# region listWebhookEndpoints
for listed in karat.webhook_endpoints.list():
    if listed.url == url:
        print("endpoint", listed.status)
# endregion listWebhookEndpoints

# region getWebhookEndpoint
found = karat.webhook_endpoints.get(endpoint.endpoint_id)
print(",".join(found.types or []))
# endregion getWebhookEndpoint

# region changeWebhookEndpoint
changed = karat.webhook_endpoints.update(endpoint.endpoint_id, types=["trade.confirmed"])
print(",".join(changed.types or []))
# endregion changeWebhookEndpoint

# region resendWebhookEvents
again = karat.webhook_endpoints.resend(
    endpoint.endpoint_id,
    from_=bought.created_at,
    to=trade.created_at,
)
print("resent", again.resent > 0)
# endregion resendWebhookEvents

# region listWebhookDeliveries
delivery = karat.webhook_endpoints.deliveries(endpoint.endpoint_id).take(1)[0]
print("delivery of", delivery.type)
# endregion listWebhookDeliveries

# region rotateWebhookSecret
# For an hour both secrets sign.
rotated = karat.webhook_endpoints.rotate_secret(endpoint.endpoint_id, overlap_hours=1)
print("rotated", rotated.secret != endpoint.secret)
# endregion rotateWebhookSecret

# region deleteWebhookEndpoint
karat.webhook_endpoints.delete(endpoint.endpoint_id)
# endregion deleteWebhookEndpoint
server.shutdown()

# region revokeApiKey
revoked = karat.request("POST", f"/v1/partner/api-keys/{minted.key_id}/revoke")
print("key", revoked["status"])
# endregion revokeApiKey
karat.close()
