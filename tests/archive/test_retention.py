"""Archives of months, written by a job, and the deletion of what they have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from zipfile import ZipFile

import orjson
import pytest
from sqlalchemy import text
from tests.support.databases import prepare_sqlite
from tests.support.store_records import MovableClock, claim

from timbra.accounts.build import account_services
from timbra.app.composition import Container, build_container
from timbra.archive.build import archive_months, archive_services
from timbra.archive.export import verify_archive
from timbra.archive.retention import PrunedMonth
from timbra.archive.storage import FolderStorage
from timbra.audit.build import audit_log
from timbra.core.errors import ServiceError
from timbra.core.periods import month_of
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox, reception_repository
from timbra.delivery.receptions import StoredReception
from timbra.documents.build import document_index
from timbra.events.audit.events import AuditFilter
from timbra.events.build import dispatch_events
from timbra.reports.build import provider_reports
from timbra.settings import Settings
from timbra.stamps.build import database_stamps, stamp_months
from timbra.stamps.postgresql import PostgresStamps

RECEIVED = "received"

MAY = datetime(2026, 5, 12, 18, tzinfo=UTC)
JUNE = datetime(2026, 6, 12, 18, tzinfo=UTC)
OCTOBER = datetime(2026, 10, 5, 18, tzinfo=UTC)


@dataclass
class Provider:
    """A provider that archives every month and keeps three, with a clock that a test moves."""

    container: Container
    wall: MovableClock
    place: Path

    def stamp(
        self,
        number: int,
        at: datetime,
        *,
        delivered: bool = True,
        fecha: str = "2026-11-17T12:00:00",
        content: bytes = b"",
    ) -> str:
        """Store a stamp, its event and the SAT's answer at an instant; return its folio."""
        self.wall.instant = at
        one = claim(number, f"pedido {number}", at=at)
        document = one.record.cfdi + content
        one = replace(one, record=replace(one.record, environment="rehearsal", fecha=fecha, cfdi=document))
        self.container.get(database_stamps).claim([one])
        dispatch_events(self.container)
        if delivered:
            acuse = f"<acuse>{one.record.uuid}</acuse>".encode()
            self.container.get(reception_repository).conclude(
                StoredReception(one.record.uuid, 1, "EKU9003173C9", "4.0", at, at, at, 1, RECEIVED, "200", [], acuse)
            )
        return one.record.uuid

    def work(self) -> None:
        """Run the periodic job until it has nothing to do."""
        for _ in range(20):
            before = self._done()
            archive_months(self.container)
            if self._done() == before:
                return
        raise AssertionError("the periodic job does not end")

    def _done(self) -> list[float]:
        """Return how many archives the job wrote, and how many times it deleted rows of one."""
        return [self.container.metrics.counts.get(("archives", (outcome,)), 0) for outcome in ("exported", "pruned")]

    def exists(self, uuid: str) -> bool:
        return self.container.get(database_stamps).by_uuid(uuid) is not None

    def has_acuse(self, uuid: str) -> bool:
        return self.container.get(reception_repository).state_of(uuid).reception is not None

    def prune(self, **options: bool) -> list[PrunedMonth]:
        return list(self.container.get(archive_services).retention.prune(**options))

    def problems(self) -> str:
        return " ".join(self.container.get(archive_services).archives.problems())

    def chain_is_sound(self) -> bool:
        self.container.get(audit_log).chain.run()
        return not self.container.get(audit_log).verify().findings


@contextmanager
def opened_provider(
    folder: Path, database_url: str = "", *, retention_months: int = 3, online_document_months: int = 0
) -> Iterator[Provider]:
    wall = MovableClock(MAY)
    settings = Settings(
        data=folder / "data",
        database_url=database_url,
        environment="rehearsal",
        archive_place=str(folder / "archives"),
        retention_months=retention_months,
        online_document_months=online_document_months,
    )
    container = build_container(settings, wall)
    container.get(account_services).accounts.create("ana@example.com", "una frase Larga y rara 99", unlimited=True)
    yield Provider(container, wall, folder / "archives")
    container.close()


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Provider]:
    prepare_sqlite(tmp_path / "data")
    with opened_provider(tmp_path) as opened:
        yield opened


