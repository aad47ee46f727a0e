"""One worker: the HTTP server of an application, on a listening socket that other workers may share."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_address
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from timbra.core.posix import handle_signal, raise_open_file_limit
from timbra.web.framework.client_address import ProxyTrust
from timbra.web.server.connections import SURPLUS
from timbra.web.server.http_protocol import ConnectionLimits as ConnectionLimits
from timbra.web.server.http_protocol import ConnectionPool, TolerantProtocol
from timbra.web.server.periodic_jobs import PeriodicJob, run_periodically

KEEP_ALIVE_SECONDS = 75
GRACE_SECONDS = 20
"""Time for open requests after the server stops accepting connections."""
BACKLOG = 2048
LISTEN_QUEUE_SECONDS = 0.1
"""Time for the connections that the system has taken before the listeners close."""
TICK_SECONDS = 1.0
"""Interval of the update of the Date header."""
RETIRE = getattr(signal, "SIGUSR1", signal.SIGTERM)
"""Signal to a worker that another one replaces."""
RETIRE_SECONDS = 5.0
"""Time in which such a worker answers the clients that are connected to it, and closes each connection."""
CLOSE = (b"connection", b"close")
RESERVED_FILES = 128
"""Open files of a worker besides the connections of clients."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """How a worker shuts down on SIGTERM.

    Attributes:
        on_drain: Called first; makes the readiness check fail.
        drain_seconds: Time for which the worker serves on before it stops accepting connections.
        on_exit: Called on the event loop when it stops accepting connections; ends answers that have no end.
    """

    on_drain: Callable[[], None] = lambda: None
    drain_seconds: float = 0
    on_exit: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files of the server's certificate and of its private key."""

    certificate: Path
    key: Path


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket.

    Args:
        host: IPv4 or IPv6 address, or a host name.
        port: TCP port; 0 for any free one.

    Raises:
        OSError: The address is in use or invalid.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


def listener_url(listener: socket.socket, scheme: str = "http") -> str:
    """Return the URL of a listening socket, with its actual port."""
    host, port = listener.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def bound_address(listener: socket.socket) -> str:
    """Return address and port of a listening socket as a URL has them; empty for one that takes all addresses."""
    if ip_address(listener.getsockname()[0]).is_unspecified:
        return ""
    return listener_url(listener).removeprefix("http://")


def run(
    app: ASGIApp,
    listener: socket.socket,
    on_ready: Callable[[], None],
    jobs: Sequence[PeriodicJob] = (),
    parent_pipe: int | None = None,
    shutdown: Shutdown | None = None,
    limits: ConnectionLimits | None = None,
    tls: TlsFiles | None = None,
    activity: Callable[[], object] = lambda: None,
    further: Sequence[socket.socket] = (),
    proxies: ProxyTrust | None = None,
) -> None:
    """Serve an application until SIGTERM or SIGINT, then finish the open requests.

    Args:
        on_ready: Called once, when the worker accepts requests.
        jobs: Periodic jobs; they are cancelled at the end.
        parent_pipe: File descriptor that becomes readable when the parent process ends; the worker then stops.
        shutdown: What SIGTERM starts with; no drain time when None.
        limits: Limits of connections; the default ones when None.
        tls: Files for HTTPS; HTTP when None.
        activity: Returns a value that changes with every request; while it stays equal, jobs run less often.
        further: Listening sockets besides the first one.
        proxies: Those whose connections begin with a head of the PROXY protocol; none when None.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        pool = ConnectionPool(_fit_open_files(limits or ConnectionLimits()), proxies or ProxyTrust())
        config = _config(app, pool, tls)
        periodic = run_periodically(jobs, activity)
        runner.run(_serve(config, [listener, *further], on_ready, periodic, parent_pipe, shutdown or Shutdown()))


async def _serve(
    config: uvicorn.Config,
    listeners: list[socket.socket],
    on_ready: Callable[[], None],
    jobs: Coroutine[None, None, None],
    parent_pipe: int | None,
    shutdown: Shutdown,
) -> None:
    server = _Server(config, on_ready, shutdown)
    loop = asyncio.get_running_loop()
    handle_signal(loop, signal.SIGTERM, server.drain)
    handle_signal(loop, signal.SIGINT, server.interrupt)
    handle_signal(loop, RETIRE, server.retire)
    if parent_pipe is not None:
        loop.add_reader(parent_pipe, server.on_parent_exit, parent_pipe)
    task = asyncio.create_task(jobs)
    try:
        await server.serve(sockets=listeners)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the factory of uvloop's event loops; None, for those of asyncio, where uvloop does not exist."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _fit_open_files(limits: ConnectionLimits) -> ConnectionLimits:
    """Raise the soft limit of open files to the hard limit, and lower the number of connections to fit."""
    open_files = raise_open_file_limit()
    if open_files is None:
        return limits
    return replace(limits, max_connections=min(limits.max_connections, open_files - RESERVED_FILES - SURPLUS))


def _config(app: ASGIApp, connection_pool: ConnectionPool, tls: TlsFiles | None) -> uvicorn.Config:
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
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )


class _Server(uvicorn.Server):
    """uvicorn without its signal handling, which ends the process before the container is closed."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None], shutdown: Shutdown) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._shutdown = shutdown
        self._draining = False
        self._exiting = asyncio.Event()
        self._listeners: list[socket.socket] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._listeners = sockets or []
        await super().startup(sockets)
        self._on_ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        """Update the Date header once a second until the worker exits; uvicorn's own loop wakes up ten times."""
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._exiting.wait(), TICK_SECONDS)

    def drain(self) -> None:
        """Handle SIGTERM: serve on for the drain time, then exit; a second call exits without further delay."""
        self._shutdown.on_drain()
        if self._shutdown.drain_seconds and not self._draining:
            self._draining = True
            self._close_connections()
            asyncio.get_running_loop().call_later(self._shutdown.drain_seconds, self._stop_listening)
        else:
            self._stop_listening()

    def _stop_listening(self) -> None:
        """Let the system take no further connections, and serve those that it has taken before the listeners close.

        It would reset the connections that wait in the queue of a listener when that closes.
        """
        for listener in self._listeners:
            with suppress(OSError):
                listener.listen(0)
        asyncio.get_running_loop().call_later(LISTEN_QUEUE_SECONDS, self._exit)

    def retire(self) -> None:
        """Handle `RETIRE`: accept no further connection, answer on those that exist for some time, then exit."""
        for listening in self.servers:
            listening.close()
        self._close_connections()
        asyncio.get_running_loop().call_later(RETIRE_SECONDS, self._exit)

    def _close_connections(self) -> None:
        """Close each connection after the next answer on it, which says so."""
        self.config.encoded_headers.append(CLOSE)
        self.server_state.default_headers = [*self.server_state.default_headers, CLOSE]

    def _exit(self) -> None:
        """Stop accepting connections; uvicorn then finishes the open requests."""
        self._shutdown.on_exit()
        self.should_exit = True
        self._exiting.set()

    def on_parent_exit(self, parent_pipe: int) -> None:
        """Exit without drain time, and stop watching the descriptor, which stays readable."""
        asyncio.get_running_loop().remove_reader(parent_pipe)
        self._exit()

    def interrupt(self) -> None:
        """Handle SIGINT: exit without drain time; the second time, cancel the open requests."""
        self.force_exit = self.should_exit
        self._exit()
