"""The fiscal status of millions of documents: one process asks the authority, at one rate for the whole run.

The answers of the authority, not processor time, bound this work: the queries need no further process, and the
rate limit is global by construction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.core.retry import Backoff
from timbra.sat.port import FiscalStatus, StatusQuery, StatusService
from timbra.validation.tables import Row

if TYPE_CHECKING:
    from timbra.bulk.report.database import ResultDatabase
    from timbra.core.clock import Clock

MAX_ATTEMPTS = 5
"""Attempts for a document."""
FAILURES = 5
"""Consecutive failures that open the circuit: the run pauses, then sends one query at a time until one is answered."""
PAUSES = Backoff(2.0, limit=120.0)
"""While the circuit is open."""
REPETITIONS = Backoff(0.5, limit=120.0)
"""Before failed queries are repeated, all together."""
MAX_PAUSES = 20
"""Consecutive pauses without an answer after which the run ends."""

DUE = """
FROM documents
WHERE uuid IS NOT NULL AND issuer_rfc IS NOT NULL AND receiver_rfc IS NOT NULL AND total IS NOT NULL
  AND duplicate_of IS NULL
  AND (status_time IS NULL OR (status <> 'Cancelado' AND status_time < TIMESTAMPTZ '{before}'))
"""
DUE_COLUMNS = "uuid, issuer_rfc, receiver_rfc, total, seal_tail, kind"


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """An answer of the authority, and its instant."""

    query: StatusQuery
    status: FiscalStatus
    at: datetime

    def to_row(self) -> Row:
        return {
            "uuid": self.query.uuid,
            "status": self.status.status,
            "cancelable": self.status.cancelable,
            "cancellation": self.status.cancellation or None,
            "efos": self.status.efos or None,
            "status_time": self.at,
        }


def count_due(database: ResultDatabase, before: datetime) -> int:
    """Return the number of `due_queries`."""
    [(count,)] = database.run("SELECT count(*) " + DUE.format(before=before.isoformat())).rows
    return int(count)


def due_queries(database: ResultDatabase, before: datetime) -> Iterator[StatusQuery]:
    """Yield the queries of documents without a status, and of those whose status is older, in the order of the plan.

    Args:
        database: the tables of the run, open until the last query.
        before: instant; a status from before it is asked for again, unless it is final.
    """
    due = f"SELECT {DUE_COLUMNS} {DUE.format(before=before.isoformat())} ORDER BY document_id"
    for uuid, issuer, receiver, total, seal_tail, kind in database.stream(due):
        yield StatusQuery(uuid, issuer, receiver, str(total), seal_tail or "", is_retencion=kind == "retenciones")


class Pacer:
    """Spaces calls evenly.

    Args:
        rate: calls per second.
        now, sleep: monotonic clock in seconds, and waiting.
    """

    def __init__(
        self, rate: float, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._interval = 1 / rate
        self._now = now
        self._sleep = sleep
        self._next = now()

    def wait(self) -> None:
        """Wait until the next call may be made; time that was not used is not made up for."""
        now = self._now()
        if self._next > now:
            self._sleep(self._next - now)
        self._next = max(self._next, now) + self._interval


@dataclass(slots=True)
class StatusTotals:
    """Totals of the queries.

    Attributes:
        failed: documents without an answer after `MAX_ATTEMPTS`.
    """

    answered: int = 0
    failed: int = 0


class StatusRun:
    """Asks for the status of documents.

    Args:
        service: a status service whose calls make one attempt, so that every attempt counts for the rate.
        clock: dates answers.
        pacer: limits the rate.
        concurrency: queries at a time.
        sleep: waits for seconds, while the circuit is open and before repetitions.
    """

    def __init__(
        self,
        service: StatusService,
        clock: Clock,
        pacer: Pacer,
        concurrency: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service = service
        self._clock = clock
        self._pacer = pacer
        self._concurrency = concurrency
        self._sleep = sleep
        self._failures = 0
        self._pauses = 0
        self.totals = StatusTotals()

    def run(self, queries: Iterable[StatusQuery]) -> Iterator[StatusAnswer]:
        """Yield the answers as they arrive; a document without an answer is left out and stays due.

        Raises:
            ServiceError: "authority-down" when the authority does not answer for `MAX_PAUSES` pauses.
        """
        repeated: list[tuple[StatusQuery, int]] = []
        waiting: Iterator[tuple[StatusQuery, int]] = ((query, 1) for query in queries)
        pending: dict[Future[StatusAnswer], tuple[StatusQuery, int]] = {}
        repetitions = 0
        with ThreadPoolExecutor(self._concurrency, "status") as pool:
            while True:
                for query, attempt in _take(waiting, self._room() - len(pending)):
                    self._pacer.wait()
                    pending[pool.submit(self._ask, query)] = query, attempt
                if not pending and not repeated:
                    return
                if not pending:
                    repetitions += 1
                    self._sleep(REPETITIONS.pause(repetitions))
                    waiting, repeated = iter(repeated), []
                    continue
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    query, attempt = pending.pop(future)
                    answer = self._result(future)
                    if answer is not None:
                        yield answer
                    elif attempt < MAX_ATTEMPTS:
                        repeated.append((query, attempt + 1))
                    else:
                        self.totals.failed += 1
                self._pause_when_open()

    def _room(self) -> int:
        """Return the number of queries that may run: one while the circuit is open."""
        return 1 if self._failures >= FAILURES else self._concurrency

    def _ask(self, query: StatusQuery) -> StatusAnswer:
        return StatusAnswer(query, self._service.status(query), self._clock.now())

    def _result(self, future: Future[StatusAnswer]) -> StatusAnswer | None:
        try:
            answer = future.result()
        except ServiceError:
            self._failures += 1
            return None
        self._failures = self._pauses = 0
        self.totals.answered += 1
        return answer

    def _pause_when_open(self) -> None:
        if self._failures < FAILURES:
            return
        self._pauses += 1
        if self._pauses > MAX_PAUSES:
            raise ServiceError("authority-down", f"{self.totals.answered} respuestas están guardadas.")
        self._sleep(PAUSES.pause(self._pauses))


def _take(items: Iterator[tuple[StatusQuery, int]], count: int) -> Iterator[tuple[StatusQuery, int]]:
    for _, item in zip(range(count), items, strict=False):
        yield item


BOUNDS = (Bound("StatusRun", BoundKind.POOL, "--concurrency queries", "No further query is taken."),)
