"""Reconciliation of the SAT's CFDI with an ERP's export and payments."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from python_calamine import CalamineWorkbook
from tests.support.effort import LONG
from tests.support.reconciliation_month import OWN, PLANTERS, Invoice, PlantedMonth, planted_month
from typer.testing import CliRunner, Result

from timbra.cli.main import app
from timbra.core.errors import ServiceError
from timbra.received.reconciliation.column_map import ColumnMap
from timbra.received.reconciliation.engine import Reconciliation, open_reconciliation
from timbra.received.reconciliation.exports import read_books, read_payments
from timbra.received.reconciliation.kinds import KINDS
from timbra.received.reconciliation.options import ReconciliationOptions, Side
from timbra.received.reconciliation.run_models import FoundDifference
from timbra.received.reconciliation.sat_source import read_sat

OCTOBER = ReconciliationOptions(OWN, Side.RECEIVED, date(2026, 10, 1), date(2026, 10, 31))

DIFFERENCES, EQUAL = (2_000, 1_000) if LONG else (56, 3)


@contextmanager
def reconciled(folder: Path, options: ReconciliationOptions = OCTOBER) -> Iterator[Reconciliation]:
    with open_reconciliation(options) as found:
        read_sat(found.workspace, [folder / "metadata.zip", folder / "xml.zip"])
        read_books(found.workspace, folder / "erp.csv", ColumnMap())
        read_payments(found.workspace, folder / "payments.csv", ColumnMap())
        found.run()
        yield found


def keys(differences: list[FoundDifference]) -> Counter[tuple[str, str]]:
    return Counter((each.kind.name, each.uuid or "row") for each in differences)


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> tuple[PlantedMonth, Path]:
    folder = tmp_path_factory.mktemp("month")
    planted = planted_month(DIFFERENCES, EQUAL)
    planted.write(folder)
    return planted, folder


def run(folder: Path, *arguments: object) -> Result:
    sources = ("--sat", folder / "metadata.zip", "--sat", folder / "xml.zip", "--erp", folder / "erp.csv")
    fixed = ("--rfc", OWN, "--month", "2026-10", "--payments", folder / "payments.csv")
    return CliRunner().invoke(app, ["reconcile", *map(str, (*sources, *fixed, *arguments))])


def test_reconciliation_finds_each_planted_difference_and_no_other(month: tuple[PlantedMonth, Path]) -> None:
    planted, folder = month
    assert {kind.name for kind in KINDS} == set(PLANTERS)
    expected = Counter((kind, "row" if key.startswith("row") else key) for kind, key in planted.planted)
    with reconciled(folder) as found:
        assert keys([*found.differences()]) == expected
        assert found.summary.differences == len(planted.planted) == DIFFERENCES
        [books] = found.summary.books
        assert books.by_content == 2 * EQUAL + expected_of(planted, "uuid-differs")


def expected_of(planted: PlantedMonth, kind: str) -> int:
    return sum(name == kind for name, _ in planted.planted)


def test_page_workbook_csv_and_json_have_the_same_numbers(month: tuple[PlantedMonth, Path], tmp_path: Path) -> None:
    names = {form: tmp_path / f"r.{form}" for form in ("html", "xlsx", "csv", "json")}
    result = run(month[1], *(each for form, file in names.items() for each in (f"--{form}", file)))
    assert result.exit_code == 1, result.output
    content = json.loads(names["json"].read_bytes())
    kinds = {each["kind"]: each for each in content["summary"]["kinds"]}
    rows = content["differences"]
    assert len(rows) == content["summary"]["differences"] == DIFFERENCES
    assert dict(line.split("\t") for line in result.stdout.splitlines()) == {
        name: str(each["count"]) for name, each in kinds.items()
    }
    with names["csv"].open(encoding="utf-8-sig", newline="") as file:
        lines = [*csv.DictReader(file)]
    assert [{name: value or None for name, value in line.items()} for line in lines] == [
        {name: None if value is None else str(value) for name, value in row.items()} for row in rows
    ]
    titles = {kind.title: kind.name for kind in KINDS}
    sums: dict[str, list[Decimal]] = {name: [Decimal(0), Decimal(0), Decimal(0)] for name in kinds}
    with CalamineWorkbook.from_path(names["xlsx"]) as book:
        head, *found = book.get_sheet_by_name("Diferencias").to_python()
        assert head[:4] == ["Diferencia", "Registros", "Folio fiscal", "Otro folio fiscal"]
        for row in found:
            of_kind = sums[titles[str(row[0])]]
            for place, value in enumerate((1, row[12] or 0, row[13] or 0)):
                of_kind[place] += Decimal(str(value))
        summary = {row[1]: row[2:] for row in book.get_sheet_by_name("Resumen").to_python()[1:]}
    page: Any = html.fromstring(names["html"].read_bytes())
    shown = {row[1].text_content(): [*row] for row in page.findall(".//table")[0].findall("tr")[1:]}
    for name, each in kinds.items():
        numbers = [each["count"], Decimal(each["sat_amount"]), Decimal(each["books_amount"])]
        assert sums[name] == numbers, name
        assert [Decimal(str(value)) for value in summary[name]] == numbers, name
        assert [Decimal(re.sub("[^0-9.]", "", cell.text_content())) for cell in shown[name][2:]] == numbers, name
        heading = page.get_element_by_id(name)
        assert int(heading.text_content().rpartition(": ")[2].replace(",", "")) == each["count"]
        assert len(heading.getnext().getnext().findall(".//tr")) - 1 == min(each["count"], 200)


def small(folder: Path, *invoices: Invoice, erp: str, payments: str = "UUID,Fecha,Monto\n") -> Path:
    """Write the sources of a few invoices."""
    made = planted_month(0, 0)
    made.documents += invoices
    made.write(folder)
    (folder / "erp.csv").write_text(erp, encoding="utf-8")
    (folder / "payments.csv").write_text(payments, encoding="utf-8")
    return folder


def test_credit_note_of_two_invoices_hides_no_unpaid_invoice_and_makes_none(tmp_path: Path) -> None:
    month = planted_month(0, 0)
    first, second, third = (month.invoice() for _ in range(3))
    note = month.invoice(tipo="E", subtotal=Decimal(50), relation="01", related=(first.uuid, second.uuid))
    for invoice, paid in ((first, first.total - 58), (second, second.total), (third, Decimal(1)), (note, None)):
        month.add(invoice, paid=False)
        if paid is not None:
            month.pay(invoice, paid)
    month.write(tmp_path)
    with reconciled(tmp_path) as found:
        assert keys([*found.differences()]) == Counter({("pue-not-paid", third.uuid): 1})


def test_columns_of_a_map_dates_commas_and_latin_1_are_read(tmp_path: Path) -> None:
    month = planted_month(0, 0)
    one, two = month.invoice(), month.invoice()
    text = (
        f"Reporte de compras;;;;\r\nFolio;Año;Día;Importe;Situación\r\n{one.uuid};x;{one.fecha:%m-%d-%Y};"
        f"{f'{one.total:,}'.translate(str.maketrans(',.', '.,'))};Baja\r\n"
        f"{two.uuid};ñ;{two.fecha:%m-%d-%Y};{str(two.total).replace('.', ',')};Alta\r\n"
    )
    (tmp_path / "compras.csv").write_bytes(text.encode("latin-1"))
    columns = {"uuid": "folio", "fecha": "DIA", "total": "Importe", "status": "situacion"}
    mapped = ColumnMap(columns, ("baja",), "%m-%d-%Y", decimal_comma=True, skip=1)
    month.documents += [one, two]
    month.write(tmp_path)
    with open_reconciliation(OCTOBER) as found:
        read_sat(found.workspace, [tmp_path / "metadata.zip"])
        read_books(found.workspace, tmp_path / "compras.csv", mapped)
        found.run()
        assert keys([*found.differences()]) == Counter({("cancelled-in-books", one.uuid): 1})
        assert [(each.by_uuid, each.total) for each in found.summary.books] == [(2, two.total)]


def test_total_comes_from_the_breakdown_when_the_export_has_none(tmp_path: Path) -> None:
    month = planted_month(0, 0)
    invoice = month.invoice(descuento=Decimal(10), ieps=Decimal(8), isr=Decimal(3), local=Decimal(2))
    head = "uuid,subtotal,descuento,iva,ieps,isr retenido,traslados locales\n"
    values = (invoice.uuid, invoice.subtotal, "(10.00)", invoice.iva, "8", "-3", "2.00")
    small(tmp_path, invoice, erp=head + ",".join(map(str, values)) + "\n", payments=payments_of(invoice))
    with reconciled(tmp_path) as found:
        assert not [*found.differences()]
        assert found.summary.books[0].total == invoice.total


def payments_of(*invoices: Invoice) -> str:
    return "UUID,Fecha,Monto\n" + "".join(f"{each.uuid},2026-10-30,{each.total}\n" for each in invoices)


def test_rows_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    invoice = planted_month(0, 0).invoice()
    erp = f"UUID,Fecha,Total\n{invoice.uuid},2026-10-02,{invoice.total}\n,,\nx,2026-10-02,1\n,2026-10-02,1\n"
    payments = f"{payments_of(invoice)},2026-10-02,5\n{invoice.uuid},hoy,5\n{invoice.uuid},2026-10-02,cinco\n"
    small(tmp_path, invoice, erp=erp, payments=payments)
    with reconciled(tmp_path) as found:
        assert [(each.row, each.detail) for each in found.differences()] == [
            (3, "payments.csv: Faltan el folio fiscal y el RFC."),
            (4, "erp.csv: El folio fiscal no se entiende."),
            (4, "payments.csv: Falta la fecha, o no se entiende."),
            (5, "erp.csv: Faltan folio fiscal, o RFC, total y fecha."),
            (5, "payments.csv: Falta el importe, o no se entiende."),
        ]
        assert [(each.name, each.rows, each.unreadable) for each in found.summary.sources][2:] == [
            ("erp.csv", 1, 2),
            ("payments.csv", 1, 3),
        ]


def test_map_with_an_unknown_column_or_heading_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"columns": {"total": "Importe"}}')
    small(tmp_path, erp="UUID,Total\n")
    result = run(tmp_path, "--erp-map", tmp_path / "m.json")
    assert (result.exit_code, "No hay una columna Importe; hay UUID, Total." in result.stderr) == (4, True)
    (tmp_path / "m.json").write_text('{"columns": {"importe": "Total"}}')
    assert "No existe la columna importe" in run(tmp_path, "--erp-map", tmp_path / "m.json").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--sat, --account or --ledger is required"),
        (("--sat", "x", "--account", "ana@example.com"), "--sat and --account exclude each other"),
        (("--sat", "x", "--types", "IQ"), "the types are letters of IETNPR"),
    ],
)
def test_reconcile_rejects_wrong_usage(arguments: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, ["reconcile", "--rfc", OWN, *arguments], env={"COLUMNS": "200"})
    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_source_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with open_reconciliation(OCTOBER) as found, pytest.raises(ServiceError, match="source-unreadable"):
        read_sat(found.workspace, [tmp_path / "absent"])
    with open_reconciliation(OCTOBER) as found, pytest.raises(ServiceError, match="reconciliation-sources"):
        found.run()
