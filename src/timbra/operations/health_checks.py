"""Health checks of a worker: database, snapshot, lists, master key and disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from timbra.accounts.build import envelope_encryption
from timbra.accounts.secrets import shared_secret
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.core.errors import ServiceError
from timbra.core.features import features
from timbra.database.build import opened_database
from timbra.lists.importing import list_health
from timbra.operations.ports import health_conditions, list_ages
from timbra.operations.watches import clock_discipline, database_clock, database_integrity
from timbra.snapshot import locate, open_snapshot
from timbra.stamps.port import CLOCK_LIMIT


def checks(container: Container) -> Mapping[str, Callable[[], None]]:
    """Return the checks of a worker.

    Returns:
        Functions that raise an exception when the check fails, by the message that reports the failure.
    """
    settings, optional = container.settings, dict[str, Callable[[], None]]()
    if settings.stale_lists == "unready":
        optional["las listas del SAT no son vigentes"] = _with_database(
            container, lambda: _require_none(container.get(list_health).stale())
        )
    if settings.clock_check == "unready" and container.environment.requires_signed_lists:
        optional["el reloj no está sincronizado"] = lambda: _require_none(_clock(container))
    if not container.environment.is_sandbox:
        optional["el reloj no es el de la base de datos"] = _with_database(
            container, lambda: _require_none(_database_clock(container, CLOCK_LIMIT))
        )
    return {
        "la base de datos no responde": lambda: _database(container),
        "la base de datos no admite escrituras": _with_database(container, lambda: _writes(container)),
        "los datos del SAT no se pueden leer": lambda: _snapshot(container),
        "las listas no se pueden leer": _with_database(container, lambda: _lists(container)),
        "la llave maestra no abre lo guardado": _with_database(container, lambda: _master_key(container)),
        "el disco de los datos está lleno": lambda: require_disk(container),
        **optional,
        **container.get(health_conditions),
    }


def warnings(container: Container) -> Sequence[str]:
    """Return what an operator must see to while the worker serves requests, in Spanish."""
    settings = container.settings
    stale = container.get(list_health).stale() if settings.stale_lists == "degraded" else ()
    clock = (
        _clock(container) if settings.clock_check == "degraded" and container.environment.requires_signed_lists else ()
    )
    return [
        *container.get(database_integrity).problems(),
        *stale,
        *container.get(list_health).failures(),
        *clock,
        *feature_warnings(container),
    ]


def feature_warnings(container: Container) -> Sequence[str]:
    """Return what an operator must see to by the features that have warnings, in Spanish."""
    of_features = (warn(container) for feature in features() for warn in feature.load(feature.warnings, "WARNINGS"))
    return [warning for warnings_of_feature in of_features for warning in warnings_of_feature]


def _clock(container: Container) -> Sequence[str]:
    """Return what is wrong with the clock: its synchronization, and how far it is from that of the database."""
    problem = container.get(clock_discipline).problem()
    limit = timedelta(seconds=container.settings.clock_max_error_seconds)
    return [*(() if problem is None else (problem,)), *_database_clock(container, limit)]


def _database_clock(container: Container, limit: timedelta) -> Sequence[str]:
    ahead = container.get(database_clock)()
    if ahead is None or abs(ahead) <= limit:
        return ()
    seconds = f"{ahead.total_seconds():+,.1f} s"
    return (f"El reloj de este nodo difiere {seconds} del de la base de datos.",)


def _require_none(problems: Sequence[str]) -> None:
    if problems:
        raise ServiceError("CO1000", " ".join(problems))


def _with_database(container: Container, check: Callable[[], None]) -> Callable[[], None]:
    """Return a check that passes while the database does not answer: the check of the database reports it."""

    def run() -> None:
        try:
            check()
        except ServiceError:
            if _answers(container):
                raise

    return run


def _answers(container: Container) -> bool:
    try:
        _database(container)
    except ServiceError:
        return False
    return True


def _database(container: Container) -> None:
    container.get(opened_database).ping()


def _writes(container: Container) -> None:
    container.get(opened_database).writes.require()


def _snapshot(container: Container) -> None:
    require_snapshot(container)


def require_snapshot(container: Container) -> str:
    """Check that the files of the snapshot still exist in full: some parts are read long after the start.

    Returns:
        Its version.

    Raises:
        ServiceError: "snapshot-damaged" and those of opening it.
    """
    snapshot = open_snapshot(locate(container.settings.snapshot))
    for name, entry in snapshot.manifest.files.items():
        if snapshot.path(name).stat().st_size != entry.size:
            raise ServiceError("snapshot-damaged", f"El tamaño de {name!r} no es el que dice el manifiesto.")
    return snapshot.version


def _lists(container: Container) -> None:
    container.get(list_ages)()


def require_disk(container: Container) -> None:
    """Check the free space of the data folder. Raises ServiceError: "CO1000" when it is too small."""
    if not hasattr(shutil, "disk_usage"):
        return  # Python has it on Unix and Windows only.
    free, required = shutil.disk_usage(container.get(data_folder)).free, container.settings.min_free_disk_bytes
    if free < required:
        raise ServiceError("CO1000", f"Quedan {free} bytes libres; se piden {required}.")


def _master_key(container: Container) -> None:
    shared_secret(container.get(opened_database), container.get(envelope_encryption))
