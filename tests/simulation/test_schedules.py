"""Random schedules of store, outbox and delivery lose nothing, double nothing and assume no order.

A seed decides everything: which actor runs, when time passes, which statement fails, which process dies. A failure
names its seed; `Simulation.run(seed)` repeats it step by step.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from tests.simulation.model import Defects, Simulation
from tests.support.effort import rounds

from timbra.delivery.deliveries import AuthorityOutbox, OutboxDelivery
from timbra.stamps.group_commit import GroupCommit
from timbra.stamps.port import Stored

LEASE = timedelta(minutes=1)
STAMP = "stamp"

SCHEDULES = rounds(150, 100_000)
SEARCHED = 60
"""Schedules within which a planted defect must be found."""
MEMORY = Path("/dev/shm")


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    """Return a simulation whose file is in memory where the system has such a folder: every commit is a sync."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    logging.disable()  # pytest would keep each record of a failure with the frames and connections of its traceback
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        made = Simulation(Path(folder))
        yield made
        made.close()
    logging.disable(logging.NOTSET)
    structlog.reset_defaults()


def test_schedules_lose_and_double_nothing(simulation: Simulation) -> None:
    for seed in range(SCHEDULES):
        try:
            simulation.run(seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
    print(f"{SCHEDULES:,} schedules, {simulation.steps:,} steps, {simulation.deaths:,} deaths of a process")
    assert simulation.deaths > SCHEDULES // 20


def test_schedule_is_repeated_exactly_by_its_seed(simulation: Simulation) -> None:
    traces = [simulation.run(seed) for seed in (1, 2, 1)]
    assert traces[0] == traces[2] != traces[1]


class ForgetfulOutbox(AuthorityOutbox):
    """Deletes a delivery when it is leased: a worker that dies, or an authority that is down, loses it."""

    def lease(self, limit: int, term: timedelta = LEASE, kind: str = STAMP) -> list[OutboxDelivery]:
        leased = super().lease(limit, term, kind)
        self.complete(leased)
        return leased


class SharedOutbox(AuthorityOutbox):
    """Leases deliveries that another worker has."""

    def lease(self, limit: int, term: timedelta = LEASE, kind: str = STAMP) -> list[OutboxDelivery]:
        return super().lease(limit, timedelta(0), kind)


class HastyCommit(GroupCommit):
    """Answers before the commit."""

    def _commit(self, loop: asyncio.AbstractEventLoop) -> None:
        batch: list[Any] = []
        self._take(batch)
        for claim, future in batch:
            future.set_result(Stored(claim.record))
        self._store.claim([claim for claim, _ in batch])
        self._continue(loop)


DEFECTS: dict[str, tuple[Defects, str]] = {
    "deleted at the lease": (Defects(outbox=ForgetfulOutbox), "no progress"),
    "leased twice": (Defects(outbox=SharedOutbox), "two workers hold one delivery"),
    "answered before the commit": (Defects(group=HastyCommit), "AssertionError"),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_schedules_find_a_planted_defect(simulation: Simulation, name: str) -> None:
    defects, message = DEFECTS[name]
    assert message in first_failure(lambda seed: simulation.run(seed, defects))


def first_failure(run: Callable[[int], object]) -> str:
    """Return the message of the first failing schedule."""
    for seed in range(SEARCHED):
        try:
            run(seed)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    raise AssertionError("no schedule found the defect")
