"""The list of invoices: states, filters, sums, exports and cancellation of several at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from python_calamine import CalamineWorkbook
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp
from tests.support.exports import joined

from timbra import examples
from timbra.documents.build import document_services
from timbra.documents.view import HEAD
from timbra.stamping.build import stamping_services

PATH = "/portal/facturas"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    made.account("bea@example.com")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def uuids(app: CancellationApp) -> list[str]:
    """Three invoices, the third cancelled; its serie looks like a formula."""
    made = [app.invoice(price=f"{price}.00").lower() for price in (2000, 200)]
    text = examples.ingreso({"@Serie": "=1+1", "@Folio": "3"}, fecha=app.fecha)
    made.append(app.issue(text.encode()).uuid.lower())
    app.cancel(made[2], "02")
    return made


@pytest.fixture
def ana(app: CancellationApp, uuids: list[str]) -> Visitor:
    return signed_in(app, "ana@example.com")


def signed_in(app: CancellationApp, user: str) -> Visitor:
    visitor = Visitor(app)
    assert visitor.sign_in(user).status_code == 303
    return visitor


def found(visitor: Visitor, query: str) -> set[str]:
    visitor.get(f"{PATH}?{query}")
    assert visitor.page is not None
    return {link.rpartition("/")[2] for link in visitor.page.xpath("//table[1]/tbody//th/a/@href")}


def sums(visitor: Visitor, query: str, *uuids: str) -> list[list[str]]:
    visitor.get(PATH)
    visitor.post(f"{PATH}/sumar?{query}", {"documento": [*uuids]})  # type: ignore[dict-item]
    assert visitor.page is not None
    rows = visitor.page.xpath("//h2[@id='sumas']/following::tbody[1]/tr")
    return [[cell.text_content().strip() for cell in row] for row in rows]


def test_list_shows_state_names_and_currency(ana: Visitor) -> None:
    ana.get(PATH)

    assert "Cancelado motivo 02" in ana.text
    assert "Vigente" in ana.text
    assert examples.KEMPER.name in ana.text
    assert "232.00 MXN" in ana.text


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("estado=cancelado", {2}),
        ("estado=vigente", {0, 1}),
        ("estado=proceso", set()),
        ("documento=I&minimo=$150&maximo=1,000&estado=vigente", {1}),
        ("documento=P", set()),
        ("texto=%3D1%2B1 3", {2}),
        ("texto=3", {2}),
        ("texto=xyz", set()),
        (f"texto={examples.KEMPER.rfc.lower()}", {0, 1, 2}),
        ("orden=total", {0, 1, 2}),
    ],
)
def test_search_filters_by_state_kind_amount_and_text(
    ana: Visitor, uuids: list[str], query: str, places: set[int]
) -> None:
    assert found(ana, query) == {uuids[place] for place in places}


def test_search_finds_a_folio_fiscal_as_text(ana: Visitor, uuids: list[str]) -> None:
    assert found(ana, f"texto={uuids[1].upper()}") == {uuids[1]}


@pytest.mark.parametrize(
    "query",
    ["estado=otro", "minimo=x", "maximo=1e999999999", "maximo=NaN", "orden=x", "orden=total&sentido=x", "documento=II"],
)
def test_search_rejects_values_that_it_cannot_search(ana: Visitor, query: str) -> None:
    assert ana.get(f"{PATH}?{query}").status_code == 422
    assert ana.page is not None
    assert "TB4005" not in ana.page.xpath("//*[@id='form-error']")[0].text_content()


def test_sums_leave_out_cancelled_documents(ana: Visitor) -> None:
    assert sums(ana, "documento=I") == [["Ingreso", "MXN", "2", "2,552.00", "1"]]


def test_sums_are_those_of_the_chosen_documents(ana: Visitor, uuids: list[str]) -> None:
    assert sums(ana, "", uuids[1], uuids[2]) == [["Ingreso", "MXN", "1", "232.00", "1"]]
    assert ana.page is not None
    assert set(ana.page.xpath("//input[@name='documento'][@checked]/@value")) == {uuids[1], uuids[2]}


def test_sums_come_in_parts_for_a_script(ana: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sums(ana, "texto=escuela")
    assert len(whole) == 1
    for name, value in (("FEW", 0), ("AT_ONCE", 1), ("PART_SECONDS", 0)):
        monkeypatch.setattr(f"timbra.stamps.search_sums.{name}", value)
    headings: list[str] = []
    rest = ""
    while not headings or rest:
        ana.get(PATH)
        ana.post(f"{PATH}/sumar?texto=escuela", {"avance": rest}, headers={"X-Progress": "parts"})
        assert ana.page is not None
        headings.append(ana.page.xpath("//h2[@id='sumas']")[0].text_content().strip())
        rest = "".join(ana.page.xpath("//input[@data-rest]/@value"))
        assert not ana.page.xpath("//form")
    assert headings == [
        "Suma de los primeros 1 de 3 documentos",
        "Suma de los primeros 2 de 3 documentos",
        "Suma de todos los encontrados",
    ]
    assert ana.page is not None
    rows = ana.page.xpath("//tbody/tr")
    assert [[cell.text_content().strip() for cell in row] for row in rows] == whole


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[]",
        "[[1,-1],true,[]]",
        '[[1,0],true,[["I","MXN",1,0,"NaN","vigente"]]]',
        '[[1,0],true,[["I","MXN",1,0,"1","x"]]]',
    ],
)
def test_sums_reject_what_no_part_has_said(ana: Visitor, text: str) -> None:
    ana.get(PATH)
    answer = ana.post(f"{PATH}/sumar", {"avance": text}, headers={"X-Progress": "parts"})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("orden=total", [0, 2, 1]),
        ("orden=total&sentido=ascendente", [1, 2, 0]),
        ("sentido=ascendente", [0, 1, 2]),
        ("", [2, 1, 0]),
    ],
)
def test_list_is_sorted_by_a_column(ana: Visitor, uuids: list[str], query: str, places: list[int]) -> None:
    ana.get(f"{PATH}?{query}")
    assert ana.page is not None
    links = ana.page.xpath("//table[1]/tbody//th/a/@href")
    assert [link.rpartition("/")[2] for link in links] == [uuids[place] for place in places]


def test_sorted_list_has_pages(ana: Visitor, uuids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.documents.pages.PAGE_SIZE", 2)
    assert found(ana, "orden=total") == {uuids[0], uuids[2]}
    assert "Página 1 de 2" in ana.text
    assert ana.page is not None
    (onwards,) = ana.page.xpath("//a[@rel='next']/@href")
    assert found(ana, onwards.partition("?")[2]) == {uuids[1]}
    assert "Página 2 de 2" in ana.text
    (back,) = ana.page.xpath("//a[@rel='prev']/@href")
    assert found(ana, back.partition("?")[2]) == {uuids[0], uuids[2]}
    assert "Página 1 de 2" in ana.text
    assert found(ana, "orden=total&pagina=x") == {uuids[0], uuids[2]}


def test_list_says_when_its_number_is_not_exact(ana: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.documents.listing.MOST_COUNTED", 1)
    found(ana, "documento=I&minimo=1&estado=vigente")
    assert "más de 1 documentos" in ana.text
    assert "Página" not in ana.text
    found(ana, "orden=total")
    assert "3 documentos" in ana.text
    assert "más de" not in ana.text


def test_list_has_the_chosen_columns(ana: Visitor) -> None:
    ana.get(f"{PATH}?documento=I")
    chosen: dict[str, Any] = {"columna": ["total", "receptor", "x"], "consulta": "documento=I"}
    ana.post(f"{PATH}/columnas", chosen)
    ana.get(PATH)
    assert ana.page is not None
    heads = [" ".join(each.text_content().split()) for each in ana.page.xpath("//table[1]/thead//th")]
    assert heads == ["Elegir", "Documento", "Receptor", "Total"]
    ana.post(f"{PATH}/columnas", {"consulta": ""})
    ana.get(PATH)
    assert "Emisor" in [each.text_content().strip() for each in ana.page.xpath("//table[1]/thead//th")]


def test_csv_has_the_selection_without_formulas(ana: Visitor, uuids: list[str]) -> None:
    answer = ana.get(f"{PATH}/exportar/csv?documento=I")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))

    assert answer.headers["content-disposition"] == 'attachment; filename="documentos.csv"'
    assert tuple(rows[0]) == HEAD
    assert {row["Folio fiscal"] for row in rows} == {*uuids}
    by_uuid = {row["Folio fiscal"]: row for row in rows}
    assert by_uuid[uuids[2]]["Serie"] == "'=1+1"
    assert by_uuid[uuids[2]]["Estado"] == "Cancelado"
    assert by_uuid[uuids[1]]["Total"] == "232.00"


def test_csv_of_chosen_documents_has_them_alone(ana: Visitor, uuids: list[str]) -> None:
    ana.get(PATH)
    answer = ana.post(f"{PATH}/exportar/csv", {"documento": [uuids[0], "x"]})  # type: ignore[dict-item]
    assert [row["Folio fiscal"] for row in csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))] == [
        uuids[0]
    ]


@pytest.mark.parametrize("path", ["exportar/csv", "exportar/zip", "sumar", "cancelar"])
def test_what_is_no_folio_does_not_choose_everything(ana: Visitor, uuids: list[str], path: str) -> None:
    ana.get(PATH)
    answer = ana.post(f"{PATH}/{path}", {"documento": "x"})
    assert answer.status_code == 400
    assert "no es un folio fiscal" in ana.text
    assert uuids[0] not in answer.text


def test_zip_has_the_stored_documents(app: CancellationApp, ana: Visitor, uuids: list[str]) -> None:
    answer = ana.get(f"{PATH}/exportar/zip?estado=vigente")

    with ZipFile(io.BytesIO(answer.content)) as archive:
        assert set(archive.namelist()) == {f"{uuid}.xml" for uuid in uuids[:2]}
        record = app.container.get(stamping_services).stamps.by_uuid(uuids[0])
        assert record is not None
        assert archive.read(f"{uuids[0]}.xml") == record.cfdi


def test_xlsx_is_a_workbook(ana: Visitor) -> None:
    answer = ana.get(f"{PATH}/exportar/xlsx")

    with ZipFile(io.BytesIO(answer.content)) as archive:
        assert "xl/workbook.xml" in archive.namelist()


def test_tables_have_all_pages_of_a_selection(
    ana: Visitor, uuids: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("timbra.documents.listing.MAX_PAGE_SIZE", 1)
    text, book = ana.get(f"{PATH}/exportar/csv").text, tmp_path / "a.xlsx"
    book.write_bytes(ana.get(f"{PATH}/exportar/xlsx").content)

    rows = CalamineWorkbook.from_path(book).get_sheet_by_name("Documentos").to_python()
    assert [row["\ufeffFolio fiscal"] for row in csv.DictReader(io.StringIO(text))] == [*reversed(uuids)]
    assert [row[0] for row in rows] == ["Folio fiscal", *reversed(uuids)]


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "zip"])
def test_export_in_parts_counts_its_documents(ana: Visitor, uuids: list[str], suffix: str) -> None:
    whole, parts = (
        ana.get(f"{PATH}/exportar/{suffix}", headers).content for headers in (None, {"X-Progress": "parts"})
    )
    assert joined(parts) == (len(uuids), whole)


@pytest.mark.parametrize("suffix", ["zip", "zip?pdf=si"])
def test_export_rejects_a_selection_that_is_too_large(
    ana: Visitor, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MAX_DOCUMENTS", "MAX_PRINTED"):
        monkeypatch.setattr(f"timbra.documents.export_pages.{name}", 1)

    assert ana.get(f"{PATH}/exportar/{suffix}").status_code == 400
    assert "acote el periodo" in ana.text


def test_exports_and_lists_have_documents_of_the_own_account_only(app: CancellationApp, uuids: list[str]) -> None:
    bea = signed_in(app, "bea@example.com")

    assert found(bea, "") == set()
    assert len(bea.get(f"{PATH}/exportar/csv").text.splitlines()) == 1
    bea.post(f"{PATH}/cancelar", {"documento": uuids[0]})
    assert "No se eligió ningún documento" in bea.text


def test_cancellation_of_several_shows_a_preview_first(app: CancellationApp, uuids: list[str]) -> None:
    first, second = (app.invoice(price="10.00").lower() for _ in range(2))
    ana = signed_in(app, "ana@example.com")
    ana.get(PATH)

    chosen: dict[str, Any] = {"documento": [first, second, uuids[2], "x"]}
    ana.post(f"{PATH}/cancelar", chosen)
    assert "Cancelar 2 documentos" in ana.text
    assert "ya está cancelado" in ana.text
    assert found(ana, "estado=cancelado") == {uuids[2]}

    fields: dict[str, Any] = {"documento": [first, second], "motivo": "01"}
    assert ana.post(f"{PATH}/cancelar/confirmar", fields).status_code == 422
    ana.post(f"{PATH}/cancelar/confirmar", {**fields, "motivo": "02"})

    assert "recibió 2 de 2 solicitudes" in ana.text
    assert found(ana, "estado=cancelado") == {first, second, uuids[2]}


def test_detail_offers_the_acuse_of_a_cancelled_document(app: CancellationApp, ana: Visitor, uuids: list[str]) -> None:
    acuse = app.container.get(document_services).storage.cancellation
    record = app.container.get(stamping_services).stamps.by_uuid(uuids[2])
    assert record is not None
    ana.get(f"{PATH}/{uuids[2]}")

    assert ("Descargar acuse" in ana.text) == (acuse(record) is not None)
    assert ana.get(f"{PATH}/{uuids[0]}/acuse").status_code == 404


@pytest.mark.parametrize("text", ["", "no", "a@b@c", ",".join(f"a{n}@example.com" for n in range(6))])
def test_email_rejects_wrong_addresses(ana: Visitor, uuids: list[str], text: str) -> None:
    ana.get(f"{PATH}/{uuids[0]}")

    assert ana.post(f"{PATH}/{uuids[0]}/correo", {"correo": text}).status_code == 422


def rows_of(visitor: Visitor, query: str) -> list[str]:
    visitor.get(f"{PATH}?{query}")
    assert visitor.page is not None
    return [str(link) for link in visitor.page.xpath("//table//tbody/tr/th/a/@href")]


@pytest.mark.parametrize("text", ["kemper", "universidad robotica", "escuela ESPAÑOLA"])
def test_list_finds_documents_by_the_words_of_names(ana: Visitor, text: str) -> None:
    assert rows_of(ana, f"texto={text}") == rows_of(ana, "") != []


@pytest.mark.parametrize("text", ["emper", "kemper nadie", "100%25"])
def test_list_finds_nothing_for_other_words(ana: Visitor, text: str) -> None:
    assert rows_of(ana, f"texto={text}") == []


def test_list_finds_documents_by_words_of_a_description(ana: Visitor, app: CancellationApp) -> None:
    description = examples.ingreso(fecha=app.fecha).partition('Descripcion="')[2].partition('"')[0]
    assert rows_of(ana, f"texto={description.split()[0].lower()[:5]}") == rows_of(ana, "")
