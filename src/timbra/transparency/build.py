"""Construction of the transparency log, its consumer of events and its jobs."""

from __future__ import annotations

from collections.abc import Sequence

from timbra.accounts.build import envelope_encryption
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.database.build import opened_database
from timbra.events.consumers import Consumer
from timbra.transparency.consumer import log_consumer
from timbra.transparency.keys import AuditKeys
from timbra.transparency.log import TransparencyLog
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob


def audit_keys(container: Container) -> AuditKeys:
    """Build the keys that sign checkpoints and the heads of the audit log."""
    return AuditKeys(container.get(envelope_encryption), container.wall)


def transparency_log(container: Container) -> TransparencyLog:
    """Build the transparency log."""
    get, settings = container.get, container.settings
    return TransparencyLog(
        get(opened_database),
        get(audit_keys),
        get(data_folder),
        container.wall,
        origin=settings.log_origin,
        is_public=settings.log_public,
    )


def event_consumer(container: Container) -> Consumer:
    """Return the consumer of the event log that appends leaves."""
    return log_consumer(container.get(opened_database))


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    log = container.get(transparency_log)
    return [
        once_in_cluster(container, "log checkpoint", 1, log.run),
        PeriodicJob("log checkpoint file", 60, log.write_file),
    ]


def _warnings(container: Container) -> Sequence[str]:
    """Return why no checkpoint is signed, in Spanish."""
    problem = container.get(transparency_log).problem()
    return [problem] if problem else ()


SERVICES = {TransparencyLog: transparency_log}
JOBS = FeatureJobs(delivery=_delivery_jobs)
CONSUMERS = (event_consumer,)
WARNINGS = (_warnings,)
