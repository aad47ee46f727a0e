"""Leases of periodic jobs: one worker of all nodes holds each."""

from __future__ import annotations

import pytest
from tests.support.store_records import MovableClock

from timbra.database.database import Database
from timbra.database.leases import Leases


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def leases(database: Database, clock: MovableClock) -> Leases:
    return Leases(database, clock)


def test_try_acquire_gives_a_lease_to_one_holder(leases: Leases) -> None:
    assert leases.try_acquire("refresh", "a", 60)
    assert not leases.try_acquire("refresh", "b", 60)
    assert leases.try_acquire("outbox", "b", 60)


def test_try_acquire_succeeds_when_the_lease_has_expired(leases: Leases, clock: MovableClock) -> None:
    leases.try_acquire("refresh", "a", 60)
    clock.advance(seconds=59)
    assert not leases.try_acquire("refresh", "b", 60)
    clock.advance(seconds=1)
    assert leases.try_acquire("refresh", "b", 60)
    assert not leases.try_acquire("refresh", "a", 60)


def test_try_acquire_renews_the_lease_of_its_holder(leases: Leases, clock: MovableClock) -> None:
    leases.try_acquire("refresh", "a", 60)
    clock.advance(seconds=50)
    assert leases.try_acquire("refresh", "a", 60)
    clock.advance(seconds=50)
    assert not leases.try_acquire("refresh", "b", 60)


def test_release_frees_the_lease_of_its_holder_alone(leases: Leases) -> None:
    leases.try_acquire("refresh", "a", 60)
    leases.release("refresh", "b")
    assert not leases.try_acquire("refresh", "b", 60)
    leases.release("refresh", "a")
    assert leases.try_acquire("refresh", "b", 60)
