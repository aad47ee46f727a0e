"""Health checks of a worker: database, snapshot, lists, master key and disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from timbra.accounts.secrets import shared_secret
from timbra.core.errors import ServiceError
from timbra.snapshot import locate, open_snapshot

PROVIDER = "el proveedor no puede timbrar"

if TYPE_CHECKING:
    from timbra.app.list_fetching import ListStores
    from timbra.app.provider import ProviderBuilder
    from timbra.provider.identity import ProviderSchedule


def checks(stores: ListStores) -> Mapping[str, Callable[[], None]]:
    """Return the checks of a worker.

    Returns:
        Functions that raise an exception when the check fails, by the message that reports the failure.
    """
    settings, optional = stores.settings, dict[str, Callable[[], None]]()
    if settings.stale_lists == "unready":
        optional["las listas del SAT no son vigentes"] = _with_database(
            stores, lambda: _require_none(stores.list_health.stale())
        )
    if settings.clock_check == "unready" and stores.environment.requires_signed_lists:
        optional["el reloj no está sincronizado"] = lambda: _require_none(_clock(stores))
    return {
        "la base de datos no responde": lambda: _database(stores),
        "los datos del SAT no se pueden leer": lambda: _snapshot(stores),
        "las listas no se pueden leer": _with_database(stores, lambda: _lists(stores)),
        "la llave maestra no abre lo guardado": _with_database(stores, lambda: _master_key(stores)),
        "el disco de los datos está lleno": lambda: _disk(stores),
        **optional,
        **stores.health_conditions(),
    }


def warnings(stores: ListStores) -> Sequence[str]:
    """Return what an operator must see to while the worker serves requests, in Spanish."""
    settings = stores.settings
    stale = stores.list_health.stale() if settings.stale_lists == "degraded" else ()
    clock = _clock(stores) if settings.clock_check == "degraded" and stores.environment.requires_signed_lists else ()
    found = [*stale, *stores.list_health.failures(), *clock, *stores.archive_problems(), *stores.audit_problems()]
    return [*stores.database_integrity.problems(), *found]


def _clock(stores: ListStores) -> Sequence[str]:
    problem = stores.clock_discipline.problem()
    return () if problem is None else (problem,)


def _require_none(problems: Sequence[str]) -> None:
    if problems:
        raise ServiceError("CO1000", " ".join(problems))


def require_provider(schedule: ProviderSchedule, builder: ProviderBuilder) -> None:
    """Check that the provider may stamp now, and that its key answers.

    Raises:
        ServiceError: "CO1000" when the certificate may not stamp; "signer-unavailable" when no token answers.
    """
    schedule.verify_key(schedule.scheduled())
    builder.require_tokens(schedule.in_force())


def _with_database(stores: ListStores, check: Callable[[], None]) -> Callable[[], None]:
    """Return a check that passes while the database does not answer: the check of the database reports it."""

    def run() -> None:
        try:
            check()
        except ServiceError:
            if _answers(stores):
                raise

    return run


def _answers(stores: ListStores) -> bool:
    try:
        _database(stores)
    except ServiceError:
        return False
    return True


def _database(stores: ListStores) -> None:
    stores.database.ping()


def _snapshot(stores: ListStores) -> None:
    """Check that the files of the snapshot still exist in full: some parts are read long after the start."""
    snapshot = open_snapshot(locate(stores.settings.snapshot))
    for name, entry in snapshot.manifest.files.items():
        if snapshot.path(name).stat().st_size != entry.size:
            raise ServiceError("snapshot-damaged", f"El tamaño de {name!r} no es el que dice el manifiesto.")


def _lists(stores: ListStores) -> None:
    stores.list_ages()


def _disk(stores: ListStores) -> None:
    if not hasattr(shutil, "disk_usage"):
        return  # Python has it on Unix and Windows only.
    free, required = shutil.disk_usage(stores.data).free, stores.settings.min_free_disk_bytes
    if free < required:
        raise ServiceError("CO1000", f"Quedan {free} bytes libres; se piden {required}.")


def _master_key(stores: ListStores) -> None:
    shared_secret(stores.database, stores.envelope)
