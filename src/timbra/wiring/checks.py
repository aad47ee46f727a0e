"""What must hold for a worker to work, asked again and again while it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import select

from timbra.accounts.secrets import shared_secret
from timbra.errors import ServiceError
from timbra.snapshot import locate, open_snapshot
from timbra.store.tables.core import IDENTITY

if TYPE_CHECKING:
    from timbra.wiring.house import House


def checks(house: House) -> Mapping[str, Callable[[], None]]:
    """By what is missing when one raises."""
    return {
        "la base de datos no responde": lambda: _database(house),
        "los datos del SAT no se pueden leer": lambda: _snapshot(house),
        "las listas no se pueden leer": lambda: _lists(house),
        "la llave maestra no abre lo guardado": lambda: _master_key(house),
    }


def _database(house: House) -> None:
    with house.database.read() as connection:
        connection.execute(select(IDENTITY.c.value)).first()


def _snapshot(house: House) -> None:
    """The folder as it is now, by sizes: what was read at the start may be gone, and parts are read later."""
    snapshot = open_snapshot(locate(house.settings.snapshot))
    for name, entry in snapshot.manifest.files.items():
        if snapshot.path(name).stat().st_size != entry.size:
            raise ServiceError("snapshot-damaged", f"El tamaño de {name!r} no es el que dice el manifiesto.")


def _lists(house: House) -> None:
    house.list_ages()


def _master_key(house: House) -> None:
    shared_secret(house.database, house.envelope)
