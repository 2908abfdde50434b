"""What a partner does, against a sandbox."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import threading
import time
import uuid
from collections.abc import Callable
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any

import pytest
from conftest import Customer, Sandbox, kyc
from proxy import Proxy
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from karat import (
    AsyncKarat,
    Event,
    Karat,
    KaratError,
    Network,
    mint_api_key,
    mint_api_key_async,
    verify_webhook,
)

#: The price of a sandbox moves.
loose = 500


class Remote:
    """A key elsewhere, which signs nothing."""

    def __init__(self, pubkey: Pubkey, called: list[bytes]) -> None:
        self._pubkey = pubkey
        self._called = called

    def pubkey(self) -> Pubkey:
        return self._pubkey

    def sign_message(self, message: bytes) -> bytes:
        self._called.append(message)
        return b""


def failure(call: Callable[[], object]) -> KaratError:
    with pytest.raises(KaratError) as raised:
        call()
    return raised.value


def test_a_key_is_minted_by_the_wallet_and_works(sandbox: Sandbox) -> None:
    minted = mint_api_key(
        base_url=sandbox.base_url,
        partner_id=sandbox.partner_id,
        wallet_address=str(sandbox.partner.pubkey()),
        key_name="python",
        sign_message=sandbox.partner.sign_message,
    )
    with Karat(api_key=minted.api_key, base_url=sandbox.base_url) as karat:
        assert karat.me().partner_id == sandbox.partner_id
        karat.request("POST", f"/v1/partner/api-keys/{minted.key_id}/revoke")
        assert failure(karat.me).code == "unauthorized"


def test_a_buy_is_carried_out_and_its_amounts_are_exact(
    customer: Customer, sandbox: Sandbox, karat: Karat
) -> None:
    before = karat.users.balances(customer.service_user_id)
    trade = karat.buys.execute(
        service_user_id=customer.service_user_id,
        usdc_amount=Decimal("123.456789"),
        slippage_bps=loose,
        signers=[customer.key, sandbox.partner],
    )
    assert (trade.side, trade.status, trade.usdc_amount) == ("buy", "confirmed", Decimal("123.456789"))
    after = karat.users.balances(customer.service_user_id)
    assert before.usdc - after.usdc == Decimal("123.456789")
    assert after.gold - before.gold == trade.gold_amount
    assert karat.trades.get(trade.trade_id) == trade
    assert karat.operations.outcome(trade.trade_id).record == trade


def test_a_sell_is_signed_by_a_function_and_carried_out(
    customer: Customer, sandbox: Sandbox, karat: Karat
) -> None:
    signed = []

    def browser(transaction: bytes) -> bytes:
        """As a wallet that signs whole transactions."""
        from karat._message import read_transaction

        message = read_transaction(base64.b64encode(transaction).decode())
        at = 1 + 64 * message.signers.index(str(customer.key.pubkey()))
        signature = bytes(customer.key.sign_message(message.content))
        signed.append(transaction)
        return transaction[:at] + signature + transaction[at + 64 :]

    trade = karat.sells.execute(
        service_user_id=customer.service_user_id,
        gold_amount=Decimal("0.010001"),
        slippage_bps=loose,
        signers=[sandbox.partner, browser],
    )
    assert (trade.side, trade.status, trade.gold_amount) == ("sell", "confirmed", Decimal("0.010001"))
    assert len(signed) == 1


def test_a_redemption_is_paid_and_cancelled(customer: Customer, sandbox: Sandbox, karat: Karat) -> None:
    known = Karat(
        api_key=sandbox.api_key,
        base_url=sandbox.base_url,
        partner_id=sandbox.partner_id,
        network=Network(
            program_id=sandbox.info["chain"]["program_id"],
            usdc_mint=sandbox.info["chain"]["usdc_mint"],
            gold_mint=sandbox.info["chain"]["gold_mint"],
            service_signers=[sandbox.info["chain"]["service_signer"]],
        ),
    )
    bar: dict[str, Any] = {
        "service_user_id": customer.service_user_id,
        "denomination_id": "pk_tola_1",
        "city": "Karachi",
    }
    error = failure(
        lambda: known.redemptions.execute(**bar, max_tokens=Decimal("0.1"), signers=[customer.key])
    )
    assert (error.code, error.field) == ("transaction_unexpected", "maximum")
    redemption = known.redemptions.execute(**bar, max_tokens=1, signers=[customer.key])
    assert redemption.status == "submitted"
    assert Decimal(redemption.quote.tokens_required) < 1
    assert known.redemptions.get(redemption.redemption_id).city == "Karachi"
    listed = known.redemptions.list(service_user_id=customer.service_user_id, limit=1).take(1)
    assert listed[0].redemption_id == redemption.redemption_id
    cancelled = known.redemptions.cancel(redemption.redemption_id, "by mistake")
    assert cancelled.status == "cancellation_requested"
    known.close()


def test_the_asynchronous_client_does_the_same(customer: Customer, sandbox: Sandbox) -> None:

    async def story() -> None:
        async def sign(message: bytes) -> bytes:
            return bytes(sandbox.partner.sign_message(message))

        async def remote(transaction: bytes) -> bytes:
            await asyncio.sleep(0.01)
            return transaction

        minted = await mint_api_key_async(
            base_url=sandbox.base_url,
            partner_id=sandbox.partner_id,
            wallet_address=str(sandbox.partner.pubkey()),
            key_name="python",
            sign_message=sign,
        )
        async with AsyncKarat(api_key=minted.api_key, base_url=sandbox.base_url) as karat:
            trade = await karat.buys.execute(
                service_user_id=customer.service_user_id,
                gold_amount=Decimal("0.020002"),
                slippage_bps=loose,
                signers=[remote, customer.key, sandbox.partner],
            )
            assert trade.status == "confirmed"
            found = [one.type async for one in karat.events.list(object_id=trade.trade_id, limit=1)]
            assert "trade.confirmed" in found
            assert (await karat.trades.list(service_user_id=customer.service_user_id).take(1))[0] == trade
            assert (await karat.network()).service_signers == [sandbox.info["chain"]["service_signer"]]

    asyncio.run(story())


def test_prices_countries_and_reserves_are_there(karat: Karat) -> None:
    assert isinstance(karat.prices.get().price_per_troy_oz, Decimal)
    assert karat.prices.history(interval="1m").take(1)
    assert "PK" in [country.code for country in karat.countries.list()]
    assert {bar.city for bar in karat.countries.denominations(country="PK", city="Karachi")} == {"Karachi"}
    assert karat.reserves.live()
    assert karat.reserves.get().statement


def test_lists_have_all_of_their_pages(customer: Customer, sandbox: Sandbox, karat: Karat) -> None:
    created = []
    for _ in range(3):
        wallet = str(Keypair().pubkey())
        created.append(
            karat.users.create(user_id=f"python-{wallet}", wallet_address=wallet, kyc=kyc).service_user_id
        )
    by_two = [one.service_user_id for one in karat.users.list(limit=2)]
    assert len(set(by_two)) == len(by_two)
    assert {*created, customer.service_user_id} <= set(by_two)
    assert len(karat.users.list(limit=2).take(3)) == 3
    assert [one.user_id for one in karat.users.list(user_id=customer.user_id)] == [customer.user_id]
    assert karat.users.get(customer.service_user_id).user_id == customer.user_id
    assert (
        karat.trades.list(service_user_id=customer.service_user_id, side="sell", status="failed").all() == []
    )


def test_a_wallet_has_one_customer_whose_id_the_error_names(
    customer: Customer, sandbox: Sandbox, karat: Karat
) -> None:
    error = failure(
        lambda: karat.users.create(
            user_id=customer.user_id, wallet_address=str(customer.key.pubkey()), kyc=kyc
        )
    )
    assert (error.code, error.status) == ("user_already_exists", 409)
    assert error.body["service_user_id"] == customer.service_user_id
    assert error.request_id


def test_refusals_have_the_codes_of_the_api(customer: Customer, sandbox: Sandbox, karat: Karat) -> None:
    error = failure(lambda: karat.buys.quote(service_user_id=customer.service_user_id, usdc_amount=-5))
    assert (error.code, error.field, error.status) == ("invalid_request", "usdc_amount", 400)
    assert failure(lambda: karat.trades.get("trd_" + str(uuid.uuid4()))).code == "trade_not_found"
    stranger = Keypair()
    quote = karat.buys.quote(service_user_id=customer.service_user_id, usdc_amount=1)
    error = failure(
        lambda: karat.buys.sign(
            quote, service_user_id=customer.service_user_id, usdc_amount=1, signers=[customer.key, stranger]
        )
    )
    assert (error.code, error.field) == ("transaction_unexpected", "partner")
    error = failure(
        lambda: karat.buys.sign(
            quote,
            service_user_id=customer.service_user_id,
            usdc_amount=1,
            signers=[customer.key, sandbox.partner, stranger],
        )
    )
    assert error.code == "signer_unknown"
    error = failure(
        lambda: karat.buys.sign(
            quote,
            service_user_id=customer.service_user_id,
            usdc_amount=1,
            signers=[lambda data: data[:-1] + b"\0", customer.key],
        )
    )
    assert error.code == "transaction_changed"
    error = failure(
        lambda: karat.buys.sign(
            quote,
            service_user_id=customer.service_user_id,
            usdc_amount=1,
            signers=[customer.key, sandbox.partner],
            wallet_address="",
        )
    )
    assert (error.code, error.field) == ("transaction_unexpected", "user")
    error = failure(
        lambda: karat.buys.sign(
            quote,
            service_user_id=customer.service_user_id,
            usdc_amount=1,
            signers=[customer.key, Remote(sandbox.partner.pubkey(), [])],
        )
    )
    assert error.code == "signer_unknown"
    # Not signed by the customer.
    signed = karat.buys.sign(
        quote, service_user_id=customer.service_user_id, usdc_amount=1, signers=[sandbox.partner]
    )
    error = failure(lambda: karat.buys.submit(quote.trade_id, signed))
    assert (error.code, error.reason) == ("broadcast_failed", "signature_missing")
    assert error.doc_url


def test_a_sell_of_more_than_there_is_says_why(customer: Customer, sandbox: Sandbox, karat: Karat) -> None:
    gold = karat.users.balances(customer.service_user_id).gold
    error = failure(
        lambda: karat.sells.execute(
            service_user_id=customer.service_user_id,
            gold_amount=gold + 1,
            signers=[customer.key, sandbox.partner],
        )
    )
    assert error.reason == "insufficient_gold"


def test_a_write_whose_response_is_cut_is_done_once(sandbox: Sandbox, proxy: Proxy) -> None:
    def cut(request: bytes, response: bytes) -> bytes:
        # Once before it, once in its head, once in its body.
        is_cut = request.startswith(b"POST /v1/users") and lengths
        return response[: lengths.pop()] if is_cut else response

    lengths = [-2, 80, 0]
    proxy.change = cut
    wallet = str(Keypair().pubkey())
    with Karat(api_key=sandbox.api_key, base_url=proxy.base_url) as karat:
        created = karat.users.create(user_id=f"python-{wallet}", wallet_address=wallet, kyc=kyc)
        assert [one.wallet_address for one in karat.users.list(user_id=f"python-{wallet}")] == [wallet]
        assert karat.users.get(created.service_user_id).wallet_address == wallet
    assert len(proxy.keys()) == 4
    assert len(set(proxy.keys())) == 1


def test_a_trade_whose_responses_are_cut_is_traded_once(
    customer: Customer, sandbox: Sandbox, proxy: Proxy
) -> None:
    def cut(request: bytes, response: bytes) -> bytes:
        is_cut = b"/submit HTTP" in request.split(b"\r\n")[0] and lengths
        return response[: lengths.pop()] if is_cut else response

    lengths = [-2, 0]
    proxy.change = cut
    with Karat(api_key=sandbox.api_key, base_url=proxy.base_url) as karat:
        before = karat.users.balances(customer.service_user_id)
        trade = karat.buys.execute(
            service_user_id=customer.service_user_id,
            usdc_amount=Decimal("10.000001"),
            slippage_bps=loose,
            signers=[customer.key, sandbox.partner],
        )
        after = karat.users.balances(customer.service_user_id)
    assert before.usdc - after.usdc == trade.usdc_amount == Decimal("10.000001")
    submits = [one for one in proxy.requests if b"/submit HTTP" in one.split(b"\r\n")[0]]
    assert len(submits) == 3
    assert len({re.findall(rb"(?im)^idempotency-key: (\S+)", one)[0] for one in submits}) == 1


@pytest.mark.parametrize("at", ["amount", "user"])
def test_a_transaction_that_a_proxy_has_changed_is_refused_before_any_signer_is_called(
    customer: Customer, sandbox: Sandbox, proxy: Proxy, at: str
) -> None:
    changed = []

    def tamper(request: bytes, response: bytes) -> bytes:
        found = re.search(rb'"partially_signed_transaction":"([^"]+)"', response)
        if not found:
            return response
        data = base64.b64decode(found[1])
        if at == "amount":
            data = data.replace((7_000_001).to_bytes(8, "little"), (70_000_010).to_bytes(8, "little"))
        else:
            data = data.replace(bytes(customer.key.pubkey()), bytes(Keypair().pubkey()))
        changed.append(data != base64.b64decode(found[1]))
        return response.replace(found[1], base64.b64encode(data))

    called: list[bytes] = []

    def signer(transaction: bytes) -> bytes:
        called.append(transaction)
        return transaction

    proxy.change = tamper
    with Karat(api_key=sandbox.api_key, base_url=proxy.base_url) as karat:
        error = failure(
            lambda: karat.buys.execute(
                service_user_id=customer.service_user_id,
                usdc_amount=Decimal("7.000001"),
                signers=[signer, Remote(sandbox.partner.pubkey(), called)],
            )
        )
    assert (error.code, error.field) == ("transaction_unexpected", at)
    assert changed == [True]
    assert called == []


def test_a_stream_is_resumed_after_a_cut_without_a_gap(sandbox: Sandbox, proxy: Proxy, karat: Karat) -> None:
    found: Queue[Event] = Queue()
    wallets = [str(Keypair().pubkey()) for _ in range(4)]

    def create(wallet: str) -> None:
        karat.users.create(user_id=f"python-{wallet}", wallet_address=wallet, kyc=kyc)

    def follow() -> None:
        with Karat(api_key=sandbox.api_key, base_url=proxy.base_url) as streaming:
            for event in streaming.events.stream(types="user.created"):
                found.put(event)
                if event.user and event.user.wallet_address == wallets[-1]:
                    return

    begun = threading.Event()

    def pass_on(_: bytes, response: bytes) -> bytes:
        begun.set()
        return response

    proxy.change = pass_on
    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    assert begun.wait(10)
    # Where it begins is the first that it sends.
    time.sleep(0.5)
    create(wallets[0])
    events = [found.get(timeout=10)]
    proxy.cut()
    for wallet in wallets[1:]:
        create(wallet)
    thread.join(30)
    while not found.empty():
        events.append(found.get())
    # Other tests register customers at the same time.
    came = [event.user.wallet_address for event in events if event.user]
    assert [one for one in came if one in wallets] == wallets
    assert [event.sequence for event in events] == sorted({event.sequence for event in events})
    positions = [re.findall(rb"(?im)^last-event-id: (\S+)", one) for one in proxy.requests]
    assert positions[0] == []
    assert positions[1][0].decode() in [event.id for event in events]


def test_a_webhook_arrives_and_is_verified(karat: Karat) -> None:
    received: Queue[tuple[bytes, list[tuple[str, str]]]] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.put((self.rfile.read(int(self.headers["content-length"])), self.headers.items()))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """A test prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    endpoint = karat.webhook_endpoints.create(
        url=f"http://127.0.0.1:{server.server_address[1]}/hooks", types=["user.created"], description="python"
    )
    try:
        tested = karat.webhook_endpoints.test(endpoint.endpoint_id)
        assert (tested.delivered, tested.status_code) == (True, 204)
        body, headers = received.get(timeout=10)
        assert verify_webhook(body, headers, endpoint.secret).type == "webhook.test"
        wallet = str(Keypair().pubkey())
        karat.users.create(user_id=f"python-{wallet}", wallet_address=wallet, kyc=kyc)
        event = None
        # Other tests register customers at the same time.
        while event is None or event.user is None or event.user.wallet_address != wallet:
            body, headers = received.get(timeout=10)
            event = verify_webhook(body, headers, endpoint.secret)
        assert event.trade is None
        assert (
            failure(lambda: verify_webhook(body + b" ", headers, endpoint.secret)).code == "signature_invalid"
        )
        rotated = karat.webhook_endpoints.rotate_secret(endpoint.endpoint_id, overlap_hours=0)
        assert rotated.secret != endpoint.secret
        assert karat.webhook_endpoints.resend(endpoint.endpoint_id, event_id=event.id).resent == 1
        again = None
        while again is None or again.id != event.id:
            body, headers = received.get(timeout=10)
            # What was on its way still has the signature by the secret before.
            with contextlib.suppress(KaratError):
                again = verify_webhook(body, headers, rotated.secret)
        assert karat.webhook_endpoints.update(endpoint.endpoint_id, types=None).types is None
        assert karat.webhook_endpoints.deliveries(endpoint.endpoint_id).take(1)
        listed = [one.endpoint_id for one in karat.webhook_endpoints.list()]
        assert endpoint.endpoint_id in listed
        assert karat.webhook_endpoints.get(endpoint.endpoint_id).status == "active"
    finally:
        karat.webhook_endpoints.delete(endpoint.endpoint_id)
        server.shutdown()
        server.server_close()
    assert failure(lambda: karat.webhook_endpoints.get(endpoint.endpoint_id)).code == "endpoint_not_found"


def test_an_idempotency_key_of_the_callers_own_takes_effect_once(karat: Karat) -> None:
    wallet, key = str(Keypair().pubkey()), str(uuid.uuid4())
    body: dict[str, Any] = {"user_id": f"python-{wallet}", "wallet_address": wallet, "kyc": kyc}
    first = karat.users.create(**body, idempotency_key=key)
    assert karat.users.create(**body, idempotency_key=key) == first
