"""An emulator of the SAT in a process of its own, which can be killed and started again with the same address."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from httpx2 import Client, TransportError
from tests.emulator.emulator_support import PROVIDER
from tests.resilience.killing import wait_for
from tests.support.forked_program import Program, start

START_SECONDS = 60


class EmulatorProcess:
    """The emulator of a data folder.

    Attributes:
        address: The address of its services.
    """

    def __init__(self, data: Path) -> None:
        self._data = data
        self._port, self._control_port = free_port(), free_port()
        self._process: Program | None = None
        self.address = f"http://127.0.0.1:{self._port}"
        self._control = Client(base_url=f"http://127.0.0.1:{self._control_port}", timeout=30)

    def start(self) -> None:
        """Start the process and wait until it listens."""
        arguments = ["sat-emulator", "--provider", PROVIDER]
        arguments += ["--data", str(self._data), "--port", str(self._port), "--control-port", str(self._control_port)]
        variables = {**os.environ, "TIMBRA_LOG_LEVEL": "error"}
        self._process = start("tests.support.guarded", *arguments, environment=variables, stdout=subprocess.DEVNULL)
        wait_for(self._listens, START_SECONDS)

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(START_SECONDS)

    def fault(self, fault: str, **rule: Any) -> None:
        """Add a rule of faults."""
        assert self._control.post("/faults", json={"fault": fault, **rule}).status_code == 200

    def restore(self) -> None:
        """Remove all rules."""
        assert self._control.request("DELETE", "/faults", json={}).status_code == 200

    def expire_tokens(self) -> None:
        assert self._control.post("/tokens/expire", json={}).status_code == 200

    def received(self) -> list[str]:
        """Return the folios that were received, in lower case."""
        return [str(uuid).lower() for uuid in self._control.get("/receptions").json()]

    def acuse(self, uuid: str) -> str:
        """Return the acuse that the emulator keeps of a folio."""
        return str(self._control.get(f"/receptions/{uuid}").json()["acuse"])

    def close(self) -> None:
        self.kill()
        self._control.close()

    def _listens(self) -> bool:
        try:
            return self._control.get("/state").status_code == 200
        except TransportError:
            return False


@contextmanager
def emulator_process(data: Path) -> Iterator[EmulatorProcess]:
    """Yield an emulator that is not started yet."""
    process = EmulatorProcess(data)
    try:
        yield process
    finally:
        process.close()


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
