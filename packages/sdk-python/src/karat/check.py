"""The check of a transaction before it is signed; docs/transactions.md explains each difference."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NoReturn, Protocol

from pydantic import BaseModel

from karat._errors import KaratError
from karat._message import Instruction, MalformedError, read_transaction

Kind = Literal["buy", "sell", "redemption"]

Difference = Literal[
    "malformed",
    "version",
    "fee_payer",
    "signers",
    "instructions",
    "program",
    "compute_budget",
    "memo",
    "token_account",
    "accounts",
    "partner",
    "user",
    "mint",
    "id",
    "amount",
    "minimum",
    "maximum",
    "fee",
]


class NetworkLike(Protocol):
    """What transactions are for: addresses, as `GET /v1/network` names them."""

    @property
    def program_id(self) -> str: ...
    @property
    def usdc_mint(self) -> str: ...
    @property
    def gold_mint(self) -> str: ...
    @property
    def service_signers(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Network:
    """The addresses that transactions are for, from your own configuration."""

    program_id: str
    usdc_mint: str
    gold_mint: str
    #: Who pays for the transactions of quotes: one of these.
    service_signers: Sequence[str]


@dataclass(frozen=True)
class Parties:
    """Whose signatures the transaction needs besides the service's."""

    user_wallet: str
    #: Wallets of which one must be the partner's; empty: any that signs.
    partner_wallets: Sequence[str] = field(default=())
    #: Whose customer pays for a redemption: a UUID; None: any.
    partner_id: str | None = None


_compute_budget = "ComputeBudget111111111111111111111111111111"
_memo = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
_token_accounts = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
_system_program = "11111111111111111111111111111111"
_token_program = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
_token_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

_default_slippage_bps = 50


def check_transaction(
    transaction: str,
    *,
    kind: Kind,
    request: Mapping[str, Any],
    quote: BaseModel | Mapping[str, Any],
    network: NetworkLike,
    parties: Parties,
) -> None:
    """
    Returns if a transaction (base64) is the one of a quote and its request, on this network and between these parties, to the
    byte where it matters; raises `transaction_unexpected` with the `Difference` as `field` if it is any other. The request of
    a redemption may have `max_tokens`, the most GOLD that it may take.
    """
    quoted = quote.model_dump() if isinstance(quote, BaseModel) else quote
    try:
        _check(transaction, kind, request, quoted, network, parties)
    except KaratError:
        raise
    except MalformedError as cause:
        _fail(cause.difference, str(cause))
    except Exception as cause:
        # A response that is not of the API lacks what is read of it.
        _fail("malformed", f"it cannot be read ({cause!r})")


def _fail(difference: str, text: str) -> NoReturn:
    message = f"This is not the transaction of the request: {text}. Nothing was signed."
    raise KaratError("transaction_unexpected", message=message, field=difference)


def _require_equal(difference: Difference, value: object, must: object, what: str) -> None:
    if value != must:
        _fail(difference, f"{what} is {value}, and must be {must}")


@dataclass(frozen=True)
class _Places:
    network: NetworkLike
    parties: Parties
    signers: list[str]


def _check(
    transaction: str,
    kind: Kind,
    request: Mapping[str, Any],
    quote: Mapping[str, Any],
    network: NetworkLike,
    parties: Parties,
) -> None:
    message = read_transaction(transaction)
    instructions, service = message.instructions, message.signers[0]
    if service not in network.service_signers:
        _fail("fee_payer", f"its fee payer {service} is no service signer of the network")
    is_trade = kind != "redemption"
    programs = [_compute_budget, _compute_budget, _memo, *([_token_accounts] if is_trade else [])]
    _require_equal("instructions", len(instructions), len(programs) + 1, "the number of its instructions")
    for at, program in enumerate(programs):
        what = f"the program of instruction {at + 1}"
        _require_equal("instructions", instructions[at].program, program, what)
    call = instructions[-1]
    _require_equal("program", call.program, network.program_id, "the program that it calls")
    _require_shape(instructions[0], 2, 5)
    _require_shape(instructions[1], 3, 9)
    places = _Places(network, parties, message.signers)
    if kind == "redemption":
        terms = _check_redemption(call, request, quote, places)
    else:
        terms = _check_trade(kind, call, instructions[3], request, quote, places)
    note = instructions[2]
    _require_equal("memo", note.accounts, [service], "the signer of its memo")
    _require_equal("memo", note.data, f"karat|1|{terms}".encode(), "its memo")


