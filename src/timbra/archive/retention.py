"""Retention: documents, acuses and events of old months are deleted when a verified archive has them.

The audit log is not pruned: its chain of hashes covers every event since the first one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TypeVar

import structlog

from timbra.archive.digests import ArchiveDigests, archive_digests
from timbra.archive.export import INVALID
from timbra.archive.monthly import MonthlyArchives, OpenStorage, first_kept
from timbra.archive.pruning import PruningRepository
from timbra.archive.queries import ArchiveQueries
from timbra.archive.store import ArchiveRecord
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import ARCHIVES, MetricsRegistry
from timbra.core.periods import DayPeriod, month_of
from timbra.database.database import Database
from timbra.events.audit.audit import Audit

LOG = structlog.get_logger("timbra.archive")
BATCH = 200
"""Rows that one transaction deletes."""
STEPS = 200
"""Transactions of one run of the periodic job."""
T = TypeVar("T")


@dataclass(slots=True)
class PrunedMonth:
    """What was deleted of a month, or would be.

    Attributes:
        name: The archive.
        pending: Documents that stay because a delivery of them is pending or dead.
        unarchived: Documents, acuses and events that stay because the archive does not have them as they are.
        complete: Whether nothing of the month is left to look at; False when the steps were used up.
    """

    name: str
    documents: int = 0
    acuses: int = 0
    events: int = 0
    pending: int = 0
    unarchived: int = 0
    complete: bool = False


class Retention:
    """Prunes the months that are older than the retention term."""

    def __init__(
        self,
        archives: MonthlyArchives,
        queries: ArchiveQueries,
        pruning: PruningRepository,
        database: Database,
        audit: Audit,
        open_storage: OpenStorage,
        months: int,
        wall: Clock,
        metrics: MetricsRegistry,
    ) -> None:
        """Prune a database.

        Args:
            queries: Reads documents and acuses.
            pruning: Deletes rows.
            database: Of the audit log.
            audit: Writes an event for each run that deleted something.
            open_storage: Opens the place of an archive.
            months: Whole months before the present one that stay; 0 to delete nothing.
            metrics: Counts runs and failures.
        """
        self._archives = archives
        self._queries = queries
        self._pruning = pruning
        self._database = database
        self._audit = audit
        self._open_storage = open_storage
        self._months = months
        self._wall = wall
        self._metrics = metrics

    def prune(self, *, steps: int | None = STEPS, dry_run: bool = False) -> Sequence[PrunedMonth]:
        """Delete what is older than the term and in a verified archive.

        Args:
            steps: The maximum number of transactions; None for no limit.
            dry_run: Whether to count only.

        Returns:
            The months that were looked at, oldest first.

        Raises:
            ServiceError: "archive-invalid" or "archive-storage" when an archive cannot be verified: nothing of its
                month is deleted. The failure is stored, counted and logged.
        """
        budget = Budget(steps)
        found = []
        for record in self.due():
            if budget.is_used_up:
                break
            try:
                pruned = self._prune_month(record, budget, dry_run=dry_run)
            except ServiceError as error:
                if not dry_run:
                    self._archives.failed(record, error)
                raise
            found.append(pruned)
        if self._months and not dry_run:
            self._pruning.months.drop_empty(first_kept(self._wall.now(), self._months))
        return found

    def due(self) -> list[ArchiveRecord]:
        """Return the archives of the months to prune, oldest first."""
        return self._archives.older_than(self._months) if self._months else []

    def _prune_month(self, record: ArchiveRecord, budget: Budget, *, dry_run: bool) -> PrunedMonth:
        storage = self._open_storage(record.place)
        self._archives.verify(record)
        pruned, period = PrunedMonth(record.name), month_of(record.first_day[:7])
        with archive_digests(record.name, storage) as archived:
            pruned.complete = (
                self._prune_documents(pruned, period, archived, budget, dry_run=dry_run)
                and self._prune_acuses(pruned, period, archived, budget, dry_run=dry_run)
                and self._prune_events(pruned, period, archived, budget, dry_run=dry_run)
            )
        if not dry_run:
            self._record(record, pruned)
        return pruned

    def _prune_documents(
        self, pruned: PrunedMonth, period: DayPeriod, archived: ArchiveDigests, budget: Budget, *, dry_run: bool
    ) -> bool:
        table = None if dry_run else self._pruning.months.table_of(period.first)
        of_table, month = array("q"), f"{period.first:%Y-%m}-"
        for stamps in batches(self._queries.documents(period.instants, archive=archived.name)):
            known = [stamp for stamp in stamps if archived.has_document(stamp)]
            pending = self._pruning.pending([stamp.uuid for stamp in known])
            pruned.unarchived += len(stamps) - len(known)
            pruned.pending += len(pending)
            chosen = [stamp for stamp in known if stamp.uuid not in pending]
            if table is not None:
                of_table.extend(stamp.cursor for stamp in chosen if stamp.fecha.startswith(month))
                chosen = [stamp for stamp in chosen if not stamp.fecha.startswith(month)]
            if chosen:
                deleted = len(chosen) if dry_run else self._pruning.delete_stamps([stamp.uuid for stamp in chosen])
                pruned.documents += deleted
                pruned.pending += len(chosen) - deleted
            if (chosen or table is None) and not budget.spend():
                return False
        if table is not None and of_table:
            deleted = self._pruning.delete_month(table, of_table)
            pruned.documents += deleted
            pruned.pending += len(of_table) - deleted
            return budget.spend()
        return True

    def _prune_acuses(
        self, pruned: PrunedMonth, period: DayPeriod, archived: ArchiveDigests, budget: Budget, *, dry_run: bool
    ) -> bool:
        for receptions in batches(self._queries.receptions(period.instants)):
            known = [found.uuid for found in receptions if archived.has_acuse(found)]
            pruned.unarchived += len(receptions) - len(known)
            if dry_run:
                pruned.acuses += len(known) - len(self._pruning.pending(known))
            elif known:
                pruned.acuses += self._pruning.delete_receptions(known)
            if not budget.spend():
                return False
        return True

    def _prune_events(
        self, pruned: PrunedMonth, period: DayPeriod, archived: ArchiveDigests, budget: Budget, *, dry_run: bool
    ) -> bool:
        for page in self._pruning.events(period.instants):
            known = [number for number, event in page if archived.has_event(event)]
            pruned.unarchived += len(page) - len(known)
            pruned.events += len(known) if dry_run or not known else self._pruning.delete_events(known)
            if not budget.spend():
                return False
        return True

    def _record(self, record: ArchiveRecord, pruned: PrunedMonth) -> None:
        now, values = self._wall.now(), asdict(pruned)
        if pruned.documents or pruned.acuses or pruned.events:
            with self._database.write() as transaction:
                self._audit.record(transaction, "archive.pruned", None, record.name, values)
            self._metrics.count(ARCHIVES, ("pruned",))
            LOG.info("month pruned", **values)
        is_done = pruned.complete and not pruned.pending and not pruned.unarchived
        self._archives.repository.mark_pruned(record.name, now if is_done else None)
        if pruned.unarchived:
            detail = f"{pruned.unarchived} documentos, acuses o eventos no están en el archivo y se conservan."
            self._archives.failed(record, ServiceError(INVALID, detail))


class Budget:
    """The transactions that a run may still use."""

    def __init__(self, steps: int | None) -> None:
        self._left = steps

    @property
    def is_used_up(self) -> bool:
        return self._left is not None and self._left <= 0

    def spend(self) -> bool:
        """Use one; return whether another one may follow."""
        if self._left is not None:
            self._left -= 1
        return not self.is_used_up


def batches(rows: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch
