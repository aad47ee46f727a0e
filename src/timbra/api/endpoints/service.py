"""What the service says of itself: its health, its metrics, its OpenAPI document."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from importlib.metadata import version

from starlette.responses import Response

from timbra.api.errors import UNCONTROLLED
from timbra.api.exchange import Exchange, json_answer
from timbra.api.house import House
from timbra.api.operations import Access, Operation
from timbra.api.wire import Json, success
from timbra.errors import ServiceError
from timbra.meters import Labels
from timbra.store.outbox import Backlog

RETRY_SECONDS = 1


async def health(exchange: Exchange) -> Response:
    """That this worker answers, with which data, and what waits for delivery."""
    house = exchange.house
    try:
        waiting: Json | None = _told(house, await house.condition.backlog())
    except (ServiceError, TimeoutError):
        waiting = None
    return json_answer(success({**house.health(), "lists_ages_hours": _hours(house), "outbox": waiting}))


async def live(_: Exchange) -> Response:
    """That the process answers; nothing else is looked at."""
    return json_answer(success({"status": "ok"}))


async def ready(exchange: Exchange) -> Response:
    """Whether this worker can work. 503 with what is missing otherwise."""
    house = exchange.house
    missing = await house.condition.missing()
    if missing:
        raise ServiceError(UNCONTROLLED, f"Falta: {'; '.join(missing)}.", retry_after=RETRY_SECONDS)
    told = house.health()
    return json_answer(success({**told, "status": "ready", "lists_ages_hours": _hours(house)}))


async def metrics(exchange: Exchange) -> Response:
    """Everything that the workers of this server have counted, and how things stand."""
    house = exchange.house
    try:
        backlog = await house.condition.backlog()
    except (ServiceError, TimeoutError):
        backlog = None  # the page comes without what only the database knows
    accept = exchange.headers.get("accept", "")
    page, content_type = await asyncio.to_thread(_page, house, backlog, accept)
    return Response(page, headers={"content-type": content_type})


async def openapi(_: Exchange) -> Response:
    """The OpenAPI document of this very table of routes."""
    from timbra.api.openapi import document

    return json_answer(document())


def _hours(house: House) -> dict[str, int]:
    return {name: int(age / timedelta(hours=1)) for name, age in house.list_ages().items()}


def _ages(house: House) -> dict[Labels, float]:
    """In seconds; none when the lists cannot be read, which readiness tells."""
    try:
        return {(name,): age.total_seconds() for name, age in house.list_ages().items()}
    except ServiceError:
        return {}


def _told(house: House, backlog: Backlog) -> Json:
    """waiting: deliveries that are still tried. oldest_seconds: None without any. dead: how many were given up."""
    return {
        "waiting": backlog.waiting,
        "oldest_seconds": None if backlog.oldest is None else int(_seconds_since(house, backlog)),
        "dead": sum(backlog.dead.values()),
    }


def _seconds_since(house: House, backlog: Backlog) -> float:
    return 0.0 if backlog.oldest is None else max((house.wall.now() - backlog.oldest).total_seconds(), 0.0)


def _page(house: House, backlog: Backlog | None, accept: str) -> tuple[bytes, str]:
    """In a thread: the library takes a while to load, and many series a while to write."""
    from timbra.api.exposition import Gauge, exposed

    build = {
        "version": version("timbra"),
        "environment": house.settings.environment,
        "data_version": house.catalogs.version,
    }
    gauges = [
        Gauge("build_info", "What is running; always 1.", {tuple(build.values()): 1}, tuple(build)),
        Gauge("list_age_seconds", "Since the day of each list began.", _ages(house), ("list",)),
    ]
    if backlog is not None:
        dead: dict[Labels, float] = {(kind,): count for kind, count in backlog.dead.items()}
        gauges += [
            Gauge("outbox_waiting", "Deliveries that are still tried.", {(): backlog.waiting}),
            Gauge("outbox_oldest_seconds", "Age of the oldest of them.", {(): _seconds_since(house, backlog)}),
            Gauge("outbox_dead", "Deliveries that were given up.", dead or {("stamp",): 0}, ("kind",)),
        ]
    return exposed(house.shared_meters.total(), gauges, accept)


OPERATIONS = (
    Operation(
        name="health",
        method="GET",
        paths=("/health",),
        endpoint=health,
        summary="Whether the service answers, and with which data",
        tag="service",
        answer="Health",
        access=Access.PUBLIC,
    ),
    Operation(
        name="health-live",
        method="GET",
        paths=("/health/live",),
        endpoint=live,
        summary="Whether the process answers",
        tag="service",
        answer="Health",
        access=Access.PUBLIC,
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
        access=Access.PUBLIC,
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
        access=Access.MONITOR,
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
        access=Access.PUBLIC,
    ),
)
