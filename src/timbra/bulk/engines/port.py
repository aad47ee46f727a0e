"""The port of engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from timbra.bulk.plan import Task
from timbra.bulk.worker import TaskResult

TASKS_PER_WORKER = 2
"""Tasks that a worker has at a time, so that it does not wait for the coordinator."""


class Engine(Protocol):
    """Runs tasks in workers."""

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        """Yield the result of each task, in the order in which they end.

        Args:
            tasks: read as workers become free.
        """
        ...

    def close(self) -> None:
        """Stop the workers, after their current tasks."""
        ...
