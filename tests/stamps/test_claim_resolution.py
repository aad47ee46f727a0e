"""The decision about a batch of claims, without a database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.store_records import claim

from timbra.stamps.claim_resolution import PendingClaim, StoreState, resolve_claims
from timbra.stamps.port import AlreadyStamped, BalanceExhausted, Claim, ConfirmationUsed, CustomIdTaken, Stored

KEY = (1, bytes(32))


def ask(one: Claim, key: tuple[int, bytes] | None = None) -> PendingClaim:
    return PendingClaim(one, key, b"")


def test_resolve_claims_stores_a_new_seal() -> None:
    one = ask(claim("a"))
    plan = resolve_claims([one], StoreState())
    assert (plan.outcomes, plan.winners) == ([Stored(one.claim.record)], [one])


def test_resolve_claims_repeats_a_stored_seal_before_its_customid_is_checked() -> None:
    old, holder = claim("a").record, claim("b").record
    plan = resolve_claims([ask(claim("a"), KEY)], StoreState({old.seal_hash: old}, {KEY: holder}))
    assert (plan.outcomes, plan.winners) == ([AlreadyStamped(old)], [])


def test_resolve_claims_does_not_reserve_the_seal_of_a_rejected_claim() -> None:
    holder = claim("b").record
    rejected, free = ask(claim("a"), KEY), ask(claim("a"))
    plan = resolve_claims([rejected, free], StoreState({}, {KEY: holder}))
    assert plan.outcomes == [CustomIdTaken(holder), Stored(free.claim.record)]
    assert plan.winners == [free]


def test_resolve_claims_does_not_change_the_state() -> None:
    state = StoreState()
    resolve_claims([ask(claim("a"), KEY)], state)
    assert state == StoreState({}, {})


def test_resolve_claims_gives_a_key_of_confirmation_to_one_claim_of_a_batch() -> None:
    keys = {"a": "a1b2c", "b": "a1b2c", "c": "z9y8x"}
    first, second, other = (ask(replace(claim(seal), confirmation=key)) for seal, key in keys.items())
    plan = resolve_claims([first, second, other], StoreState())
    assert plan.outcomes == [Stored(first.claim.record), ConfirmationUsed("a1b2c"), Stored(other.claim.record)]
    assert plan.winners == [first, other]


def limited(seal: str) -> PendingClaim:
    return ask(replace(claim(seal), limited=True))


@pytest.mark.parametrize("balances", [{1: 0}, {1: -1}, {}])
def test_resolve_claims_rejects_a_limited_account_without_balance(balances: dict[int, int]) -> None:
    plan = resolve_claims([limited("a")], StoreState({}, {}, balances))
    assert (plan.outcomes, plan.winners) == ([BalanceExhausted()], [])


def test_resolve_claims_takes_one_stamp_from_the_balance_for_each_winner() -> None:
    first, second, third = limited("a"), limited("b"), limited("c")
    plan = resolve_claims([first, second, third], StoreState({}, {}, {1: 2}))
    assert plan.outcomes == [Stored(first.claim.record), Stored(second.claim.record), BalanceExhausted()]
    assert plan.winners == [first, second]
    assert plan.spent == {1: 2}


def test_resolve_claims_takes_nothing_from_the_balance_for_a_repeated_seal() -> None:
    first, again, last = limited("a"), limited("a"), limited("b")
    plan = resolve_claims([first, again, last], StoreState({}, {}, {1: 2}))
    assert plan.outcomes == [Stored(first.claim.record), AlreadyStamped(first.claim.record), Stored(last.claim.record)]
