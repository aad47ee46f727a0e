"""Archives of a period: what they have, and how damage is found."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.archive.build import archive_services
from timbra.archive.export import verify_archive
from timbra.archive.storage import ArchiveStorage, FolderStorage, ObjectStorage
from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod
from timbra.database.build import opened_database
from timbra.delivery.receptions import ReceptionRepository, StoredReception
from timbra.examples import ingreso
from timbra.operations.ports import report_files

KEMPER = "EKU9003173C9"
INVOICE = ingreso({"@Folio": "1"}, fecha=FECHA).encode()


def whole_period(app: SandboxApp) -> DayPeriod:
    """The fiscal days of the stamps and the wall days of the events."""
    return DayPeriod(date(2026, 11, 1), max(app.container.wall.now().date(), date(2026, 11, 30)) + timedelta(days=1))


def folder_of(path: Path) -> ArchiveStorage:
    return FolderStorage(path)


def objects_of(path: Path) -> ArchiveStorage:
    path.mkdir()
    return ObjectStorage(f"file://{path}")


@pytest.mark.parametrize("storage_in", [folder_of, objects_of], ids=["folder", "object-storage"])
def test_archive_has_documents_and_events(
    sandbox_app: SandboxApp, tmp_path: Path, storage_in: Callable[[Path], ArchiveStorage]
) -> None:
    sandbox_app.store(sandbox_app.mint())
    stamped = sandbox_app.issue(INVOICE)
    storage = storage_in(tmp_path / "archive")
    archive = sandbox_app.container.get(archive_services).archive
    written = archive.export("timbra-2026-11", whole_period(sandbox_app), storage)
    assert verify_archive("timbra-2026-11", storage) == written
    assert (written.documents, written.events > 0) == (1, True)
    with storage.open("timbra-2026-11/data/documents.csv") as file:
        [row] = csv.DictReader(io.StringIO(file.read().decode()))
    assert (row["uuid"], row["issuer_rfc"]) == (stamped.uuid, KEMPER)
    with pytest.raises(ServiceError) as caught:
        archive.export("timbra-2026-11", whole_period(sandbox_app), storage)
    assert caught.value.code == "archive-exists"


@pytest.fixture(scope="module")
def module_bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    app = SandboxApp(folder / "data")
    app.store(app.mint())
    app.issue(INVOICE)
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


def test_archive_has_the_reports_of_features(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    sandbox_app.container.parts[report_files] = lambda _: [("days.csv", lambda file: file.write(b"day\n"))]
    storage = FolderStorage(tmp_path)
    sandbox_app.container.get(archive_services).archive.export("bag", whole_period(sandbox_app), storage)
    assert (tmp_path / "bag" / "data" / "reports" / "days.csv").read_bytes() == b"day\n"
    assert verify_archive("bag", storage).files == 4


def test_archive_has_the_acuses_of_deliveries(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    at = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
    uuids = [f"05c519de-0000-4000-8000-00000000000{number}" for number in range(2)]
    repository = ReceptionRepository(sandbox_app.container.get(opened_database))
    for uuid in uuids:
        repository.conclude(
            StoredReception(uuid, 1, KEMPER, "4.0", at, at, at + timedelta(seconds=3), 1, "received", "S", [], b"<A/>")
        )
    archive, storage = sandbox_app.container.get(archive_services).archive, FolderStorage(tmp_path / "bags")
    assert archive.export("bag", whole_period(sandbox_app), storage).acuses == 2
