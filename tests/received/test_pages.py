"""Validation of received documents in the portal, without JavaScript and as the page's script sends them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from httpx2 import Response
from python_calamine import CalamineWorkbook
from tests.support.browser import Visitor
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.delivery.ports import authority_work
from timbra.documents.build import document_services
from timbra.validation.tables import DOCUMENTS, FINDINGS

PATH = "/portal/proveedores"
HEAD = "Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto~"
METADATA = (
    f"{HEAD}EfectoComprobante~Estatus~FechaCancelacion\r\n"
    "6B29FC40-CA47-1067-B31D-00DD010662DA~AAA010101AAA~PROVEEDOR~EKU9003173C9~ESCUELA~SPR190613I52~"
    "2026-11-01 10:00:00~2026-11-01 10:01:00~$1,160.50~I~0~2026-11-02 09:00:00\r\n"
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    made.account("bea@example.com")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def documents(app: SandboxApp) -> dict[str, bytes]:
    """A valid document for another receiver, one for the account, and one with a wrong sum and a formula."""
    ours = {"Receptor/@Rfc": "EKU9003173C9", "Receptor/@Nombre": examples.KEMPER.name}
    ours |= {"Receptor/@DomicilioFiscalReceptor": "42501", "Receptor/@RegimenFiscalReceptor": "601"}
    made = {
        "otro.xml": examples.ingreso(fecha=FECHA),
        "nuestro.xml": examples.ingreso({**ours, "@Folio": "77"}, fecha=FECHA),
        "mal.xml": examples.ingreso({"@Serie": "=1+1"}, fecha=FECHA),
    }
    stamped = {name: app.issue(text.encode()).cfdi for name, text in made.items()}
    stamped["mal.xml"] = stamped["mal.xml"].replace('SubTotal="', 'SubTotal="1')
    app.container.get(authority_work).deliver()
    return {name: text.encode() for name, text in stamped.items()}


@pytest.fixture
def ana(app: SandboxApp) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    return visitor


def archive(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return buffer.getvalue()


def send(visitor: Visitor, *files: tuple[str, bytes], **fields: str) -> Response:
    visitor.get(PATH)
    answer = visitor.post(PATH, {"status": "yes", **fields}, files=[("archivos", file) for file in files])
    if answer.status_code == 303:
        visitor.get(answer.headers["location"])
    return answer


def cells(visitor: Visitor) -> list[str]:
    assert visitor.page is not None
    return [" ".join(row.text_content().split()) for row in visitor.page.xpath("//table//tbody/tr")]


def table(visitor: Visitor, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(visitor.get(address).content.decode("utf-8-sig"), newline="")))


def test_form_shows_results_without_javascript(ana: Visitor, documents: dict[str, bytes]) -> None:
    answer = send(ana, *documents.items(), ("basura.xml", b"hola"))
    rows = cells(ana)

    assert answer.status_code == 303
    assert len(rows) == 4
    assert "sin errores" in rows[0]
    assert "Vigente" in rows[0]
    assert "de otro receptor" in rows[0]
    assert "nuestro" in rows[1]
    assert "232.00" in rows[1]
    assert "con errores" in rows[2]
    assert "ilegible" in rows[3]


def test_archives_and_metadata_are_read(ana: Visitor, documents: dict[str, bytes]) -> None:
    inner = archive({"x.xml": documents["otro.xml"]})
    members = {"carpeta/a.xml": documents["otro.xml"], "b.XML": documents["mal.xml"], "c.doc": b"texto", "d.zip": inner}
    send(ana, ("paquete.zip", archive(members)), ("m.txt", METADATA.encode()), ("nota.txt", b"hola"))
    rows = cells(ana)

    assert ["sin errores" in rows[0], "con errores" in rows[1]] == [True, True]
    assert "solo metadatos" in rows[2]
    assert "Cancelado" in rows[2]
    assert "1,160.50" in rows[2]
    assert "ilegible" in rows[3]
    assert len(rows) == 4


def test_pdf_is_validated_by_its_cfdi(app: SandboxApp, ana: Visitor, documents: dict[str, bytes]) -> None:
    printed = app.container.get(document_services).printing.print(documents["nuestro.xml"]).pdf
    members = {"a.xml": documents["nuestro.xml"], "a.pdf": printed, "b.pdf": printed}
    send(ana, ("uno.pdf", printed), ("z.zip", archive(members)), ("roto.pdf", b"%PDF-1.7"))

    states = [next(state for state in ("sin errores", "ilegible") if state in row) for row in cells(ana)]
    assert states == ["sin errores", "sin errores", "sin errores", "ilegible"]


def test_filters_select_and_count(ana: Visitor, documents: dict[str, bytes]) -> None:
    answer = send(ana, *documents.items(), ("copia.xml", documents["otro.xml"]), ("m.txt", METADATA.encode()))
    address = answer.headers["location"]

    def found(query: str) -> int:
        ana.get(f"{address}?{query}")
        return len(cells(ana))

    assert found("") == 5
    assert found("resultado=wrong") == 1
    assert found("resultado=none") == 1
    assert found("duplicados=si") == 1
    assert found("estado=Cancelado") == 1
    assert found("ajenos=si") == 3
    assert found("texto=nuestro.xml") == 1
    assert found("texto=proveedor") == 1
    assert found("texto=%25") == 0
    assert ana.get(f"{address}?resultado=raro").status_code == 422
    assert ana.get(f"{address}?desde=x").status_code == 422


def test_document_page_shows_its_findings(ana: Visitor, documents: dict[str, bytes]) -> None:
    answer = send(ana, ("mal.xml", documents["mal.xml"]))
    ana.get(f"{answer.headers['location']}/0")

    assert "CFDI40108" in ana.text
    assert "=1+1" in ana.text
    assert ana.get(f"{answer.headers['location']}/1").status_code == 404
    assert ana.get(f"{answer.headers['location']}/{2**40}").status_code == 404


def test_exports_have_the_columns_of_the_tables_and_no_formulas(ana: Visitor, documents: dict[str, bytes]) -> None:
    address = send(ana, *documents.items()).headers["location"]
    rows, findings = table(ana, f"{address}/documents.csv"), table(ana, f"{address}/findings.csv")
    book = CalamineWorkbook.from_filelike(io.BytesIO(ana.get(f"{address}/revision.xlsx").content))

    assert [*rows[0]] == [column.name for column in DOCUMENTS]
    assert [*findings[0]] == [column.name for column in FINDINGS]
    assert rows[2]["serie"] == "'=1+1"
    assert {row["document_id"] for row in findings} == {"2"}
    assert book.sheet_names == ["documents", "findings"]
    head, *lines = book.get_sheet_by_name("documents").to_python()
    assert lines[2][head.index("serie")] == "=1+1"
    assert lines[0][head.index("total")] == 232.0
    assert len(table(ana, f"{address}/documents.csv?resultado=wrong")) == 1


def test_run_is_of_its_account_and_can_be_removed(app: SandboxApp, ana: Visitor, documents: dict[str, bytes]) -> None:
    address = send(ana, ("a.xml", documents["otro.xml"])).headers["location"]
    bea = Visitor(app)
    bea.sign_in("bea@example.com")
    for path in ("", "/0", "/documents.csv", "/findings.csv", "/revision.xlsx"):
        assert bea.get(f"{address}{path}").status_code == 404
    bea.get(PATH)
    assert bea.post(f"{address}/eliminar", {}).status_code == 404
    assert "a.xml" not in bea.text

    assert ana.get(address).status_code == 200
    assert ana.post(f"{address}/eliminar", {}).status_code == 303
    assert ana.get(address).status_code == 404
    assert ana.get(f"{PATH}/{2**63}").status_code == 404


def test_form_sent_twice_makes_one_run(ana: Visitor, documents: dict[str, bytes]) -> None:
    first, second = (send(ana, ("a.xml", documents["otro.xml"]), envio="una-vez") for _ in range(2))

    assert first.headers["location"] == second.headers["location"]
    assert len(cells(ana)) == 1


def test_form_without_files_says_so(ana: Visitor) -> None:
    assert send(ana).status_code == 422
    assert "Elija uno o varios archivos" in ana.text


def script_headers(visitor: Visitor) -> dict[str, str]:
    return {"X-CSRF-Token": visitor.csrf_token, "Accept": "application/json"}


def started(visitor: Visitor) -> int:
    visitor.get(PATH)
    answer = visitor.post(PATH, {"nombre": "carpeta/a.xml"}, headers=script_headers(visitor))
    return int(answer.json()["run"])


def send_part(visitor: Visitor, run: int, *files: tuple[str, bytes]) -> list[dict[str, object]]:
    path = f"{PATH}/{run}/archivos"
    answer = visitor.post(
        path, {}, files=[("archivos", file) for file in files], headers=script_headers(visitor), csrf_token=""
    )
    return [json.loads(line) for line in answer.text.splitlines()]


def test_parts_report_progress_and_are_not_added_twice(ana: Visitor, documents: dict[str, bytes]) -> None:
    run = started(ana)
    files = [(f"carpeta/{number}.xml", documents["otro.xml"]) for number in range(60)]
    steps = send_part(ana, run, *files)
    again = send_part(ana, run, *files[:3], ("mal.xml", documents["mal.xml"]))
    ana.get(f"{PATH}/{run}?duplicados=si")

    assert [step["done"] for step in steps] == [0, 50, 60, 60]
    assert again[-1] == {"done": 4, "total": 4, "wrong": 1, "ignored": 0, "stored": 0}
    assert "59 documentos" in ana.text
    assert "61 documentos" in ana.text


def test_run_that_another_tab_removed_is_told(ana: Visitor, documents: dict[str, bytes]) -> None:
    run = started(ana)
    ana.post(f"{PATH}/{run}/eliminar", {})
    ana.get(PATH)
    answer = ana.post(
        f"{PATH}/{run}/archivos",
        {},
        files=[("archivos", ("a.xml", documents["otro.xml"]))],
        headers=script_headers(ana),
        csrf_token="",
    )
    assert answer.status_code == 404
