"""Status queries of a run: rate, retries, circuit, and what is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from timbra.bulk import statuses
from timbra.bulk.statuses import MAX_PAUSES, Pacer, StatusRun
from timbra.core.errors import ServiceError
from timbra.sat.port import FiscalStatus, StatusQuery

FAILURES = 5
MAX_ATTEMPTS = 5

AT = datetime(2026, 11, 22, tzinfo=UTC)
VIGENTE = FiscalStatus("Vigente", "S", "Cancelable sin aceptación", "")


class FixedClock:
    def now(self) -> datetime:
        return AT


class SteppedClock:
    """Monotonic seconds that only waiting moves."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds


class Service:
    """Answers `Vigente`, or fails when `fails` says so for a document and its attempt."""

    def __init__(self, fails: Callable[[str, int], bool]) -> None:
        self._fails = fails
        self.asked: Counter[str] = Counter()

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.asked[query.uuid] += 1
        if self._fails(query.uuid, self.asked[query.uuid]):
            raise ServiceError("authority-down")
        return VIGENTE


@pytest.fixture(autouse=True)
def whole_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAUSES", "REPETITIONS"):
        monkeypatch.setattr(statuses, name, replace(getattr(statuses, name), spread=0.0))


def queries(count: int) -> list[StatusQuery]:
    return [StatusQuery(str(number), "A", "B", "1", "12345678") for number in range(count)]


def new_run(service: Service, clock: SteppedClock, concurrency: int = 1) -> StatusRun:
    return StatusRun(
        service,
        FixedClock(),
        Pacer(1_000_000, clock.now, clock.sleep),
        concurrency,
        clock.sleep,
    )


def test_pacer_spaces_calls_and_does_not_make_up_for_time() -> None:
    clock = SteppedClock()
    pacer = Pacer(4, clock.now, clock.sleep)
    for _ in range(3):
        pacer.wait()
    assert clock.waits == [0.25, 0.25]
    clock.seconds = 100
    pacer.wait()
    pacer.wait()
    assert clock.waits == [0.25, 0.25, 0.25]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_status_run_repeats_failures(concurrency: int) -> None:
    service = Service(lambda uuid, attempt: uuid in {"1", "3"} and attempt < 3)
    run = new_run(service, SteppedClock(), concurrency)
    answers = list(run.run(queries(6)))
    assert sorted(answer.query.uuid for answer in answers) == [str(number) for number in range(6)]
    assert (service.asked["1"], service.asked["0"]) == (3, 1)
    assert (run.totals.answered, run.totals.failed) == (6, 0)
    assert answers[0].to_row()["status_time"] == AT


def test_status_run_leaves_out_a_document_that_always_fails() -> None:
    service = Service(lambda uuid, attempt: uuid == "2")
    run = new_run(service, SteppedClock())
    assert [answer.query.uuid for answer in run.run(queries(4))] == ["0", "1", "3"]
    assert service.asked["2"] == MAX_ATTEMPTS
    assert run.totals.failed == 1


def test_status_run_pauses_and_probes_with_one_query_while_the_authority_is_down() -> None:
    clock, down = SteppedClock(), {"calls": FAILURES + 3}

    def fails(uuid: str, attempt: int) -> bool:
        down["calls"] -= 1
        return down["calls"] >= 0

    run = new_run(Service(fails), clock)
    assert len(list(run.run(queries(20)))) == 20
    assert [wait for wait in clock.waits if wait >= 1] == [2, 4, 8, 16]


def test_status_run_ends_when_the_authority_stays_down() -> None:
    service = Service(lambda uuid, attempt: True)
    with pytest.raises(ServiceError, match="authority-down"):
        list(new_run(service, SteppedClock()).run(queries(1000)))
    assert service.asked.total() == FAILURES + MAX_PAUSES
