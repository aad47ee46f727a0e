"""A synchronization over a bulk download in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, cast

from sqlalchemy import select
from tests.support.bulk_download import TAXPAYER, FakeSat, ParsedOnly
from tests.support.store_records import MovableClock

from timbra.core.metrics import MetricsRegistry
from timbra.core.retry import Backoff
from timbra.database.database import Database
from timbra.database.leases import Leases
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.database.tables.stamps import EVENT
from timbra.events.audit.audit import Audit
from timbra.received.documents.store import DocumentStore
from timbra.received.examination import Examiner
from timbra.received.synchronization.calls import BulkCalls, Pacing
from timbra.received.synchronization.downloads import PackageWork
from timbra.received.synchronization.engine import Synchronizer
from timbra.received.synchronization.models import SyncReport
from timbra.received.synchronization.packages import PackageStorage
from timbra.received.synchronization.requests import RequestWork
from timbra.received.synchronization.service import SyncRunner, SyncService
from timbra.received.synchronization.store import SyncRepository

ANA = 1
PACING = Pacing(Backoff(30, 3600, spread=0), Backoff(60, 3600, spread=0))


class AnyEfirma:
    """A vault that has every e.firma."""

    def get(self, _account_id: int, _rfc: str) -> None:
        return None

    def list_for(self, _account_id: int) -> list[Any]:
        return []


@dataclass
class SyncTest:
    """A synchronization of a taxpayer and what it needs; `wall` is its only clock.

    Attributes:
        client: Returns the client; that of `sat` when None.
    """

    database: Database
    folder: Path
    sat: FakeSat = field(default_factory=FakeSat)
    wall: MovableClock = field(default_factory=MovableClock)
    validation: Any = field(default_factory=ParsedOnly)
    metrics: MetricsRegistry = field(default_factory=MetricsRegistry)
    rfc: str = TAXPAYER
    client: Any = None
    kinds: tuple[str, ...] = ("cfdi",)
    pacing: Pacing = PACING

    def __post_init__(self) -> None:
        self.audit = Audit(self.wall, self.wall)
        self.documents = DocumentStore(self.database, self.wall, self.wall)
        self.repository = SyncRepository(self.database)
        self.calls = BulkCalls(
            self.client or (lambda *_: cast("Any", self.sat)), self.audit, self.wall, self.metrics, self.pacing
        )
        self.requests = RequestWork(self.repository, self.calls)
        examiner = Examiner(self.validation, cast("Any", None))
        storage = PackageStorage(self.documents, examiner, self.wall, self.metrics)
        packages = PackageWork(self.repository, self.calls, self.requests, storage, self.folder)
        self.synchronizer = Synchronizer(self.repository, self.calls, self.requests, packages, self.wall)
        vault = cast("Any", AnyEfirma())
        self.service = SyncService(self.repository, self.requests, vault, self.audit, self.wall, self.wall, self.kinds)
        self.runner = SyncRunner(
            self.repository, lambda: self.synchronizer, Leases(self.database, self.wall), self.wall
        )

    def start(self, since: str = "2026-11-01", *sides: str) -> None:
        self.service.start(ANA, self.rfc, date.fromisoformat(since), sides or ("received",))

    def report(self) -> SyncReport:
        return self.service.reports(ANA, self.rfc)[0]

    def run(self, steps: int = 200) -> SyncReport:
        """Run until nothing is open or the synchronization is blocked, by a clock that jumps to what is due."""
        for _ in range(steps):
            due = self.synchronizer.run(ANA, self.rfc)
            report = self.report()
            if due is None or report.is_complete or report.sync.reason:
                return report
            self.wall.instant = max(due, self.wall.instant + timedelta(seconds=1))
        raise AssertionError("not complete")

    def events(self) -> list[tuple[str, str]]:
        query = select(EVENT.c.kind, EVENT.c.subject).where(EVENT.c.kind.startswith("received.")).order_by(EVENT.c.id)
        with self.database.read() as connection:
            return [(row.kind, row.subject) for row in connection.execute(query)]

    def audited(self) -> list[str]:
        with self.database.read() as connection:
            return list(connection.execute(select(AUDIT_EVENT.c.kind).order_by(AUDIT_EVENT.c.id)).scalars())
