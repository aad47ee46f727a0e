"""Queries that run concurrently with other work."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from timbra.core.errors import ServiceError
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.validation.background_queries import BackgroundQueries

MAX_PER_ACCOUNT = 8

QUERY = StatusQuery("", "", "", "", "")
VIGENTE = FiscalStatus("Vigente", "S", None, "")
MARK: ContextVar[str] = ContextVar("mark")


class Gate:
    """A service that answers after it is opened."""

    def __init__(self, error: Exception | None = None) -> None:
        self.called, self.open = threading.Event(), threading.Event()
        self.error = error
        self.mark = ""

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.mark = MARK.get("")
        self.called.set()
        self.open.wait(20)
        if self.error is not None:
            raise self.error
        return VIGENTE


def answer(gate: Gate, seconds: float = 20.0, *, before: bool = True) -> FiscalStatus:
    """before: whether the gate opens before the caller waits."""

    async def run() -> FiscalStatus:
        query_in_background = BackgroundQueries(gate, None, seconds).status(QUERY)
        assert query_in_background is not None
        assert gate.called.wait(20), "the query starts before the caller waits"
        if before:
            gate.open.set()
        return await query_in_background.get()

    return asyncio.run(run())


def test_query_starts_at_once_and_get_returns_result() -> None:
    assert answer(Gate()) == VIGENTE


def test_get_raises_exception_of_service() -> None:
    with pytest.raises(ServiceError, match="authority-down"):
        answer(Gate(ServiceError("authority-down")))
    with pytest.raises(RuntimeError):
        answer(Gate(RuntimeError()))


def test_get_times_out_at_deadline() -> None:
    gate = Gate()
    with pytest.raises(ServiceError, match="a tiempo"):
        answer(gate, 0.05, before=False)
    gate.open.set()


def test_get_returns_finished_result_after_deadline() -> None:
    """The document takes longer than the authority."""
    ticks = iter([0.0, 99.0, 99.0])

    async def run() -> FiscalStatus:
        gate = Gate()
        gate.open.set()
        query_in_background = BackgroundQueries(gate, None, 1.0, lambda: next(ticks)).status(QUERY)
        assert query_in_background is not None
        query_in_background._future.result(20)
        return await query_in_background.get()

    assert asyncio.run(run()) == VIGENTE


def test_query_runs_in_context_of_caller() -> None:
    gate = Gate()
    token = MARK.set("petición 1")
    answer(gate)
    MARK.reset(token)
    assert gate.mark == "petición 1"


def test_queries_return_none_without_services() -> None:
    queries = BackgroundQueries(None, None, 1.0)
    assert queries.status(QUERY) is None
    assert queries.provider("00001000000500000001") is None


def test_status_limits_the_queries_of_one_account_and_serves_others() -> None:
    gate = Gate()

    async def run() -> None:
        queries = BackgroundQueries(gate, None, 20.0)
        started = [queries.status(QUERY, "1") for _ in range(MAX_PER_ACCOUNT)]
        beyond, other = queries.status(QUERY, "1"), queries.status(QUERY, "2")
        assert beyond is not None
        assert other is not None
        with pytest.raises(ServiceError, match="authority-down"):
            await beyond.get()
        gate.open.set()
        assert await other.get() == VIGENTE
        assert [await query.get() for query in started if query is not None] == [VIGENTE] * MAX_PER_ACCOUNT
        again = queries.status(QUERY, "1")
        assert again is not None
        assert await again.get() == VIGENTE

    asyncio.run(run())
