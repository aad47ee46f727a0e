"""Reports, archives and manifests of a sandbox with a stamp."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs
from tests.lists.signing import NOW, importer, lco, published, seal, taxpayer
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.archive.build import archive_services
from timbra.archive.export import verify_archive
from timbra.archive.storage import ArchiveStorage, FolderStorage, ObjectStorage
from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, month_of
from timbra.database.build import opened_database
from timbra.delivery.receptions import ReceptionRepository, StoredReception
from timbra.examples import ingreso
from timbra.lists.importing import list_refresh
from timbra.lists.sources.part_names import ListKind
from timbra.manifests.build import manifest_services
from timbra.operations.build import record_availability, record_clock
from timbra.operations.clock_discipline import ClockDiscipline, ClockReading
from timbra.operations.watches import clock_discipline
from timbra.reports.build import report_services
from timbra.reports.catalog import REPORTS
from timbra.reports.files import write_csv, write_xlsx
from timbra.reports.report import ReportTable, Row
from timbra.reports.services import ReportServices
from timbra.settings import Settings

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


def services(app: SandboxApp) -> ReportServices:
    return app.container.get(report_services)


def whole_period(app: SandboxApp) -> DayPeriod:
    """The fiscal days of the stamps and the wall days of the events."""
    return DayPeriod(date(2026, 11, 1), max(app.container.wall.now().date(), date(2026, 11, 30)) + timedelta(days=1))


def rows(app: SandboxApp, name: str) -> Sequence[Row]:
    return list(services(app).reports.build(name, whole_period(app)).rows)


def test_report_of_stamps_counts_by_issuer_and_kind(seeded: SandboxApp) -> None:
    for folio in ("1", "2"):
        seeded.issue(invoice(folio))
    assert rows(seeded, "stamps") == [("2026-11", KEMPER, "I", 2)]
    assert list(services(seeded).reports.build("stamps", month_of("2026-10")).rows) == []


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


def test_record_clock_has_no_alarm_in_a_sandbox(seeded: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    inaccurate = ClockDiscipline(lambda: ClockReading(synchronized=False, offset=0, max_error=16), 1)
    monkeypatch.setitem(seeded.container.parts, clock_discipline, inaccurate)
    with capture_logs() as lines:
        record_clock(seeded.container)
    assert lines == []


def test_report_rejects_an_unknown_name(sandbox_app: SandboxApp) -> None:
    with pytest.raises(ServiceError) as caught:
        rows(sandbox_app, "ledger")
    assert caught.value.code == "report-invalid"


def test_months_divide_a_period() -> None:
    period = DayPeriod(date(2025, 12, 15), date(2026, 2, 3))
    assert [(month.first, month.last) for month in period.months()] == [
        (date(2025, 12, 15), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 2, 3)),
    ]
    assert month_of("2024-02").last == date(2024, 2, 29)


@pytest.mark.parametrize("make", [lambda: month_of("2026-13"), lambda: DayPeriod(date(2026, 2, 2), date(2026, 2, 1))])
def test_period_rejects_impossible_days(make: Callable[[], DayPeriod]) -> None:
    with pytest.raises(ServiceError) as caught:
        make()
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


def folder_of(path: Path) -> ArchiveStorage:
    return FolderStorage(path)


def objects_of(path: Path) -> ArchiveStorage:
    path.mkdir()
    return ObjectStorage(f"file://{path}")


@pytest.mark.parametrize("storage_in", [folder_of, objects_of], ids=["folder", "object-storage"])
def test_archive_has_documents_events_and_reports(
    seeded: SandboxApp, tmp_path: Path, storage_in: Callable[[Path], ArchiveStorage]
) -> None:
    stamped = seeded.issue(invoice())
    storage = storage_in(tmp_path / "archive")
    written = seeded.container.get(archive_services).archive.export("timbra-2026-11", whole_period(seeded), storage)
    assert verify_archive("timbra-2026-11", storage) == written
    assert (written.documents, written.events > 0) == (1, True)
    with storage.open("timbra-2026-11/data/documents.csv") as file:
        [row] = csv.DictReader(io.StringIO(file.read().decode()))
    assert (row["uuid"], row["issuer_rfc"]) == (stamped.uuid, KEMPER)
    with pytest.raises(ServiceError) as caught:
        seeded.container.get(archive_services).archive.export("timbra-2026-11", whole_period(seeded), storage)
    assert caught.value.code == "archive-exists"


@pytest.fixture(scope="module")
def module_bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    app = SandboxApp(folder / "data")
    app.store(app.mint())
    app.issue(invoice())
    app.container.get(archive_services).archive.export("bag", whole_period(app), FolderStorage(folder))
    app.container.close()
    return folder / "bag"


@pytest.fixture
def bag(module_bag: Path, tmp_path: Path) -> Path:
    """Return a copy of an archive."""
    return shutil.copytree(module_bag, tmp_path / "bag")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def rewrite_manifest(bag: Path) -> None:
    """Replace the hashes of changed files, as a forger of the archive does."""
    from hashlib import sha256

    for manifest in ("manifest-sha256.txt", "tagmanifest-sha256.txt"):
        names = [line.split("  ", 1)[1] for line in (bag / manifest).read_text().splitlines()]
        lines = [f"{sha256((bag / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
        (bag / manifest).write_text("".join(lines))


def forge(bag: Path) -> None:
    """Name another hash of the document, and replace the hashes of the changed files."""
    table = bag / "data" / "documents.csv"
    table.write_text(table.read_text().rsplit(",", 1)[0] + f",{'0' * 64}\n")
    rewrite_manifest(bag)


@pytest.mark.parametrize(
    "damage",
    [
        lambda bag: flip(next(bag.glob("data/documents/*.zip"))),
        lambda bag: flip(bag / "data" / "events.jsonl.gz"),
        lambda bag: flip(bag / "manifest-sha256.txt"),
        lambda bag: (bag / "data" / "acuses.zip").unlink(),
        lambda bag: (bag / "data" / "more.xml").write_text("<x/>"),
        lambda bag: (bag / "bagit.txt").unlink(),
        forge,
    ],
    ids=["document", "events", "manifest", "missing", "additional", "incomplete", "forged"],
)
def test_verify_archive_finds_damage(bag: Path, damage: Callable[[Path], object]) -> None:
    verify_archive("bag", FolderStorage(bag.parent))
    damage(bag)
    with pytest.raises(ServiceError) as caught:
        verify_archive("bag", FolderStorage(bag.parent))
    assert caught.value.code == "archive-invalid"


def test_manifest_is_required_of_issuers_by_a_setting(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path, manifests_required=True)
    app.store(app.mint())
    assert app.rejection(invoice(), issue=True).code == "AU2003"
    manifests = app.container.get(manifest_services).manifests
    signed_at = app.container.wall.now() - timedelta(days=1)
    registered = manifests.register(KEMPER.lower(), signed_at, "manifiesto.pdf", b"%PDF-1.7 signed")
    assert app.issue(invoice()).uuid
    assert rows(app, "manifests") == [
        (KEMPER, signed_at, registered.registered_at, "manifiesto.pdf", registered.digest)
    ]
    assert manifests.remove(KEMPER)
    assert app.rejection(invoice("2"), issue=True).code == "AU2003"
    assert [row[1] for row in rows(app, "security") if str(row[1]).startswith("manifest.")] == [
        "manifest.registered",
        "manifest.removed",
    ]
    app.container.close()


def test_manifest_that_cannot_be_looked_up_is_another_code(sandbox_app: SandboxApp) -> None:
    manifests = sandbox_app.container.get(manifest_services).manifests

    def fail(issuer_rfc: str) -> bool:
        raise ServiceError("CO1000", "no database") from OperationalError("", {}, Exception())

    manifests._repository.has = fail  # type: ignore[method-assign]
    with pytest.raises(ServiceError) as caught:
        manifests.require(KEMPER)
    assert caught.value.code == "AU2005"


@pytest.mark.parametrize(
    ("rfc", "document", "days"),
    [("no rfc", b"x", -1), (KEMPER, b"", -1), (KEMPER, b"x", 1)],
    ids=["rfc", "empty", "future"],
)
def test_manifest_rejects_impossible_values(sandbox_app: SandboxApp, rfc: str, document: bytes, days: int) -> None:
    at = sandbox_app.container.wall.now() + timedelta(days=days)
    with pytest.raises(ServiceError) as caught:
        sandbox_app.container.get(manifest_services).manifests.register(rfc, at, "m.pdf", document)
    assert caught.value.code == "manifest-invalid"


def test_stamping_needs_no_manifest_by_default() -> None:
    assert Settings().manifests_required is False


def test_reports_and_archive_have_deliveries(sandbox_app: SandboxApp, tmp_path: Path) -> None:
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
    written = sandbox_app.container.get(archive_services).archive.export(
        "bag", whole_period(sandbox_app), FolderStorage(tmp_path / "bags")
    )
    assert written.acuses == 2
