"""The listeners of the emulator: the services, which can stop listening for a while, and the control endpoints."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
import uvicorn
from starlette.types import ASGIApp

from timbra.core.errors import ServiceError
from timbra.core.posix import handle_signal
from timbra.emulator.server.abort import AbortableProtocol
from timbra.web.server.worker import TlsFiles

LOG = structlog.get_logger(__name__)
LOOPBACK = "127.0.0.1"
GRACE_SECONDS = 2
KEEP_ALIVE_SECONDS = 75
BACKLOG = 256
POLL_SECONDS = 0.5


class _Server(uvicorn.Server):
    """uvicorn without signal handlers, which `EmulatorServer` has."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop_listening(self) -> None:
        """Stop listening at once, close idle connections, and exit after the open requests."""
        self.should_exit = True
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Args:
        host: An IP address or a name.
        port: The port; 0 takes a free one.

    Raises:
        ServiceError: "emulator-configuration" when the address cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise ServiceError("emulator-configuration", f"{host}:{port}: {error.strerror or error}") from error
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the base address of a listening socket."""
    host, port = listener.getsockname()[:2]
    return _address(host, port)


class EmulatorServer:
    """Runs the two listeners until a signal or `stop`."""

    def __init__(self, services: socket.socket, control: socket.socket, tls: TlsFiles | None = None) -> None:
        """Use listening sockets.

        Args:
            services: For the services; it is closed and opened again by `pause`.
            control: For the control endpoints.
            tls: The certificate of the services; HTTP when None.
        """
        self._tls = tls
        self._services = services
        self._control = control
        self._host, self._port = services.getsockname()[:2]
        self._resume_at: float | None = None
        self._stopping = False
        self._changed = asyncio.Event()
        self._server: _Server | None = None

    @property
    def address(self) -> str:
        """The base address of the services."""
        return _address(str(self._host), self._port, "http" if self._tls is None else "https")

    @property
    def control_address(self) -> str:
        """The base address of the control endpoints."""
        return address_of(self._control)

    def pause(self, seconds: float) -> None:
        """Stop listening for the services for seconds; called on the event loop."""
        self._resume_at = asyncio.get_running_loop().time() + seconds
        if self._server is not None:
            self._server.stop_listening()
        self._changed.set()

    def stop(self) -> None:
        """End both listeners; called on the event loop."""
        self._stopping = True
        if self._server is not None:
            self._server.should_exit = True
        self._changed.set()

    async def run(
        self, services: ASGIApp, control: ASGIApp, on_ready: Callable[[], None], poll: Callable[[], None]
    ) -> None:
        """Serve until `stop`, and in the main thread, which alone gets signals, until SIGTERM or SIGINT.

        Args:
            services: The application of the services.
            control: The application of the control endpoints.
            on_ready: Called once, when both accept connections.
            poll: Detects changes that other processes made; called periodically in a thread.
        """
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                handle_signal(loop, number, self.stop)
        controller = _Server(_config(control))
        control_task = asyncio.create_task(controller.serve(sockets=[self._control]))
        poll_task = asyncio.create_task(_poll(poll))
        try:
            await self._serve(services, on_ready)
        finally:
            poll_task.cancel()
            controller.should_exit = True
            await control_task

    async def _serve(self, services: ASGIApp, on_ready: Callable[[], None]) -> None:
        listener, ready = self._services, on_ready
        while not self._stopping:
            server = self._server = _Server(_config(services, self._tls))
            task = asyncio.create_task(server.serve(sockets=[listener]))
            while not server.started and not task.done():
                await asyncio.sleep(0.01)
            ready()
            ready = _nothing
            await task
            self._server = None
            await self._wait_for_resume()
            if not self._stopping:
                listener = listen(str(self._host), self._port)

    async def _wait_for_resume(self) -> None:
        """Wait until the end of the pause, or until `stop`."""
        loop = asyncio.get_running_loop()
        while not self._stopping and self._resume_at is not None and self._resume_at > loop.time():
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), self._resume_at - loop.time())
        self._resume_at = None


async def _poll(poll: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(POLL_SECONDS)
        try:
            await asyncio.to_thread(poll)
        except ServiceError as error:
            LOG.warning("changes of other processes not read", code=error.code, detail=error.detail)


def _config(app: ASGIApp, tls: TlsFiles | None = None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else tls.key,
        http=AbortableProtocol,
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


def _nothing() -> None:
    return None


def _address(host: str, port: int, scheme: str = "http") -> str:
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
