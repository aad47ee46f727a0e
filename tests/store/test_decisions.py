"""The pure decision of a batch."""

from __future__ import annotations

from tests.store.records import claim

from timbra.store.decisions import Asked, Known, decide
from timbra.store.port import Claim, CustomIdTaken, Repeated, Stored

KEY = (1, bytes(32))


def ask(one: Claim, key: tuple[int, bytes] | None = None) -> Asked:
    return Asked(one, key, b"")


def test_an_unknown_seal_wins() -> None:
    one = ask(claim("a"))
    plan = decide([one], Known())
    assert (plan.outcomes, plan.winners) == ([Stored(one.claim.record)], [one])


def test_a_known_seal_repeats_before_its_customid_is_looked_at() -> None:
    old, holder = claim("a").record, claim("b").record
    plan = decide([ask(claim("a"), KEY)], Known({old.seal_hash: old}, {KEY: holder}))
    assert (plan.outcomes, plan.winners) == ([Repeated(old)], [])


def test_a_claim_refused_by_its_customid_does_not_make_its_seal_known() -> None:
    holder = claim("b").record
    refused, free = ask(claim("a"), KEY), ask(claim("a"))
    plan = decide([refused, free], Known({}, {KEY: holder}))
    assert plan.outcomes == [CustomIdTaken(holder), Stored(free.claim.record)]
    assert plan.winners == [free]


def test_what_is_known_is_not_changed() -> None:
    known = Known()
    decide([ask(claim("a"), KEY)], known)
    assert known == Known({}, {})
