"""The measured server: a `timbra serve` process on chosen cores."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
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
    def workers(self) -> list[psutil.Process]:
        """The processes that serve requests."""
        children = [child for child in self.process.children() if "timbra.pools.worker" not in child.cmdline()]
        return children or [self.process]

    def cpu_seconds(self) -> float:
        """Return the processor time of all workers so far."""
        times = [worker.cpu_times() for worker in self.workers]
        return float(sum(one.user + one.system for one in times))

    def memory(self) -> str:
        """Return the resident (private) MiB of each worker."""
        infos = [worker.memory_full_info() for worker in self.workers]
        return ", ".join(f"{one.rss / MEBIBYTE:.0f} ({one.uss / MEBIBYTE:.0f})" for one in infos)


@contextmanager
def served(data: Path, cores: tuple[int, ...], workers: int = 1) -> Iterator[Served]:
    """Start the server with default settings and its log in the folder; end it with SIGTERM."""
    command = [sys.executable, "-m", "timbra.cli", "serve", "--port", "0", "--data", str(data)]
    command += ["--workers", str(workers)]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("TIMBRA_")}
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


def _address(process: subprocess.Popen[str]) -> str:
    for line in process.stdout or ():
        if found := re.search(r"http://[0-9.]+:[0-9]+", line):
            return found[0]
    raise RuntimeError(f"the server ended with exit code {process.wait()}; its folder has a log")
