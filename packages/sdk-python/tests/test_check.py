"""The check before signing, with the vectors that are published for it in any language."""

from __future__ import annotations

import base64
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from conftest import first_vector, vectors

from karat import KaratError, Network, Parties, _json, check_transaction
from karat._message import read_transaction

all_vectors: list[dict[str, Any]] = [
    vector
    for file in ("buy", "sell", "redemption")
    for vector in _json.loads((vectors / f"{file}.json").read_text())
]


def difference_of(vector: dict[str, Any]) -> str | None:
    try:
        check_transaction(
            vector["transaction"],
            kind=vector["kind"],
            request=vector["request"],
            quote=vector["response"],
            network=Network(**vector["network"]),
            parties=Parties(**vector["wallets"]),
        )
        return None
    except KaratError as error:
        assert error.code == "transaction_unexpected"
        assert "Nothing was signed" in error.message
        return error.field


def test_there_are_124_vectors() -> None:
    assert len(all_vectors) == 124


@pytest.mark.parametrize("vector", all_vectors, ids=[f"{one['kind']}: {one['name']}" for one in all_vectors])
def test_the_check_reports_the_difference_of_each_vector(vector: dict[str, Any]) -> None:
    assert ("difference" in vector) == (vector["verdict"] == "bad")
    assert difference_of(vector) == vector.get("difference")


def is_named(vector: dict[str, Any]) -> bool:
    good = vector["verdict"] == "good"
    return good and (vector["kind"] == "redemption" or len(vector["wallets"].get("partner_wallets", [])) == 1)


