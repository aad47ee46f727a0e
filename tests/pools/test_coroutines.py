"""Coroutines that are called from code without an event loop."""

from __future__ import annotations

import asyncio

import pytest

from timbra.pools.coroutines import run_coroutine


class Formatted:
    """A result that counts how often it is formatted."""

    count = 0

    def __repr__(self) -> str:
        self.count += 1
        return "formatted"


def test_run_coroutine_returns_the_result_without_formatting_it() -> None:
    result = Formatted()

    async def work() -> Formatted:
        await asyncio.sleep(0)
        return result

    assert run_coroutine(work()) is result
    assert result.count == 0


def test_run_coroutine_raises_the_exception_of_the_coroutine() -> None:
    async def fail() -> None:
        raise LookupError("missing")

    with pytest.raises(LookupError, match="missing"):
        run_coroutine(fail())
