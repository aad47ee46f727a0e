"""The check of a backup: restored into a temporary folder, it is checked as a data folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

from timbra.app.composition import open_container
from timbra.backup.backup import MASTER_KEY, storage
from timbra.backup.protection import OpeningKeys
from timbra.backup.restore import restore
from timbra.core.clock import WallClock
from timbra.fsck.check import FsckSource, Progress
from timbra.fsck.checking import check_all
from timbra.fsck.findings import FsckFinding, FsckReport
from timbra.settings import Settings

WORK_FOLDER_PREFIX = "timbra-fsck-"


def check_backup(path: str, settings: Settings, progress: Progress) -> FsckReport:
    """Check a backup with the keys of the settings. One without its PostgreSQL database has a finding that says so.

    Raises:
        ServiceError: As `restore`.
    """
    keys = OpeningKeys(settings.backup_identity_file, settings.backup_public_key_file)
    with storage(), tempfile.TemporaryDirectory(prefix=WORK_FOLDER_PREFIX) as made:
        data = Path(made) / "data"
        read = restore(Path(path), data, settings.environment, WallClock().now(), keys=keys)
        if read.manifest.database != "sqlite":
            return FsckReport([FsckFinding("not-contained", Path(path).name, "", stored=read.manifest.database)])
        changes: dict[str, object] = {"data": data, "database_url": ""}
        own_key = settings.data / MASTER_KEY
        has_key = settings.master_key or settings.master_key_file or settings.pkcs11_module
        if not has_key and not (data / MASTER_KEY).exists() and own_key.exists():
            changes["master_key_file"] = own_key
        with open_container(settings.model_copy(update=changes)) as container:
            return check_all(container, progress)


SOURCES = (FsckSource(lambda path: Path(path).is_file(), check_backup),)
