"""One worker: the HTTP server over an application, on a listening socket that other workers may share."""

from __future__ import annotations

import asyncio
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

import uvicorn
import uvloop
from starlette.types import ASGIApp

from timbra.api.server.connections import SURPLUS
from timbra.api.server.http_protocol import ConnectionLimits as ConnectionLimits
from timbra.api.server.http_protocol import ConnectionPool, TolerantProtocol
from timbra.api.server.periodic_jobs import PeriodicJob, repeat

KEEP_ALIVE_SECONDS = 75
GRACE_SECONDS = 20
BACKLOG = 2048
OTHER_FILES = 128
"""Open files of a worker that are no connections of clients."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """How a worker shuts down: `told` reports that it is not ready, and it serves for some more seconds."""

    told: Callable[[], None] = lambda: None
    seconds: float = 0


def listen(host: str, port: int) -> socket.socket:
    """The listening socket. Port 0 takes a free one. OSError when the address is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


def address(listener: socket.socket) -> str:
    """The URL of a listening socket, with its real port."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    app: ASGIApp,
    listener: socket.socket,
    ready: Callable[[], None],
    jobs: Sequence[PeriodicJob] = (),
    parent_pipe: int | None = None,
    start_draining: Shutdown | None = None,
    limits: ConnectionLimits | None = None,
) -> None:
    """Serves until SIGTERM or SIGINT, then finishes what is under way.

    ready: called once, when requests are taken. parent_pipe: a descriptor that is readable once the parent ended.
    leave: what SIGTERM begins with. limits: of connections.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        config = _config(app, ConnectionPool(_possible(limits or ConnectionLimits())))
        runner.run(_serve(config, listener, ready, jobs, parent_pipe, start_draining or Shutdown()))


async def _serve(
    config: uvicorn.Config,
    listener: socket.socket,
    ready: Callable[[], None],
    jobs: Sequence[PeriodicJob],
    parent_pipe: int | None,
    start_draining: Shutdown,
) -> None:
    server = _Server(config, ready, start_draining)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, server.stop)
    loop.add_signal_handler(signal.SIGINT, server.interrupt)
    if parent_pipe is not None:
        loop.add_reader(parent_pipe, server.parent_gone, parent_pipe)
    tasks = [asyncio.create_task(repeat(job)) for job in jobs]
    try:
        await server.serve(sockets=[listener])
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _possible(limits: ConnectionLimits) -> ConnectionLimits:
    """With as many files open as the system allows, and no more connections than that leaves room for."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    room = most - OTHER_FILES - SURPLUS
    return limits if most == resource.RLIM_INFINITY else replace(limits, connections=min(limits.connections, room))


def _config(app: ASGIApp, connection_pool: ConnectionPool) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=partial(TolerantProtocol, connection_pool=connection_pool),  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=BACKLOG,
    )


class _Server(uvicorn.Server):
    """uvicorn without its signal handling, which ends the process before the container is closed."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], start_draining: Shutdown) -> None:
        super().__init__(config)
        self._ready = ready
        self._leave = start_draining
        self._leaving = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        """Takes its leave, at once when told twice; then finishes the requests under way and takes no connections."""
        if self._leave.seconds and not self._leaving:
            self._leaving = True
            self._leave.told()
            asyncio.get_running_loop().call_later(self._leave.seconds, self._end)
        else:
            self._leave.told()
            self._end()

    def _end(self) -> None:
        self.should_exit = True

    def parent_gone(self, parent_pipe: int) -> None:
        """As `stop`, and looks at the descriptor no more, which stays readable."""
        asyncio.get_running_loop().remove_reader(parent_pipe)
        self._end()

    def interrupt(self) -> None:
        """Ends without leave-taking; the second time, requests under way are given up."""
        self.force_exit = self.should_exit
        self._end()
