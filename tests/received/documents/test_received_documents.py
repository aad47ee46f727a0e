"""Documents that an account received, in SQLite and PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select
from tests.support.store_records import NOON

from timbra.core.clock import FixedClock
from timbra.database.database import Database
from timbra.database.tables.stamps import EVENT
from timbra.documents.listing import CurrencyTotal
from timbra.received.documents.models import (
    DeliveredXml,
    DocumentFilter,
    DocumentMetadata,
    MetadataTotals,
    Outcome,
    ReceivedHeader,
    ReceivedStatus,
)
from timbra.received.documents.store import DocumentStore
from timbra.stamps.search import Found

ANA, BEA = 1, 2
FIRST, SECOND = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"

THIRD, FOURTH = "33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"


def header(uuid: str = FIRST, day: int = 1, **changes: str) -> ReceivedHeader:
    fecha = f"2026-10-{day:02}T10:00:00"
    made = ReceivedHeader(
        uuid, "cfdi", "AAA010101AAA", "Añejo", "BBB010101BBB", "Bea", "SPR190613I52", fecha, fecha, "116.00", "I"
    )
    return replace(made, **changes)


def metadata(uuid: str = FIRST, status: str = "Vigente", cancelled_at: str | None = None) -> DocumentMetadata:
    return DocumentMetadata(header(uuid), status, cancelled_at)


def delivered(uuid: str = FIRST, content: str = "a", source: str = "sat", day: int = 1) -> DeliveredXml:
    xml = f"<{content}/>".encode()
    return DeliveredXml(header(uuid, day), xml, content, source, "warned", 0, 1, None, None, [{"code": "X"}])


@pytest.fixture
def store(database: Database) -> DocumentStore:
    return DocumentStore(database, FixedClock(NOON), FixedClock(NOON + timedelta(hours=1)))


def events(database: Database) -> list[tuple[str, str]]:
    with database.read() as connection:
        rows = connection.execute(select(EVENT.c.kind, EVENT.c.subject).order_by(EVENT.c.id))
        return [tuple(row) for row in rows if row.kind.startswith("received.")]


def test_put_metadata_keeps_a_document_whose_xml_never_comes(database: Database, store: DocumentStore) -> None:
    assert store.put_metadata(ANA, [metadata(), metadata(SECOND), metadata()]) == MetadataTotals(2, 0)
    found = store.find(ANA, FIRST.upper())

    assert found is not None
    assert (found.issuer_name, found.total, found.status) == ("Añejo", "116.00", "Vigente")
    assert (found.source, found.has_xml, found.result, found.metadata_at) == ("metadata", False, None, NOON)
    assert store.find(BEA, FIRST) is None
    assert store.xml(ANA, FIRST) is None
    assert events(database) == []


def test_put_metadata_records_a_cancellation_once(database: Database, store: DocumentStore) -> None:
    store.put_metadata(ANA, [metadata(), metadata(SECOND, "Cancelado", "2026-10-02T00:00:00")])
    cancelled = metadata(FIRST, "Cancelado", "2026-10-03T00:00:00")
    assert store.put_metadata(ANA, [cancelled]) == MetadataTotals(0, 1)
    assert store.put_metadata(ANA, [cancelled]) == MetadataTotals(0, 0)

    found = store.find(ANA, FIRST)
    assert found is not None
    assert (found.status, found.cancelled_at) == ("Cancelado", "2026-10-03T00:00:00")
    assert events(database) == [("received.cancelled", FIRST)]


def test_put_xml_stores_the_bytes_once_for_each_uuid(database: Database, store: DocumentStore) -> None:
    store.put_metadata(ANA, [metadata()])
    documents = [delivered(), delivered(SECOND, "b"), delivered()]
    assert store.put_xml(ANA, documents) == [Outcome.NEW, Outcome.NEW, Outcome.KNOWN]
    assert store.put_xml(ANA, documents[:2]) == [Outcome.KNOWN, Outcome.KNOWN]
    assert store.put_xml(BEA, [delivered(FIRST, "c")]) == [Outcome.NEW]

    found = store.find(ANA, FIRST)
    assert found is not None
    assert (found.source, found.has_xml, found.result, found.warnings, found.status) == (
        "sat",
        True,
        "warned",
        1,
        "Vigente",
    )
    assert store.xml(ANA, FIRST) == b"<a/>"
    assert store.findings(found.id) == [{"code": "X"}]
    assert store.known_hashes(ANA, [FIRST, SECOND]) == {FIRST: ("a", "sat"), SECOND: ("b", "sat")}
    assert events(database) == []


def test_put_xml_replaces_an_xml_of_another_source_by_that_of_the_sat(database: Database, store: DocumentStore) -> None:
    assert store.put_xml(ANA, [delivered(content="forged", source="supplier")]) == [Outcome.NEW]
    assert store.put_xml(ANA, [delivered()]) == [Outcome.REPLACED]
    found = store.find(ANA, FIRST)

    assert found is not None
    assert (found.source, found.sha256, found.other_sha256, found.other_source) == ("sat", "a", "forged", "supplier")
    assert store.xml(ANA, FIRST) == b"<a/>"
    assert events(database) == [("received.different", FIRST)]
    assert store.put_xml(ANA, [delivered()]) == [Outcome.KNOWN]


def test_put_xml_keeps_the_xml_of_the_sat_and_reports_a_differing_one_once(
    database: Database, store: DocumentStore
) -> None:
    forged = delivered(content="forged", source="supplier")
    assert store.put_xml(ANA, [delivered(), forged]) == [Outcome.NEW, Outcome.DIFFERENT]
    assert store.put_xml(ANA, [forged]) == [Outcome.DIFFERENT]
    found = store.find(ANA, FIRST)

    assert found is not None
    assert (found.source, found.sha256, found.other_sha256, found.other_source) == ("sat", "a", "forged", "supplier")
    assert store.xml(ANA, FIRST) == b"<a/>"
    assert events(database) == [("received.different", FIRST)]


def test_put_xml_notes_that_the_sat_delivered_what_another_source_had(store: DocumentStore) -> None:
    store.put_xml(ANA, [delivered(source="folder")])
    assert store.put_xml(ANA, [delivered()]) == [Outcome.KNOWN]
    found = store.find(ANA, FIRST)
    assert found is not None
    assert (found.source, found.other_sha256) == ("sat", None)


def test_put_statuses_records_pending_and_done_cancellations(database: Database, store: DocumentStore) -> None:
    store.put_metadata(ANA, [metadata(), metadata(SECOND)])
    assert store.put_statuses(ANA, [ReceivedStatus(FIRST, "Vigente", "En proceso")]) == 1
    assert store.put_statuses(ANA, [ReceivedStatus(FIRST, "Vigente", "En proceso")]) == 0
    assert [one.uuid for one in store.lists.page(ANA, DocumentFilter(is_pending=True)).documents] == [FIRST]
    assert store.put_statuses(ANA, [ReceivedStatus(FIRST, "Cancelado", "Cancelado con aceptación")]) == 1
    assert store.put_statuses(ANA, [ReceivedStatus(SECOND, "Vigente", "")]) == 0
    found = store.find(ANA, FIRST)
    assert found is not None
    assert (found.status, found.cancellation, found.status_at) == ("Cancelado", "Cancelado con aceptación", NOON)
    assert events(database) == [("received.cancellation-pending", FIRST), ("received.cancelled", FIRST)]


def test_put_statuses_keeps_a_document_that_the_service_does_not_find(store: DocumentStore) -> None:
    store.put_metadata(ANA, [metadata()])
    store.put_statuses(ANA, [ReceivedStatus(FIRST, "No Encontrado", "")])
    found = store.find(ANA, FIRST)
    assert found is not None
    assert found.status == "Vigente"


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (DocumentFilter(), [SECOND, FIRST]),
        (DocumentFilter(rfc="BBB010101BBB"), [SECOND, FIRST]),
        (DocumentFilter(rfc="BBB010101BBB", is_issued=True), []),
        (DocumentFilter(rfc="AAA010101AAA", is_issued=True), [SECOND, FIRST]),
        (DocumentFilter(since="2026-10-02"), [SECOND]),
        (DocumentFilter(until="2026-10-02"), [FIRST]),
        (DocumentFilter(has_xml=False), [FIRST]),
        (DocumentFilter(result="warned"), [SECOND]),
        (DocumentFilter(status="Vigente"), [FIRST]),
        (DocumentFilter(kind="retenciones"), []),
        (DocumentFilter(text="aaa010101aaa"), [SECOND, FIRST]),
        (DocumentFilter(text="AAA010101AAA", rfc="BBB010101BBB"), [SECOND, FIRST]),
        (DocumentFilter(text="CCC010101CCA", rfc="BBB010101BBB"), []),
        (DocumentFilter(is_listed=True), [SECOND]),
        (DocumentFilter(rfc="BBB010101BBB", is_listed=True), [SECOND]),
        (DocumentFilter(rfc="BBB010101BBB", is_issued=True, is_listed=True), []),
        (DocumentFilter(is_different=True), []),
    ],
)
def test_page_applies_each_filter(
    store: DocumentStore, filters: DocumentFilter, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put_metadata(ANA, [metadata()])
    store.put_xml(ANA, [replace(delivered(SECOND, day=2), article_69b="Presunto")])
    store.put_xml(BEA, [delivered(SECOND, day=2)])
    assert [one.uuid for one in store.lists.page(ANA, filters).documents] == found
    monkeypatch.setattr("timbra.received.documents.lists.MAX_PAGE_SIZE", 1)
    assert [one.uuid for page in store.lists.pages(ANA, filters) for one in page] == found


def test_lists_count_add_and_name_changes(store: DocumentStore) -> None:
    dollars = replace(delivered(SECOND, day=2), header=header(SECOND, 2, total="0.333333", moneda="USD"))
    store.put_metadata(ANA, [metadata(), metadata(THIRD)])
    store.put_metadata(ANA, [metadata(THIRD, "Cancelado", "2026-10-03T00:00:00")])
    store.put_metadata(ANA, [DocumentMetadata(header(FOURTH, total="-1.00"), "Vigente")])
    store.put_xml(ANA, [dollars])
    store.put_xml(BEA, [delivered(SECOND, day=2)])

    assert store.lists.found(ANA, DocumentFilter()) == Found(4, is_exact=True)
    assert store.lists.found(ANA, DocumentFilter(), 3) == Found(3, is_exact=False)
    totals = store.lists.totals(ANA, DocumentFilter(rfc="BBB010101BBB"))
    assert totals.by_kind == {
        ("I", ""): CurrencyTotal(1, Decimal("116.000000"), 1),
        ("I", "USD"): CurrencyTotal(1, Decimal("0.333333"), 0),
    }
    assert totals.damaged == 1
    changes, following = store.lists.changes(ANA)
    assert [(change.kind, change.subject) for change in changes] == [("received.cancelled", THIRD)]
    assert following is None
    assert store.lists.changes(BEA) == ([], None)


def test_lists_have_pages_in_both_directions(store: DocumentStore) -> None:
    store.put_metadata(ANA, [DocumentMetadata(header(uuid, 1), "Vigente") for uuid in (FIRST, SECOND, THIRD)])
    first = store.lists.page(ANA, DocumentFilter(), None, 2)
    second = store.lists.page(ANA, DocumentFilter(), first.after, 2)
    assert [[one.uuid for one in page.documents] for page in (first, second)] == [[THIRD, SECOND], [FIRST]]
    assert store.lists.page(ANA, DocumentFilter(), second.before, 2).documents == first.documents
    assert (first.before, second.after) == (None, None)


def test_lists_find_parts_of_names_literally(store: DocumentStore) -> None:
    store.put_xml(ANA, [delivered(), replace(delivered(SECOND), header=header(SECOND, 2, serie="A", folio="12"))])
    found = {
        text: [one.uuid for one in store.lists.page(ANA, DocumentFilter(text=text)).documents]
        for text in ("añe", "bea", "%", "a 1", FIRST.upper(), "aaa010101aaa")
    }
    both = [SECOND, FIRST]
    assert found == {
        "añe": both,
        "bea": both,
        "%": [],
        "a 1": [SECOND],
        FIRST.upper(): [FIRST],
        "aaa010101aaa": both,
    }
