"""Workers as actors of a Ray cluster, or of a Ray of this machine.

Every node needs Timbra of the same version, and the sources and the data folder at the same paths or URLs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from timbra.bulk.engines.port import TASKS_PER_WORKER
from timbra.bulk.engines.processes import halves
from timbra.bulk.plan import Task
from timbra.bulk.worker import (
    PROCESS_ENDED,
    TaskResult,
    Worker,
    WorkerOptions,
    failed_task_result,
    merge_results,
)
from timbra.core.errors import ServiceError

LOCAL = "local"
MAX_ATTEMPTS = 3
"""Attempts for a task whose actor or node ends, before it is cut in halves."""


class WorkerActor:
    """An actor with one worker.

    Ray runs an actor class with coroutine methods, as `Worker` has, inside an event loop of its own.
    """

    def __init__(self, options: WorkerOptions) -> None:
        self._worker = Worker(options)

    def run(self, task: Task) -> TaskResult:
        return self._worker.run(task)


class RayEngine:
    """Runs tasks in Ray actors, each of which opens its services once.

    A task whose actor ends, with its node for instance, runs again in a new actor. After `MAX_ATTEMPTS` it is run in
    halves, until the document is found at which actors end; it gets a row, and the other documents are validated.

    Args:
        options: options of the validation.
        workers: number of actors; each takes one CPU of the cluster. None for all of its CPUs.
        address: address of the cluster; `local` starts Ray on this machine for the run.

    Raises:
        ServiceError: `bulk-engine` when the cluster cannot be reached or started, or has fewer CPUs than `workers`.
    """

    def __init__(self, options: WorkerOptions, workers: int | None, address: str) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        self._ray = ray
        self._options = options
        is_local = address == LOCAL
        start: dict[str, Any] = {"address": address}
        if is_local:
            start = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
            start |= {} if workers is None else {"num_cpus": workers}
        try:
            ray.init(log_to_driver=False, **start)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ServiceError("bulk-engine", f"Ray: {error}") from error
        cpus = int(ray.cluster_resources().get("CPU", 0))
        if cpus < (workers or 1):
            ray.shutdown()
            raise ServiceError("bulk-engine", f"Ray: se piden {workers or 1} procesos y el clúster tiene {cpus} CPU.")
        workers = workers or cpus
        self._actor_class: Any = ray.remote(num_cpus=1, max_restarts=0)(WorkerActor)
        self._actors = [self._actor_class.remote(options) for _ in range(workers)]

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        waiting = ((task, 1) for task in tasks)
        repeated: list[tuple[Task, int]] = []
        free = [position for position in range(len(self._actors)) for _ in range(TASKS_PER_WORKER)]
        running: dict[Any, tuple[int, Any, Task, int]] = {}
        while True:
            while free and (job := repeated.pop() if repeated else next(waiting, None)) is not None:
                position = free.pop(0)
                actor = self._actors[position]
                running[actor.run.remote(job[0])] = (position, actor, *job)
            if not running:
                return
            done, _ = self._ray.wait(list(running), num_returns=1)
            position, actor, task, attempt = running.pop(done[0])
            free.append(position)
            result = self._result(done[0])
            if not isinstance(result, Exception):
                yield result
                continue
            if self._actors[position] is actor:
                self._actors[position] = self._actor_class.remote(self._options)
            if attempt < MAX_ATTEMPTS:
                repeated.append((task, attempt + 1))
            else:
                yield self._alone(task)

    def close(self) -> None:
        self._ray.shutdown()

    def _alone(self, task: Task) -> TaskResult:
        """Run a task in an actor of its own; in halves when it fails."""
        actor = self._actor_class.options(num_cpus=0).remote(self._options)
        result = self._result(actor.run.remote(task))
        self._ray.kill(actor)
        if not isinstance(result, Exception):
            return result
        if task.documents <= 1:
            return failed_task_result(task, result)
        return merge_results(task.number, [self._alone(half) for half in halves(task)])

    def _result(self, reference: Any) -> TaskResult | Exception:
        """Return the result, or why there is none."""
        try:
            result: TaskResult | Exception = self._ray.get(reference)
        except self._ray.exceptions.RayActorError:
            result = ServiceError(PROCESS_ENDED)
        except self._ray.exceptions.RayTaskError as error:
            result = error
        return result
