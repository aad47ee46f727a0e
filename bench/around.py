"""Processor time around a stamp: HTTP and log of a request whose use case is replaced, and the claim in the store."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import structlog
from bench.fixtures import Prepared, request, unsealed
from bench.store_claims import claim
from uvicorn import Config
from uvicorn.server import ServerState

from timbra.app.api_factory import build
from timbra.app.composition import Container
from timbra.app.front_controller import FrontController, page_environment
from timbra.app.request_environment import request_environment
from timbra.core.clock import WallClock
from timbra.database.database import open_database
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest, StampResult
from timbra.stamping.stamping import StampingService
from timbra.stamps.port import Claim
from timbra.stamps.repository import DatabaseStamps
from timbra.web.server import log_output
from timbra.web.server.http_protocol import TolerantProtocol

BATCHES = (1, 8, 16)
TURNS, AT_ONCE = 200, 20
CLAIMED = 40
"""Batches of claims of a size."""
LARGEST = 32
"""Size of the batches that fill the log first."""
VERSIONS = ("v1", "v4")


class MemoryTransport(asyncio.Transport):
    """Takes responses without a socket."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 80)})
        self.received = bytearray()

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Keep the bytes."""
        self.received += data

    def is_closing(self) -> bool:
        """Return False: nothing closes this transport but the end of a measurement."""
        return False

    def close(self) -> None:
        """Do nothing."""

    def pause_reading(self) -> None:
        """Do nothing."""

    def resume_reading(self) -> None:
        """Do nothing."""

    def get_write_buffer_size(self) -> int:
        """Return 0: everything was read."""
        return 0


def microseconds(container: Container, prepared: Prepared) -> dict[str, float]:
    """Return the microseconds of processor time of each part, by its name; without system calls of sockets.

    Version v4 of the answer has a QR code.
    """
    with log_to_a_file():
        found = {f"HTTP and log, issue {name}": asyncio.run(_http(container, prepared, name)) for name in VERSIONS}
    found.update({f"claim, batch of {size}": spent for size, spent in _claims().items()})
    return found


@contextmanager
def log_to_a_file() -> Iterator[None]:
    """Log as a server does, into a temporary file."""
    with tempfile.TemporaryFile("w") as sink, redirect_stderr(sink):
        log_output.configure("info", "json")
        try:
            yield
        finally:
            log_output.flush()
            structlog.reset_defaults()


async def _http(container: Container, prepared: Prepared, version: str) -> float:
    documents, stamping = unsealed(container), container.get(stamping_services).stamping
    stamped = await stamping.issue(StampRequest(prepared.caller, next(documents), "bench"))
    use_case = cast(StampingService, _Stamped(stamped))
    services = replace(container.get(stamping_services), stamping=use_case)
    groups = {**container.groups, type(services): lambda: services}
    app = FrontController(
        build(container.get(request_environment), groups), page_environment(container), container.groups
    )
    config = Config(
        app,
        http=TolerantProtocol,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )
    config.load()
    transport = MemoryTransport()
    protocol = TolerantProtocol(config, ServerState(), {}, asyncio.get_running_loop())
    protocol.connection_made(transport)
    content = request(f"/cfdi33/issue/{version}", prepared.token, next(documents))

    async def exchange() -> None:
        transport.received.clear()
        protocol.data_received(content)
        while not protocol.cycle.response_complete:
            await asyncio.sleep(0)

    await exchange()
    if b" 200 " not in transport.received[:20]:
        raise RuntimeError(transport.received.decode(errors="replace"))
    spent = []
    for _ in range(TURNS):
        begun = time.thread_time()
        for _ in range(AT_ONCE):
            await exchange()
        spent.append((time.thread_time() - begun) / AT_ONCE)
    protocol.connection_lost(None)
    return min(spent) * 1e6


class _Stamped:
    """A use case that returns one stamp for every request."""

    def __init__(self, stamped: StampResult) -> None:
        self._stamped = stamped

    async def issue(self, _order: StampRequest, _run_in_thread: Callable[..., object] | None = None) -> StampResult:
        """Return the stamp."""
        return self._stamped


def _claims() -> dict[int, float]:
    """Return the least processor time of a claim by the size of its batch, on SQLite."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        database = open_database(f"sqlite:///{Path(folder) / 'timbra.db'}", "sandbox")
        stamps = DatabaseStamps(database, WallClock())
        # A log that was used before is overwritten, as that of a server; one that grows costs the kernel more.
        for _ in range(CLAIMED):
            stamps.claim(_new(LARGEST))
        database.checkpoint()
        for size in BATCHES:
            batches = [_new(size) for _ in range(CLAIMED)]
            spent = []
            for batch in batches:
                begun = time.thread_time()
                stamps.claim(batch)
                spent.append((time.thread_time() - begun) / size)
            found[size] = min(spent) * 1e6
        stamps.close()
        database.close()
    return found


def _new(size: int) -> list[Claim]:
    """Return a batch of claims without customids."""
    return [replace(claim(), custom_id=None) for _ in range(size)]
