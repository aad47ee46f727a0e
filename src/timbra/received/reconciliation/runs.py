"""Reconciliations that accounts order: intake, results, and the process that runs them one at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from importlib.util import find_spec
from itertools import groupby, islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import structlog

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.core.text import storable
from timbra.received.reconciliation.run_models import (
    PART_ROWS,
    FileRole,
    FoundDifference,
    ReconciliationResult,
    RunOptions,
    RunState,
    StoredReconciliation,
)
from timbra.received.reconciliation.run_store import RunRepository
from timbra.rules.reference.messages import sentence
from timbra.web.public_errors import document_error

if TYPE_CHECKING:
    from timbra.received.reconciliation.engine import Reconciliation

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.reconciliation")

MAX_RUNS = 100
MAX_WAITING = 3
MAX_ATTEMPTS = 2
MAX_DIFFERENCES = 200_000
"""Differences that are stored; the command has no limit."""
MAX_NAME = 200
LIBRARY = "duckdb"
SUFFIXES = (".xml", ".zip", ".txt", ".pdf", ".csv", ".xls", ".xlsx", ".xlsm", ".xlsb", ".ods")


class ReconciliationRuns:
    """Orders reconciliations, and has their results; do not call it on the event loop.

    Args:
        repository: The reconciliations.
        wall: Wall time.
        fiscal: Fiscal time.
        days: Days for which they are kept.
    """

    def __init__(self, repository: RunRepository, wall: Clock, fiscal: Clock, days: int) -> None:
        self.days = days
        self._repository = repository
        self._wall = wall
        self._fiscal = fiscal

    def today(self) -> date:
        """Return the day in central Mexico."""
        return self._fiscal.now().astimezone(CENTRAL_MEXICO).date()

    @property
    def is_available(self) -> bool:
        """Whether the library of the database is installed."""
        return find_spec(LIBRARY) is not None

    def submit(self, account_id: int, submission: str, options: RunOptions, files: Sequence[Path]) -> int:
        """Order a reconciliation; return its number.

        Args:
            submission: Key of the form or request; one that is sent twice orders one.
            files: The uploaded files, in the order of the options.

        Raises:
            ServiceError: "reconciliation-sources" without something to compare, "TB4005" beyond a limit,
                "reconciliation-failed" without the library.
        """
        roles = {file.role for file in options.files}
        if not (options.with_stored or options.with_ledger or FileRole.SAT in roles):
            raise ServiceError("reconciliation-sources", "Faltan los CFDI del SAT, o los emitidos.")
        if not self.is_available:
            raise ServiceError("reconciliation-failed", f"El servidor no tiene la biblioteca {LIBRARY}.")
        return self._repository.add(account_id, storable(submission, MAX_NAME), options, files, MAX_RUNS, MAX_WAITING)

    def newest(self, account_id: int, limit: int = MAX_RUNS) -> Sequence[StoredReconciliation]:
        """Return the newest reconciliations of an account."""
        return self._repository.newest(account_id, min(max(limit, 1), MAX_RUNS))

    def find(self, account_id: int, number: int) -> StoredReconciliation:
        """Return a reconciliation. Raises ServiceError: "TB4041" for one that the account does not have."""
        return self._repository.find(account_id, number)

    def delete(self, account_id: int, number: int) -> None:
        """Delete a reconciliation. Raises ServiceError: as `find`."""
        self._repository.delete(account_id, number)

    def expire(self) -> None:
        """Delete the reconciliations that are older than the term; for a periodic job."""
        self._repository.expire(self._wall.now() - timedelta(days=self.days))

    def part(self, run: StoredReconciliation, kind: str, number: int) -> list[FoundDifference]:
        """Return `PART_ROWS` differences of a kind; none behind the last."""
        return next(self._repository.parts(run.id, kind, number), [])

    def result(self, run: StoredReconciliation) -> ReconciliationResult:
        """Return a result. Raises ServiceError: "TB4031" for a reconciliation that is not done."""
        summary = run.summary
        if summary is None:
            raise ServiceError("TB4031", "La conciliación no ha terminado.")

        def differences(limit: int | None) -> Iterator[FoundDifference]:
            for kind in summary.kinds:
                found = (each for part in self._repository.parts(run.id, kind.kind.name) for each in part)
                yield from islice(found, limit)

        return ReconciliationResult(summary, differences)


class ReconciliationRunner:
    """Runs the reconciliations that are due, one at a time.

    Args:
        repository: The reconciliations.
        read_account: Reads the sources of an account that are in the database: the run, and where to.
        metrics: Counts the reconciliations at which the program failed.
    """

    def __init__(
        self,
        repository: RunRepository,
        read_account: Callable[[StoredReconciliation, Reconciliation], None],
        metrics: MetricsRegistry,
    ) -> None:
        self._repository = repository
        self._read_account = read_account
        self._metrics = metrics

    def run_due(self) -> None:
        """Run reconciliations until none is due."""
        while (run := self._repository.lease()) is not None:
            self._run(run)

    def _run(self, run: StoredReconciliation) -> None:
        bound = log.bind(reconciliation=run.id, attempt=run.attempts)
        try:
            _check_attempts(run)
            self._repository.discard_parts(run.id)
            with tempfile.TemporaryDirectory(prefix="timbra-") as folder:
                self._reconcile(run, Path(folder))
        except MemoryError:
            bound.exception("reconciliation interrupted")  # the lease ends by itself, and the attempt counts
        except Exception as error:
            bound.warning("reconciliation failed", error=str(error))
            public = document_error(error, f"reconciliation {run.id}", self._metrics)
            failure = " ".join(filter(None, (sentence(public.code), public.detail)))
            self._repository.finish(run.id, None, storable(failure))

    def _reconcile(self, run: StoredReconciliation, folder: Path) -> None:
        from timbra.received.reconciliation.engine import open_reconciliation
        from timbra.received.reconciliation.exports import read_books, read_payments
        from timbra.received.reconciliation.sat_source import read_files

        options = run.options
        with open_reconciliation(options.comparison) as found:
            for place, file in enumerate(options.files):
                suffix = PurePath(file.name).suffix.lower()
                target = folder / f"{place}{suffix if suffix in SUFFIXES else ''}"
                self._repository.write_file(run.id, place, target)
                if file.role is FileRole.SAT:
                    read_files(found.workspace, target, file.name)
                elif file.role is FileRole.ERP:
                    read_books(found.workspace, target, options.erp_columns, file.name)
                else:
                    read_payments(found.workspace, target, options.payments_columns, file.name)
                target.unlink()
            self._read_account(run, found)
            found.run()
            if found.summary.differences > MAX_DIFFERENCES:
                raise ServiceError(
                    "reconciliation-failed",
                    f"Hay {found.summary.differences:,} diferencias; el servidor guarda a lo más {MAX_DIFFERENCES:,}. "
                    "Revise las columnas y el periodo, o use timbra reconcile.",
                )
            self._store(run, found)

    def _store(self, run: StoredReconciliation, found: Reconciliation) -> None:
        for kind, differences in groupby(found.differences(), key=lambda each: each.kind.name):
            number = 0
            while part := [*islice(differences, PART_ROWS)]:
                self._repository.add_part(run.id, kind, number, part)
                number += 1
        self._repository.finish(run.id, found.summary)


def _check_attempts(run: StoredReconciliation) -> None:
    if run.attempts > MAX_ATTEMPTS:
        raise ServiceError("reconciliation-failed", "El servidor se detuvo varias veces mientras la hacía.")


def is_finished(run: StoredReconciliation) -> bool:
    """Whether a reconciliation is done or failed."""
    return run.state in (RunState.DONE, RunState.FAILED)
