"""The check of deliveries to the SAT, whose stamps have other documents than real ones, and of pruned months."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select
from tests.fsck.support import changed, findings, flipped, stored
from tests.support.databases import prepare_sqlite
from tests.support.store_records import MovableClock, claim

from timbra.accounts.build import account_services
from timbra.app.composition import Container, build_container
from timbra.archive.build import archive_months
from timbra.audit.build import audit_log
from timbra.database.build import opened_database
from timbra.database.tables.provider import RECEPTION
from timbra.database.tables.stamps import EVENT, OUTBOX
from timbra.delivery.build import authority_outbox, reception_repository
from timbra.delivery.receptions import StoredReception
from timbra.events.build import audit_recorder, dispatch_events
from timbra.fsck.findings import FsckFinding
from timbra.settings import Settings
from timbra.stamps.build import database_stamps

MAY, OCTOBER = datetime(2026, 5, 12, 18, tzinfo=UTC), datetime(2026, 10, 5, 18, tzinfo=UTC)
ACUSE = (
    '<AcuseRecepcion xmlns="http://recibecfdi.sat.gob.mx"><AcuseRecepcionCFDI UUID="{}" '
    'CodEstatus="Comprobante recibido satisfactoriamente"/></AcuseRecepcion>'
)


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    prepare_sqlite(tmp_path / "data")
    settings = Settings(
        data=tmp_path / "data", environment="rehearsal", archive_place=str(tmp_path / "archives"), retention_months=3
    )
    made = build_container(settings, MovableClock(MAY))
    made.get(account_services).accounts.create("ana@example.com", "una frase Larga y rara 99", unlimited=True)
    yield made
    made.close()


def stamp(container: Container, number: int, at: datetime, *, answered: bool) -> str:
    assert isinstance(container.wall, MovableClock)
    container.wall.instant = at
    one = claim(number, at=at)
    one = replace(one, record=replace(one.record, environment="rehearsal"))
    container.get(database_stamps).claim([one])
    dispatch_events(container)
    uuid = one.record.uuid
    if answered:
        acuse = ACUSE.format(uuid).encode()
        reception = StoredReception(
            uuid,
            1,
            "EKU9003173C9",
            "4.0",
            at,
            at,
            at,
            1,
            "received",
            "Comprobante recibido satisfactoriamente",
            [],
            acuse,
        )
        container.get(reception_repository).conclude(reception)
    return uuid


def found(container: Container) -> list[FsckFinding]:
    """Return the findings without those of the documents."""
    container.get(audit_log).chain.run()
    return [each for each in findings(container) if each.code != "document-damaged" or each.place != "stamp"]


def test_stamps_that_wait_or_are_answered_have_no_finding(container: Container) -> None:
    stamp(container, 1, OCTOBER, answered=True)
    stamp(container, 2, OCTOBER, answered=False)
    assert found(container) == []


def test_lost_delivery_is_named_and_one_that_an_operator_dropped_is_not(container: Container) -> None:
    lost, dropped = (stamp(container, number, OCTOBER, answered=False) for number in (1, 2))
    with container.get(opened_database).write() as connection:
        connection.execute(delete(OUTBOX).where(OUTBOX.c.subject == lost))
    assert container.get(authority_outbox).drop(dropped) == 1
    container.get(audit_recorder).record("delivery.dropped", None, dropped)
    assert [(each.code, each.key) for each in found(container)] == [("delivery-missing", lost)]


def test_stamp_whose_event_is_a_dead_letter_waits(container: Container) -> None:
    uuid = stamp(container, 1, OCTOBER, answered=False)
    with container.get(opened_database).write() as connection:
        connection.execute(delete(OUTBOX).where(OUTBOX.c.subject == uuid))
        number = connection.execute(select(EVENT.c.id).where(EVENT.c.subject == uuid)).scalar_one()
        values = {"subject": str(number), "created_at": OCTOBER, "due_at": OCTOBER, "attempts": 0, "dead": True}
        connection.execute(insert(OUTBOX).values(kind="event.deliveries", **values))
    assert found(container) == []


def test_every_column_of_an_answer_that_the_stamp_or_the_acuse_has_is_compared(container: Container) -> None:
    stamp(container, 1, OCTOBER, answered=True)
    for name in ("account_id", "issuer_rfc", "version", "stamped_at", "state", "status"):
        _, before = stored(container, RECEPTION, RECEPTION.c[name])
        with changed(container, RECEPTION, RECEPTION.c[name], flipped(before)):
            assert [(each.code, each.column) for each in found(container)] == [("answer-differs", name)], name
    with changed(container, RECEPTION, RECEPTION.c.incidencias, '[{"code": "1", "message": ""}]'):
        assert [(each.code, each.column) for each in found(container)] == [("answer-differs", "incidencias")]
    with changed(container, RECEPTION, RECEPTION.c.acuse, b"<acuse/>"):
        assert [(each.code, each.column) for each in found(container)] == [("document-damaged", "acuse")]


def test_pruned_months_have_no_finding(container: Container) -> None:
    for number, at in enumerate((MAY, MAY, OCTOBER)):
        stamp(container, number, at, answered=True)
    for _ in range(20):
        archive_months(container)
    assert container.get(database_stamps).page(None).records
    assert found(container) == []
