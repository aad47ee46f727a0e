"""Construction of what publishes the heads of the audit log, and the jobs of the audit log."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

from timbra.audit.build import audit_log
from timbra.audit.head_publication import (
    MAX_ANSWER_BYTES,
    HeadAddress,
    HeadDestination,
    HeadEmail,
    HeadFile,
    HeadPublication,
    problems,
)
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.core.checks import CheckOptions, CheckResult, run_check
from timbra.core.errors import ServiceError
from timbra.database.build import cluster_jobs
from timbra.events.build import use_counter
from timbra.events.smtp import smtp_client
from timbra.sat.transport import Transport
from timbra.settings import Settings
from timbra.settings.archive import destinations_of
from timbra.transparency.build import transparency_log
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
    log = container.get(transparency_log)

    def checkpoint() -> str:
        try:
            return str(log.newest())
        except ServiceError:
            return ""

    folder = container.get(data_folder)
    return HeadPublication(newest, destinations, folder, container.wall, container.metrics, checkpoint)


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


def head_checks(container: Container, options: CheckOptions) -> Iterator[CheckResult]:
    """Yield whether the destinations of audit heads can be reached; nothing is sent."""
    for name in destinations_of(container.settings.audit_heads):
        if options.online or name.startswith(FILE):
            yield run_check(f"destino de auditoría {name}", lambda name=name: _reachable(name, container.settings))  # type: ignore[misc]


def _reachable(name: str, settings: Settings) -> str:
    if name.startswith(FILE):
        folder = Path(name.removeprefix(FILE)).parent
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ServiceError("CO1000", f"{folder}: este usuario no puede escribir.")
        return str(folder)
    if name.startswith(MAIL):
        _destination(name, settings, Transport(1))
        return smtp_client(settings).log_in()
    transport = Transport(1)
    try:
        status = transport.exchange("HEAD", name, seconds=TIMEOUT_SECONDS, max_bytes=MAX_ANSWER_BYTES).status
    finally:
        transport.close()
    return f"estado HTTP {status}"


DIAGNOSTICS = {"destinos de auditoría": head_checks}
