"""Reports of a sandbox with a stamp."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook
from sqlalchemy import insert
from tests.lists.signing import NOW, importer, lco, published, seal, taxpayer
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, month_of
from timbra.database.build import opened_database
from timbra.database.tables.operations import MANIFEST
from timbra.delivery.receptions import ReceptionRepository, StoredReception
from timbra.examples import ingreso
from timbra.lists.importing import list_refresh
from timbra.lists.sources.part_names import ListKind
from timbra.operations.build import record_availability, record_clock
from timbra.operations.ports import report_files
from timbra.reports.build import provider_reports
from timbra.reports.catalog import REPORTS, Reports
from timbra.reports.files import write_csv, write_xlsx
from timbra.reports.report import ReportTable, Row

RECEIVED = "received"

KEMPER = "EKU9003173C9"
SAMPLE = ReportTable(
    "sample",
    "Muestra",
    ("Texto", "Número", "Instante", "Día", "Activo", "Nada"),
    [("=1+1", -3, datetime(2026, 11, 20, 18, 0, tzinfo=UTC), date(2026, 11, 20), True, None)],
)


def invoice(folio: str = "1") -> bytes:
    return ingreso({"@Folio": folio}, fecha=FECHA).encode()


@pytest.fixture
def seeded(sandbox_app: SandboxApp) -> SandboxApp:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app


def reports_of(app: SandboxApp) -> Reports:
    return app.container.get(provider_reports)


def whole_period(app: SandboxApp) -> DayPeriod:
    """The fiscal days of the stamps and the wall days of the events."""
    return DayPeriod(date(2026, 11, 1), max(app.container.wall.now().date(), date(2026, 11, 30)) + timedelta(days=1))


def rows(app: SandboxApp, name: str) -> Sequence[Row]:
    return list(reports_of(app).build(name, whole_period(app)).rows)


def test_report_of_stamps_counts_by_issuer_and_kind(seeded: SandboxApp) -> None:
    for folio in ("1", "2"):
        seeded.issue(invoice(folio))
    assert rows(seeded, "stamps") == [("2026-11", KEMPER, "I", 2)]
    assert list(reports_of(seeded).build("stamps", month_of("2026-10")).rows) == []


def test_report_of_lists_has_delay_signer_and_differences(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    path = published(tmp_path, "LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    edition = importer(tmp_path / "lists").run(ListKind.LCO, [path], published_at=NOW - timedelta(hours=2))
    sandbox_app.container.get(list_refresh).record_import(edition)
    [row] = rows(sandbox_app, "lists")
    assert row[1:7] == ("LCO", date(2026, 11, 20), NOW - timedelta(hours=2), NOW, 7200, 1)
    assert str(row[-1]).startswith("LCO_2026-11-20_1.XML.gz:")


def test_report_of_list_failures_has_the_code(sandbox_app: SandboxApp) -> None:
    sandbox_app.container.get(list_refresh).record_rejection(
        ListKind.LCO, ServiceError("list-signature", "No verifica.")
    )
    [row] = rows(sandbox_app, "list-failures")
    assert row[2:] == ("LCO", "list-signature", "No verifica.")


def test_report_of_availability_counts_minutes(sandbox_app: SandboxApp) -> None:
    container = sandbox_app.container
    for _ in range(3):
        record_availability(container)
    container.get(opened_database).ping = _fail  # type: ignore[method-assign]
    record_availability(container)
    [row] = rows(sandbox_app, "availability")
    assert (row[1], *row[3:6]) == (1, 3, 1, 1436)


def _fail() -> None:
    raise ServiceError("CO1000")


def test_report_of_access_names_accounts_and_certificates(seeded: SandboxApp) -> None:
    [account] = rows(seeded, "access")
    assert (account[0], account[2], account[6]) == ("ana@example.com", True, 0)
    [certificate] = rows(seeded, "certificates")
    assert (certificate[0], certificate[2], certificate[6]) == (KEMPER, "ana@example.com", True)
    assert "certificate.stored" in {row[1] for row in rows(seeded, "security")}


def test_report_has_a_cell_for_each_column(seeded: SandboxApp) -> None:
    seeded.issue(invoice())
    record_clock(seeded.container)
    for name, kind in REPORTS.items():
        assert {len(row) for row in rows(seeded, name)} <= {len(kind.columns)}, name


def test_report_rejects_an_unknown_name(sandbox_app: SandboxApp) -> None:
    with pytest.raises(ServiceError) as caught:
        rows(sandbox_app, "ledger")
    assert caught.value.code == "report-invalid"


def test_csv_escapes_formulas_and_dates_are_of_central_mexico() -> None:
    target = io.BytesIO()
    assert write_csv(SAMPLE, target) == 1
    [_, row] = csv.reader(io.StringIO(target.getvalue().decode("utf-8-sig")))
    assert row == ["'=1+1", "-3", "2026-11-20T12:00:00-0600", "2026-11-20", "sí", ""]


def test_xlsx_has_typed_cells(tmp_path: Path) -> None:
    with (tmp_path / "sample.xlsx").open("wb") as file:
        assert write_xlsx(SAMPLE, file) == 1
    book = CalamineWorkbook.from_path(str(tmp_path / "sample.xlsx"))
    heading, row = book.get_sheet_by_name("Muestra").to_python()
    assert heading[0] == "Texto"
    assert row[:5] == ["=1+1", -3.0, datetime(2026, 11, 20, 12, 0), date(2026, 11, 20), True]  # noqa: DTZ001


def test_reports_have_deliveries(sandbox_app: SandboxApp) -> None:
    at = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
    repository = ReceptionRepository(sandbox_app.container.get(opened_database))
    for number in range(2):
        later = at + timedelta(seconds=3)
        reception = StoredReception(
            f"05c519de-0000-4000-8000-00000000000{number}",
            1,
            KEMPER,
            "4.0",
            at,
            at,
            later,
            1,
            RECEIVED,
            "S",
            [],
            b"<A/>",
        )
        repository.conclude(reception)
    found = rows(sandbox_app, "deliveries")
    assert [(row[0][-1], row[6], row[8]) for row in found] == [("0", 3, RECEIVED), ("1", 3, RECEIVED)]  # type: ignore[index]
    assert rows(sandbox_app, "delivery-totals") == [("2026-11", RECEIVED, 2)]


def test_archives_get_every_report_as_csv(seeded: SandboxApp) -> None:
    seeded.issue(invoice())
    files = dict(seeded.container.get(report_files)(whole_period(seeded)))
    assert list(files) == [f"{name}.csv" for name in REPORTS]
    target = io.BytesIO()
    files["stamps.csv"](target)
    assert target.getvalue().decode("utf-8-sig").splitlines() == ["Mes,Emisor,Tipo,Timbres", f"2026-11,{KEMPER},I,1"]


def test_report_of_manifests_has_those_of_the_database(sandbox_app: SandboxApp) -> None:
    at = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
    stored = {"issuer_rfc": KEMPER, "signed_at": at, "registered_at": at, "file_name": "m.pdf", "digest": "00"}
    with sandbox_app.container.get(opened_database).write() as connection:
        connection.execute(insert(MANIFEST).values(**stored, document=b"%PDF"))
    assert rows(sandbox_app, "manifests") == [(KEMPER, at, at, "m.pdf", "00")]
