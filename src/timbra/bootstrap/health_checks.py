"""Health checks of a worker: database, snapshot, lists and master key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from timbra.accounts.secrets import shared_secret
from timbra.errors import ServiceError
from timbra.snapshot import locate, open_snapshot

if TYPE_CHECKING:
    from timbra.bootstrap.container import Container


def checks(container: Container) -> Mapping[str, Callable[[], None]]:
    """Return the checks of a worker.

    Returns:
        Functions that raise an exception when the check fails, by the message that reports the failure.
    """
    return {
        "la base de datos no responde": lambda: _database(container),
        "los datos del SAT no se pueden leer": lambda: _snapshot(container),
        "las listas no se pueden leer": lambda: _lists(container),
        "la llave maestra no abre lo guardado": lambda: _master_key(container),
    }


def _database(container: Container) -> None:
    container.database.ping()


def _snapshot(container: Container) -> None:
    """Check that the files of the snapshot still exist in full: some parts are read long after the start."""
    snapshot = open_snapshot(locate(container.settings.snapshot))
    for name, entry in snapshot.manifest.files.items():
        if snapshot.path(name).stat().st_size != entry.size:
            raise ServiceError("snapshot-damaged", f"El tamaño de {name!r} no es el que dice el manifiesto.")


def _lists(container: Container) -> None:
    container.list_ages()


def _master_key(container: Container) -> None:
    shared_secret(container.database, container.envelope)
