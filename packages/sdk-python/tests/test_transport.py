"""What the client does when the service does not do what it should; the service is played by the test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from conftest import first_vector
from playing import PlayedService, cut_off, hang_up, raw, refuse, reply, stall

from karat import AsyncKarat, Karat, KaratError, Kyc, Network, mint_api_key

good = first_vector("buy")
trade_id = good["response"]["trade_id"]
kyc: Kyc = {
    "country": "PK",
    "full_name": "Ayesha Khan",
    "kyc_provider": "sumsub",
    "kyc_level": "full",
    "kyc_verified_at": "2026-01-15T09:30:00Z",
}
user = {
    "service_user_id": "gu_1",
    "user_id": "a",
    "wallet_address": "w",
    "created_at": "t",
    "status": "active",
}
later = refuse(503, "service_unavailable", retry_after="0")
busy = refuse(429, "rate_limited", retry_after="300")


@pytest.fixture
def karat(service: PlayedService) -> Iterator[Karat]:
    network = Network(**good["network"])
    with Karat(api_key="k", base_url=f"{service.base_url}/", timeout_ms=5_000, network=network) as karat:
        yield karat


def create(karat: Karat) -> str:
    return karat.users.create(user_id="a", wallet_address="w", kyc=kyc).service_user_id


def failure(call: Callable[[], object]) -> KaratError:
    with pytest.raises(KaratError) as raised:
        call()
    return raised.value


def test_a_failed_request_is_tried_again_with_the_same_key_until_it_is_done(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [hang_up, later, cut_off, reply(201, user)]
    assert create(karat) == "gu_1"
    assert len(service.requests) == 4
    assert len({key for _, _, key in service.requests}) == 1
    create(karat)
    assert len({key for _, _, key in service.requests}) == 2


def test_a_failed_request_is_tried_again_no_sooner_than_the_service_requests(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [refuse(429, "rate_limited", retry_after="1"), reply(201, user)]
    begun = time.monotonic()
    create(karat)
    assert time.monotonic() - begun >= 0.99


def test_a_lost_write_is_not_taken_for_a_refusal_because_the_last_try_was_one_too_many(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [later, busy]
    assert failure(lambda: create(karat)).status == 503
    service.responses = [hang_up, busy]
    assert failure(lambda: create(karat)).code == "network_error"
    service.responses = [busy]
    assert failure(lambda: create(karat)).status == 429
    # A read did nothing that could count.
    service.responses = [later, busy]
    assert failure(karat.me).status == 429


def test_a_failed_request_is_the_error_of_the_last_try_after_three_more(
    karat: Karat, service: PlayedService
) -> None:
    body = {"error": "pricing_unavailable", "message": "No price.", "reason": "price_stale", "doc_url": "d"}
    service.responses = [reply(503, body, retry_after="0", x_request_id="r-1")]
    error = failure(lambda: karat.buys.quote(service_user_id="gu_1", usdc_amount=1))
    assert len(service.requests) == 4
    known = (error.message, error.code, error.status, error.reason, error.request_id, error.doc_url)
    assert known == ("No price.", "pricing_unavailable", 503, "price_stale", "r-1", "d")
    assert error.may_have_arrived
    assert error.body == body


def test_a_try_ends_when_its_response_stops_in_between(service: PlayedService) -> None:
    service.responses = [stall, reply(201, user)]
    with Karat(api_key="k", base_url=service.base_url, timeout_ms=500) as hasty:
        begun = time.monotonic()
        assert create(hasty) == "gu_1"
        assert time.monotonic() - begun < 2.5


def test_a_repeat_waits_for_an_earlier_try_that_is_still_at_work(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [cut_off, refuse(409, "idempotency_conflict"), reply(201, user)]
    assert create(karat) == "gu_1"
    service.responses = [refuse(409, "idempotency_conflict")]
    assert failure(lambda: create(karat)).code == "idempotency_conflict"
    assert len(service.requests) == 4


def test_a_wait_of_minutes_is_left_to_the_caller(karat: Karat, service: PlayedService) -> None:
    service.responses = [busy]
    error = failure(karat.me)
    assert (error.code, error.retry_after_ms) == ("rate_limited", 300_000)
    assert len(service.requests) == 1


def test_a_challenge_that_may_be_used_up_is_not_used_again(service: PlayedService) -> None:
    challenge = {"challenge_id": "c", "message": "m", "expires_at": "t"}
    service.responses = [reply(200, challenge), hang_up]
    error = failure(
        lambda: mint_api_key(
            base_url=service.base_url,
            partner_id="p",
            wallet_address="w",
            key_name="k",
            sign_message=lambda _: "s",
        )
    )
    assert error.code == "network_error"
    assert len(service.requests) == 2


def test_a_refused_request_is_not_tried_again(karat: Karat, service: PlayedService) -> None:
    service.responses = [reply(400, {"error": "invalid_request", "message": "no", "field": "usdc_amount"})]
    error = failure(lambda: karat.buys.quote(service_user_id="gu_1", usdc_amount=0))
    assert (error.code, error.field, error.status, error.may_have_arrived) == (
        "invalid_request",
        "usdc_amount",
        400,
        False,
    )
    assert len(service.requests) == 1


def test_an_amount_leaves_digit_by_digit_and_a_float_not_at_all(karat: Karat, service: PlayedService) -> None:
    service.responses = [refuse(400, "invalid_request")]
    failure(lambda: karat.buys.quote(service_user_id="gu_1", usdc_amount=Decimal("98765.432109")))
    assert service.bodies == ['{"service_user_id":"gu_1","usdc_amount":98765.432109}']
    with pytest.raises(TypeError, match="which is not exact"):
        karat.buys.quote(service_user_id="gu_1", usdc_amount=0.1)  # type: ignore[arg-type]
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("response", "status"),
    [
        (raw(418, b"<html>teapot</html>", "text/html"), 418),
        (raw(307, b"", "text/html", {"location": "/elsewhere"}), 307),
        (reply(200, "<html>"), None),
        (reply(200, '{"partner_id": NaN}'), None),
        (reply(200, []), None),
    ],
)
def test_a_response_that_is_not_of_the_service_is_an_error_and_no_redirect_is_followed(
    karat: Karat, service: PlayedService, response: Any, status: int | None
) -> None:
    service.responses = [response]
    error = failure(karat.me)
    assert (error.code, error.status) == ("unexpected_response", status)
    assert [path for _, path, _ in service.requests] == ["/v1/me"]


def test_an_id_stays_one_part_of_the_path(karat: Karat, service: PlayedService) -> None:
    service.responses = [refuse(404, "not_found")]
    for id in ("../me", "a/b?c=d", "", ".", ".."):
        failure(lambda id=id: karat.trades.get(id))  # type: ignore[misc]
    paths = [path for _, path, _ in service.requests]
    assert paths == [f"/v1/trades/{part}" for part in ("..%2Fme", "a%2Fb%3Fc%3Dd", "-", "-", "-")]


def test_a_field_or_value_that_the_service_adds_changes_nothing(karat: Karat, service: PlayedService) -> None:
    added = {**user, "status": "on_holiday", "user_id": "a", "shoe_size": 42}
    service.responses = [reply(200, {"users": [added], "next_cursor": None})]
    [read] = karat.users.list().take()
    assert (read.status, read.model_extra) == ("on_holiday", {"shoe_size": 42})


def test_a_list_is_read_page_by_page_and_no_further_than_requested(
    karat: Karat, service: PlayedService
) -> None:
    def page(ids: list[str], next_cursor: str | None) -> Any:
        rows = [{**user, "service_user_id": id} for id in ids]
        return reply(200, {"users": rows, "next_cursor": next_cursor})

    service.responses = [page(["a", "b"], "n"), page(["c"], None)]
    assert [one.service_user_id for one in karat.users.list(limit=2)] == ["a", "b", "c"]
    assert [path for _, path, _ in service.requests] == ["/v1/users?limit=2", "/v1/users?cursor=n&limit=2"]
    service.responses = [page(["a", "b"], "n")]
    for one in karat.users.list():
        assert one.service_user_id == "a"
        break
    assert len(karat.users.list().take(2)) == 2
    assert karat.users.list().take(0) == []
    assert len(service.requests) == 4
    service.responses = [page(["a"], "n"), page(["b"], None)]
    assert len(karat.users.list().all()) == 2


def test_plain_http_is_for_this_machine_only() -> None:
    for base_url in (
        "https://karat.example",
        "http://localhost:8080/",
        "http://karat.localhost",
        "http://127.0.0.2:1",
        "http://[::1]:8080",
    ):
        Karat(api_key="k", base_url=base_url).close()
    for base_url in (
        "http://karat.example",
        "http://127.0.0.1.example",
        "http://localhost.example",
        "http://10.0.0.1",
        "http://[::ffff:a00:1]",
        "http://localhost@karat.example",
        "http://127.0.0.1\n.example",
        "ftp://karat.example",
        "https://",
        "nonsense",
        "",
    ):
        assert failure(lambda url=base_url: Karat(api_key="k", base_url=url)).code == "url_insecure"  # type: ignore[misc]


quoted = {
    **good["response"],
    "partially_signed_transaction": good["transaction"],
    "expires_at": "t",
    "last_valid_block_height": 1,
}
quoted["quote"] = {**quoted["quote"], "max_gold_out": 1}
record = {
    "trade_id": trade_id,
    "side": "buy",
    "status": "confirmed",
    "usdc_amount": 1000,
    "gold_amount": 0.242676,
    "price_per_troy_oz": 4100.12,
    "fee_bps": 50,
    "fee_usd": 5,
    "submitted_tx_hash": "h",
    "created_at": "t",
    "updated_at": "t",
}


def quote() -> Any:
    from karat import _json

    return raw(200, _json.dumps(quoted).encode(), "application/json")


def operation(status: str, **more: Any) -> Any:
    known = {"id": trade_id, "kind": "buy", "tx_hash": None, "expires_at": None, "record": None}
    return reply(200, {**known, "status": status, **more})


def buy(karat: Karat) -> Any:
    wallet = good["wallets"]["user_wallet"]
    return karat.buys.execute(**good["request"], wallet_address=wallet, signers=[])


@pytest.mark.parametrize(
    ("last", "cause"),
    [
        (busy, "rate_limited"),
        (refuse(503, "service_unavailable", retry_after="300"), "service_unavailable"),
        (hang_up, "network_error"),
    ],
)
def test_a_sent_trade_may_still_land_when_polling_fails(
    karat: Karat, service: PlayedService, last: Any, cause: str
) -> None:
    service.responses = [quote(), reply(200, {}), last]
    error = failure(lambda: buy(karat))
    assert (error.code, error.operation_id) == ("timeout", trade_id)
    assert "may still land" in error.message
    assert isinstance(error.__cause__, KaratError)
    assert error.__cause__.code == cause


def test_a_sent_trade_without_a_record_may_still_land(karat: Karat, service: PlayedService) -> None:
    service.responses = [quote(), reply(200, {}), operation("confirmed")]
    error = failure(lambda: buy(karat))
    assert (error.code, error.body.status) == ("timeout", "confirmed")


def test_a_sent_trade_may_still_land_when_the_response_of_submit_was_lost(
    karat: Karat, service: PlayedService
) -> None:
    service.responses = [quote(), reply(200, '{"tx'), busy]
    error = failure(lambda: buy(karat))
    assert error.code == "timeout"
    assert isinstance(error.__cause__, KaratError)
    assert error.__cause__.code == "unexpected_response"


@pytest.mark.parametrize(
    "seen",
    [
        operation("unknown"),
        operation("submitted", reason="insufficient_usdc"),
        refuse(500, "internal_error"),
    ],
)
def test_a_trade_that_submit_refused_is_refused(karat: Karat, service: PlayedService, seen: Any) -> None:
    refused = reply(400, {"error": "broadcast_failed", "message": "no", "reason": "insufficient_usdc"})
    service.responses = [quote(), refused, seen]
    error = failure(lambda: buy(karat))
    assert (error.code, error.operation_id) == ("broadcast_failed", trade_id)


def test_a_trade_whose_refusal_came_after_a_lost_response_is_the_trade_that_landed(
    karat: Karat, service: PlayedService
) -> None:
    unclear = {"error": "broadcast_failed", "message": "duplicate", "reason": "program_error"}
    refused, confirmed = reply(400, unclear), operation("confirmed", record=record)
    # Whatever the API notes of the second sending: the first one may have arrived.
    service.responses = [quote(), hang_up, refused, operation("submitted", reason="program_error"), confirmed]
    assert buy(karat).trade_id == trade_id
    # The operation is asked before a failure is reported, also without a lost response.
    service.responses = [quote(), refused, confirmed, confirmed]
    assert buy(karat).gold_amount == Decimal("0.242676")
    service.responses = [quote(), refused, operation("submitted"), operation("submitted"), confirmed]
    assert buy(karat).status == "confirmed"


def test_a_trade_that_failed_or_expired_says_why(karat: Karat, service: PlayedService) -> None:
    service.responses = [quote(), reply(200, {}), operation("failed", reason="slippage_exceeded")]
    error = failure(lambda: buy(karat))
    assert (error.code, error.reason, error.operation_id) == ("trade_failed", "slippage_exceeded", trade_id)
    service.responses = [quote(), reply(200, {}), operation("expired")]
    error = failure(lambda: buy(karat))
    assert (error.code, error.reason, error.operation_id) == ("expired", "quote_expired", trade_id)


def test_a_trade_that_a_node_does_not_take_for_now_is_sent_again(
    karat: Karat, service: PlayedService
) -> None:
    lagging = {"error": "service_unavailable", "message": "lags", "reason": "node_unavailable"}
    waiting = operation("submitted")

    def wait(request: BaseHTTPRequestHandler) -> None:
        time.sleep(4.1)
        waiting(request)

    service.responses = [
        quote(),
        reply(503, lagging, retry_after="300"),
        waiting,
        # For as long as a node is given.
        wait,
        waiting,
        reply(200, {}),
        operation("confirmed", record=record),
    ]
    assert buy(karat).trade_id == trade_id
    submitted = [path for method, path, _ in service.requests if path.endswith("/submit")]
    assert len(submitted) == 2


def test_the_network_that_was_read_first_is_the_only_one(service: PlayedService) -> None:
    network = {
        **good["network"],
        "network": "devnet",
        "genesis_hash": "g",
        "decimals": {"usdc": 6, "gold": 6},
        "explorer_url_template": "",
    }
    service.responses = [
        reply(200, network),
        reply(200, {**network, "gold_mint": "other"}),
        reply(200, network),
    ]
    with Karat(api_key="k", base_url=service.base_url) as karat:
        karat.network()
        assert failure(karat.network).code == "network_changed"
        karat.network()


def test_a_redemption_for_another_partner_gets_no_signature(karat: Karat, service: PlayedService) -> None:
    vector = first_vector("redemption")
    service.responses = [refuse(401, "unauthorized")]
    network = Network(**vector["network"])
    own = Karat(
        api_key="k", base_url="https://x", network=network, partner_id="01a2269e-3c56-75a1-b0e8-000000000000"
    )
    from karat.models import QuoteRedemptionResult

    more = {
        "expires_at": "t",
        "last_valid_block_height": 1,
        "partially_signed_transaction": vector["transaction"],
    }
    figures = dict.fromkeys(("weight_g", "spot_price_usd", "gold_value_usd", "fee_usd", "total_usd"), 1)
    quoted = {**figures, "denomination": "d", **vector["response"]["quote"]}
    result = QuoteRedemptionResult.model_validate({**vector["response"], **more, "quote": quoted})

    def unsigned(_: bytes) -> bytes:
        raise AssertionError("nothing is to be signed")

    wallet = vector["wallets"]["user_wallet"]
    error = failure(
        lambda: own.redemptions.sign(result, **vector["request"], wallet_address=wallet, signers=[unsigned])
    )
    assert (error.code, error.field) == ("transaction_unexpected", "partner")
    # Without a partner by the caller's own records, the API is believed once.
    error = failure(
        lambda: karat.redemptions.sign(result, **vector["request"], wallet_address=wallet, signers=[unsigned])
    )
    assert error.code == "unauthorized"


def test_a_task_that_is_cancelled_waits_no_longer(service: PlayedService) -> None:
    service.responses = [refuse(503, "service_unavailable", retry_after="60")]

    async def call() -> None:
        async with AsyncKarat(api_key="k", base_url=service.base_url) as karat:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await karat.me()

    begun = time.monotonic()
    asyncio.run(call())
    assert time.monotonic() - begun < 10
