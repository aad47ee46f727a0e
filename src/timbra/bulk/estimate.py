"""What a run would cost, from the validation of a sample."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace

from timbra.bulk.plan import Planner, PlanTotals, Task, TaskKind
from timbra.bulk.worker import Worker, WorkerOptions

SAMPLE_DOCUMENTS = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate.

    Attributes:
        sample: documents of the sample; 0 without documents.
        documents_per_second: rate of one process over the sample.
    """

    totals: PlanTotals
    sample: int
    documents_per_second: float

    def seconds(self, workers: int) -> float:
        """Return the time that the whole plan takes."""
        return self.totals.documents / self.documents_per_second / workers if self.sample else 0.0


def estimate(
    sources: tuple[str, ...], options: WorkerOptions, now: Callable[[], float] = time.perf_counter
) -> Estimate:
    """List the sources and validate a sample in this process; nothing is written.

    Args:
        sources: see `Planner.tasks`.
        now: clock in seconds.
    """
    planner, first = Planner(), None
    for task in planner.tasks(sources):
        if first is None and task.kind in (TaskKind.FILES, TaskKind.MEMBERS):
            first = _sample(task)
    if first is None:
        return Estimate(planner.totals, 0, 0.0)
    with closing(Worker(options)) as worker:
        worker.run(_sample(first, 1))  # compiles what is compiled once
        start = now()
        worker.run(first)
        return Estimate(planner.totals, first.documents, first.documents / max(1e-9, now() - start))


def _sample(task: Task, documents: int = SAMPLE_DOCUMENTS) -> Task:
    if task.kind is TaskKind.FILES:
        return replace(task, files=task.files[:documents])
    return replace(task, stop=min(task.stop, task.start + documents))
