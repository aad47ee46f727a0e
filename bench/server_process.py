"""The measured server: a `timbra serve` process on chosen cores."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from bench.cpu_affinity import running_on

END_SECONDS = 30
MEBIBYTE = 2**20


@dataclass(frozen=True)
class Served:
    """A running server.

    Attributes:
        begun: `time.perf_counter()` at the start of the process.
    """

    address: str
    process: psutil.Process
    begun: float

    @property
    def processes(self) -> list[psutil.Process]:
        """All processes: the supervisor, the workers, the process for deliveries, and their children."""
        return [self.process, *self.process.children(recursive=True)]

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that serve requests: those of the supervisor's children that listen."""
        return [child for child in self.process.children() if _listens(child)]

    def cpu_seconds(self) -> float:
        """Return the processor time of all processes so far, deliveries included."""
        times = [one.cpu_times() for one in self.processes]
        return float(sum(one.user + one.system for one in times))

    def memory(self) -> str:
        """Return the resident (private) MiB of each worker."""
        infos = [worker.memory_full_info() for worker in self.workers]
        return ", ".join(f"{one.rss / MEBIBYTE:.0f} ({one.uss / MEBIBYTE:.0f})" for one in infos)


PRODUCTION = {"TIMBRA_INSPECTOR": "off"}
"""The default of production, where a sandbox has another one."""


@contextmanager
def served(
    data: Path, cores: tuple[int, ...], workers: int = 1, environment: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """Start the server with the default settings of production and its log in the folder; end it with SIGTERM.

    Args:
        data: The data folder.
        cores: The cores of its processes.
        workers: Number of workers.
        environment: Variables that replace default settings.
    """
    command = [sys.executable, "-m", "timbra.cli", "serve", "--port", "0", "--data", str(data)]
    command += ["--workers", str(workers)]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("TIMBRA_")}
    settings.update(PRODUCTION | dict(environment or {}))
    begun = time.perf_counter()
    with (data / "serve.log").open("a") as log, running_on(cores):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=settings)
    try:
        yield Served(_address(process), psutil.Process(process.pid), begun)
    finally:
        process.terminate()
        process.wait(END_SECONDS)
        if process.stdout is not None:
            process.stdout.close()


def _listens(process: psutil.Process) -> bool:
    return any(connection.status == psutil.CONN_LISTEN for connection in process.net_connections(kind="tcp"))


def _address(process: subprocess.Popen[str]) -> str:
    for line in process.stdout or ():
        if found := re.search(r"http://[0-9.]+:[0-9]+", line):
            return found[0]
    raise RuntimeError(f"the server ended with exit code {process.wait()}; its folder has a log")
