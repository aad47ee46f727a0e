"""Construction of the database."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from timbra.container import Container
from timbra.container.build import data_folder
from timbra.container.folder_environment import mark_environment
from timbra.core.metrics import INTERNAL_ERRORS
from timbra.database.cluster_jobs import ClusterJobs
from timbra.database.codec import ArchivedDocument
from timbra.database.damaged_values import DAMAGED, FOUND
from timbra.database.database import Database, open_database
from timbra.database.generation import FILE
from timbra.database.leases import Leases
from timbra.database.timeouts import Timeouts


def opened_database(container: Container) -> Database:
    """Open the database of the settings; SQLite in the data folder by default."""
    settings, folder = container.settings, container.get(data_folder)
    url = settings.database_url or f"sqlite:///{(folder / 'timbra.db').resolve()}"
    timeouts = Timeouts(
        settings.database_connect_timeout_seconds,
        settings.database_lock_timeout_seconds,
        settings.database_statement_timeout_seconds,
    )
    database = open_database(url, settings.environment, timeouts, folder / FILE)
    container.closing.callback(database.close)
    database.read_archived = partial(_read_archived, container)
    container.metrics.declare(INTERNAL_ERRORS, (DAMAGED,))
    FOUND.count = partial(container.metrics.count, INTERNAL_ERRORS, (DAMAGED,))
    mark_environment(folder, settings.environment)
    return database


def _read_archived(container: Container, place: ArchivedDocument) -> bytes:
    # At the first use: the reader reads the database.
    return container.get(archive_reader)(place)


def archive_reader(_container: Container) -> Callable[[ArchivedDocument], bytes]:
    """Return what reads documents from archives, see `Database.document`; the feature of archives binds it."""
    raise NotImplementedError


def cluster_jobs(container: Container) -> ClusterJobs:
    """Build the jobs that one worker of all nodes runs, under a lease."""
    jobs = ClusterJobs(Leases(container.get(opened_database), container.wall))
    container.closing.callback(jobs.close)
    return jobs
