"""The budget of work on the event loop."""

from __future__ import annotations

import asyncio

import pytest

from timbra.pools.work_budget import OverBudgetError, spend, work_budget


def test_spend_without_a_budget_has_no_bound() -> None:
    spend(10**12)


def test_spend_rejects_work_before_it_begins_and_keeps_what_is_left() -> None:
    with work_budget(10):
        spend(6)
        with pytest.raises(OverBudgetError):
            spend(5)
        spend(4)
        with pytest.raises(OverBudgetError):
            spend(1)
    spend(10**12)


def test_budget_bounds_the_threads_of_its_block_and_no_other_task() -> None:
    async def bounded() -> None:
        with work_budget(10):
            await asyncio.to_thread(spend, 10)
            await asyncio.sleep(0)
            with pytest.raises(OverBudgetError):
                spend(1)

    async def scene() -> None:
        await asyncio.gather(bounded(), bounded(), asyncio.to_thread(spend, 1000))

    asyncio.run(scene())
