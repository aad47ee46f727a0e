"""Stored documents by the API and in the portal: lists, sums, changes, exports, and the answer of the receiver."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from python_calamine import CalamineWorkbook
from tests.support.asgi import Answer, application, call
from tests.support.browser import Visitor
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp
from tests.support.exports import joined

from timbra.accounts.build import account_services
from timbra.container import Container
from timbra.received.build import document_store
from timbra.received.documents.models import DeliveredXml, DocumentMetadata, ReceivedHeader, ReceivedStatus

SUPPLIER = "AAA010101AAA"
XML = "11111111-1111-4111-8111-111111111111"
METADATA = "22222222-2222-4222-8222-222222222222"
CANCELLED = "33333333-3333-4333-8333-333333333333"
PAGE = "/portal/recibidos"


def header(uuid: str, day: int, **values: Any) -> ReceivedHeader:
    fecha = f"2026-10-{day:02}T10:00:00"
    made = ReceivedHeader(
        uuid, "cfdi", SUPPLIER, "Añejo SA", RECEIVER, "Bea", "SPR190613I52", fecha, fecha, "1160.50", "I"
    )
    return replace(made, **values)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.receiver)
    made.account("bea@example.com")
    fill(made.container, made.caller.account_id)
    yield made
    made.container.close()


def fill(container: Container, account_id: int) -> None:
    """Store an XML with a finding, a document of metadata only, and a cancelled one."""
    store = container.get(document_store)
    finding = {"severity": "error", "code": "CFDI40124", "path": "Comprobante/@Total", "found": "1", "expected": "2"}
    of_xml = header(XML, 3, serie="A", folio="7", moneda="USD", total="0.333333")
    delivered = DeliveredXml(of_xml, b"<a/>", "hash", "sat", "invalid", 1, 0, "Presunto", None, [finding])
    store.put_xml(account_id, [delivered])
    store.put_metadata(account_id, [DocumentMetadata(header(METADATA, 2), "Vigente")])
    known = DocumentMetadata(header(CANCELLED, 1, tipo_de_comprobante="E"), "Vigente")
    store.put_metadata(account_id, [known])
    store.put_metadata(account_id, [replace(known, status="Cancelado", cancelled_at="2026-10-05T00:00:00")])
    store.put_situations(account_id, {SUPPLIER: "Presunto"})


@pytest.fixture
def ana(app: CancellationApp) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    return visitor


def request(app: CancellationApp, path: str, query: str = "", user: str = "ana") -> Answer:
    token = account_services(app.container).accounts.create_infinite_token(f"{user}@example.com")
    return call(application(app.container), "GET", path, headers={"Authorization": f"bearer {token}"}, query=query)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [XML, METADATA, CANCELLED]),
        (f"rfc={RECEIVER}&side=received", [XML, METADATA, CANCELLED]),
        (f"rfc={RECEIVER}", [XML, METADATA, CANCELLED]),
        (f"rfc={RECEIVER}&side=issued", []),
        ("since=2026-10-02&until=2026-10-02", [METADATA]),
        ("type=E", [CANCELLED]),
        ("type=retenciones", []),
        ("status=Cancelado", [CANCELLED]),
        ("result=invalid", [XML]),
        ("xml=no", [METADATA, CANCELLED]),
        ("mark=pending", []),
        ("mark=different", []),
        (f"text={METADATA.upper()}", [METADATA]),
        (f"text={SUPPLIER.lower()}&xml=yes", [XML]),
        ("text=a 7", [XML]),
        ("text=a%C3%B1e&xml=yes", [XML]),
        ("text=50%25", []),
    ],
)
def test_list_applies_each_filter(app: CancellationApp, query: str, found: list[str]) -> None:
    answer = request(app, "/received/documents", query)
    assert answer.status == 200, answer.body
    assert [row["uuid"] for row in answer.json["data"]["records"]] == found
    assert answer.json["data"]["cursor"] is None


def test_list_has_pages_by_keyset(app: CancellationApp) -> None:
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        data = request(app, "/received/documents", f"limit=1&cursor={cursor}").json["data"]
        seen += [row["uuid"] for row in data["records"]]
        cursor = data["cursor"]
    assert seen == [XML, METADATA, CANCELLED]


@pytest.mark.parametrize("query", ["side=both", "since=ayer", "mark=x", "cursor=%21", "limit=0", "type=Q"])
def test_list_rejects_wrong_fields(app: CancellationApp, query: str) -> None:
    assert request(app, "/received/documents", query).status == 400


def test_totals_are_exact_by_kind_and_currency(app: CancellationApp) -> None:
    data = request(app, "/received/totals").json["data"]
    assert data == {
        "totals": [
            {"tipoDeComprobante": "E", "moneda": "", "documents": 0, "total": "0.00", "cancelled": 1},
            {"tipoDeComprobante": "I", "moneda": "", "documents": 1, "total": "1160.50", "cancelled": 0},
            {"tipoDeComprobante": "I", "moneda": "USD", "documents": 1, "total": "0.333333", "cancelled": 0},
        ],
        "damaged": 0,
    }


def test_read_has_the_findings_and_the_xml(app: CancellationApp) -> None:
    data = request(app, f"/received/documents/{XML.upper()}").json["data"]
    assert (data["document"]["serie"], data["document"]["article69B"]) == ("A", "Presunto")
    assert [(each["code"], each["found"], each["detail"]) for each in data["findings"]] == [("CFDI40124", "1", None)]
    assert request(app, f"/received/documents/{XML}/xml").body == b"<a/>"
    assert request(app, f"/received/documents/{METADATA}/xml").status == 404


def test_documents_belong_to_their_account(app: CancellationApp) -> None:
    assert request(app, "/received/documents", user="bea").json["data"]["records"] == []
    assert request(app, "/received/changes", user="bea").json["data"]["records"] == []
    assert request(app, "/received/totals", user="bea").json["data"]["totals"] == []
    for path in (f"/received/documents/{XML}", f"/received/documents/{XML}/xml", "/received/documents/x"):
        assert request(app, path, user="bea").status == 404
    bea = Visitor(app)
    bea.sign_in("bea@example.com")
    assert [bea.get(f"{PAGE}/{XML}{path}").status_code for path in ("", "/xml")] == [404, 404]


def test_changes_name_cancellations_and_issuers(app: CancellationApp) -> None:
    first = request(app, "/received/changes", "limit=1").json["data"]
    assert [(row["event"], row["subject"], row["situation"]) for row in first["records"]] == [
        ("received.article-69b", SUPPLIER, "Presunto")
    ]
    rest = request(app, "/received/changes", f"cursor={first['cursor']}").json["data"]
    assert [(row["event"], row["uuid"], row["cancelledAt"]) for row in rest["records"]] == [
        ("received.cancelled", CANCELLED, "2026-10-05T00:00:00")
    ]
    assert len(request(app, "/received/changes", "event=received.cancelled").json["data"]["records"]) == 1
    assert request(app, "/received/changes", "event=cfdi.stamped").status == 400


def test_exports_have_the_selection(app: CancellationApp, ana: Visitor) -> None:
    text = request(app, "/received/exports/documents.csv", "xml=yes").body.decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(text))
    assert (row["Folio fiscal"], row["Total"], row["Moneda"], row["Revisión"], row["69-B"]) == (
        XML,
        "0.333333",
        "USD",
        "con errores",
        "Presunto",
    )
    with zipfile.ZipFile(io.BytesIO(request(app, "/received/exports/documents.zip").body)) as archive:
        assert [(name, archive.read(name)) for name in archive.namelist()] == [(f"{XML}.xml", b"<a/>")]
    book = CalamineWorkbook.from_filelike(io.BytesIO(request(app, "/received/exports/documents.xlsx").body))
    assert [row[0] for row in book.get_sheet_by_index(0).to_python()] == ["Folio fiscal", XML, METADATA, CANCELLED]
    assert request(app, "/received/exports/documents.pdf").status == 404
    assert [ana.get(f"{PAGE}/exportar/{name}").status_code for name in ("csv", "xlsx", "zip", "pdf")] == [
        *[200] * 3,
        404,
    ]
    changes = ana.get(f"{PAGE}/cambios/csv").content.decode("utf-8-sig")
    assert [row["Detalle"] for row in csv.DictReader(io.StringIO(changes))] == [
        "Antes: fuera de la lista. Ahora: Presunto. Documentos: 3.",
        "Cancelada el 2026-10-05T00:00:00.",
    ]


@pytest.mark.parametrize("query", ["", f"rfc={RECEIVER}"])
@pytest.mark.parametrize("name", ["csv", "xlsx", "zip"])
def test_exports_have_all_pages_with_their_progress(
    ana: Visitor, name: str, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{PAGE}/exportar/{name}?{query}"
    whole = ana.get(path).content
    assert joined(ana.post(path, {}, headers={"X-Progress": "parts"}).content) == (3, whole)

    monkeypatch.setattr("timbra.received.documents.lists.MAX_PAGE_SIZE", 1)
    pages = ana.get(path).content
    if name == "csv":
        assert pages == whole
    elif name == "xlsx":
        sheets = [CalamineWorkbook.from_filelike(io.BytesIO(each)).get_sheet_by_index(0) for each in (whole, pages)]
        assert sheets[0].to_python() == sheets[1].to_python()


def test_archives_are_limited(app: CancellationApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.received.documents.exports.MAX_DOCUMENTS", 2)
    answer = request(app, "/received/exports/documents.zip")
    assert (answer.status, "más de 2 documentos" in answer.body.decode()) == (400, True)


def test_portal_lists_filters_and_adds_up(ana: Visitor) -> None:
    ana.get(f"{PAGE}?sumar=si")
    assert ana.page is not None
    assert len(ana.page.xpath("//table[contains(@class, 'received')]/tbody/tr")) == 3
    assert "1,160.50" in ana.text
    assert "69-B Presunto" in ana.text
    ana.get(f"{PAGE}?xml=no&estado=Cancelado")
    assert len(ana.page.xpath("//table[contains(@class, 'received')]/tbody/tr")) == 1
    assert ana.get(f"{PAGE}?desde=ayer").status_code == 422
    assert ana.get(f"{PAGE}?cursor=x").status_code == 422
    ana.get(f"{PAGE}?texto=nada")
    assert "No hay documentos que coincidan" in ana.text


def test_portal_shows_a_document_and_the_changes(ana: Visitor) -> None:
    shown = ana.get(f"{PAGE}/{XML}").text
    assert re.search(r"<dt>Origen del XML</dt>\s*<dd[^>]*>SAT</dd>", shown)
    assert "CFDI40124" in ana.text
    assert ana.get(f"{PAGE}/{XML}/xml").content == b"<a/>"
    ana.get(f"{PAGE}/{METADATA}")
    assert "El SAT no ha entregado el XML" in ana.text
    ana.get(f"{PAGE}/cambios")
    assert "El emisor canceló la factura" in ana.text
    assert ana.get(f"{PAGE}/cambios?cambio=otro").status_code == 404


def test_receiver_answers_a_pending_cancellation_on_the_page(app: CancellationApp, ana: Visitor) -> None:
    uuid = app.invoice()
    app.advance("3d")
    app.cancel(uuid)
    store, account_id = app.container.get(document_store), app.caller.account_id
    of_supplier = header(uuid, 4, issuer_rfc=ISSUER, total="5800.00")
    store.put_metadata(account_id, [DocumentMetadata(of_supplier, "Vigente")])
    ana.get(f"{PAGE}/{uuid}")
    ana.post(f"{PAGE}/{uuid}/estado", {})
    ana.get(f"{PAGE}/{uuid}")
    assert "El emisor pide cancelar esta factura" in ana.text

    answer = ana.post(f"{PAGE}/{uuid}/responder", {"respuesta": "Quizá"})
    assert answer.status_code == 422
    answer = ana.post(f"{PAGE}/{uuid}/responder", {"respuesta": "Aceptacion"})
    ana.get(answer.headers["location"])
    assert "El SAT recibió su respuesta" in ana.text
    found = store.find(account_id, uuid)
    assert found is not None
    assert (found.status, found.cancellation) == ("Cancelado", "Cancelado con aceptación")
    store.put_statuses(account_id, [ReceivedStatus(uuid, "Cancelado", "Cancelado con aceptación")])
    events = request(app, "/received/changes", "limit=2").json["data"]["records"]
    assert [(row["event"], row["uuid"]) for row in events] == [
        ("received.cancelled", uuid),
        ("received.cancellation-pending", uuid),
    ]
