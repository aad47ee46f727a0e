"""The way of a request through the code: `python -m bench.call_path` counts modules, functions, calls and depth.

It counts the Python calls of one warm request in the event loop's thread, those of libraries excluded.
`python -m bench.call_path --calls validate` prints the calls themselves, indented by their depth.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from bench.around import MemoryTransport, log_to_a_file
from bench.fixtures import Prepared, prepare, request, sealed, unsealed
from uvicorn import Config
from uvicorn.server import ServerState

import timbra
from timbra import examples
from timbra.app.api_factory import build
from timbra.app.composition import Container, open_container
from timbra.app.front_controller import FrontController, page_environment
from timbra.app.request_environment import request_environment
from timbra.settings import Settings
from timbra.web.server.http_protocol import TolerantProtocol

ROOT = str(Path(timbra.__file__).parent)
WARM = 20


@dataclass(slots=True)
class CallPath:
    """What one request enters.

    Attributes:
        jumps: Calls from one module to another.
        lines: The calls, indented by their depth.
    """

    modules: set[str] = field(default_factory=set)
    functions: set[tuple[str, int]] = field(default_factory=set)
    calls: int = 0
    jumps: int = 0
    depth: int = 0
    lines: list[str] = field(default_factory=list)

    def enter(self, frame: FrameType, event: str, _argument: object) -> None:
        """Count a call; for `sys.setprofile`."""
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(ROOT):
            return
        self.calls += 1
        self.modules.add(name)
        self.functions.add((name, frame.f_code.co_firstlineno))
        callers = [each for each in _callers(frame) if each.startswith(ROOT)]
        self.jumps += bool(callers) and callers[0] != name
        self.depth = max(self.depth, len(callers) + 1)
        self.lines.append(f"{'  ' * len(callers)}{name.removeprefix(ROOT)[1:]} {frame.f_code.co_qualname}")


def _callers(frame: FrameType) -> Iterator[str]:
    caller = frame.f_back
    while caller is not None:
        yield caller.f_code.co_filename
        caller = caller.f_back


@contextmanager
def profiled() -> Iterator[CallPath]:
    """Count the calls of the block in this thread."""
    path = CallPath()
    sys.setprofile(path.enter)
    try:
        yield path
    finally:
        sys.setprofile(None)


async def measured(container: Container, prepared: Prepared) -> dict[str, CallPath]:
    """Return the paths of an invoice that is issued, stamped, validated and cancelled."""
    app = FrontController(
        build(container.get(request_environment), container.groups), page_environment(container), container.groups
    )
    config = Config(app, http=TolerantProtocol, lifespan="off", log_config=None, access_log=False)
    config.load()
    transport = MemoryTransport()
    protocol = TolerantProtocol(config, ServerState(), {}, asyncio.get_running_loop())
    protocol.connection_made(transport)

    async def exchange(path: str, document: bytes = b"") -> CallPath:
        transport.received.clear()
        content = request(path, prepared.token, document)
        with profiled() as found:
            protocol.data_received(content)
            while not protocol.cycle.response_complete:
                await asyncio.sleep(0)
        if b" 200 " not in transport.received[:20]:
            raise RuntimeError(transport.received.decode(errors="replace"))
        return found

    async def cancellation() -> CallPath:
        await exchange("/cfdi33/issue/v4", next(invoices))
        uuid = json.loads(transport.received.partition(b"\r\n\r\n")[2])["data"]["uuid"]
        return await exchange(f"/cfdi33/cancel/{examples.KEMPER.rfc}/{uuid}/02")

    invoices, sealed_invoices = unsealed(container), sealed(container, prepared)
    requests = {
        "issue v1": lambda: exchange("/cfdi33/issue/v1", next(invoices)),
        "stamp v1": lambda: exchange("/cfdi33/stamp/v1", next(sealed_invoices)),
        "validate": lambda: exchange("/validate/cfdi", next(invoices)),
        "cancel": cancellation,
    }
    paths = {}
    for name, send in requests.items():
        for _ in range(WARM):
            await send()
        paths[name] = await send()
    protocol.connection_lost(None)
    return paths


def main() -> None:
    """Print a row for each request."""
    parser = argparse.ArgumentParser(prog="python -m bench.call_path")
    parser.add_argument("--calls", metavar="REQUEST", help="print the calls of this request, for example 'issue v1'")
    calls = parser.parse_args().calls
    with tempfile.TemporaryDirectory(prefix="timbra-path-") as folder:
        prepared = prepare(Path(folder))
        with open_container(Settings(data=prepared.data)) as container, log_to_a_file():
            paths = asyncio.run(measured(container, prepared))
    if calls:
        print("\n".join(paths[calls].lines))
        return
    print("request     modules functions calls jumps depth")
    for name, found in paths.items():
        print(f"{name:<12}{len(found.modules):7}{len(found.functions):10}{found.calls:6}{found.jumps:6}{found.depth:6}")


if __name__ == "__main__":
    main()