def _shape(data: bytes) -> tuple[int | None, int]:
    return (data[0] if data else None), len(data)


def _require_shape(instruction: Instruction, first: int, length: int) -> None:
    what = "the number of accounts of a compute budget instruction"
    _require_equal("compute_budget", len(instruction.accounts), 0, what)
    what = "first byte and length of the compute budget"
    _require_equal("compute_budget", _shape(instruction.data), (first, length), what)


def _check_trade(
    kind: Literal["buy", "sell"],
    call: Instruction,
    token_account: Instruction,
    request: Mapping[str, Any],
    quote: Mapping[str, Any],
    places: _Places,
) -> str:
    """Returns the end of the memo that goes with a trade."""
    accounts, data, is_buy = call.accounts, call.data, kind == "buy"
    _require_equal("accounts", len(accounts), 18 if is_buy else 17, "the number of accounts of the trade")
    _check_parties(accounts, places)
    network, user = places.network, accounts[4]
    _require_equal("mint", accounts[11], network.usdc_mint, "the mint of USDC")
    _require_equal("mint", accounts[12], network.gold_mint, "the mint of GOLD")
    _require_equal("accounts", accounts[14], _token_program, "the token program of USDC")
    _require_equal("accounts", accounts[15], _token_2022, "the token program of GOLD")
    _require_equal("accounts", accounts[-1], call.program, "the last account of the trade")
    made = [accounts[6], user, accounts[12]] if is_buy else [accounts[5], user, accounts[11]]
    # A user who made several accounts within a day pays for the next.
    payer = user if token_account.accounts[:1] == [user] else accounts[3]
    makes = [payer, *made, _system_program, _token_2022 if is_buy else _token_program]
    _require_equal("token_account", token_account.accounts, makes, "the account that it creates")
    _require_equal("token_account", token_account.data, b"\1", "the instruction that creates the account")

    _require_equal(
        "instructions", _shape(data), (20 if is_buy else 21, 51), "the first byte and length of the trade"
    )
    amounts = _Amounts(_u64(data, 1), _u64(data, 9), _u64(data, 17))
    _check_amounts(amounts, _terms(kind, request, quote["quote"]))
    fee = int.from_bytes(data[25:27], "little")
    _require_equal("fee", fee, quote["quote"]["fee_bps"], "the highest fee")
    _require_equal("id", _uuid(data, 35), quote["trade_id"][4:], "the id of the trade")
    return f"{kind}|{quote['trade_id']}|{amounts.amount}"


def _check_parties(accounts: list[str], places: _Places) -> None:
    parties, signers = places.parties, places.signers
    service, partner, user = accounts[2:5]
    # A partner who trades for itself is both.
    _require_equal("signers", len(signers), 2 if partner == user else 3, "the number of its signers")
    _require_equal("accounts", service, signers[0], "the service signer of the trade")
    _require_equal("user", user, parties.user_wallet, "the user's wallet")
    if partner not in signers or (parties.partner_wallets and partner not in parties.partner_wallets):
        _fail("partner", f"its partner wallet is {partner}, which is none of the partner's that sign")
    if user not in signers:
        _fail("signers", f"it is not for {user} to sign")


@dataclass(frozen=True)
class _Amounts:
    amount: int
    minimum: int
    maximum: int


@dataclass(frozen=True)
class _Terms:
    """What a request names of a trade, and what its quote makes of it, base units."""

    #: What goes in, where the request names it.
    amount_in: int | None
    #: What comes out, where the request names that instead.
    amount_out: int | None
    floor: int | None
    slippage_bps: int
    quoted: tuple[int, int, int]
    #: What the smallest amount that goes in is worth at most.
    grain: int


def _terms(kind: Literal["buy", "sell"], request: Mapping[str, Any], quote: Mapping[str, Any]) -> _Terms:
    names = ("usdc_amount", "gold_amount", "min_gold_out")
    if kind == "sell":
        names = ("gold_amount", "usdc_amount", "min_usdc_out")
    into, out, floor = names
    slippage_bps = request.get("slippage_bps")
    return _Terms(
        amount_in=_units(request.get(into)),
        amount_out=_units(request.get(out)),
        floor=_units(request.get(floor), up=True),
        slippage_bps=_default_slippage_bps if slippage_bps is None else int(slippage_bps),
        quoted=(_to_units(quote[into]), _to_units(quote[out]), _to_units(quote[floor])),
        grain=10 if kind == "buy" else 100_000,
    )


