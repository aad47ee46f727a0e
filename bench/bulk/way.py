"""`python -m bench.bulk.way`: one way to validate, in a process of its own that `bench.bulk.rounds` starts.

It reads a line of JSON for each round, with the list of the paths and the result folder, validates them, and answers
with the number of documents. Workers stay between rounds. It runs with the interpreter of `.venv-bulk` as well, so that
it imports nothing beyond Timbra.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from multiprocessing import get_context
from pathlib import Path

from timbra.app.composition import open_container
from timbra.bulk.engines.port import Engine
from timbra.bulk.engines.processes import ProcessEngine
from timbra.bulk.plan import Planner, Task
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.run import run_plan
from timbra.bulk.worker import TaskResult, WorkerOptions
from timbra.database.build import opened_database
from timbra.settings import Settings
from timbra.validation.build import validation_services
from timbra.validation.validation import ValidationService

IN_PROCESS, PROCESSES, RAY = "in-process", "processes", "ray"
_RESOURCES = ExitStack()
_RUNNER: list[tuple[asyncio.Runner, ValidationService]] = []
"""Event loop and service of this process."""


class OpenEngine:
    """An engine that stays open after a run."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        """See `Engine.run`."""
        return self._engine.run(tasks)

    def close(self) -> None:
        """Do nothing: later rounds use the workers."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.bulk.way")
    parser.add_argument("way", choices=(IN_PROCESS, PROCESSES, RAY))
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--data", type=Path, required=True)
    chosen = parser.parse_args()
    answers, sys.stdout = sys.stdout, sys.stderr  # Ray prints to the standard output
    if chosen.way == IN_PROCESS:
        _serve_in_process(chosen.data, chosen.workers, lambda count: print(count, file=answers, flush=True))
        return
    with closing(_new_engine(chosen.way, chosen.data, chosen.workers)) as engine:
        for line in sys.stdin:
            round_ = json.loads(line)
            print(_run(engine, round_["list"], Path(round_["out"])), file=answers, flush=True)


def _serve_in_process(data: Path, workers: int, answer: Callable[[int], None]) -> None:
    """Read and validate without tables: in this process, or in several that have nothing in common."""
    if workers == 1:
        _open(data)
        for line in sys.stdin:
            answer(_validate(_paths(line)))
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_open, initargs=(data,)) as pool:
        for line in sys.stdin:
            paths = _paths(line)
            answer(sum(pool.map(_validate, [paths[start::workers] for start in range(workers)])))


def _paths(line: str) -> list[str]:
    return Path(json.loads(line)["list"]).read_text().splitlines()


def _open(data: Path) -> None:
    """Open the services of this process, for its whole life."""
    container = _RESOURCES.enter_context(open_container(Settings(data=data)))
    container.get(opened_database).poll()
    _RUNNER.append((_RESOURCES.enter_context(asyncio.Runner()), container.get(validation_services).validation))


def _validate(paths: list[str]) -> int:
    """Read and validate in this process; return the number of documents."""
    [(runner, validation)] = _RUNNER

    async def run() -> None:
        for path in paths:
            await validation.validate(Path(path).read_bytes(), False)

    runner.get_loop().run_until_complete(run())
    return len(paths)


def _new_engine(way: str, data: Path, workers: int) -> Engine:
    options = WorkerOptions(data)
    if way == RAY:
        from timbra.bulk.engines.ray_cluster import RayEngine

        return RayEngine(options, workers, "local")
    return ProcessEngine(options, workers)


def _run(engine: Engine, paths: str, out: Path) -> int:
    results = ResultFolder(out)
    results.create(RunDescription("validate", 1, "", "", (f"@{paths}",), {}), Planner())
    return run_plan(results, lambda: OpenEngine(engine), lambda _: None).done


if __name__ == "__main__":
    main()
