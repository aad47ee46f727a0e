"""The simulated authority: the documents that it stores and the states that it returns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from tests.support.corpus import CORPUS, corpus_path
from tests.support.sandbox_support import (
    FOLIO,
    NOON,
    OTHER,
    PARSER,
    SEAL,
    MovableClock,
    invoice,
    new_database,
    query,
    stamped,
)

from timbra import examples
from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.examples import Change
from timbra.sandbox.authority.ledger.document_index import DocumentIndexEntry, index_document, index_stamp
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT, SANDBOX_RELATION
from timbra.sandbox.store.transactions import SandboxStore
from timbra.sat.port import Authority
from timbra.stamps.port import Claim, StampRecord
from timbra.stamps.repository import DatabaseStamps

FUEL = "Conceptos/Concepto/@ClaveProdServ"
LAST = "2d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d13"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = new_database(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(NOON + timedelta(days=30))


@pytest.fixture
def faults(database: Database) -> Faults:
    return Faults(SandboxStore(database))


@pytest.fixture
def stamps(database: Database) -> DatabaseStamps:
    return DatabaseStamps(database, MovableClock(), MovableClock())


@pytest.fixture
def ledger(database: Database, stamps: DatabaseStamps, clock: MovableClock, faults: Faults) -> SandboxLedger:
    return SandboxLedger(SandboxStore(database), stamps, clock, faults)


def record(xml: bytes) -> StampRecord:
    document = index_document(PARSER.parse(xml))
    return StampRecord(
        seal_hash=sha256(xml).digest(),
        uuid=document.uuid,
        account_id=1,
        environment="sandbox",
        request_id="r",
        stamped_at=document.issued_at,
        version=document.version,
        kind=document.kind,
        serie="",
        folio="",
        fecha="2026-11-17T12:00:00",
        issuer_rfc=document.issuer_rfc,
        receiver_rfc=document.receiver_rfc,
        total=document.total,
        issuer_certificate="30001000000500003416",
        provider_certificate="99000000000000000002",
        rule_set="",
        data_version="",
        lists_version="",
        cfdi=xml,
    )


def test_ledger_implements_the_authority_port(ledger: SandboxLedger) -> None:
    authority: Authority = ledger
    answer = authority.status(query())
    assert (answer.status, answer.code) == ("No Encontrado", "N - 602: Comprobante no encontrado.")
    assert (answer.cancelable, answer.cancellation) == (None, "")


def test_status_is_vigente_for_an_imported_document(ledger: SandboxLedger) -> None:
    assert ledger.import_document(invoice()) == (FOLIO, True)
    answer = ledger.status(query())
    assert answer.status == "Vigente"
    assert answer.code == "S - Comprobante obtenido satisfactoriamente."
    assert answer.cancelable == "Cancelable con aceptación"
    assert answer.cancellation == ""


@pytest.mark.parametrize(
    "changes",
    [
        {"uuid": FOLIO.upper()},
        {"total": "2320"},
        {"total": "2320.0"},
        {"total": "0002320.000000"},
        {"seal_tail": ""},
    ],
)
def test_status_accepts_other_spellings_of_the_expression(ledger: SandboxLedger, changes: dict[str, str]) -> None:
    ledger.import_document(invoice())
    assert ledger.status(query(**changes)).status == "Vigente"


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer_rfc": "EKU9003173C8"},
        {"receiver_rfc": "XAXX010101000"},
        {"total": "2320.01"},
        {"total": "1e3"},
        {"seal_tail": SEAL[-8:].lower()},
        {"uuid": "no-folio"},
    ],
)
def test_status_is_602_for_values_that_match_no_document(ledger: SandboxLedger, changes: dict[str, str]) -> None:
    ledger.import_document(invoice())
    answer = ledger.status(query(**changes))
    assert (answer.status, answer.code) == ("No Encontrado", "N - 602: Comprobante no encontrado.")


@pytest.mark.parametrize("changes", [{"total": ""}, {"uuid": ""}])
def test_status_is_601_without_total_or_folio(ledger: SandboxLedger, changes: dict[str, str]) -> None:
    ledger.import_document(invoice())
    answer = ledger.status(query(**changes))
    assert answer.status == "No Encontrado"
    assert answer.code == "N - 601: La expresión impresa proporcionada no es válida."


def test_status_finds_a_stamp_of_this_server_before_its_delivery(ledger: SandboxLedger, stamps: DatabaseStamps) -> None:
    stamps.claim([Claim(record(invoice()))])
    assert ledger.status(query()).status == "Vigente"


def test_deliver_is_idempotent(ledger: SandboxLedger, stamps: DatabaseStamps) -> None:
    stamps.claim([Claim(record(invoice())), Claim(record(invoice({"@Total": "5800.00"}, OTHER)))])
    ledger.deliver(FOLIO)
    ledger.deliver_all([FOLIO, OTHER, OTHER])
    ledger.deliver(FOLIO.upper())
    assert ledger.status(query()).status == "Vigente"
    assert ledger.status(query(uuid=OTHER, total="5800")).status == "Vigente"
    with pytest.raises(ServiceError, match="document-unknown"):
        ledger.deliver(LAST)


IN_DOLLARS: dict[str, Change] = {"@Total": "60.00", "@Moneda": "USD", "@TipoCambio": "17.123456"}
STAMPED = (
    invoice(),
    invoice(IN_DOLLARS),
    invoice({"Emisor/@Nombre": "A > B </ 'C' CfdiRelacionado"}),
    invoice({"CfdiRelacionados": examples.relation("04", OTHER)}),
    invoice({FUEL: "15101514"}),
    invoice({FUEL: "15101514"}).replace(b"15101514", b"1510&#49;514"),
    invoice({"@Fecha": "2025-12-31T23:00:00"}),
    stamped(examples.egreso({"@Sello": SEAL}, related=OTHER.upper())),
    stamped(examples.pago({"@Sello": SEAL}, related=OTHER)),
    b"\n".join((b"<!-- <cfdi:x> --><?p > ?>", invoice().partition(b"?>")[2])),
    invoice().replace(b'"' + SEAL.encode() + b'" ', b"'&#x61;>/" + SEAL.encode() + b"'\n", 1),
)


@pytest.mark.parametrize("xml", STAMPED)
def test_index_stamp_equals_the_index_of_the_whole_document(xml: bytes) -> None:
    assert index_stamp(record(xml), PARSER) == index_document(PARSER.parse(xml))


@given(st.text(alphabet="<>&\"'/= \n-aé", max_size=40), st.sampled_from(["", "USD"]))
def test_index_stamp_ignores_any_text_in_the_start_tag(text: str, currency: str) -> None:
    quoted = quoteattr(text).encode()
    xml = invoice({"@Moneda": currency or None, "@TipoCambio": "2"})
    xml = xml.replace(b"<cfdi:Comprobante ", b"<cfdi:Comprobante  Ignored=" + quoted + b"\n", 1)
    assert index_stamp(record(xml), PARSER) == index_document(PARSER.parse(xml))


def test_deliver_all_stores_the_rows_of_single_deliveries(
    database: Database, ledger: SandboxLedger, stamps: DatabaseStamps
) -> None:
    replacing = invoice({"CfdiRelacionados": examples.relation("04", OTHER)})
    paying = stamped(examples.pago({"@Sello": SEAL}, related=FOLIO), OTHER)
    dollars = invoice(IN_DOLLARS, LAST)
    ledger.import_document(invoice())
    stamps.claim([Claim(record(xml)) for xml in (replacing, paying, dollars)])
    ledger.deliver_all([FOLIO, LAST, OTHER, LAST.upper()])
    kept, new, last = (index_document(PARSER.parse(xml)) for xml in (invoice(), paying, dollars))
    with database.read() as connection:
        rows = connection.execute(select(SANDBOX_DOCUMENT).order_by(SANDBOX_DOCUMENT.c.uuid)).all()
        relations = connection.execute(select(SANDBOX_RELATION)).all()
    assert [tuple(row) for row in rows] == [
        as_row(kept, "imported"),
        as_row(new, "delivered"),
        as_row(last, "delivered"),
    ]
    assert [tuple(row) for row in relations] == [(OTHER, FOLIO, "pago")]


def as_row(document: DocumentIndexEntry, origin: str) -> tuple[object, ...]:
    parties = (document.issuer_rfc, document.receiver_rfc)
    total = (document.total, str(document.total_mxn))
    head = (document.uuid, document.version, document.kind, *parties, *total)
    return (*head, document.seal_tail, document.issued_at, "Vigente", "", origin, document.year, document.fuel)


def test_status_and_deliver_raise_authority_down(ledger: SandboxLedger, faults: Faults) -> None:
    ledger.import_document(invoice())
    faults.set("authority-down", times=2)
    with pytest.raises(ServiceError, match="authority-down") as rejected:
        ledger.status(query())
    assert rejected.value.retry_after == 5
    with pytest.raises(ServiceError, match="authority-down"):
        ledger.deliver(FOLIO)
    assert ledger.status(query()).status == "Vigente"


def test_import_document_keeps_the_first_of_equal_folios(ledger: SandboxLedger) -> None:
    ledger.import_document(invoice())
    assert ledger.import_document(invoice({"@Total": "1.00"})) == (FOLIO, False)
    assert ledger.status(query()).status == "Vigente"


def cancelable(ledger: SandboxLedger, xml: bytes) -> str | None:
    uuid, _ = ledger.import_document(xml)
    document = index_document(PARSER.parse(xml))
    parties = {"issuer_rfc": document.issuer_rfc, "receiver_rfc": document.receiver_rfc}
    return ledger.status(query(uuid=uuid, total=document.total, seal_tail="", **parties)).cancelable


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({"@Total": "1000.00"}, "Cancelable sin aceptación"),
        ({"@Total": "1000.01"}, "Cancelable con aceptación"),
        ({"@Total": "60.00", "@Moneda": "USD", "@TipoCambio": "16.5"}, "Cancelable sin aceptación"),
        ({"@Total": "60.00", "@Moneda": "USD", "@TipoCambio": "17.5"}, "Cancelable con aceptación"),
        ({"@TipoDeComprobante": "E"}, "Cancelable sin aceptación"),
        ({"@TipoDeComprobante": "N"}, "Cancelable sin aceptación"),
        ({"@TipoDeComprobante": "T"}, "Cancelable sin aceptación"),
        ({"@TipoDeComprobante": "P", "@Total": "0"}, "Cancelable con aceptación"),
        ({"Receptor/@Rfc": "XAXX010101000"}, "Cancelable sin aceptación"),
        ({"Receptor/@Rfc": "XEXX010101000"}, "Cancelable sin aceptación"),
        ({"@Total": "1000.00", FUEL: "15101514"}, "Cancelable con aceptación"),
        ({"@TipoDeComprobante": "E", FUEL: "15101505"}, "Cancelable con aceptación"),
        ({"@TipoDeComprobante": "N", FUEL: "15101515"}, "Cancelable sin aceptación"),
        ({"@TipoDeComprobante": "T", FUEL: "15101515"}, "Cancelable sin aceptación"),
    ],
)
def test_status_is_cancelable_without_acceptance_in_the_listed_cases(
    ledger: SandboxLedger, changes: dict[str, Change], answer: str
) -> None:
    assert cancelable(ledger, invoice(changes)) == answer


@pytest.mark.parametrize(
    ("at", "last"),
    [
        ("2026-11-17T12:00:00", datetime(2026, 11, 19, 6, tzinfo=UTC)),
        ("2026-11-20T23:59:59", datetime(2026, 11, 24, 6, tzinfo=UTC)),
        ("2026-11-13T09:00:00", datetime(2026, 11, 18, 6, tzinfo=UTC)),
        ("2026-12-24T09:00:00", datetime(2026, 12, 29, 6, tzinfo=UTC)),
    ],
)
def test_status_is_cancelable_without_acceptance_until_the_next_working_day_ends(
    ledger: SandboxLedger, clock: MovableClock, at: str, last: datetime
) -> None:
    clock.instant = last - timedelta(seconds=1)
    assert cancelable(ledger, invoice(at=at)) == "Cancelable sin aceptación"
    clock.instant = last
    assert ledger.status(query()).cancelable == "Cancelable con aceptación"


def test_status_is_not_cancelable_with_a_dependent_document(ledger: SandboxLedger) -> None:
    ledger.import_document(invoice())
    ledger.import_document(stamped(examples.egreso({"@Sello": SEAL}, related=FOLIO.upper()), OTHER))
    assert ledger.status(query()).cancelable == "No cancelable"


def test_status_is_not_cancelable_with_a_payment(ledger: SandboxLedger) -> None:
    ledger.import_document(invoice())
    ledger.import_document(stamped(examples.pago({"@Sello": SEAL}, related=FOLIO), OTHER))
    assert ledger.status(query()).cancelable == "No cancelable"


@pytest.mark.parametrize("relation", ["01", "03", "04", "07"])
def test_status_is_not_cancelable_with_any_relation(ledger: SandboxLedger, relation: str) -> None:
    ledger.import_document(invoice())
    ledger.import_document(invoice({"CfdiRelacionados": examples.relation(relation, FOLIO)}, OTHER))
    assert ledger.status(query()).cancelable == "No cancelable"


def test_status_counts_a_relation_before_its_document_is_delivered(
    ledger: SandboxLedger, stamps: DatabaseStamps
) -> None:
    ledger.import_document(invoice())
    stamps.claim([Claim(record(stamped(examples.pago({"@Sello": SEAL}, related=FOLIO), OTHER)))])
    assert ledger.status(query()).cancelable == "No cancelable"


def twice(xml: bytes) -> bytes:
    timbre = TimbreFiscalDigital(OTHER, "2026-11-17T12:00:00", "TIM010101SB9", SEAL, "99000000000000000002", "c2VsbG8=")
    return insert_complement(PARSER.parse(xml), timbre.to_xml().encode())


@pytest.mark.parametrize(
    "xml",
    [
        examples.ingreso().encode(),
        b"<Comprobante/>",
        twice(invoice()),
        invoice(folio="x"),
        invoice(at="2026-11-31T12:00:00"),
        invoice({"@Total": "mil"}),
        invoice({"@Total": "9" * 200}),
        invoice({"@Moneda": "USD"}),
        invoice({"Receptor": None}),
    ],
)
def test_import_document_rejects_documents_without_one_stamp(ledger: SandboxLedger, xml: bytes) -> None:
    with pytest.raises(ServiceError, match="document-invalid"):
        ledger.import_document(xml)


@given(st.binary(max_size=300) | st.integers(0, 4000).map(lambda at: invoice()[:at] + b"\0" + invoice()[at + 1 :]))
def test_index_document_indexes_or_rejects_any_bytes(xml: bytes) -> None:
    try:
        index_document(PARSER.parse(xml))
    except ServiceError as error:
        assert error.code in {"301", "document-invalid"}  # noqa: PT017


def test_import_document_imports_public_stamped_documents(ledger: SandboxLedger) -> None:
    corpus_path()
    versions = set()
    for entry in json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]:
        if entry["stamped"] and entry["version"] in ("4.0", "3.3", "3.2") and len(entry["tfd"]) == 1:
            uuid, _ = ledger.import_document((CORPUS / entry["file"]).read_bytes())
            assert uuid == entry["tfd"][0]["uuid"].lower()
            versions.add(entry["version"])
    assert versions == {"4.0", "3.3", "3.2"}