@pytest.fixture
def postgresql_provider(tmp_path: Path, postgresql_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    # The clock of the test is not that of the database.
    monkeypatch.setattr("timbra.stamps.repository.PostgresStamps", lambda **_: PostgresStamps())
    with opened_provider(tmp_path, postgresql_address) as opened:
        yield opened


def test_pruned_month_of_postgresql_empties_its_table_and_drops_it_later(postgresql_provider: Provider) -> None:
    """A table is dropped when nothing stays in it: here a document of the last hour of May, stamped in June."""
    provider = postgresql_provider
    months, database = provider.container.get(stamp_months), provider.container.get(opened_database)
    months.create([date(2026, 5, 1), date(2026, 6, 1)])
    old = [provider.stamp(number, MAY, fecha="2026-05-12T12:00:00") for number in range(3)]
    pending = provider.stamp(5, MAY, delivered=False, fecha="2026-05-12T12:00:00")
    late = provider.stamp(6, JUNE, fecha="2026-05-31T23:30:00")
    new = provider.stamp(11, OCTOBER, fecha="2026-10-05T12:00:00")

    def tables() -> list[str]:
        query = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'stamp'::regclass ORDER BY 1"
        with database.read() as connection:
            return list(connection.execute(text(query)).scalars())

    provider.container.get(document_index).index(10)
    provider.wall.instant = datetime(2026, 9, 5, 18, tzinfo=UTC)
    provider.work()
    assert not any(map(provider.exists, old))
    assert all(map(provider.exists, (pending, late, new)))
    assert "stamp_2026_05" in tables()
    with database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM listed_document")).scalar() == 3
        assert connection.execute(text("SELECT count(*) FROM custom_id")).scalar() == 3
    provider.container.get(authority_outbox).drop(pending)
    provider.wall.instant = OCTOBER
    provider.work()
    provider.work()
    assert not any(map(provider.exists, (pending, late)))
    assert provider.exists(new)
    assert "stamp_2026_05" not in tables()
    assert provider.problems() == ""


def test_job_archives_every_ended_month_and_prunes_those_before_the_term(provider: Provider) -> None:
    old = [provider.stamp(number, MAY) for number in range(3)]
    june, new = provider.stamp(10, JUNE), provider.stamp(11, OCTOBER)
    provider.wall.instant = OCTOBER
    provider.work()
    records = {record.name: record for record in provider.container.get(archive_services).archives.repository.all()}
    assert list(records) == [f"timbra-2026-{month:02}" for month in (5, 6, 7, 8, 9)]
    assert [records[f"timbra-2026-{month:02}"].pruned_at is not None for month in (5, 6, 7)] == [True, True, False]
    # July, August and September stay, and the present month.
    assert not any(provider.exists(uuid) or provider.has_acuse(uuid) for uuid in (*old, june))
    assert provider.exists(new)
    assert provider.has_acuse(new)
    assert (records["timbra-2026-05"].documents, records["timbra-2026-05"].acuses) == (3, 3)
    assert verify_archive("timbra-2026-05", FolderStorage(provider.place)).documents == 3
    assert provider.problems() == ""
    [event] = provider.container.get(audit_log).page(AuditFilter(kind="archive.pruned", subject="timbra-2026-05"))
    body = orjson.loads(event.event.body)
    assert (body["documents"], body["acuses"], body["unarchived"], body["complete"]) == (3, 3, 0, True)
    assert body["events"] >= 3
    assert provider.chain_is_sound()


def test_job_does_not_archive_the_present_month(provider: Provider) -> None:
    provider.stamp(1, OCTOBER)
    provider.work()
    provider.wall.instant = datetime(2026, 11, 1, 7, 59, tzinfo=UTC)  # 01:59 in central Mexico
    provider.work()
    assert provider.container.get(archive_services).archives.repository.all() == []
    provider.wall.instant = datetime(2026, 11, 1, 8, tzinfo=UTC)
    provider.work()
    assert [record.name for record in provider.container.get(archive_services).archives.repository.all()] == [
        "timbra-2026-10"
    ]


def test_prune_keeps_what_has_a_pending_delivery(provider: Provider) -> None:
    waiting, delivered = provider.stamp(1, MAY, delivered=False), provider.stamp(2, MAY)
    provider.wall.instant = OCTOBER
    provider.work()
    assert (provider.exists(waiting), provider.exists(delivered)) == (True, False)
    [month] = provider.prune()
    assert (month.documents, month.pending) == (0, 1)
    provider.container.get(authority_outbox).drop(waiting)
    provider.work()
    assert not provider.exists(waiting)
    assert provider.prune() == []


def test_prune_deletes_nothing_that_the_archive_does_not_have(provider: Provider) -> None:
    provider.stamp(1, MAY)
    provider.wall.instant = datetime(2026, 6, 2, tzinfo=UTC)
    provider.work()
    late = provider.stamp(2, MAY)  # restored, or written by a node whose clock was wrong
    provider.wall.instant = OCTOBER
    provider.work()
    assert provider.exists(late)
    assert provider.has_acuse(late)
    assert "no están en el archivo y se conservan" in provider.problems()
    [month] = provider.prune()
    assert (month.documents, month.unarchived >= 2) == (0, True)


def test_prune_deletes_nothing_of_a_damaged_or_replaced_archive(provider: Provider) -> None:
    uuid = provider.stamp(1, MAY)
    provider.wall.instant = datetime(2026, 6, 2, tzinfo=UTC)
    provider.work()
    provider.wall.instant = OCTOBER
    documents = next((provider.place / "timbra-2026-05" / "data" / "documents").iterdir())
    content = documents.read_bytes()
    documents.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ServiceError, match="archive-invalid"):
        provider.prune()
    assert provider.exists(uuid)
    assert "El SHA-256 de" in provider.problems()
    assert provider.container.metrics.counts["archives", ("failed",)] == 1
    documents.write_bytes(content)
    assert [month.documents for month in provider.prune()] == [1]
    assert provider.problems() == "No hay archivo de 2026-09."