@pytest.mark.parametrize(
    "vector", [one for one in all_vectors if is_named(one)], ids=lambda one: f"{one['kind']}: {one['name']}"
)
def test_the_check_refuses_any_changed_bit_but_where_nothing_of_the_callers_depends_on_it(
    vector: dict[str, Any],
) -> None:
    data = base64.b64decode(vector["transaction"])
    free = free_places(data, vector["kind"])
    unseen = []
    for at in range(1 + 64 * data[0], len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        transaction = base64.b64encode(changed).decode()
        if at not in free and difference_of({**vector, "transaction": transaction}) is None:
            unseen.append(at)
    assert unseen == []


def free_places(data: bytes, kind: str) -> set[int]:
    """
    Places in a transaction that the check leaves to the program and to the chain: the blockhash, what the service pays, which
    accounts are read only, the accounts that the program itself knows or that only their owner can spend, until when a trade
    is taken and, within bounds, how much it may give. All counts of these transactions have one byte.
    """
    message = 1 + 64 * data[0]
    accounts = message + 4
    blockhash = accounts + 32 * data[message + 3]
    free = {message + 1, message + 2, *range(blockhash, blockhash + 32)}
    at, calls = blockhash + 33, []
    for _ in range(data[blockhash + 32]):
        accounts_at = at + 2
        data_at = accounts_at + data[at + 1] + 1
        calls.append((accounts_at, data_at))
        at = data_at + data[data_at - 1]
    (_, limit), (_, price), (call_accounts, call) = calls[0], calls[1], calls[-1]
    free |= {*range(limit + 1, limit + 5), *range(price + 1, price + 9)}
    # That the account of a wallet is the one that gets what comes out, the program that creates it makes sure of.
    owned = [4] if kind == "redemption" else [5, 6]
    known = [1, 5, 7] if kind == "redemption" else [0, 1, 7, 8, 9, 10, 13, *([16] if kind == "buy" else [])]
    for place in [*owned, *known]:
        # The account itself, and which account it is.
        account = accounts + 32 * data[call_accounts + place]
        free |= {*range(account, account + 32)}
        if place != {"buy": 6, "sell": 5}.get(kind):
            free.add(call_accounts + place)
    if kind != "redemption":
        free |= {*range(call + 17, call + 25), *range(call + 27, call + 35)}
    return free


@pytest.mark.parametrize("amount", ["1000.0000001", "NaN", "Infinity", "-1000", "1E+999999999"])
def test_the_check_refuses_a_request_whose_amount_is_none(amount: str) -> None:
    vector = first_vector("buy")
    request = {**vector["request"], "usdc_amount": Decimal(amount)}
    assert difference_of({**vector, "request": request}) == "amount"


def test_the_check_reads_an_amount_however_it_is_written() -> None:
    vector = first_vector("buy")
    for amount in (1000, Decimal("1000.000000"), Decimal("1E+3")):
        assert difference_of({**vector, "request": {**vector["request"], "usdc_amount": amount}}) is None


def test_the_check_refuses_a_response_that_lacks_what_is_read_of_it() -> None:
    vector = first_vector("buy")
    assert difference_of({**vector, "response": {}}) == "malformed"


def test_a_message_names_its_signers_in_order() -> None:
    vector = first_vector("buy")
    signers = read_transaction(vector["transaction"]).signers
    assert signers[0] in vector["network"]["service_signers"]
    assert set(signers[1:]) == {vector["wallets"]["user_wallet"], *vector["wallets"]["partner_wallets"]}


def places(data: bytes | bytearray) -> tuple[int, int, list[tuple[int, int, int]]]:
    """Where accounts begin, how many they are, and of each instruction its program, accounts and data."""
    message = 1 + 64 * data[0]
    count = data[message + 3]
    at, calls = message + 4 + 32 * count + 33, []
    for _ in range(data[at - 1]):
        data_at = at + 2 + data[at + 1] + 1
        calls.append((at, at + 2, data_at))
        at = data_at + data[data_at - 1]
    return message + 4, count, calls


def with_an_account_of_the_compute_budget(data: bytearray) -> None:
    _, _, calls = places(data)
    program, accounts, _ = calls[0]
    data[program + 1] = 1
    data[accounts:accounts] = b"\0"


def with_another_signer(data: bytearray) -> None:
    """One account more has to sign."""
    data[1 + 64 * data[0]] += 1
    data[1 + 64 * data[0] : 1 + 64 * data[0]] = bytes(64)
    data[0] += 1


def with_the_last_signer_in_the_last_place(data: bytearray) -> None:
    """The last account signs, and the last signer no longer has to."""
    accounts, count, calls = places(data)
    signer, last = data[0] - 1, count - 1
    keys = [bytes(data[accounts + 32 * at : accounts + 32 * (at + 1)]) for at in (signer, last)]
    for at, key in zip((last, signer), keys, strict=True):
        data[accounts + 32 * at : accounts + 32 * (at + 1)] = key
    swapped = {signer: last, last: signer}
    for program, first, end in calls:
        for at in (program, *range(first, end - 1)):
            data[at] = swapped.get(data[at], data[at])


@pytest.mark.parametrize(
    ("kind", "change", "difference"),
    [
        ("buy", with_an_account_of_the_compute_budget, "compute_budget"),
        ("buy", with_another_signer, "signers"),
        ("redemption", with_another_signer, "signers"),
        ("redemption", with_the_last_signer_in_the_last_place, "signers"),
    ],
)
def test_the_check_refuses_what_no_vector_has(
    kind: str, change: Callable[[bytearray], None], difference: str
) -> None:
    vector = first_vector(kind)
    data = bytearray(base64.b64decode(vector["transaction"]))
    change(data)
    assert difference_of({**vector, "transaction": base64.b64encode(data).decode()}) == difference


def test_the_check_refuses_a_trade_that_partner_or_user_need_not_sign() -> None:
    vector = first_vector("buy")
    data = bytearray(base64.b64decode(vector["transaction"]))
    last = read_transaction(vector["transaction"]).signers[-1]
    with_the_last_signer_in_the_last_place(data)
    difference = difference_of({**vector, "transaction": base64.b64encode(data).decode()})
    assert difference == ("signers" if last == vector["wallets"]["user_wallet"] else "partner")


def test_the_check_refuses_a_quote_whose_floor_is_not_that_of_the_transaction() -> None:
    vector = first_vector("buy")
    quote = {**vector["response"]["quote"], "min_gold_out": Decimal("0.241463")}
    assert difference_of({**vector, "response": {**vector["response"], "quote": quote}}) == "minimum"
