"""An emulator of the SAT in a process of its own, which can be killed and started again with the same address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from httpx2 import Client, TransportError

from timbra.testing.services.processes import StartedProgram, free_port, kill_tree, wait_for

START_SECONDS = 60
Launch = Callable[[Sequence[str]], StartedProgram]
"""Starts `timbra` with arguments."""


class EmulatorProcess:
    """The emulator of a data folder.

    Attributes:
        address: The address of its services.
    """

    def __init__(self, data: Path, provider: str, launch: Launch) -> None:
        self._data, self._provider, self._launch = data, provider, launch
        self._port, self._control_port = free_port(), free_port()
        self._process: StartedProgram | None = None
        self.address = f"http://127.0.0.1:{self._port}"
        # A proxy of the environment must not get requests to this machine.
        self._control = Client(base_url=f"http://127.0.0.1:{self._control_port}", timeout=30, trust_env=False)

    def start(self) -> None:
        """Start the process and wait until it listens."""
        arguments = ["sat-emulator", "--provider", self._provider]
        arguments += ["--data", str(self._data), "--port", str(self._port), "--control-port", str(self._control_port)]
        self._process = self._launch(arguments)
        wait_for(self._listens, START_SECONDS, "the emulator of the SAT listens")

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            kill_tree(self._process)

    def fault(self, fault: str, **rule: Any) -> None:
        """Add a rule of faults."""
        self._send("POST", "/faults", {"fault": fault, **rule})

    def restore(self) -> None:
        """Remove all rules."""
        self._send("DELETE", "/faults", {})

    def expire_tokens(self) -> None:
        self._send("POST", "/tokens/expire", {})

    def received(self) -> list[str]:
        """Return the folios that were received, in lower case."""
        return [str(uuid).lower() for uuid in self._send("GET", "/receptions")]

    def acuse(self, uuid: str) -> str:
        """Return the acuse that the emulator keeps of a folio."""
        return str(self._send("GET", f"/receptions/{uuid}")["acuse"])

    def provider(self) -> dict[str, str]:
        """Return what the provider needs: certificate, key and access signature."""
        found: list[dict[str, str]] = self._send("GET", "/providers")
        return next(each for each in found if each["rfc"] == self._provider)

    def close(self) -> None:
        self.kill()
        self._control.close()

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = self._control.request(method, path, json=body)
        answer.raise_for_status()
        return answer.json()

    def _listens(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            raise RuntimeError("the emulator of the SAT has ended")
        try:
            return self._control.get("/state").status_code == 200
        except TransportError:
            return False


@contextmanager
def emulator_process(data: Path, provider: str, launch: Launch) -> Iterator[EmulatorProcess]:
    """Yield an emulator that is not started yet."""
    process = EmulatorProcess(data, provider, launch)
    try:
        yield process
    finally:
        process.close()
