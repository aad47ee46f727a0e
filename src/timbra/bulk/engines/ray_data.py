"""Parts written by a Ray cluster: Ray Data distributes their numbers, and gets their counts back.

The processes of the cluster read plan and sources and write tables themselves. Ray repeats the parts of a node that
ends; nothing but the cluster bounds how many run at a time. Each node needs this version of Timbra, its SAT data, and
the sources and the result folder at the same paths or URLs.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from timbra.bulk.engines.part_process import PartProcess
from timbra.bulk.result_folder import Part, PlannedPart, ResultFolder
from timbra.bulk.worker import WorkerOptions
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError

LOCAL = "local"
STALL_SECONDS = 30
"""Time without a part after which the processors of the cluster are looked at."""
logger = logging.getLogger(__name__)


def write_with_ray(
    folder: ResultFolder, parts: Sequence[PlannedPart], *, options: WorkerOptions, workers: int | None, address: str
) -> Generator[Part, None, None]:
    """Write parts in a Ray cluster. See `timbra.bulk.run.Engine`.

    Args:
        workers: parts at a time, each with one CPU; None for as many as the cluster has CPUs.
        address: address of the cluster; `local` starts Ray on this machine for the run.

    Raises:
        ServiceError: `bulk-engine` when the cluster cannot be reached or started, has fewer CPUs than `workers`, or has
            no CPU any more.
    """
    with connected(workers, address) as ray:
        yield from write_in(ray, folder, parts, options, workers)


@contextmanager
def connected(workers: int | None, address: str) -> Iterator[Any]:
    """Connect to a cluster that has these CPUs; yield the library. Raises ServiceError: `bulk-engine`."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    start: dict[str, Any] = {"address": address}
    if address == LOCAL:
        start = {"include_dashboard": False, "_node_ip_address": "127.0.0.1", "num_cpus": workers}
    try:
        ray.init(log_to_driver=False, **start)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ServiceError("bulk-engine", f"Ray: {error}") from error
    try:
        needed, cpus = workers or 1, _cpus(ray.cluster_resources())
        if cpus < needed:
            raise ServiceError("bulk-engine", f"Ray: se piden {needed} CPU y el clúster tiene {cpus}.")
        yield ray
    finally:
        ray.shutdown()


def write_in(
    ray: Any, folder: ResultFolder, parts: Sequence[PlannedPart], options: WorkerOptions, workers: int | None
) -> Generator[Part, None, None]:
    """Write parts in a connected cluster, as `write_with_ray` does."""
    results: SimpleQueue[Part | Exception] = SimpleQueue()
    Thread(target=_write_all, args=(results, folder, parts, options, workers), daemon=True).start()
    for _ in parts:
        yield _next(ray, results)


def _next(ray: Any, results: SimpleQueue[Part | Exception]) -> Part:
    """Wait for a part; say so when none ends, and end when the cluster has no processor for one."""
    while True:
        try:
            result = results.get(timeout=STALL_SECONDS)
        except Empty:
            cpus, free = _cpus(ray.cluster_resources()), _cpus(ray.available_resources())
            if not cpus:
                raise ServiceError("bulk-engine", "Ray: el clúster ya no tiene CPU.") from None
            logger.warning("Ray: no part in %s seconds; %s of %s CPUs are free", STALL_SECONDS, free, cpus)
            continue
        if isinstance(result, Exception):
            raise result
        return result


def _write_all(
    results: SimpleQueue[Part | Exception],
    folder: ResultFolder,
    parts: Sequence[PlannedPart],
    options: WorkerOptions,
    workers: int | None,
) -> None:
    """Run the data set, and put what each part has written into the queue, or the error that ends the run."""
    try:
        from ray import data

        data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        written = data.range(len(parts), override_num_blocks=len(parts)).map_batches(
            write_batch,
            batch_size=None,
            fn_args=(folder, parts, options),
            compute=data.TaskPoolStrategy(workers),
            num_cpus=1,
        )
        for row in written.iter_rows():
            results.put(Part(**json.loads(row["part"])) if row["part"] else ServiceError(row["code"], row["detail"]))
    except Exception as error:
        logger.exception("Ray")
        results.put(ServiceError("bulk-engine", f"Ray: {type(error).__name__}"))


def write_batch(
    batch: dict[str, Any], folder: ResultFolder, parts: Sequence[PlannedPart], options: WorkerOptions
) -> dict[str, list[str]]:
    """Write parts in a process of the cluster.

    Args:
        batch: positions of the parts, in the column `id`.

    Returns:
        The columns `part`, with the written part as JSON, or `code` and `detail` of the error that ends the run.
    """
    found: dict[str, list[str]] = {"part": [], "code": [], "detail": []}
    for position in batch["id"]:
        part, code, detail = "", "", ""
        try:
            part = json.dumps(asdict(_process(options).write(folder, parts[position])))
        except ServiceError as error:
            code, detail = error.code, error.detail or ""
        for name, value in zip(found, (part, code, detail), strict=True):
            found[name].append(value)
    return found


@cache
def _process(options: WorkerOptions) -> PartProcess:
    """Return the child of this process of the cluster, whose parts are those of one command."""
    return PartProcess(options)


def _cpus(resources: dict[str, float]) -> int:
    return int(resources.get("CPU", 0))


BOUNDS = (
    Bound("write_in", BoundKind.QUEUE, "one entry for each part of the plan", "There are no further parts."),
    Bound(
        "_process",
        BoundKind.CACHE,
        "one child for the options of a command",
        "A process of the cluster works for one command.",
    ),
)
