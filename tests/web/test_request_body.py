"""Idle timeouts of a body, in an event loop whose time jumps to the next timer."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from timbra.core.metrics import MetricsRegistry
from timbra.web.parsing.request_body import BodyRejectedError, MemoryBudget, MinimumRate, read_body

MEBIBYTE = 1024 * 1024

IDLE_SECONDS = 10.0
RATE = MinimumRate(IDLE_SECONDS, 0.01)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop that skips waiting. jumped: its time in seconds; no clock is read."""

    def __init__(self) -> None:
        self.jumped = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self.jumped


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        self._loop.jumped += max(timeout or 0, 0)
        return super().select(0)


def run(work: Coroutine[Any, Any, bytes]) -> bytes:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(work)


def budget(max_bytes: int = 10**9) -> MemoryBudget:
    return MemoryBudget(MetricsRegistry(), max_bytes)


def arriving(*pauses: float) -> Receive:
    """Return a receive function that delivers one byte after each pause; the last byte ends the body."""
    coming: Iterator[tuple[int, float]] = iter(enumerate(pauses, 1))

    async def receive() -> Message:
        number, pause = next(coming)
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": b"x", "more_body": number < len(pauses)}

    return receive


@pytest.mark.parametrize("pauses", [(0.0,), (9.0,), (9.0, 9.0, 9.0), (0.0, 9.0, 0.0, 9.0), (0.5,) * 100])
def test_read_body_accepts_pauses_below_the_timeout(pauses: tuple[float, ...]) -> None:
    assert run(read_body(arriving(*pauses), {}, 1000, RATE, budget())) == b"x" * len(pauses)


@pytest.mark.parametrize("pauses", [(11.0,), (9.0, 11.0), (0.0, 0.0, 11.0, 0.0), (*(0.5,) * 100, 11.0)])
def test_read_body_rejects_a_pause_above_the_timeout(pauses: tuple[float, ...]) -> None:
    with pytest.raises(BodyRejectedError, match="TB4002"):
        run(read_body(arriving(*pauses), {}, 1000, RATE, budget()))


def test_read_body_rejects_at_the_timeout_and_keeps_the_task() -> None:
    async def rejected_and_on() -> bytes:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, JumpingLoop)
        with pytest.raises(BodyRejectedError):
            await read_body(arriving(4.0, 1000.0), {}, 1000, RATE, budget())
        assert loop.jumped == pytest.approx(14.0)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await asyncio.sleep(100)
        return b"alive"

    assert run(rejected_and_on()) == b"alive"


def test_read_body_cancels_its_timer() -> None:
    async def read_and_on() -> bytes:
        body = await read_body(arriving(1.0, 1.0), {}, 1000, RATE, budget())
        with pytest.raises(ClientDisconnect):
            await read_body(_gone, {}, 1000, RATE, budget())
        with pytest.raises(BodyRejectedError, match="TB4001") as kept:
            await read_body(arriving(1.0, 1.0, 1.0, 1.0), {}, 1, RATE, budget())
        assert kept.tb is not None
        await asyncio.sleep(100)
        return body

    assert run(read_and_on()) == b"xx"


def test_read_body_propagates_cancellation_of_the_task() -> None:
    async def cancelled() -> bytes:
        reading = asyncio.create_task(read_body(arriving(9.0, 9.0), {}, 1000, RATE, budget()))
        await asyncio.sleep(12)
        reading.cancel()
        return await reading

    with pytest.raises(asyncio.CancelledError):
        run(cancelled())


async def _gone() -> Message:
    return {"type": "http.disconnect"}


def test_read_body_rejects_a_body_below_the_minimum_rate() -> None:
    with pytest.raises(BodyRejectedError, match="100 bytes por segundo"):
        run(read_body(arriving(*(1.0,) * 50), {}, 1000, MinimumRate(IDLE_SECONDS, 100), budget()))


def test_read_body_rejects_a_body_above_the_total_time() -> None:
    with pytest.raises(BodyRejectedError, match="no llegó completo en 20 segundos"):
        run(read_body(arriving(*(1.0,) * 50), {}, 1000, MinimumRate(IDLE_SECONDS, 0.01, 20), budget()))


def sent(*sizes: int) -> Receive:
    """Return a receive function that delivers pieces of these sizes without a pause."""
    coming = iter(enumerate(sizes, 1))

    async def receive() -> Message:
        number, size = next(coming)
        return {"type": "http.request", "body": bytes(size), "more_body": number < len(sizes)}

    return receive


def test_read_body_rejects_a_body_beyond_the_memory_budget_after_reading_it() -> None:
    worker = MetricsRegistry()
    full, other, small = (MemoryBudget(worker, 4 * MEBIBYTE) for _ in range(3))
    assert full.acquire(2 * MEBIBYTE)
    with pytest.raises(BodyRejectedError, match="CO1000") as rejection:
        run(read_body(sent(MEBIBYTE, MEBIBYTE, MEBIBYTE), {}, 40 * MEBIBYTE, RATE, other))
    assert rejection.value.retry_after == 1
    assert worker.body_bytes == 2 * MEBIBYTE
    assert run(read_body(sent(MEBIBYTE), {}, 40 * MEBIBYTE, RATE, small)) == bytes(MEBIBYTE)
    full.release()
    small.release()
    assert worker.body_bytes == 0


def test_read_body_accepts_any_single_body() -> None:
    assert len(run(read_body(sent(9, 9), {}, 1000, RATE, budget(1)))) == 18
