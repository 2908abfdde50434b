import json
import os
import sys
from pathlib import Path

from karat import Karat, mint_api_key
from solders.keypair import Keypair

state = Path(os.environ.get("KARAT_STATE_DIR", ".karat"))
if not (state / "sandbox.json").exists():
    sys.exit(f"No sandbox runs on {state}: start one, or name its state folder in KARAT_STATE_DIR.")
sandbox = json.loads((state / "sandbox.json").read_text())
acme, ayesha = sandbox["partners"][0], sandbox["users"][0]
partner = Keypair.from_json((state / acme["wallet_keypair"]).read_text())
customer = Keypair.from_json((state / ayesha["keypair"]).read_text())

minted = mint_api_key(
    base_url=sandbox["partner_api_url"],  # without /v1
    partner_id=acme["partner_id"],
    wallet_address=str(partner.pubkey()),
    key_name="first trade",
    sign_message=partner.sign_message,
)
with Karat(api_key=minted.api_key, base_url=sandbox["partner_api_url"]) as karat:
    user_id = ayesha["service_user_id"]
    trade = karat.buys.execute(service_user_id=user_id, usdc_amount=100, signers=[customer, partner])
    print(trade.trade_id, trade.gold_amount, karat.users.balances(user_id).gold)
