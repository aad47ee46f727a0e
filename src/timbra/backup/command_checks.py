"""What `timbra backup create` and `timbra backup drill` share: the check of an archive, and the report of a drill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from timbra.console.services_option import open_services
from timbra.console.tables import print_rows

if TYPE_CHECKING:
    from timbra.backup.protection import OpeningKeys
    from timbra.backup.restore_drill import DrillReport, RestoredServices
    from timbra.container import Container
    from timbra.settings import Settings

MAX_RECORDED_PROBLEMS = 10


def verification(container: Container, name: str, keys: OpeningKeys, with_drill: bool) -> Callable[[Path], None]:
    """Return the verification of a new archive: a drill, or the reading of the archive and the check of its database.

    Args:
        name: Name of the archive in the report.
    """
    from timbra.backup.backup import MASTER_KEY
    from timbra.backup.reading import verify_archive
    from timbra.backup.restore_drill import drill as run_drill
    from timbra.container.build import data_folder
    from timbra.core.errors import ServiceError

    settings = container.settings
    if not (settings.master_key or settings.master_key_file or settings.pkcs11_module):
        settings = settings.model_copy(update={"master_key_file": container.get(data_folder) / MASTER_KEY})

    def verify_draft(draft: Path) -> None:
        if not with_drill:
            verify_archive(draft, keys, draft.parent)
            return
        result = run_drill(
            draft,
            settings.environment,
            container.wall.now(),
            lambda data: restored_services(settings, data, ""),
            keys=keys,
            has_external_key=True,
            folder=draft.parent,
        )
        result.archive = name
        print_report(result)
        if result.problems:
            raise ServiceError("backup-damaged", result.problems[0])

    return verify_draft


@contextmanager
def restored_services(settings: Settings, data: Path, database_url: str) -> Iterator[RestoredServices]:
    from timbra.accounts.certificates import certificate_services
    from timbra.app.composition import open_container
    from timbra.backup.restore_drill import RestoredServices
    from timbra.database.build import opened_database
    from timbra.stamps.build import database_stamps

    with open_container(settings.model_copy(update={"data": data, "database_url": database_url})) as container:
        yield RestoredServices(
            container.get(opened_database),
            container.get(database_stamps),
            lambda: container.get(certificate_services).vault,
        )


def record_drill(result: DrillReport) -> None:
    from timbra.events.recorder import RESTORE_TEST, EventRecorder

    body = {
        "made_at": result.made_at,
        "seconds": result.seconds,
        "files": result.files,
        "read_back": result.read_back,
        "problems": result.problems[:MAX_RECORDED_PROBLEMS],
    }
    with open_services(None, EventRecorder) as events:
        events.record(RESTORE_TEST, result.archive, body)


def print_report(report: DrillReport) -> None:
    rows = [
        ("archive", report.archive),
        ("made at", report.made_at),
        ("program", report.program),
        ("environment", report.environment),
        ("database", report.database),
        ("schema", report.schema),
        ("encrypted", "yes" if report.encrypted else "no"),
        ("signed by", report.signed_by or "-"),
        ("files", str(report.files)),
        ("bytes", str(report.size)),
        *((name, str(count)) for name, count in report.counts.items()),
        ("read back", str(report.read_back)),
        ("newest stamp", report.newest_stamp or "-"),
        ("private keys", "-" if report.keys is None else str(report.keys)),
        *((f"seconds: {step}", str(seconds)) for step, seconds in report.seconds.items()),
        ("problems", str(len(report.problems))),
    ]
    print_rows(("check", "result"), rows)
    for problem in report.problems:
        typer.echo(problem, err=True)
