"""What the service says of itself: its health, its metrics, its OpenAPI document."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from importlib.metadata import version

from starlette.responses import Response

from timbra.api.framework.error_responses import INTERNAL_ERROR
from timbra.api.framework.operation import Operation, OperationAccess
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.serializers.stamps import Json, success
from timbra.errors import ServiceError
from timbra.metrics import Labels
from timbra.service.services import OperationsServices
from timbra.store.database.event_loop import in_memory_or_thread
from timbra.store.outbox.deliveries import Backlog

RETRY_SECONDS = 1
EMAIL_KIND = "letter"
"""Among the dead letters, those of the mailbox."""


async def health(_: RequestContext, services: OperationsServices) -> Response:
    """That this worker answers, with which data, and what waits for delivery."""
    backlog = await _backlog(services)
    outbox = None if backlog is None else _outbox_state(services, backlog)
    return json_response(success({**await in_memory_or_thread(_state, services), "outbox": outbox}))


async def live(_: RequestContext) -> Response:
    """That the process answers; nothing else is looked at."""
    return json_response(success({"status": "ok"}))


async def ready(_: RequestContext, services: OperationsServices) -> Response:
    """Whether this worker can work. 503 with what is missing otherwise.

    Dead letters need an operator, but requests are served: a server that is ready reports them as warnings.
    """
    missing = await services.health_checks.failing()
    if missing:
        raise ServiceError(INTERNAL_ERROR, f"Falta: {'; '.join(missing)}.", retry_after=RETRY_SECONDS)
    state, warnings = await in_memory_or_thread(_state, services), _warnings(await _backlog(services))
    return json_response(success({**state, "status": "ready", "warnings": warnings}))


async def metrics(request: RequestContext, services: OperationsServices) -> Response:
    """Everything that the workers of this server have counted, and how things stand."""
    backlog = await _backlog(services)  # without it, the page comes without what only the database knows
    accept = request.headers.get("accept", "")
    page, content_type = await asyncio.to_thread(_page, services, backlog, accept)
    return Response(page, headers={"content-type": content_type})


async def openapi(_: RequestContext) -> Response:
    """The OpenAPI document of this very table of routes."""
    from timbra.api.openapi.document import document

    return json_response(document())


async def _backlog(services: OperationsServices) -> Backlog | None:
    """None when the database does not tell."""
    try:
        return await services.health_checks.backlog()
    except (ServiceError, TimeoutError):
        return None


def _warnings(backlog: Backlog | None) -> list[str]:
    """Dead letters by kind, in words for operators."""
    dead = {} if backlog is None else backlog.dead
    commands = {kind: "timbra mail list --dead" if kind == EMAIL_KIND else "timbra outbox list --dead" for kind in dead}
    return [f"Entregas apartadas de tipo {kind}: {count} ({commands[kind]})." for kind, count in sorted(dead.items())]


def _state(services: OperationsServices) -> Json:
    """Data and lists that this worker uses. It may read the database."""
    hours = {name: int(age / timedelta(hours=1)) for name, age in services.list_ages().items()}
    return {**services.health(), "lists_ages_hours": hours}


def _ages(services: OperationsServices) -> dict[Labels, float]:
    """In seconds; none when the lists cannot be read, which readiness tells."""
    try:
        return {(name,): age.total_seconds() for name, age in services.list_ages().items()}
    except ServiceError:
        return {}


def _outbox_state(services: OperationsServices, backlog: Backlog) -> Json:
    """waiting: deliveries that are still tried. oldest_seconds: None without any. dead: how many were given up."""
    return {
        "waiting": backlog.waiting,
        "oldest_seconds": None if backlog.oldest is None else int(_seconds_since(services, backlog)),
        "dead": sum(backlog.dead.values()),
    }


def _seconds_since(services: OperationsServices, backlog: Backlog) -> float:
    return 0.0 if backlog.oldest is None else max((services.wall.now() - backlog.oldest).total_seconds(), 0.0)


def _page(services: OperationsServices, backlog: Backlog | None, accept: str) -> tuple[bytes, str]:
    """In a thread: the library takes a while to load, and many series a while to write."""
    from timbra.api.framework.prometheus import PrometheusGauge, render_metrics

    build = {"version": version("timbra"), **services.build_info()}
    gauges = [
        PrometheusGauge("build_info", "What is running; always 1.", {tuple(build.values()): 1}, tuple(build)),
        PrometheusGauge("list_age_seconds", "Since the day of each list began.", _ages(services), ("list",)),
    ]
    if backlog is not None:
        dead: dict[Labels, float] = {(kind,): count for kind, count in backlog.dead.items()}
        gauges += [
            PrometheusGauge("outbox_pending", "Deliveries that are still tried.", {(): backlog.waiting}),
            PrometheusGauge(
                "outbox_oldest_seconds", "Age of the oldest of them.", {(): _seconds_since(services, backlog)}
            ),
            PrometheusGauge(
                "outbox_dead_letters",
                "Dead letters: deliveries that are no longer tried.",
                dead or {("stamp",): 0},
                ("kind",),
            ),
        ]
    return render_metrics(services.total_metrics(), gauges, accept)


OPERATIONS = (
    Operation(
        name="health",
        method="GET",
        paths=("/health",),
        endpoint=health,
        summary="Whether the service answers, and with which data",
        tag="service",
        answer="Health",
        access=OperationAccess.PUBLIC,
    ),
    Operation(
        name="health-live",
        method="GET",
        paths=("/health/live",),
        endpoint=live,
        summary="Whether the process answers",
        tag="service",
        answer="Health",
        access=OperationAccess.PUBLIC,
        description="For a liveness probe: neither the database nor anything else is asked.",
    ),
    Operation(
        name="health-ready",
        method="GET",
        paths=("/health/ready",),
        endpoint=ready,
        summary="Whether requests can be served",
        tag="service",
        answer="Health",
        access=OperationAccess.PUBLIC,
        description="503 says what is missing: the database, SAT's data, the lists, the master key; or that the server "
        "is about to end.",
    ),
    Operation(
        name="metrics",
        method="GET",
        paths=("/metrics",),
        endpoint=metrics,
        summary="Metrics for Prometheus, of all workers",
        tag="service",
        answer="file",
        access=OperationAccess.MONITOR,
        description="With `TIMBRA_METRICS_TOKEN` as bearer token; while that is not set, from this machine only, not "
        "through a proxy.",
    ),
    Operation(
        name="openapi",
        method="GET",
        paths=("/openapi.json",),
        endpoint=openapi,
        summary="This document",
        tag="service",
        answer="OpenApi",
        access=OperationAccess.PUBLIC,
    ),
)
