import json
import os
from decimal import Decimal
from pathlib import Path

from karat import Karat, mint_api_key
from solders.keypair import Keypair

state = Path(os.environ.get("KARAT_STATE_DIR", ".karat"))
sandbox = json.loads((state / "sandbox.json").read_text())
partner = Keypair.from_json((state / "keys/acme-wallet.json").read_text())
customer = Keypair.from_json((state / "keys/user-1.json").read_text())

minted = mint_api_key(
    base_url=sandbox["partner_api_url"],  # without /v1
    partner_id=sandbox["partners"][0]["partner_id"],
    wallet_address=str(partner.pubkey()),
    key_name="first trade",
    sign_message=partner.sign_message,
)
with Karat(api_key=minted.api_key, base_url=sandbox["partner_api_url"]) as karat:
    user = karat.users.list(user_id="acme-ayesha").take(1)[0]
    trade = karat.buys.execute(
        service_user_id=user.service_user_id,
        usdc_amount=Decimal("100.5"),
        signers=[customer, partner],
    )
    print(trade.trade_id, trade.gold_amount, karat.users.balances(user.service_user_id).gold)
