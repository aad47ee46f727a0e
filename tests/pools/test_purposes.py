"""The pools of a worker by purpose, and the accounts that use them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from timbra.pools import AccountPools, Pools, address_account


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::1", True),
        (None, "testclient", True),
    ],
)
def test_address_account_is_the_address_or_the_network(one: str | None, other: str, same: bool) -> None:
    assert (address_account(one) == address_account(other)) is same


def test_account_pools_run_work_in_the_pool_of_each_purpose() -> None:
    async def thread_names() -> list[str]:
        pools = AccountPools(Pools(), "7")
        runners = (pools.run_database, pools.run_authority, pools.run_keys)
        return [await run(lambda: threading.current_thread().name) for run in runners]

    names = asyncio.run(thread_names())
    assert [name.partition("_")[0] for name in names] == ["database", "authority", "keys"]


def test_account_pools_queue_by_account() -> None:
    async def accounts_in_queue() -> list[str]:
        pools = Pools()
        accounts: list[str] = []

        async def run(account: str, work: Callable[[], None]) -> None:
            accounts.append(account)
            work()

        pools.database.run = run  # type: ignore[method-assign, assignment]
        await AccountPools(pools, "7").run_database(lambda: None)
        await AccountPools(pools, "8").run_database(lambda: None)
        return accounts

    assert asyncio.run(accounts_in_queue()) == ["7", "8"]
