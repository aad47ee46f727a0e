"""The archive of each month, written and verified after its end by one worker of all nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import structlog

from timbra.archive.export import BAGIT, EXISTS, INVALID, ArchiveExport, ArchiveTotals, verify_archive
from timbra.archive.storage import ArchiveStorage
from timbra.archive.store import ArchiveRecord, ArchiveRepository
from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import ARCHIVES, MetricsRegistry
from timbra.core.periods import DayPeriod, month_at, months_between
from timbra.events.recorder import EventRecorder

LOG = structlog.get_logger("timbra.archive")
SETTLED = timedelta(hours=2)
"""Time after the end of a month in which its last stamps and events are committed."""
VERIFIED = timedelta(hours=24)
"""Time for which a process relies on its verification of an archive."""
OVERDUE = timedelta(hours=26)
"""Time after the end of a month after which its archive is missing."""
OUTCOMES = ("exported", "pruned", "failed")

OpenStorage = Callable[[str], ArchiveStorage]
"""Opens the storage of a place; ServiceError("archive-storage")."""


class MonthlyArchives:
    """Writes the archives of ended months to one place.

    Attributes:
        repository: What was written, pruned and failed.
    """

    def __init__(
        self,
        export: ArchiveExport,
        repository: ArchiveRepository,
        events: EventRecorder,
        open_storage: OpenStorage,
        place: str,
        wall: Clock,
        metrics: MetricsRegistry,
    ) -> None:
        """Write archives.

        Args:
            export: Writes one.
            repository: Stores what was written and what failed.
            events: Gets an event for each archive and each failure.
            open_storage: Opens a place.
            place: The place of the settings; empty for none.
            metrics: Counts archives and failures.
        """
        self.repository = repository
        self._export = export
        self._events = events
        self._open_storage = open_storage
        self._place = place
        self._wall = wall
        self._metrics = metrics
        self._verified: dict[str, tuple[str, datetime]] = {}
        for outcome in OUTCOMES:
            metrics.declare(ARCHIVES, (outcome,))

    def run_due(self) -> bool:
        """Write the archive of the oldest ended month without one; for a periodic job.

        Returns:
            Whether an archive was written.

        Raises:
            ServiceError: "archive-storage", "archive-invalid"; the failure is stored, counted and logged.
        """
        month = next(self._missing(), None) if self._place else None
        if month is None:
            return False
        self.export_month(month, self._place)
        return True

    def export_month(self, period: DayPeriod, place: str, *, may_exist: bool = True) -> ArchiveTotals:
        """Write, verify and record the archive of an ended month.

        Args:
            may_exist: Whether an archive that is complete in the place already, as after the death of a worker, is
                verified and recorded.

        Raises:
            ServiceError: See `run_due`; "archive-exists".
        """
        record = ArchiveRecord(archive_name(period), f"{period.first}", f"{period.last}", place)
        try:
            storage = self._open_storage(place)
            if not may_exist or not storage.exists(f"{record.name}/{BAGIT}"):
                self._export.export(record.name, period, storage)
            totals = verify_archive(record.name, storage)
        except ServiceError as error:
            if error.code != EXISTS:
                self.failed(record, error)
            raise
        self.repository.save(
            replace(
                record,
                digest=totals.digest,
                documents=totals.documents,
                acuses=totals.acuses,
                events=totals.events,
                exported_at=self._wall.now(),
            )
        )
        self._metrics.count(ARCHIVES, ("exported",))
        body = {"location": place, "documents": totals.documents, "events": totals.events, "digest": totals.digest}
        self._events.record("archive.exported", record.name, body)
        return totals

    def move(self, name: str, place: str) -> ArchiveTotals:
        """Record that an archive is in another place, after it was copied there.

        Raises:
            ServiceError: "archive-invalid" for an unknown archive, and when the place has not the one that was
                exported; "archive-storage".
        """
        known = {record.name: record for record in self.repository.all() if record.exported_at is not None}
        if name not in known:
            raise ServiceError(INVALID, f"No hay un registro del archivo {name[:100]}.")
        totals = self._verified_totals(replace(known[name], place=place))
        self.repository.save(replace(known[name], place=place, failed_at=None, failure=""))
        return totals

    def failed(self, record: ArchiveRecord, error: ServiceError) -> None:
        """Store, count and log a failure; an event is written when it differs from the last one."""
        text = error.detail or error.code
        known = {stored.name: stored.failure for stored in self.repository.all()}
        self.repository.record_failure(record, self._wall.now(), text)
        self._metrics.count(ARCHIVES, ("failed",))
        LOG.error("archive failed", archive=record.name, code=error.code, detail=text)
        if known.get(record.name) != text:
            self._events.record("archive.failed", record.name, {"code": error.code, "detail": text})

    def verify(self, record: ArchiveRecord) -> None:
        """Verify an archive, and that it is the one that was exported.

        Raises:
            ServiceError: "archive-invalid", "archive-storage".
        """
        now = self._wall.now()
        digest, at = self._verified.get(record.name, ("", now))
        if digest == record.digest and now - at < VERIFIED:
            return
        self._verified[record.name] = (self._verified_totals(record).digest, now)

    def older_than(self, months: int) -> list[ArchiveRecord]:
        """Return the archives, which are not pruned, of the months before some whole months and the present one."""
        first = first_kept(self._wall.now(), months).isoformat()
        exported = (each for each in self.repository.all() if each.exported_at is not None)
        return [each for each in exported if each.pruned_at is None and each.last_day < first]

    def is_ended(self, period: DayPeriod) -> bool:
        """Whether all rows of a period are committed."""
        return self._wall.now() >= period.instants.until + SETTLED

    def problems(self) -> Sequence[str]:
        """Return what an operator must see to, in Spanish: failures, and the archive of the last month if missing."""
        records = {record.name: record for record in self.repository.all()}
        found = [f"Archivo {record.name}: {record.failure}" for record in records.values() if record.failure]
        last = previous_month(self._wall.now())
        record = records.get(archive_name(last))
        is_missing = record is None or (record.exported_at is None and not record.failure)
        if self._place and is_missing and self._is_overdue(last):
            found.append(f"No hay archivo de {last.first:%Y-%m}.")
        return found

    def _verified_totals(self, record: ArchiveRecord) -> ArchiveTotals:
        totals = verify_archive(record.name, self._open_storage(record.place))
        if totals.digest != record.digest:
            raise ServiceError(INVALID, f"{record.name} no es el archivo que se exportó.")
        return totals

    def _is_overdue(self, month: DayPeriod) -> bool:
        first = self.repository.first_event_at()
        overdue = self._wall.now() >= month.instants.until + OVERDUE
        return overdue and first is not None and first < month.instants.until

    def _missing(self) -> Iterator[DayPeriod]:
        """Yield the ended months without an archive, from that of the oldest event on."""
        first = self.repository.first_event_at()
        if first is None:
            return
        exported = {record.name for record in self.repository.all() if record.exported_at is not None}
        begin, end = (instant.astimezone(CENTRAL_MEXICO).date() for instant in (first, self._wall.now()))
        for month in months_between(begin, end):
            if self.is_ended(month) and archive_name(month) not in exported:
                yield month


def archive_name(period: DayPeriod) -> str:
    """Return the name of the archive of a whole month."""
    return f"timbra-{period.first:%Y-%m}"


def previous_month(now: datetime) -> DayPeriod:
    """Return the month of central Mexico before that of an instant."""
    return month_at(now.astimezone(CENTRAL_MEXICO).date(), -1)


def first_kept(now: datetime, months: int) -> date:
    """Return the first day of the oldest month that stays. `months`: Those that stay before the present one."""
    return month_at(now.astimezone(CENTRAL_MEXICO).date(), -months).first
