"""A run: the tasks of a result folder that are not written, and its parts when all their tasks have ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from timbra.bulk.result_folder import PART_TASKS, ResultFolder

if TYPE_CHECKING:
    from timbra.bulk.engines.port import Engine
    from timbra.bulk.worker import TaskResult


@dataclass(slots=True)
class Progress:
    """Progress of a run.

    Attributes:
        total: documents of the plan.
        before: documents that earlier runs have written.
        written: documents in written parts.
        results: number of documents by result, those of earlier runs included.
    """

    total: int
    before: int = 0
    written: int = 0
    results: Counter[str] = field(default_factory=Counter)

    @property
    def done(self) -> int:
        """Number of documents with a result."""
        return self.results.total()


def run_plan(folder: ResultFolder, new_engine: Callable[[], Engine], report: Callable[[Progress], None]) -> Progress:
    """Run the tasks of the plan whose results are not written.

    Args:
        new_engine: starts the engine; it is not called when nothing is missing.
        report: is called at the beginning and after each task.

    Returns:
        The progress at the end.
    """
    totals, parts = folder.totals(), folder.parts()
    progress = Progress(totals.documents)
    for part in parts:
        progress.results.update(part.results)
    progress.before = progress.written = progress.done
    report(progress)
    if len(parts) == -(-totals.tasks // PART_TASKS):
        return progress
    unwritten: dict[int, dict[int, TaskResult]] = {}
    with closing(new_engine()) as engine:
        for result in engine.run(folder.missing_tasks()):
            progress.results.update(result.counts)
            number = result.number // PART_TASKS
            results = unwritten.setdefault(number, {})
            results[result.number] = result
            if len(results) == min(PART_TASKS, totals.tasks - number * PART_TASKS):
                part = folder.write_part(number, (results[task] for task in sorted(results)))
                progress.written += part.documents
                del unwritten[number]
            report(progress)
    return progress
