"""Imports of large lists in a child process with a memory limit, so that a list cannot end the server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

from timbra.container.child import RunInChild
from timbra.core.errors import ServiceError
from timbra.lists.importer import ListImporter
from timbra.lists.list_store import ListEdition
from timbra.lists.sources.part_names import ListKind
from timbra.pools import ProcessBusyError, ProcessPool, ProcessTimeoutError, WorkerDiedError
from timbra.settings import Settings
from timbra.web.injection import Groups

IMPORT_SECONDS = 3600.0
NICENESS = 5
Published = tuple[ListEdition, ListEdition | None]


def publish_in_child(
    run_in_child: RunInChild,
    settings: Settings,
    kind: ListKind,
    paths: Sequence[Path],
    *,
    dated: date | None,
    force: bool,
    published_at: datetime | None,
) -> Published:
    """Import a list in a child process of its own.

    Args:
        run_in_child: Runs work with the services of the child, see `timbra.container.child`.
        settings: The settings of the server, without secrets.
        kind: See `ListImporter.publish`.
        paths: See `ListImporter.publish`.
        dated: See `ListImporter.publish`.
        force: See `ListImporter.publish`.
        published_at: See `ListImporter.publish`.

    Raises:
        ServiceError: Those of `ListImporter.run`; "list-unreadable" at the limits of memory and time.
    """
    options = {"dated": dated, "force": force, "published_at": published_at}
    pool = ProcessPool(1, settings.lists_memory_bytes, IMPORT_SECONDS, NICENESS)
    files = [path.absolute() for path in paths]
    try:
        outcome = pool.call(partial(run_in_child, settings), _publish, kind, files, options)
    except (MemoryError, ProcessTimeoutError, WorkerDiedError, ProcessBusyError) as cause:
        raise _limit_error(cause) from cause
    finally:
        pool.close()
    if isinstance(outcome.error, MemoryError):
        raise _limit_error(outcome.error) from outcome.error
    if outcome.error is not None:
        raise outcome.error
    published: Published = outcome.value
    return published


def _publish(groups: Groups, kind: ListKind, paths: Sequence[Path], options: dict[str, Any]) -> Published:
    importer: ListImporter = groups[ListImporter]()
    return importer.publish(kind, paths, **options)


def _limit_error(cause: BaseException) -> ServiceError:
    if isinstance(cause, ProcessTimeoutError):
        return ServiceError("list-unreadable", f"La importación tardó más de {IMPORT_SECONDS:g} s.")
    return ServiceError("list-unreadable", "La importación pide más memoria que TIMBRA_LISTS_MEMORY_BYTES.")
