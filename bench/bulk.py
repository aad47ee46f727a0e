"""`python -m bench.bulk`: bulk validation in this process, in worker processes and in Ray actors.

The unit is documents per second of processor time, so that other work on the machine changes it little. Processor time
of an engine is that of the coordinator and of all workers, without their start, which a short run measures; Ray's own
processes are not in it. Memory is the unique set size (USS) of the largest worker, in the middle and at the end.

Ray opens ports: run `--ray` in a network namespace of its own, `unshare --net sh -c 'ip link set lo up; ...'`, with the
interpreter of `.venv-bulk`.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from bench.fixtures import Prepared, prepare
from rich.console import Console
from rich.table import Table

from timbra import examples
from timbra.bootstrap import open_container
from timbra.bulk.engines.port import Engine
from timbra.bulk.engines.processes import ProcessEngine
from timbra.bulk.plan import Planner
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.run import Progress, run_plan
from timbra.bulk.worker import WorkerOptions
from timbra.clock import to_central_mexico
from timbra.service.services import ValidationServices
from timbra.service.stamping.models import StampRequest
from timbra.settings import Settings

CONCEPTS = (1, 1, 1, 2, 3, 3, 5, 10, 30)
"""Concepts of the documents, in turn: 2 to 20 kB."""
DISTINCT = 900
MEGABYTE = 1e6


@dataclass(frozen=True)
class Measurement:
    """Figures of one way to validate.

    Attributes:
        seconds: processor time without the start of workers.
        wall: seconds from start to end.
        uss: of the largest worker in bytes, in the middle and at the end.
    """

    name: str
    documents: int
    seconds: float
    wall: float
    start: float = 0.0
    uss: tuple[int, int] = (0, 0)

    @property
    def rate(self) -> float:
        """Documents per second of processor time."""
        return self.documents / self.seconds


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.bulk", description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--ray", action="store_true", help="measure Ray instead of processes")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare(Path(folder) / "data")
        listed = _write_documents(prepared, Path(folder) / "in", chosen.documents)
        found = [_in_process(prepared.data, listed)]
        found += [_by_engine(prepared.data, listed, Path(folder), each, ray=chosen.ray) for each in (1, 2)]
    _show(found)


def _write_documents(prepared: Prepared, folder: Path, documents: int) -> list[Path]:
    """Write distinct stamped documents, and return as many paths as documents; each is read several times."""
    folder.mkdir()
    with open_container(Settings(data=prepared.data)) as container:
        fecha = to_central_mexico(container.fiscal.now())
        stamping = container.stamping_services.stamping
        paths = []
        for number in range(min(DISTINCT, documents)):
            text = examples.ingreso(
                {"@Folio": str(number)}, concepts=CONCEPTS[number % len(CONCEPTS)], fecha=fecha
            ).encode()
            stamped = asyncio.run(stamping.issue(StampRequest(prepared.caller, text, str(number))))
            paths.append(folder / f"{number}.xml")
            paths[-1].write_bytes(stamped.cfdi.encode())
    return [paths[number % len(paths)] for number in range(documents)]


def _in_process(data: Path, listed: list[Path]) -> Measurement:
    """Read and validate in this process, without tables."""

    async def run() -> None:
        for path in listed:
            await validation.validate(path.read_bytes(), False)

    with open_container(Settings(data=data)) as container:
        container.poll()
        validation = container.groups[ValidationServices]().validation
        loop = asyncio.new_event_loop()
        with closing(loop):
            loop.run_until_complete(validation.validate(listed[0].read_bytes(), False))
            before, wall = time.process_time(), time.perf_counter()
            loop.run_until_complete(run())
            seconds, passed = time.process_time() - before, time.perf_counter() - wall
    return Measurement("in process", len(listed), seconds, passed)


def _by_engine(data: Path, listed: list[Path], folder: Path, workers: int, *, ray: bool) -> Measurement:
    name = f"{'Ray' if ray else 'processes'}, {workers}"
    # Two documents for each worker start all of them.
    start, *_ = _run(data, listed[: 2 * workers], folder / f"{name}-start", workers, ray=ray, task_documents=1)
    seconds, wall, uss = _run(data, listed, folder / name, workers, ray=ray)
    return Measurement(name, len(listed), seconds - start, wall, start, uss)


def _run(
    data: Path, listed: list[Path], out: Path, workers: int, *, ray: bool, task_documents: int = 500
) -> tuple[float, float, tuple[int, int]]:
    """Return processor time, wall time and memory of a run."""
    sources = out.with_suffix(".list")
    sources.write_text("".join(f"{path}\n" for path in listed))
    results = ResultFolder(out)
    results.create(RunDescription("validate", 1, "", "", (f"@{sources}",), {}), Planner(task_documents))
    uss = [0, 0]
    seconds: dict[int, float] = {}

    def observe(progress: Progress) -> None:
        half = int(progress.done * 2 > progress.total)
        if progress.done:
            workers_now = [*_workers(ray=ray)]
            uss[half] = max((each.memory_full_info().uss for each in workers_now), default=uss[half])
            seconds.update({each.pid: sum(each.cpu_times()[:2]) for each in workers_now})

    before, wall = time.process_time(), time.perf_counter()
    run_plan(results, lambda: _engine(data, workers, ray=ray), observe)
    own = time.process_time() - before
    return own + sum(seconds.values()), time.perf_counter() - wall, (uss[0], uss[1])


def _engine(data: Path, workers: int, *, ray: bool) -> Engine:
    options = WorkerOptions(data)
    if ray:
        from timbra.bulk.engines.ray_cluster import RayEngine

        return RayEngine(options, workers, "local")
    return ProcessEngine(options, workers)


def _workers(*, ray: bool) -> Iterator[psutil.Process]:
    for process in psutil.Process().children(recursive=True):
        text = " ".join(process.cmdline())
        if ("ray::WorkerActor" if ray else "spawn_main") in text:
            yield process


def _show(found: list[Measurement]) -> None:
    table = Table(*HEADINGS)
    columns: list[Callable[[Measurement], str]] = [
        lambda each: each.name,
        lambda each: f"{each.rate:,.0f}",
        lambda each: f"{each.rate / found[0].rate:.2f}",
        lambda each: f"{each.documents / each.wall:,.0f}",
        lambda each: f"{each.start:.1f}",
        lambda each: " / ".join(f"{size / MEGABYTE:.0f}" for size in each.uss),
    ]
    for each in found:
        table.add_row(*(column(each) for column in columns))
    Console().print(table)


HEADINGS = ("way", "documents/s of processor", "share", "documents/s", "start, s of processor", "USS, MB: middle / end")


if __name__ == "__main__":
    main()
