"""One damaged row among others: the lists, sums and exports mark it and have all others."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from zipfile import ZipFile

import pytest
from python_calamine import CalamineWorkbook
from sqlalchemy import text
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp
from tests.support.databases import need_postgresql, postgresql_database

from timbra.database.build import opened_database
from timbra.database.codec import encode

PATH = "/portal/facturas"
ON_BOTH = {
    "empty-document": ("cfdi", b""),
    "unknown-codec": ("cfdi", b"\x07abc"),
    "cut-document": ("cfdi", encode(b"<a/>" * 900)[:-30]),
    "no-xml": ("cfdi", encode(b"no XML")),
    "empty-xml": ("cfdi", encode(b"")),
    "no-total": ("total", "x1"),
    "empty-total": ("total", ""),
    "infinite-total": ("total", "Infinity"),
    "late-instant": ("stamped_at", 2**62),
    "early-instant": ("stamped_at", -(2**62)),
}
ON_SQLITE = {"text-instant": ("stamped_at", "soon"), "text-document": ("cfdi", "<a/>"), "number-total": ("total", 7)}
"""Values of other types, which only SQLite stores; it keeps 7 as the text of a total that can be read."""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    folder = tmp_path_factory.mktemp("sandbox")
    if request.param == "sqlite":
        made = CancellationApp(folder)
        yield made
        made.container.close()
        return
    need_postgresql()
    with postgresql_database() as url:
        made = CancellationApp(folder, database_url=url)
        yield made
        made.container.close()


@pytest.fixture(scope="module")
def uuids(app: CancellationApp) -> list[str]:
    return [app.invoice(price=f"{price}.00").lower() for price in (100, 200, 300, 400, 500)]


@pytest.fixture(params=[*ON_BOTH, *ON_SQLITE])
def damaged(request: pytest.FixtureRequest, app: CancellationApp, uuids: list[str]) -> Iterator[str]:
    """The folio of the third document, one of whose columns is damaged during the test."""
    if request.param in ON_SQLITE and app.container.get(opened_database).dialect != "sqlite":
        pytest.skip("PostgreSQL stores values of the type of the column only")
    column, value = {**ON_BOTH, **ON_SQLITE}[request.param]
    folio = uuids[2]
    with app.container.get(opened_database).write() as connection:
        [before] = connection.execute(text(f"SELECT {column} FROM stamp WHERE uuid = :uuid"), {"uuid": folio}).one()
        change = text(f"UPDATE stamp SET {column} = :value WHERE uuid = :uuid")
        connection.execute(change, {"value": value, "uuid": folio})
    yield folio
    with app.container.get(opened_database).write() as connection:
        connection.execute(change, {"value": before, "uuid": folio})


@pytest.fixture
def ana(app: CancellationApp) -> Visitor:
    visitor = Visitor(app)
    assert visitor.sign_in("ana@example.com").status_code == 303
    return visitor


def listed(visitor: Visitor, query: str = "") -> list[str]:
    answer = visitor.get(f"{PATH}{query}")
    assert answer.status_code == 200
    assert visitor.page is not None
    return [link.rpartition("/")[2] for link in visitor.page.xpath("//table[1]/tbody//th/a/@href")]


def test_pages_list_every_document_and_mark_the_damaged_one(ana: Visitor, uuids: list[str], damaged: str) -> None:
    is_readable = b"<" in ana.get(f"{PATH}/{damaged}/xml").content[:1]
    for query in ("", "?orden=total", "?desde=", f"?rfc={'EKU9003173C9'}"):
        assert sorted(listed(ana, query)) == sorted(uuids)
        marks = ana.page.xpath("//table[1]//span[@title][contains(@class, 'bad')]") if ana.page is not None else []
        assert len(marks) == 1 or is_readable


def test_sum_leaves_out_the_damaged_document_and_says_so(ana: Visitor, uuids: list[str], damaged: str) -> None:
    ana.get(PATH)
    ana.post(f"{PATH}/sumar", {})
    assert ana.page is not None
    sums = ana.page.xpath("//h2[@id='sumas']/following::table[1]/tbody/tr/td[@data-label='Documentos']/text()")
    told = ana.page.xpath("//p[contains(text(), 'documentos con datos dañados')]/text()")
    assert (sums, [line.split()[0] for line in told]) in ((["4"], ["1"]), (["5"], []))


def test_exports_have_every_document_and_mark_the_damaged_one(
    ana: Visitor, uuids: list[str], damaged: str, tmp_path: Path
) -> None:
    rows = list(csv.DictReader(io.StringIO(ana.get(f"{PATH}/exportar/csv").content.decode("utf-8-sig"), newline="")))
    assert sorted(row["Folio fiscal"] for row in rows) == sorted(uuids)
    assert {row["Folio fiscal"] for row in rows if row["Observación"]} <= {damaged}
    sound = [row for row in rows if row["Folio fiscal"] != damaged]
    assert sum(Decimal(row["Total"]) for row in sound) == Decimal("1392.00")
    (tmp_path / "found.xlsx").write_bytes(ana.get(f"{PATH}/exportar/xlsx").content)
    sheet = CalamineWorkbook.from_path(tmp_path / "found.xlsx").get_sheet_by_name("Documentos").to_python()
    assert sorted(str(row[0]) for row in sheet[1:]) == sorted(uuids)
    with ZipFile(io.BytesIO(ana.get(f"{PATH}/exportar/zip").content)) as archive:
        assert archive.testzip() is None
        names = {name.rpartition(".")[0]: name.rpartition(".")[2] for name in archive.namelist()}
    assert sorted(names) == sorted(uuids)
    assert all(kind == "xml" for folio, kind in names.items() if folio != damaged)


@pytest.mark.parametrize("path", ["", "/xml", "/pdf"])
def test_page_of_a_damaged_document_is_an_error_page(
    ana: Visitor, app: CancellationApp, uuids: list[str], path: str
) -> None:
    with app.container.get(opened_database).write() as connection:
        change = text("UPDATE stamp SET cfdi = :value WHERE uuid = :uuid")
        [before] = connection.execute(text("SELECT cfdi FROM stamp WHERE uuid = :uuid"), {"uuid": uuids[0]}).one()
        connection.execute(change, {"value": b"\x01damaged", "uuid": uuids[0]})
    try:
        answer = ana.get(f"{PATH}/{uuids[0]}{path}")
    finally:
        with app.container.get(opened_database).write() as connection:
            connection.execute(change, {"value": before, "uuid": uuids[0]})
    assert answer.status_code == 500
    assert "CO1000" in answer.text
    assert "damaged" not in answer.text