def test_dry_run_counts_and_deletes_nothing(provider: Provider) -> None:
    uuid = provider.stamp(1, MAY)
    waiting = provider.stamp(2, MAY, delivered=False)
    provider.wall.instant = datetime(2026, 6, 2, tzinfo=UTC)
    provider.work()
    provider.wall.instant = OCTOBER
    [month] = provider.prune(dry_run=True)
    assert (month.documents, month.acuses, month.pending, month.unarchived) == (1, 1, 1, 0)
    assert provider.exists(uuid)
    assert provider.exists(waiting)
    [real] = provider.prune()
    assert (real.documents, real.acuses, real.events) == (month.documents, month.acuses, month.events)


def test_prune_stops_after_its_steps_and_goes_on(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.archive.retention.BATCH", 2)
    for number in range(5):
        provider.stamp(number, MAY)
    provider.wall.instant = datetime(2026, 6, 2, tzinfo=UTC)
    provider.work()
    provider.wall.instant = OCTOBER
    retention = provider.container.get(archive_services).retention
    found = [retention.prune(steps=1)[0] for _ in range(3)]
    assert [(month.documents, month.complete) for month in found] == [(2, False), (2, False), (1, False)]
    assert sum(month.documents for month in retention.prune(steps=None)) == 0
    assert retention.prune(steps=None) == []


def test_failure_of_the_storage_is_stored_counted_and_repaired(provider: Provider) -> None:
    provider.stamp(1, MAY)
    provider.wall.instant = datetime(2026, 6, 3, tzinfo=UTC)
    provider.place.write_text("a file where the folder should be")
    for _ in range(2):
        with pytest.raises(ServiceError, match="archive-storage"):
            archive_months(provider.container)
    assert provider.problems().startswith("Archivo timbra-2026-05: ")
    assert provider.container.metrics.counts["archives", ("failed",)] == 2
    [row] = provider.container.get(provider_reports).build("archives", month_of("2026-06")).rows
    assert row[-1]
    provider.place.unlink()
    provider.work()
    assert provider.problems() == ""


def test_missing_archive_is_a_problem(provider: Provider) -> None:
    provider.stamp(1, MAY)
    provider.wall.instant = datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert provider.problems() == ""
    provider.wall.instant = datetime(2026, 6, 3, tzinfo=UTC)
    assert provider.problems() == "No hay archivo de 2026-05."


@pytest.mark.parametrize("months", [1, 2, -1])
def test_retention_keeps_three_months_at_least(months: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="retention_months"):
        Settings(data=tmp_path, retention_months=months)


def test_archive_has_the_stored_bytes_of_a_damaged_document_and_prune_keeps_it(provider: Provider) -> None:
    sound, damaged = (provider.stamp(number, MAY) for number in range(2))
    with provider.container.get(opened_database).write() as connection:
        connection.execute(
            text("UPDATE stamp SET cfdi = :cfdi WHERE uuid = :uuid"), {"cfdi": b"\x01x", "uuid": damaged}
        )
    provider.wall.instant = OCTOBER
    provider.work()
    assert verify_archive("timbra-2026-05", FolderStorage(provider.place)).documents == 2
    [path] = (provider.place / "timbra-2026-05" / "data" / "documents").iterdir()
    with ZipFile(path) as archive:
        assert sorted(archive.namelist()) == sorted([f"{sound}.xml", f"{damaged}.damaged"])
        assert archive.read(f"{damaged}.damaged") == b"\x01x"
    with provider.container.get(opened_database).read() as connection:
        kept = connection.execute(text("SELECT uuid FROM stamp")).scalars().all()
    assert kept == [damaged]
    assert "se conservan" in provider.problems()
