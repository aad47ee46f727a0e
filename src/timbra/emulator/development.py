"""The emulator beside `timbra dev`, over the same sandbox."""

from __future__ import annotations

import socket
import threading
from functools import partial
from queue import Queue

import structlog

from timbra.container import Container
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.emulator.build import RunningEmulator, build_emulator, serve_emulator
from timbra.emulator.bulk.contract import (
    AUTHENTICATION_PATH,
    DOWNLOAD_PATH,
    REQUEST_PATH,
    VERIFICATION_PATH,
    DocumentRegister,
)
from timbra.emulator.server.listener import LOOPBACK, address_of, listen
from timbra.web.server.companions import Companion

LOG = structlog.get_logger(__name__)
PORT, CONTROL_PORT = 8090, 8091
"""As those of `timbra sat-emulator`; another free port when one is in use."""


def open_companion(host: str, *, any_port: bool) -> Companion:
    """Listen for the services and for the control endpoints.

    Args:
        host: The address of the services.
        any_port: Whether to take free ports at once.
    """
    services, control = (
        _listen(name, 0 if any_port else port) for name, port in ((host, PORT), (LOOPBACK, CONTROL_PORT))
    )
    address = address_of(services)
    base = address + DocumentRegister.CFDI.path
    settings = {
        "sat_bulk_authentication_url": base + AUTHENTICATION_PATH,
        "sat_bulk_request_url": base + REQUEST_PATH,
        "sat_bulk_verification_url": base + VERIFICATION_PATH,
        "sat_bulk_download_url": base + DOWNLOAD_PATH,
        "sat_bulk_retenciones_url": address + DocumentRegister.RETENCIONES.path,
    }
    printed = {f"TIMBRA_{name.upper()}": value for name, value in settings.items()}
    values = {"sat": address, "sat-control": address_of(control), **printed}
    return Companion(values, settings, partial(_start, services, control))


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except ServiceError:
        return listen(host, 0)


def _start(services: socket.socket, control: socket.socket, container: Container) -> None:
    """Serve in a thread until the container closes."""
    ready: Queue[RunningEmulator | None] = Queue()
    thread = threading.Thread(target=_serve, args=(container, (services, control), ready), name="sat-emulator")
    thread.start()
    container.closing.callback(_stop, thread, ready)


def _serve(
    container: Container, sockets: tuple[socket.socket, socket.socket], ready: Queue[RunningEmulator | None]
) -> None:
    try:
        serve_emulator(container, build_emulator(container, None), sockets, ready.put)
    except ServiceError as error:
        LOG.error("emulator not started", code=error.code, detail=error.detail)  # noqa: TRY400
    finally:
        ready.put(None)


def _stop(thread: threading.Thread, ready: Queue[RunningEmulator | None]) -> None:
    running = ready.get()
    if running is not None:
        running.stop()
    thread.join()


COMPANIONS = (open_companion,)


BOUNDS = (Bound("_start", BoundKind.QUEUE, "1 server that is ready", "There is no further one."),)
