"""Shares of processor time: an account that uses much waits, others do not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from timbra.core.errors import ServiceError
from timbra.pools import AccountPools, Pools
from timbra.pools.work_share import WorkShare, charge

DETAIL = "demasiado"


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def rejection_of(share: WorkShare, account: str) -> tuple[str, str | None, int | None] | None:
    try:
        share.call(account, int)
    except ServiceError as error:
        return error.code, error.detail, error.retry_after
    return None


def test_account_waits_until_its_debt_has_expired_and_others_do_not() -> None:
    time = Time()
    share = WorkShare(5, 0.5, DETAIL, time)
    for _ in range(2):
        share.call("1", partial(charge, 3.5))
    assert (rejection_of(share, "1"), rejection_of(share, "2")) == (("TB4290", DETAIL, 4), None)
    time.now = 3.0
    assert rejection_of(share, "1") == ("TB4290", DETAIL, 1)
    time.now = 4.5
    assert rejection_of(share, "1") is None


def test_debts_of_many_accounts_are_forgotten_when_they_have_expired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.pools.work_share.MAX_ACCOUNTS", 100)
    time = Time()
    share = WorkShare(5, 1, DETAIL, time)
    for number in range(1000):
        time.now = float(number)
        share.call(f"address:{number}", partial(charge, 2))
    assert len(share._debts) <= 101


def test_charge_without_an_account_counts_nowhere() -> None:
    charge(100)


def test_run_keys_charges_the_account_also_while_its_files_wait() -> None:
    """Sixteen expensive files of one account: the first ones use up its share, those that wait are not opened."""
    pools, opened = Pools(), []

    def open_file(number: int) -> None:
        opened.append(number)
        charge(2.0)

    async def scene() -> Sequence[object]:
        mine = [AccountPools(pools, "1").run_keys(open_file, number) for number in range(16)]
        outcomes = await asyncio.gather(*mine, return_exceptions=True)
        await AccountPools(pools, "2").run_keys(open_file, 100)
        return outcomes

    outcomes = asyncio.run(scene())
    rejected = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
    assert {(error.code, error.retry_after is not None) for error in rejected} == {("TB4290", True)}
    # Two run at a time: the last one of them begins before the debt of the others is counted.
    assert 3 <= len(opened) - 1 <= 4
    assert len(rejected) == 16 - (len(opened) - 1)
    assert opened[-1] == 100