def _check_amounts(trade: _Amounts, terms: _Terms) -> None:
    """
    The amount is the one requested. The least that comes out is the one requested, or the slippage below what was quoted,
    which is no less than what was requested; the most is at most a tenth above what was requested, if that was named.
    """
    quoted_in, quoted_out, quoted_floor = terms.quoted
    if terms.amount_in is None and terms.amount_out is None:
        _fail("amount", "the request names no amount")
    _require_equal(
        "amount", trade.amount, quoted_in if terms.amount_in is None else terms.amount_in, "the amount"
    )
    least = quoted_out * (10_000 - terms.slippage_bps) // 10_000 if terms.floor is None else terms.floor
    _require_equal("minimum", trade.minimum, quoted_floor, "the least that comes out")
    _require_equal("minimum", trade.minimum, least, "the least that comes out")
    if trade.maximum < quoted_out:
        _fail("maximum", f"at most {trade.maximum} comes out, less than was quoted")
    if terms.amount_out is None:
        return
    if quoted_out < terms.amount_out:
        _fail("minimum", f"{quoted_out} was quoted, less than {terms.amount_out}")
    if trade.maximum > terms.amount_out * 11 // 10 + terms.grain:
        _fail("maximum", f"up to {trade.maximum} may be traded, far more than {terms.amount_out}")


def _check_redemption(
    call: Instruction, request: Mapping[str, Any], quote: Mapping[str, Any], places: _Places
) -> str:
    """Returns the end of the memo that goes with a redemption."""
    accounts, data = call.accounts, call.data
    network, parties, signers = places.network, places.parties, places.signers
    _require_equal("accounts", len(accounts), 11, "the number of accounts of the redemption")
    user = accounts[3]
    _require_equal("signers", len(signers), 2, "the number of its signers")
    _require_equal("accounts", accounts[0], signers[0], "who pays the rent of the redemption")
    _require_equal("accounts", accounts[2], signers[0], "the service signer of the redemption")
    _require_equal("user", user, parties.user_wallet, "the user's wallet")
    _require_equal("signers", signers[1], user, "the second signer")
    _require_equal("mint", accounts[6], network.gold_mint, "the mint of GOLD")
    programs = [_token_2022, _system_program, call.program]
    _require_equal("accounts", accounts[8:], programs, "the programs of the redemption")
    _require_equal("instructions", _shape(data), (26, 41), "the first byte and length of the redemption")
    amount = _u64(data, 33)
    if parties.partner_id is not None:
        _require_equal("partner", _uuid(data, 17), parties.partner_id, "the partner of the redemption")
    _require_equal("amount", amount, _to_units(quote["quote"]["tokens_required"]), "the amount")
    most = _units(request.get("max_tokens"))
    if most is not None and amount > most:
        _fail("maximum", f"it takes {amount}, more than {most}")
    _require_equal("id", _uuid(data, 1), quote["redemption_id"][4:], "the id of the redemption")
    return f"redeem|{quote['redemption_id']}|{amount}"


def _to_units(amount: object, *, up: bool = False) -> int:
    """Returns an amount in base units, of which there are a million; with `up`, what is finer is rounded up."""
    if isinstance(amount, str):
        return (
            int(amount.replace(".", "")) if re.fullmatch(r"[0-9]+\.[0-9]{6}", amount) else _no_amount(amount)
        )
    if isinstance(amount, bool) or not isinstance(amount, int | Decimal):
        _no_amount(amount)
    # Any larger number would take for ever to write out.
    if not Decimal(amount).is_finite() or Decimal(amount).adjusted() > 20 or amount < 0:
        _no_amount(amount)
    if isinstance(amount, Decimal) and amount.adjusted() < -100:
        return int(up and amount != 0)
    units = Fraction(amount) * 1_000_000
    if units.denominator == 1:
        return units.numerator
    return -(-units.numerator // units.denominator) if up else _no_amount(amount)


def _no_amount(amount: object) -> NoReturn:
    _fail("amount", f"{amount} is no amount")


def _units(amount: object, *, up: bool = False) -> int | None:
    """None means absent, as for the service."""
    return None if amount is None else _to_units(amount, up=up)


def _u64(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _uuid(data: bytes, at: int) -> str:
    return str(uuid.UUID(bytes=data[at : at + 16]))
