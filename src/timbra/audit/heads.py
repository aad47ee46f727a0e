"""Construction of what publishes the heads of the audit log, and the jobs of the audit log."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

from timbra.audit.build import audit_log
from timbra.audit.head_publication import (
    HeadAddress,
    HeadDestination,
    HeadEmail,
    HeadFile,
    HeadPublication,
    problems,
)
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.core.errors import ServiceError
from timbra.database.build import cluster_jobs
from timbra.events.build import use_counter
from timbra.events.smtp import smtp_client
from timbra.sat.transport import Transport
from timbra.settings import Settings
from timbra.settings.archive import destinations_of
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

FILE, MAIL = "file:", "mailto:"
TIMEOUT_SECONDS = 10


def head_publication(container: Container) -> HeadPublication:
    """Build what sends the newest head of the audit log to the destinations of the settings.

    Raises:
        ServiceError: "CO1000" for an e-mail address without a mail server.
    """
    settings, transport = container.settings, Transport(1)
    destinations = {name: _destination(name, settings, transport) for name in destinations_of(settings.audit_heads)}
    newest = container.get(audit_log).newest_head
    return HeadPublication(newest, destinations, container.get(data_folder), container.wall, container.metrics)


def _destination(name: str, settings: Settings, transport: Transport) -> HeadDestination:
    if name.startswith(FILE):
        return HeadFile(Path(name.removeprefix(FILE)))
    if not name.startswith(MAIL):
        return HeadAddress(name, transport, TIMEOUT_SECONDS)
    if not settings.smtp_host:
        raise ServiceError("CO1000", f"TIMBRA_AUDIT_HEADS: {name} necesita TIMBRA_SMTP_HOST.")
    server = settings.public_url or socket.gethostname()
    return HeadEmail(name.removeprefix(MAIL), settings.smtp_sender, server, smtp_client(settings).send)


def _warnings(container: Container) -> Sequence[str]:
    """Return what an operator must see to about the audit log, in Spanish."""
    names = destinations_of(container.settings.audit_heads)
    return problems(container.get(data_folder), names) if names else ()


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    chain, heads = container.get(audit_log).chain, container.get(head_publication)
    run = container.get(cluster_jobs).once("audit chain", 1, chain.run)

    def run_if_due() -> None:
        if chain.is_due():
            run()

    return [
        once_in_cluster(container, "audit intervals", 10, container.get(use_counter).roll_up),
        once_in_cluster(container, "audit heads", 60, heads.run),
        PeriodicJob("audit chain", 1, run_if_due, idle_seconds=2),
        PeriodicJob("audit head", 60, heads.write_file),
    ]


JOBS = FeatureJobs(delivery=_delivery_jobs)
WARNINGS = (_warnings,)
