"""Interleaved rounds of all ways to validate, each in a process of its own whose tree is measured.

Processor time is that of the tree of processes: coordinator, workers and, under Ray, Ray's own. Other work on the
machine changes it less than the time on the clock, and as the rounds take turns, it affects all ways alike.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from bench.bulk.documents import write_list
from bench.bulk.way import IN_PROCESS, PROCESSES, RAY

ROOT = Path(__file__).parents[2]
RAY_PYTHON = ROOT / ".venv-bulk" / "bin" / "python"
NAMESPACE = ("unshare", "--user", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
"""Ray opens ports on every network interface, so it gets none but its own loopback."""
WORKERS = "spawn_main"
"""What the command line of a worker has."""
WARM_UP_DOCUMENTS = 1_000
START_ATTEMPTS = 4
MAX_LOG = 2_000
"""Characters of the log of a way that did not start."""


@dataclass(frozen=True)
class Round:
    """Figures of a round.

    Attributes:
        tree: processor seconds of all processes.
        workers: processor seconds of the workers and their coordinator.
        wall: seconds from start to end.
        uss: unique set size of the largest worker at the end, in bytes; 0 in process.
    """

    documents: int
    tree: float
    workers: float
    wall: float
    uss: int


@dataclass
class Way:
    """A way to validate, and its rounds.

    Attributes:
        process: of `bench.bulk.way`; its descendants are the workers.
    """

    kind: str
    workers: int
    process: subprocess.Popen[str] = field(repr=False)
    rounds: list[Round] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name for the table."""
        return {
            IN_PROCESS: f"read and validated without tables, processes: {self.workers}",
            PROCESSES: f"`timbra bulk validate`, processes: {self.workers}",
            RAY: f"`timbra bulk validate --ray local`, workers: {self.workers}",
        }[self.kind]

    def run(self, paths: Path, out: Path) -> Round:
        """Run a round and return its figures."""
        begun, before = time.perf_counter(), self._seconds()
        documents = self._command({"list": str(paths), "out": str(out)})
        wall, after = time.perf_counter() - begun, self._seconds()
        spent = {pid: seconds - before.get(pid, 0.0) for pid, seconds in after.items()}
        workers = [*self._workers()]
        own = {self.process.pid, *(worker.pid for worker in workers)}
        uss = max((worker.memory_full_info().uss for worker in workers), default=0)
        return Round(documents, sum(spent.values()), sum(spent[pid] for pid in own), wall, uss)

    def _command(self, command: dict[str, str]) -> int:
        if self.process.stdin is None or self.process.stdout is None:
            raise ValueError("the process has no pipes")
        print(json.dumps(command), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name} ended")
        return int(answer)

    def _seconds(self) -> dict[int, float]:
        """Return the processor seconds of each process of the tree."""
        coordinator = psutil.Process(self.process.pid)
        found = {}
        for process in (coordinator, *coordinator.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # ended meanwhile
                times = process.cpu_times()
                found[process.pid] = times.user + times.system
        return found

    def _workers(self) -> Iterator[psutil.Process]:
        for process in psutil.Process(self.process.pid).children(recursive=True):
            if WORKERS in " ".join(process.cmdline()):
                yield process


def measure(
    data: Path, documents: list[Path], folder: Path, total: int, rounds: int, end: Callable[[], bool], *, ray: bool
) -> list[Way]:
    """Run rounds of every way in turn until each has validated the documents.

    Args:
        data: data folder.
        documents: distinct documents.
        folder: for lists and results.
        total: documents of each way.
        rounds: number of rounds.
        end: whether to stop after the current round.
        ray: whether Ray is measured too.
    """
    kinds = [(kind, workers) for workers in (1, 2) for kind in (IN_PROCESS, PROCESSES, RAY) if ray or kind != RAY]
    ways: list[Way] = []
    each = total // rounds
    try:
        for kind, workers in kinds:
            warm = write_list(folder / "warm", documents, min(WARM_UP_DOCUMENTS, each))
            ways.append(_started(kind, workers, data, folder, warm))
        for number in range(rounds):
            paths = write_list(folder / f"list-{number}", documents, each, number * each)
            for way in ways:
                way.rounds.append(way.run(paths, folder / f"{way.kind}-{way.workers}-{number}"))
                print(f"{number} {way.name}: {way.rounds[-1]}", file=sys.stderr, flush=True)
            if end():
                break
    finally:
        for way in ways:
            _close(way.process)
    return ways


def _started(kind: str, workers: int, data: Path, folder: Path, warm: Path) -> Way:
    """Start a way and run its first documents; Ray gives up when its own processes start slowly, and is tried again."""
    for attempt in range(START_ATTEMPTS):
        name = f"{kind}-{workers}-start-{attempt}"
        log = folder / f"{name}.log"
        way = Way(kind, workers, _start(kind, workers, data, log))
        try:
            way.run(warm, folder / name)
        except RuntimeError:
            _close(way.process)
            print(log.read_text(errors="replace")[-MAX_LOG:], file=sys.stderr, flush=True)
        else:
            return way
    raise RuntimeError(f"{kind} with {workers} workers does not start")


def _start(kind: str, workers: int, data: Path, log: Path) -> subprocess.Popen[str]:
    python = [*NAMESPACE, str(RAY_PYTHON)] if kind == RAY else [sys.executable]
    command = [*python, "-m", "bench.bulk.way", kind, "--workers", str(workers), "--data", str(data)]
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
    }
    with log.open("wb") as errors:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        )


def _close(process: subprocess.Popen[str]) -> None:
    """End the process by the end of its input; it ends its workers."""
    if process.stdin is not None:
        process.stdin.close()
    process.wait()
