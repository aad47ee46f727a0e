"""Construction of the operation of a server: health, metrics, outboxes, rejection log, usage and lists."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from importlib.metadata import version

import structlog

from timbra.accounts.build import envelope_encryption
from timbra.accounts.secrets import shared_secret
from timbra.audit.settings_record import settings_values
from timbra.catalogs.build import catalog_source
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.checks import CheckOptions, CheckResult
from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox, delivery_backlog
from timbra.events.build import email_outbox, event_recorder, is_event_read
from timbra.events.recorder import CLOCK_READING
from timbra.lists.build import published_lists
from timbra.lists.history import list_history
from timbra.lists.importing import fetch_records, list_health, list_importer, list_refresh
from timbra.operations.availability import AvailabilityLog
from timbra.operations.health import HealthChecks
from timbra.operations.health_checks import checks, warnings
from timbra.operations.multiprocess_metrics import MultiprocessMetrics
from timbra.operations.nodes import LABEL, PERIOD_SECONDS, NodeRepository, NodeView, compare_nodes
from timbra.operations.ports import list_ages, server_health
from timbra.operations.services import OperationsServices, ServerInfo
from timbra.operations.watches import (
    clock_discipline,
    database_clock,
    database_clock_difference,
    database_integrity,
)
from timbra.rejections.log import RejectionLog
from timbra.rejections.store import RejectionStore
from timbra.stamps.usage import UsageCounter
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

CLOCK_LOG = structlog.get_logger("timbra.clock")


def operations_services(container: Container) -> OperationsServices:
    """Build the operation of a server."""
    get, settings, wall = container.get, container.settings, container.wall
    database, fiscal, backlog = get(opened_database), get(fiscal_clock), get(delivery_backlog)
    store = RejectionStore(database, get(is_event_read))
    return OperationsServices(
        health_checks=HealthChecks(checks(container), backlog, partial(warnings, container)),
        health=get(server_health),
        list_ages=get(list_ages),
        backlog=backlog,
        outbox=get(authority_outbox),
        email_outbox=get(email_outbox),
        rejections=RejectionLog(
            store,
            wall,
            fiscal,
            keep_documents=settings.rejection_documents,
            days=settings.rejection_days,
            state_version=lambda: store.state_version,
            known_state_version=lambda: store.known_state_version,
        ),
        rejection_store=store,
        usage=UsageCounter(database, wall),
        lists=get(published_lists),
        list_importer=partial(list_importer, container),
        list_refresh=lambda: get(list_refresh),
        list_health=get(list_health),
        fetch_records=partial(fetch_records, container),
        list_history=partial(list_history, database),
        clock_discipline=get(clock_discipline),
        build_info=partial(build_info, container),
        total_metrics=get(multiprocess_metrics).total,
        rejection_days=settings.rejection_days,
        database_clock=get(database_clock),
        server_info=lambda: ServerInfo(get(catalog_source).latest(), database.dialect, container.opened_at),
        wall=wall,
        fiscal=fiscal,
    )


def build_info(container: Container) -> dict[str, str]:
    """Return the environment and the version of the SAT's data, for the metrics."""
    version = container.get(catalog_source).latest().snapshot.version
    return {"environment": container.settings.environment, "data_version": version}


def multiprocess_metrics(container: Container) -> MultiprocessMetrics:
    """Build the metrics of all workers of the server."""
    return MultiprocessMetrics(container.metrics, container.metrics_folder)


def record_availability(container: Container) -> None:
    """Record whether this worker is ready, as the probe of one minute."""
    failing = HealthChecks(checks(container), container.get(delivery_backlog)).run_checks()
    day = container.wall.now().astimezone(CENTRAL_MEXICO).date()
    AvailabilityLog(container.get(opened_database)).add(day, is_ready=not failing)


def record_clock(container: Container) -> None:
    """Write the reading of the machine's clock into the event log, and log an alarm.

    A sandbox has no alarm: the instants of its stamps prove nothing.
    """
    discipline = container.get(clock_discipline)
    reading, problem = discipline.read(), discipline.problem()
    if problem is not None and not container.environment.is_sandbox:
        CLOCK_LOG.warning("clock not accurate", detail=problem)
    if reading is not None:
        container.get(event_recorder).record(CLOCK_READING, socket.gethostname(), asdict(reading))


def node_name(container: Container) -> str:
    """Return the name of this node: the setting, or the name of the machine."""
    return container.settings.node or socket.gethostname()


def node_view(container: Container, *, is_ready: bool) -> NodeView:
    """Return what this process reports of its node."""
    settings, database, now = container.settings, container.get(opened_database), container.wall.now()
    secret = shared_secret(database, container.get(envelope_encryption), "audit settings")
    ahead = database_clock_difference(database, container.wall)
    body = {
        "version": version("timbra"),
        "data_version": container.get(catalog_source).current().snapshot.version,
        "lists": container.get(server_health)()["lists_version"],
        "settings": settings_values(settings, secret),
        "clock": None if ahead is None else ahead.total_seconds(),
        "ready": is_ready,
    }
    return NodeView(node_name(container), now, body)


def node_repository(container: Container) -> NodeRepository:
    """Build the views of the nodes."""
    return NodeRepository(container.get(opened_database), container.wall)


def report_node(container: Container) -> None:
    """Write the view of this node into the database."""
    failing = HealthChecks(checks(container), container.get(delivery_backlog)).run_checks()
    view = node_view(container, is_ready=not failing)
    container.get(node_repository).report(view.name, view.body)


def node_checks(container: Container, _: CheckOptions) -> Iterator[CheckResult]:
    """Yield where the nodes differ from each other and from this command."""
    yield from compare_nodes(container.get(node_repository).all(), node_view(container, is_ready=True))


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    flush = container.get(operations_services).rejections.flush
    return [
        PeriodicJob("rejections", 2, flush, idle_seconds=10),
        once_in_cluster(container, "availability", 60, partial(record_availability, container)),
        once_in_cluster(container, f"node {node_name(container)}", PERIOD_SECONDS, partial(report_node, container)),
        once_in_cluster(container, f"clock {socket.gethostname()}", 3600, partial(record_clock, container)),
    ]


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    operations = container.get(operations_services)
    return [
        once_in_cluster(container, "expire rejections", 3600, operations.rejections.expire),
        once_in_cluster(container, "usage", 60, operations.usage.count),
        PeriodicJob("checkpoint", 1, container.get(opened_database).checkpoint, idle_seconds=10),
        PeriodicJob("integrity", 600, container.get(database_integrity).check_if_due),
    ]


def _flush(container: Container) -> None:
    container.get(operations_services).rejections.flush()


DIAGNOSTICS = {LABEL: node_checks}
SERVICES = {OperationsServices: operations_services}
JOBS = FeatureJobs(worker=_worker_jobs, delivery=_delivery_jobs, flush=_flush)
