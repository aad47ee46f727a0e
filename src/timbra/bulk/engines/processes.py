"""Parts written by processes of this machine."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from queue import SimpleQueue

from timbra.bulk.engines.part_process import PartProcess
from timbra.bulk.result_folder import Part, PlannedPart, ResultFolder
from timbra.bulk.worker import WorkerOptions
from timbra.core.bounds import Bound, BoundKind


def write_in_processes(
    folder: ResultFolder, parts: Sequence[PlannedPart], *, options: WorkerOptions, workers: int
) -> Generator[Part, None, None]:
    """Write parts in processes of this run. See `timbra.bulk.run.Engine`."""
    with ExitStack() as stack:
        count = min(workers, len(parts))
        processes = [stack.enter_context(closing(PartProcess(options))) for _ in range(count)]
        yield from write_in(processes, folder, parts)


def write_in(
    processes: Sequence[PartProcess], folder: ResultFolder, parts: Sequence[PlannedPart]
) -> Generator[Part, None, None]:
    """Write parts in processes, each with a thread of this process that waits for it."""
    idle: SimpleQueue[PartProcess] = SimpleQueue()
    for process in processes:
        idle.put(process)

    def write(part: PlannedPart) -> Part:
        process = idle.get()
        try:
            return process.write(folder, part)
        finally:
            idle.put(process)

    threads = ThreadPoolExecutor(len(processes))
    try:
        for future in as_completed([threads.submit(write, part) for part in parts]):
            yield future.result()
    finally:
        threads.shutdown(cancel_futures=True)


BOUNDS = (
    Bound(
        "write_in",
        BoundKind.POOL,
        "one thread for each process of --workers",
        "Further parts wait; a part is a file name and a range.",
    ),
)
