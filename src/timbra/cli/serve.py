"""`timbra serve`: the HTTP server, with one worker in this process or several as its children."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.opened import Data

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from timbra.settings import Settings
    from timbra.wiring import House

PARTS = (
    "accepting",
    "accounts",
    "cancelling",
    "certificates",
    "json_invoices",
    "links",
    "lookups",
    "mailbox",
    "mailing",
    "outbox",
    "printing",
    "qr",
    "refusals",
    "relating",
    "stamping",
    "stamps",
    "storage",
    "usage",
    "validation",
)
YOUNG_OBJECTS = 10_000
"""New objects, net, after which the collector looks for cycles: those of a document of a thousand concepts."""
SANDBOX_PARTS = ("authority_ca", "clock_control", "counter", "faults", "ledger", "registry")


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8080,
    data: Data = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Worker processes.")] = 1,
) -> None:
    """Serve the HTTP interface until SIGTERM; prints one line with the address when requests are taken."""
    collect_rarely()
    from timbra.api import logs, server
    from timbra.settings import load_settings

    settings = load_settings() if data is None else load_settings(data=data)
    logs.configure(settings.log_level, settings.log_format)
    try:
        listener = server.listen(host, port)
    except OSError as error:
        typer.echo(f"Cannot listen on {host}:{port}: {error.strerror}", err=True)
        raise typer.Exit(1) from error

    def ready() -> None:
        typer.echo(f"Timbra listening on {server.address(listener)}")

    if workers == 1:
        work(settings, None, listener, ready)
    elif not _supervise(settings, listener, workers, ready):
        raise typer.Exit(1)


def _supervise(settings: Settings, listener: socket.socket, count: int, ready: Callable[[], None]) -> bool:
    from tempfile import TemporaryDirectory

    import timbra.api.app  # noqa: F401 - imported once, before the processes divide
    from timbra.api.workers import GRACE_SECONDS, Workers

    grace = GRACE_SECONDS + settings.drain_seconds
    with TemporaryDirectory(prefix="timbra-") as shared:
        return Workers(partial(work, settings, Path(shared)), listener, count, grace=grace).run(ready)


def work(
    settings: Settings,
    shared: Path | None,
    listener: socket.socket,
    ready: Callable[[], None],
    lifeline: int | None = None,
) -> None:
    """One worker over a house of its own, in this process. shared: folder of all workers' meters."""
    from timbra.api import server
    from timbra.api.app import build
    from timbra.api.jobs import Job
    from timbra.portal import Front
    from timbra.service.shared_meters import SharedMeters
    from timbra.wiring import open_house

    with open_house(settings) as house:
        house.shared_meters = SharedMeters(house.meters, shared)
        warm(house)
        settle()
        jobs = [
            # A round trip on PostgreSQL, a glance at a page in memory on SQLite.
            Job("poll", 0.25, house.poll, in_thread=house.database.dialect == "postgresql"),
            Job("deliver", 0.5, house.deliver),
            Job("mail", 1, house.send_mail),
            Job("refresh", 1, house.refresh),
            Job("lists", 60, house.take_lists),
            Job("checkpoint", 1, house.database.checkpoint),
            Job("publish", 1, house.shared_meters.publish, in_thread=False),
            Job("refusals", 2, house.refusals.flush),
            Job("expire refusals", 3600, house.refusals.expire),
            Job("usage", 60, house.usage.count),
        ]
        leave = server.Leave(house.condition.leave, settings.drain_seconds)
        limits = server.Limits(settings.head_seconds, settings.answer_silence_seconds, settings.max_connections)
        try:
            server.run(Front(build(house), house), listener, ready, jobs, lifeline, leave, limits)
        finally:
            _write_last_refusals(house)


def _write_last_refusals(house: House) -> None:
    """What was noted since the last time, unless the database is gone as well."""
    import structlog

    from timbra.errors import ServiceError

    try:
        house.refusals.flush()
    except ServiceError as error:
        structlog.get_logger("timbra.serve").warning("refusals lost", code=error.code, detail=error.detail)


def warm(house: House) -> None:
    """Makes, once and in one thread, what requests and jobs share, and compiles what the first document needs."""
    import asyncio

    from timbra.examples import ingreso

    for part in (*PARTS, *(SANDBOX_PARTS if house.sandbox else ())):
        getattr(house, part)
    asyncio.run(house.validation.validate(ingreso({}).encode(), False))


def collect_rarely() -> None:
    """Lets a start, and a document, make its objects without being searched for cycles: neither leaves any behind."""
    _, *older = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, *older)


def settle() -> None:
    """Spares what the warm worker keeps from being searched at every full collection: tens of milliseconds.

    What little garbage the start has left in cycles is kept with it: finding it would cost as much once.
    """
    gc.freeze()
