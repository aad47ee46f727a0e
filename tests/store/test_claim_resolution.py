"""The decision about a batch of claims, without a database."""

from __future__ import annotations

from tests.store.records import claim

from timbra.store.stamps.claim_resolution import PendingClaim, StoreState, resolve_claims
from timbra.store.stamps.port import AlreadyStamped, Claim, CustomIdTaken, Stored

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
