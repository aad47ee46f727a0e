"""The state of the server: health and metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from importlib.metadata import version

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.core.metrics import (
    BUILD_INFO,
    CLOCK_DATABASE,
    CLOCK_MAX_ERROR,
    CLOCK_OFFSET,
    CLOCK_SYNCHRONIZED,
    DEAD_LETTERS,
    DELIVERY_OUTAGE,
    HEALTH_WARNINGS,
    LIST_AGE,
    LIST_FAILING,
    LIST_QUERY_AGE,
    MINUTES_BEHIND_SAT,
    OUTBOX_OLDEST,
    OUTBOX_PENDING,
    READY,
    GaugeFamily,
    Labels,
)
from timbra.delivery.deliveries import Backlog
from timbra.delivery.outages import SERVICES, outage_warnings
from timbra.operations.health import ServerHealth
from timbra.operations.serializers import LiveAnswer, health_answer, outbox_answer, ready_answer
from timbra.operations.services import OperationsServices
from timbra.web.envelopes import success
from timbra.web.framework.error_responses import INTERNAL_ERROR
from timbra.web.framework.operation import Operation, OperationAccess
from timbra.web.framework.request_context import RequestContext, json_response

_Values = Mapping[GaugeFamily, Mapping[Labels, float]]
"""The values of gauges, by the values of their labels."""
RETRY_SECONDS = 1
EMAIL_KIND = "letter"
"""The kind of e-mails among the dead letters."""


async def health(_: RequestContext, services: OperationsServices) -> Response:
    """Answer with the data and lists of this worker, and the deliveries that wait."""
    backlog = await _backlog(services)
    outbox = None if backlog is None else outbox_answer(backlog, services.wall.now())
    state, list_ages = await asyncio.to_thread(_state, services)
    if backlog is not None and backlog.outages:
        state = {**state, "status": "degraded"}
    return json_response(success(health_answer(state, list_ages, outbox)))


async def live(_: RequestContext) -> Response:
    """Answer without reading any state."""
    return json_response(success(LiveAnswer()))


async def ready(_: RequestContext, services: OperationsServices) -> Response:
    """Answer whether this worker can serve requests; 503 names the health checks that fail.

    Dead letters, failing sources of lists and, by settings, old lists and a wrong clock need an operator, but requests
    are served: a server that is ready reports them as warnings.
    """
    missing = await services.health_checks.failing()
    if missing:
        raise ServiceError(INTERNAL_ERROR, f"Falta: {'; '.join(missing)}.", retry_after=RETRY_SECONDS)
    state, list_ages = await asyncio.to_thread(_state, services)
    backlog = await _backlog(services)
    outages = () if backlog is None else outage_warnings(backlog, services.wall.now())
    degraded = [*outages, *await services.health_checks.warnings()]
    warnings = [*degraded, *_warnings(backlog)]
    return json_response(success(ready_answer(state, list_ages, warnings, is_degraded=bool(degraded))))


async def metrics(request: RequestContext, services: OperationsServices) -> Response:
    """Answer with the metrics of all workers of this server; those of the outboxes need the database."""
    backlog, missing, warnings = await asyncio.gather(
        _backlog(services), services.health_checks.failing(), services.health_checks.warnings()
    )
    states: _Values = {READY: {(): not missing}, HEALTH_WARNINGS: {(): len(warnings)}}
    accept = request.headers.get("accept", "")
    page, content_type = await asyncio.to_thread(_page, services, backlog, states, accept)
    return Response(page, headers={"content-type": content_type})


async def _backlog(services: OperationsServices) -> Backlog | None:
    """None when the database does not answer."""
    try:
        return await services.health_checks.backlog()
    except (ServiceError, TimeoutError):
        return None


def _warnings(backlog: Backlog | None) -> list[str]:
    """Dead letters by kind, in words for operators."""
    dead = {} if backlog is None else backlog.dead
    commands = {kind: "timbra mail list --dead" if kind == EMAIL_KIND else "timbra outbox list --dead" for kind in dead}
    return [f"Entregas apartadas de tipo {kind}: {count} ({commands[kind]})." for kind, count in sorted(dead.items())]


def _state(services: OperationsServices) -> tuple[ServerHealth, Mapping[str, timedelta]]:
    """The data and lists that this worker uses, and the age of each list. May read the database."""
    list_ages = services.list_ages()
    return services.health(), list_ages


def _ages(services: OperationsServices) -> dict[Labels, float]:
    """In seconds; none when the lists cannot be read, which readiness reports."""
    try:
        return {(name,): age.total_seconds() for name, age in services.list_ages().items()}
    except ServiceError:
        return {}


def _clock_values(services: OperationsServices) -> _Values:
    reading = services.clock_discipline.read()
    difference = _database_clock(services)
    of_database: _Values = {} if difference is None else {CLOCK_DATABASE: {(): difference.total_seconds()}}
    if reading is None:
        return of_database
    return {
        **of_database,
        CLOCK_SYNCHRONIZED: {(): reading.synchronized},
        CLOCK_OFFSET: {(): reading.offset},
        CLOCK_MAX_ERROR: {(): reading.max_error},
    }


def _database_clock(services: OperationsServices) -> timedelta | None:
    """None without a database to compare with, also while it does not answer: readiness reports that."""
    try:
        return services.database_clock()
    except ServiceError:
        return None


def _list_values(services: OperationsServices) -> _Values:
    now = services.wall.now()
    records = {(str(kind),): record for kind, record in services.fetch_records().items()}
    return {
        LIST_AGE: _ages(services),
        LIST_QUERY_AGE: {labels: (now - record.checked_at).total_seconds() for labels, record in records.items()},
        LIST_FAILING: {labels: bool(record.code) for labels, record in records.items()},
    }


def _seconds_since(services: OperationsServices, backlog: Backlog) -> float:
    return 0.0 if backlog.oldest is None else max((services.wall.now() - backlog.oldest).total_seconds(), 0.0)


def _outage_seconds(services: OperationsServices, backlog: Backlog) -> dict[Labels, float]:
    now = services.wall.now()
    found: dict[Labels, float] = dict.fromkeys(((service,) for service in SERVICES), 0.0)
    found.update({(outage.service,): (now - outage.since).total_seconds() for outage in backlog.outages})
    return found


def _backlog_values(services: OperationsServices, backlog: Backlog) -> _Values:
    dead: dict[Labels, float] = {(kind,): count for kind, count in backlog.dead.items()}
    return {
        OUTBOX_PENDING: {(): backlog.waiting},
        OUTBOX_OLDEST: {(): _seconds_since(services, backlog)},
        MINUTES_BEHIND_SAT: {(): backlog.minutes_behind(services.wall.now())},
        DELIVERY_OUTAGE: _outage_seconds(services, backlog),
        DEAD_LETTERS: dead or {("stamp",): 0},
    }


def _page(services: OperationsServices, backlog: Backlog | None, states: _Values, accept: str) -> tuple[bytes, str]:
    """The page and its content type. Slow; do not call it on the event loop."""
    from timbra.web.framework.prometheus import PrometheusGauge, render_metrics

    build = {"version": version("timbra"), **services.build_info()}
    values = {
        BUILD_INFO: {tuple(build[name] for name in BUILD_INFO.labels): 1.0},
        **states,
        **_list_values(services),
        **_clock_values(services),
        **({} if backlog is None else _backlog_values(services, backlog)),
    }
    gauges = [PrometheusGauge(family, found) for family, found in values.items()]
    return render_metrics(services.total_metrics(), gauges, accept)


OPERATIONS = (
    Operation(
        name="health",
        method="GET",
        paths=("/health",),
        endpoint=health,
        summary="Data and lists of a worker, and deliveries that wait",
        tag="service",
        answer="Health",
        access=OperationAccess.PUBLIC,
    ),
    Operation(
        name="health-live",
        method="GET",
        paths=("/health/live",),
        endpoint=live,
        summary="Liveness probe: the process answers",
        tag="service",
        answer="HealthLive",
        access=OperationAccess.PUBLIC,
        description="Reads neither the database nor any other state.",
    ),
    Operation(
        name="health-ready",
        method="GET",
        paths=("/health/ready",),
        endpoint=ready,
        summary="Readiness probe: the worker can serve requests",
        tag="service",
        answer="HealthReady",
        access=OperationAccess.PUBLIC,
        description="503 names the health checks that fail (the database, the SAT's data, the lists, the master key), "
        "or says that the server is stopping. In production missing and old lists are such a failure, or, by "
        "`TIMBRA_STALE_LISTS`, a warning with the status `degraded`.",
    ),
    Operation(
        name="metrics",
        method="GET",
        paths=("/metrics",),
        endpoint=metrics,
        summary="Metrics for Prometheus, of all workers",
        tag="service",
        answer="file",
        media_types=("text/plain", "application/openmetrics-text"),
        access=OperationAccess.MONITOR,
        description="With `TIMBRA_METRICS_TOKEN` as bearer token; while that is not set, from this machine only, not "
        "through a proxy. Without a token at the listener of `TIMBRA_METRICS_LISTEN`.",
    ),
)
