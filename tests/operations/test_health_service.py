"""Readiness and backlog for probes."""

from __future__ import annotations

import asyncio
import threading

import pytest

from timbra.core.errors import ServiceError
from timbra.delivery.deliveries import Backlog
from timbra.operations import health
from timbra.operations.health import CachedResult, HealthChecks

DRAINING = "el servidor se está deteniendo"
TIMED_OUT = "las comprobaciones no terminaron a tiempo"

NOTHING = Backlog(0, None, {})


def broken() -> None:
    raise ServiceError("CO1000", "nothing that anybody outside should read")


def test_failing_names_only_failing_checks() -> None:
    one = HealthChecks({"la base": broken, "los datos": lambda: None, "la llave": broken}, lambda: NOTHING)
    assert asyncio.run(one.failing()) == ["la base", "la llave"]


def test_failing_is_empty_when_all_checks_pass() -> None:
    assert asyncio.run(HealthChecks({"la base": lambda: None}, lambda: NOTHING).failing()) == []


def test_failing_reports_draining_worker() -> None:
    leaving = HealthChecks({}, lambda: NOTHING)
    leaving.start_draining()
    assert asyncio.run(leaving.failing()) == [DRAINING]


def test_failing_times_out_when_check_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "TIMEOUT_SECONDS", 0.05)
    over = threading.Event()

    def hang() -> None:
        over.wait(30)

    async def probe() -> object:
        try:
            return await HealthChecks({"la base": hang}, lambda: NOTHING).failing()
        finally:
            over.set()

    assert asyncio.run(probe()) == [TIMED_OUT]


def test_cached_result_computes_once_for_many_callers() -> None:
    answers = iter(range(10))

    async def load_clients() -> list[int]:
        remembered = CachedResult(lambda: next(answers))
        return await asyncio.gather(*(remembered.get() for _ in range(50)))

    assert asyncio.run(load_clients()) == [0] * 50


def test_cached_result_computes_again_when_expired() -> None:
    answers = iter(range(10))

    async def twice() -> tuple[int, int]:
        remembered = CachedResult(lambda: next(answers), seconds=-1)
        return await remembered.get(), await remembered.get()

    assert asyncio.run(twice()) == (0, 1)


def test_cached_result_raises_exception_of_function() -> None:
    with pytest.raises(ServiceError):
        asyncio.run(CachedResult(broken).get())
