"""Restore drill: restore a backup into a temporary folder, check what it contains, and report."""

from __future__ import annotations

import re
import tempfile
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import orjson

from timbra.accounts.vault.vault import Vault
from timbra.backup.backup import MASTER_KEY, storage
from timbra.backup.consistency import check_database
from timbra.backup.protection import OpeningKeys
from timbra.backup.restore import restore
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.rules.reference.messages import MESSAGES
from timbra.stamps.port import StampRecord
from timbra.stamps.repository import DatabaseStamps

PAGE = 500
MAX_PROBLEMS = 100
"""Problems that a report lists."""
_SEAL = re.compile(rb'\sSello\s*=\s*["\']([^"\']*)["\']')
WORK_FOLDER_PREFIX = "timbra-drill-"


@dataclass(frozen=True, slots=True)
class RestoredServices:
    """What a drill uses of the services on a restored folder.

    Attributes:
        vault: returns the vault; reads the master key.
    """

    database: Database
    stamps: DatabaseStamps
    vault: Callable[[], Vault]


Opener = Callable[[Path], AbstractContextManager[RestoredServices]]
"""Opens the services on a restored data folder."""


@dataclass(slots=True)
class DrillReport:
    """The result of a drill.

    Attributes:
        archive: name of the file.
        made_at: when the backup was made.
        drilled_at: when the drill began.
        signed_by: identifier of the key whose signature was verified; empty when none was.
        database: `sqlite`, or `postgresql` when the archive does not have the database.
        schema: version of the schema in the backup, before migrations.
        files, size: number of files and their bytes.
        counts: rows by name; empty when there was no database to check.
        read_back: stamps whose document was decompressed and has the folio and the seal of its row.
        newest_stamp: fiscal instant of the newest stamp.
        keys: private keys that the master key decrypted; None without the master key.
        seconds: duration of each step.
        problems: what is wrong; empty for a backup that restores.
    """

    archive: str
    drilled_at: str
    made_at: str = ""
    program: str = ""
    environment: str = ""
    encrypted: bool = False
    signed_by: str = ""
    database: str = ""
    schema: str = ""
    files: int = 0
    size: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    read_back: int = 0
    newest_stamp: str = ""
    keys: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> bytes:
        return orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2)


def drill(
    archive: Path,
    environment: str,
    now: datetime,
    open_services: Opener,
    *,
    keys: OpeningKeys | None = None,
    has_external_key: bool = False,
    has_external_database: bool = False,
    folder: Path | None = None,
    stopwatch: Callable[[], float] = time.monotonic,
) -> DrillReport:
    """Restore an archive into a temporary folder, check it and remove the folder.

    Args:
        environment: environment that the backup must be of.
        now: wall time.
        open_services: opens the restored folder.
        keys: what decrypts the archive and verifies its signature.
        has_external_key: whether the settings name a master key, so that the archive need not have it.
        has_external_database: whether the services use a PostgreSQL database that was restored before.
        folder: where the temporary folder is made; None for the system's.
        stopwatch: seconds of a monotonic clock.

    Returns:
        The report; an archive that cannot be restored is a problem of the report, not an exception.

    Raises:
        ServiceError: "backup-storage" when the temporary folder cannot be written.
    """
    report = DrillReport(archive.name, now.isoformat())
    with storage(), tempfile.TemporaryDirectory(prefix=WORK_FOLDER_PREFIX, dir=folder) as made:
        data = Path(made) / "data"
        begun = stopwatch()
        try:
            _restore(report, archive, data, environment, now, keys or OpeningKeys())
            report.seconds["restore"] = round(stopwatch() - begun, 3)
            _check(report, data, open_services, has_external_key, has_external_database)
        except ServiceError as error:
            report.problems.append(_line(error))
        report.seconds["total"] = round(stopwatch() - begun, 3)
    return report


def _restore(
    report: DrillReport, archive: Path, data: Path, environment: str, now: datetime, keys: OpeningKeys
) -> None:
    read = restore(archive, data, environment, now, keys=keys)
    manifest = read.manifest
    report.made_at, report.program, report.environment = manifest.made_at, manifest.program, manifest.environment
    report.encrypted, report.signed_by = read.provenance.encrypted, read.provenance.signed_by
    report.database, report.schema = manifest.database, manifest.schema
    report.files, report.size = len(manifest.files), sum(entry.size for entry in manifest.files.values())


def _check(report: DrillReport, data: Path, open_services: Opener, external_key: bool, external_database: bool) -> None:
    has_key = external_key or (data / MASTER_KEY).exists()
    if report.database != "sqlite" and not external_database:
        report.problems.append("El archivo no contiene la base de datos PostgreSQL: indíquela con --database-url.")
        return
    with open_services(data) as services:
        found = check_database(services.database)
        report.counts = dict(found.counts)
        report.problems += found.problems
        for record in _records(services.stamps, report.problems):
            report.newest_stamp = max(report.newest_stamp, record.stamped_at.isoformat())
            if problem := _problem_of(record):
                report.problems.append(f"El timbre {record.uuid}: {problem}")
            else:
                report.read_back += 1
            if len(report.problems) >= MAX_PROBLEMS:
                break
        if has_key:
            report.keys = services.vault().verify_keys()
        else:
            report.problems.append("Sin la llave maestra no se descifran las llaves: indíquela con la configuración.")


def _records(stamps: DatabaseStamps, problems: list[str]) -> Iterator[StampRecord]:
    """Yield every stamp; one with a damaged document is a problem."""
    cursor = None
    while True:
        page = stamps.page(None, cursor=cursor, limit=PAGE)
        problems.extend(_line(stamp.error) for stamp in page.damaged)
        yield from page.records
        cursor = page.cursor
        if cursor is None:
            return


def _line(error: ServiceError) -> str:
    return " ".join(filter(None, (MESSAGES.get(error.code, error.code), error.detail)))


def _problem_of(record: StampRecord) -> str:
    """Return what a stored document contradicts its row in; empty when they agree."""
    if record.uuid.encode() not in record.cfdi.lower():
        return "el XML no tiene su folio"
    seal = _SEAL.search(record.cfdi)
    try:
        decoded = b64decode(seal[1] if seal else b"")
    except ValueError:
        decoded = b""
    return "" if sha256(decoded).digest() == record.seal_hash else "el XML no tiene el sello con el que se guardó"
