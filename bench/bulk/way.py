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
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from timbra.app.composition import open_container
from timbra.bulk.commands.runs import new_description
from timbra.bulk.engines.part_process import PartProcess
from timbra.bulk.engines.processes import write_in
from timbra.bulk.plan import Planner
from timbra.bulk.result_folder import ResultFolder
from timbra.bulk.run import Engine, run_plan
from timbra.bulk.worker import WorkerOptions
from timbra.database.build import opened_database
from timbra.operations.build import build_info
from timbra.settings import Settings
from timbra.validation.build import validation_services
from timbra.validation.validation import ValidationService

IN_PROCESS, PROCESSES, RAY = "in-process", "processes", "ray"
_RESOURCES = ExitStack()
_RUNNER: list[tuple[asyncio.Runner, ValidationService]] = []
"""Event loop and service of this process."""


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
    with open_container(Settings(data=chosen.data)) as container:
        version = build_info(container)["data_version"]
    with _open_engine(chosen.way, chosen.data, chosen.workers) as engine:
        for line in sys.stdin:
            round_ = json.loads(line)
            print(_run(engine, round_["list"], Path(round_["out"]), version), file=answers, flush=True)


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


@contextmanager
def _open_engine(way: str, data: Path, workers: int) -> Iterator[Engine]:
    """Yield an engine whose workers stay after a run."""
    options = WorkerOptions(data)
    if way == RAY:
        from timbra.bulk.engines import ray_data

        with ray_data.connected(workers, "local") as ray:
            yield partial(ray_data.write_in, ray, options=options, workers=workers)
        return
    with ExitStack() as stack:
        processes = [stack.enter_context(closing(PartProcess(options))) for _ in range(workers)]
        yield partial(write_in, processes)


def _run(engine: Engine, paths: str, out: Path, data_version: str) -> int:
    results = ResultFolder(str(out))
    results.create(new_description("validate", data_version, (f"@{paths}",), {}), Planner())
    return run_plan(results, engine, lambda _: None).done


if __name__ == "__main__":
    main()
