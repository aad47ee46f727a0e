"""The application over a fake container on a real socket.

A stamp's `cfdi` is the received document in Latin-1, so that a test can compare its bytes. A document that begins with
`<slow` is held until the test releases it, `<lost` activates the fault `answer-lost`, `<die` ends the worker.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send
from tests.support.fake_services import STAMPED, FakeFaults, FakeServices, FakeStamping, small_settings
from tests.support.request_gate import RequestGate

from timbra.core.errors import ServiceError
from timbra.pools import RunInThread
from timbra.sandbox.faults import Fault
from timbra.stamping.models import StampRequest, StampResult
from timbra.web.server import log_output
from timbra.web.server import worker as server
from timbra.web.server.supervisor import ProcessMain, Supervisor, WorkerMain

GENEROUS_LIMITS = {"header_timeout_seconds": 600, "write_timeout_seconds": 600}


class EchoStamping(FakeStamping):
    def __init__(self, faults: FakeFaults, gate: RequestGate) -> None:
        super().__init__()
        self._gate = gate
        self._faults = faults

    async def issue(self, order: StampRequest, run_in_thread: RunInThread) -> StampResult:
        return await self.stamp(order, run_in_thread)

    async def stamp(self, order: StampRequest, run_in_thread: RunInThread) -> StampResult:
        self._faults.on = {"answer-lost": Fault("answer-lost")} if order.xml.startswith(b"<lost") else {}
        if order.xml.startswith(b"<slow"):
            await self._gate.hold()
        if order.xml.startswith(b"<die"):
            os._exit(9)
        return replace(STAMPED, uuid=str(os.getpid()), cfdi=order.xml.decode("latin-1"))


def work(settings: str, listener: socket.socket, ready: Callable[[], None], parent_pipe: int | None = None) -> None:
    given = json.loads(settings)
    gate = RequestGate(Path(given.pop("gate")))
    server.RETIRE_SECONDS = given.pop("retire_seconds", server.RETIRE_SECONDS)
    if given.pop("hold_start", False):
        gate.hold_start()
    limits = server.ConnectionLimits(**{**GENEROUS_LIMITS, **given.pop("limits", {})})
    fakes = FakeServices(settings=small_settings(**given))
    fakes.stamping_services.stamping = EchoStamping(fakes.sandbox_services.faults, gate)
    uvicorn_log = logging.getLogger("uvicorn.error")
    uvicorn_log.setLevel(logging.INFO)
    uvicorn_log.addFilter(gate.record_drain)
    server.run(with_broken_stream(fakes.app()), listener, ready, parent_pipe=parent_pipe, limits=limits)


def with_broken_stream(app: ASGIApp) -> ASGIApp:
    """Return the application with `/broken-stream`, a response of 200 that fails after its first piece."""

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") != "/broken-stream":
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/csv")]})
        await send({"type": "http.response.body", "body": b"folio,total\r\n", "more_body": True})
        raise ServiceError("document-damaged")

    return served


def broken(listener: socket.socket, ready: Callable[[], None], parent_pipe: int | None = None) -> None:
    """A worker that cannot start."""
    sys.exit(3)


def main(count: int, settings: str) -> None:
    """Serve until a signal ends this process, and print the address.

    Args:
        count: Number of workers; 0 for workers that cannot start.
        settings: JSON of changed settings, limits of connections, and the folder of the gate.
    """
    log_output.configure("error")
    listener = server.listen("127.0.0.1", 0)

    def ready() -> None:
        print(f"listening on {server.listener_url(listener)}", flush=True)

    def reload() -> tuple[WorkerMain, ProcessMain]:
        given = json.loads(settings)
        changes = json.loads(RequestGate(Path(given["gate"])).changes.read_text())
        return partial(work, json.dumps(given | changes)), lambda *_: None

    if count == 1:
        work(settings, listener, ready)
    elif not Supervisor(partial(work, settings) if count else broken, listener, count, reload=reload).run(ready):
        sys.exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
