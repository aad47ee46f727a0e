"""Data folders with an empty database, for commands that do not create one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.support.events import list_audit_events
from typer.testing import CliRunner, Result

from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.database.build import opened_database
from timbra.events.audit.events import AuditEvent
from timbra.settings import Settings


def create_data(folder: Path, **settings: object) -> Path:
    """Create the folder and its database, if they do not exist, and return the folder.

    Args:
        folder: The data folder.
        settings: Settings by field name, such as `environment`.
    """
    if not (folder / "timbra.db").exists():
        with open_container(Settings(data=folder, **settings)) as container:  # type: ignore[arg-type]
            container.get(opened_database).poll()
    return folder


class DataShell:
    """Runs commands on the data folder `data` below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        create_data(folder / "data")

    def run(self, *arguments: str | Path) -> Result:
        environment = {"TIMBRA_DATA": str(self.folder / "data")}
        return CliRunner().invoke(app, [*map(str, arguments)], env=environment)

    def audit_events(self, kind: str) -> Sequence[AuditEvent]:
        with open_container(Settings(data=self.folder / "data")) as container:
            return list_audit_events(container.get(opened_database), kind)
