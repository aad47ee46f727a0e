"""The settings of list sources: a text such as `container:https://...`, `folder:/srv/lists` or `command:sftp ...`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.lists.fetch.folder_source import CommandSource, FolderSource
from timbra.lists.fetch.http_source import ContainerSource, HttpDownloads, NamedFilesSource, SingleFileSource
from timbra.lists.fetch.source import UNAVAILABLE, FileSource
from timbra.sat.transport import Transport

CONTAINER, FOLDER, COMMAND = "container:", "folder:", "command:"
HTTP = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What sources need besides their setting.

    Attributes:
        transport: The connections.
        seconds: The timeout of a file, and of a command.
        staging: The parent of the folders that commands fill.
    """

    transport: Transport
    seconds: float
    wall: Clock
    staging: Path


def source_of(specification: str, options: SourceOptions, *, single_file: bool, name: str) -> FileSource:
    """Return the source of a setting.

    Args:
        specification: The setting.
        options: What sources need besides.
        single_file: Whether an HTTP address is that of the file; else it is that of a folder with the SAT's names.
        name: The folder that a command fills.

    Raises:
        ServiceError: "list-source" for another text.
    """
    downloads = HttpDownloads(options.transport, options.seconds)
    if specification.startswith(CONTAINER) and specification.removeprefix(CONTAINER).startswith(HTTP):
        return ContainerSource(specification.removeprefix(CONTAINER), downloads)
    if specification.startswith(FOLDER):
        return FolderSource(Path(specification.removeprefix(FOLDER)))
    if specification.startswith(COMMAND) and specification.removeprefix(COMMAND).strip():
        return CommandSource(specification.removeprefix(COMMAND), options.staging / name, options.seconds)
    if specification.startswith(HTTP):
        if single_file:
            return SingleFileSource(specification, downloads)
        return NamedFilesSource(specification, downloads, options.wall)
    raise ServiceError(
        UNAVAILABLE, "La fuente se escribe container:https://..., https://..., folder:RUTA o command:PROGRAMA {folder}."
    )
