"""Reconciliations by the API and in the portal, with the same numbers as those of the command."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook
from tests.support.asgi import Answer, application, call
from tests.support.browser import Visitor
from tests.support.reconciliation_month import OWN, planted_month
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.received.reconciliation.build import reconciliation_runner

PATH = "/portal/conciliaciones"
FILES = {"sat": "xml.zip", "erp": "erp.csv", "payments": "payments.csv"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    made.account("bea@example.com")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("month")
    planted_month(56, 2).write(made)
    return made


@pytest.fixture
def ana(app: SandboxApp) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    return visitor


def request(app: SandboxApp, method: str, path: str, body: bytes = b"", query: str = "", user: str = "ana") -> Answer:
    token = account_services(app.container).accounts.create_infinite_token(f"{user}@example.com")
    headers = {"Authorization": f"bearer {token}", "Content-Type": "multipart/form-data; boundary=b1"}
    return call(application(app.container), method, path, headers=headers, body=body, query=query)


def multipart(fields: dict[str, str], files: dict[str, bytes]) -> bytes:
    parts = [f'name="{name}"\r\n\r\n'.encode() + value.encode() for name, value in fields.items()]
    parts += [f'name="{name}"; filename="{FILES[name]}"\r\n\r\n'.encode() + each for name, each in files.items()]
    return b"".join(b"--b1\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + b"--b1--\r\n"


def order(app: SandboxApp, folder: Path, **fields: str) -> Answer:
    files = {name: (folder / file).read_bytes() for name, file in FILES.items()}
    return request(app, "POST", "/reconciliations", multipart({"rfc": OWN, "month": "2026-10", **fields}, files))


def test_api_has_the_numbers_of_the_portal_and_of_every_report(
    app: SandboxApp, folder: Path, ana: Visitor, tmp_path: Path
) -> None:
    ordered = order(app, folder, erpColumns='{"columns": {"uuid": "UUID"}, "recognize": true}')
    assert ordered.status == 202, ordered.body
    number = ordered.json["data"]["id"]
    address = f"/reconciliations/{number}"
    assert ordered.json["data"]["status"] == "queued"
    assert request(app, "GET", f"{address}/report.json").json["message"].startswith("TB4031")
    assert "Se está conciliando" in str(ana.get(f"{PATH}/{number}").text)
    reconciliation_runner(app.container).run_due()
    read = request(app, "GET", address).json["data"]
    assert read["status"] == "done"
    kinds = {each["kind"]: each for each in read["kinds"]}
    assert read["differences"] == sum(each["count"] for each in kinds.values()) > 50
    for name, each in kinds.items():
        page = request(app, "GET", f"{address}/differences", query=f"kind={name}").json["data"]
        assert len(page) == each["count"]
        assert sum(Decimal(row["satAmount"] or 0) for row in page) == Decimal(each["satAmount"])
        assert request(app, "GET", f"{address}/differences", query=f"kind={name}&page=1").json["data"] == []
    report = json.loads(request(app, "GET", f"{address}/report.json").body)
    shown = {
        each["kind"]: (each["count"], each["sat_amount"], each["books_amount"]) for each in report["summary"]["kinds"]
    }
    assert shown == {name: (each["count"], each["satAmount"], each["booksAmount"]) for name, each in kinds.items()}
    text = request(app, "GET", f"{address}/differences.csv").body.decode("utf-8-sig")
    assert len([*csv.DictReader(io.StringIO(text))]) == read["differences"]
    (tmp_path / "r.xlsx").write_bytes(request(app, "GET", f"{address}/report.xlsx").body)
    with CalamineWorkbook.from_path(tmp_path / "r.xlsx") as book:
        rows = book.get_sheet_by_name("Resumen").to_python()[1:]
    assert {row[1]: row[2] for row in rows} == {name: each["count"] for name, each in kinds.items()}
    assert b"Falta en los registros" in request(app, "GET", f"{address}/report.html").body
    ana.get(f"{PATH}/{number}")
    assert ana.page is not None
    for row in ana.page.xpath("//table[@id='counts']/tbody/tr"):
        count, sat, books = (cell.text_content().strip().replace(",", "") for cell in row.xpath("td"))
        each = kinds.pop(row.get("data-kind"))
        assert (int(count), Decimal(sat), Decimal(books)) == (
            each["count"],
            Decimal(each["satAmount"]),
            Decimal(each["booksAmount"]),
        )
    assert kinds == {}
    assert request(app, "DELETE", address, user="bea").status == 404
    assert request(app, "DELETE", address).status == 204
    assert request(app, "GET", address).status == 404
    assert ana.get(f"{PATH}/{number}").status_code == 404


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rfc": "X"}, "Escriba el RFC"),
        ({"month": "octubre"}, "El periodo es un mes"),
        ({"side": "ambos"}, "Debe ser issued o received"),
        ({"tolerance": "-1"}, "La tolerancia es un importe"),
        ({"types": "Q"}, "Son letras de IETNPR"),
        ({"stored": "quizá"}, "El campo stored debe ser true o false"),
        ({"erpColumns": "{"}, "Las columnas del archivo no se pueden usar"),
        ({"erpColumns": '{"columns": {"importe": "x"}}'}, "No existe la columna importe"),
    ],
)
def test_api_rejects_wrong_fields(app: SandboxApp, folder: Path, fields: dict[str, str], message: str) -> None:
    answer = order(app, folder, **fields)
    assert (answer.status, message in answer.body.decode()) == (400, True), answer.body


def test_api_rejects_other_bodies_and_unknown_resources(app: SandboxApp, folder: Path) -> None:
    assert request(app, "POST", "/reconciliations", multipart({"rfc": OWN, "month": "2026-10"}, {})).status == 400
    assert request(app, "POST", "/reconciliations").status == 400
    for path in ("/reconciliations/1x", "/reconciliations/999", f"/reconciliations/{'9' * 400}"):
        assert request(app, "GET", path).status == 404
    number = order(app, folder).json["data"]["id"]
    assert request(app, "GET", f"/reconciliations/{number}/other.pdf").status == 404
    assert request(app, "GET", f"/reconciliations/{number}/differences", query="kind=x").status == 400
    assert request(app, "GET", f"/reconciliations/{number}/differences", query="kind=overpaid&page=x").status == 400
    assert [each["id"] for each in request(app, "GET", "/reconciliations").json["data"]] == [number]
    request(app, "DELETE", f"/reconciliations/{number}")


def test_portal_orders_shows_pages_and_exports(app: SandboxApp, folder: Path, ana: Visitor) -> None:
    ana.get(PATH)
    assert "Todavía no hay conciliaciones" in ana.text
    fields = {"rfc": OWN, "lado": "received", "mes": "2026-10", "tolerancia": "0.01", "tipos": "IE", "envio": "once"}
    named = (("sat", "metadata.zip"), ("sat", "xml.zip"), ("erp", "erp.csv"), ("pagos", "payments.csv"))
    files = [(field, (name, (folder / name).read_bytes())) for field, name in named]
    answer = ana.post(PATH, {**fields, "erp_total": "TOTAL"}, files=files)
    assert answer.status_code == 303, ana.text
    address = answer.headers["location"]
    assert ana.post(PATH, fields, files=files).headers["location"] == address
    reconciliation_runner(app.container).run_due()
    ana.get(f"{address}?clase=substituted")
    assert ana.page is not None
    assert "diferencias" in ana.text
    assert len(ana.page.xpath("//section[@aria-labelledby='rows']//tbody/tr")) == 2
    assert ana.get(f"{address}?clase=nada").status_code == 404
    assert ana.get(f"{address}?parte=0").status_code == 404
    for name, media_type in (
        ("conciliacion.xlsx", "application/vnd.openxml"),
        ("diferencias.csv", "text/csv"),
        ("conciliacion.html", "text/html"),
        ("conciliacion.json", "application/json"),
    ):
        export = ana.get(f"{address}/{name}")
        assert export.status_code == 200
        assert export.headers["content-type"].startswith(media_type), name
        assert export.headers["content-disposition"].startswith("attachment"), name
    assert ana.get(f"{address}/otro.csv").status_code == 404
    bea = Visitor(app)
    bea.sign_in("bea@example.com")
    assert bea.get(address).status_code == 404
    ana.get(PATH)
    ana.post(f"{address}/eliminar", {})
    assert ana.get(address).status_code == 404


def test_portal_shows_why_a_form_or_a_run_failed(app: SandboxApp, folder: Path, ana: Visitor) -> None:
    ana.get(PATH)
    fields = {"rfc": "mal", "lado": "received", "mes": "2026-10", "tolerancia": "0.01", "tipos": "IE"}
    answer = ana.post(PATH, fields, files=[("sat", ("a.zip", b"x"))])
    assert (answer.status_code, "Escriba el RFC del contribuyente." in ana.text) == (422, True)
    fields["rfc"] = OWN
    answer = ana.post(PATH, fields, files=[("sat", ("", b""))])
    assert (answer.status_code, "Faltan los CFDI del SAT" in ana.text) == (422, True)
    files = [(name, (FILES[name], (folder / FILES[name]).read_bytes())) for name in ("sat", "erp")]
    answer = ana.post(PATH, {**fields, "erp_total": "Cantidad a pagar"}, files=files)
    reconciliation_runner(app.container).run_due()
    ana.get(answer.headers["location"])
    assert "No hay una columna Cantidad a pagar" in ana.text
