"""Checks in a fixed order, each typed for the stage of the document that it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from timbra.stamping.models import StampingOperation

if TYPE_CHECKING:
    from timbra.core.metrics import StageTimer
    from timbra.evaluation.dependencies import Dependencies
    from timbra.pools import RunInThread

First = TypeVar("First")
Last = TypeVar("Last")
Next = TypeVar("Next")

BOTH = frozenset(StampingOperation)
ISSUE = frozenset({StampingOperation.ISSUE})
STAMP = frozenset({StampingOperation.STAMP})


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the order of checks.

    Attributes:
        codes: The codes of the ServiceErrors that `run` raises.
        description: The text of the row in docs/order-of-checks.md.
        run: Takes the value of a stage; returns the value of the next stage, or None when it only checks.
        operations: The operations that run the check.
        reads: Whether the check has to read the database for this value; it then runs in a thread.
    """

    codes: tuple[str, ...]
    description: str
    run: Callable[[Any, Dependencies], object]
    operations: frozenset[StampingOperation] = BOTH
    reads: Callable[[Any, Dependencies], bool] | None = None


@dataclass(frozen=True)
class CheckSequence(Generic[First, Last]):
    """Checks that take a document from the stage `First` to the stage `Last`.

    `require` and `derive` return a longer sequence. mypy rejects a check whose parameter is not the stage that the
    sequence has reached.

    Attributes:
        stage: label `stage` of the metric `stamp_stage_duration_seconds` for the time of the sequence; empty for none.
    """

    checks: tuple[Check, ...] = ()
    stage: str = ""

    @cached_property
    def by_operation(self) -> Mapping[StampingOperation, tuple[Check, ...]]:
        """The checks that each operation runs."""
        return {
            operation: tuple([check for check in self.checks if operation in check.operations])
            for operation in StampingOperation
        }

    def require(
        self,
        codes: tuple[str, ...],
        description: str,
        run: Callable[[Last, Dependencies], None],
        operations: frozenset[StampingOperation] = BOTH,
        *,
        reads: Callable[[Last, Dependencies], bool] | None = None,
    ) -> CheckSequence[First, Last]:
        """Add a check that raises ServiceError or lets the document pass."""
        check = Check(codes, description, run, operations, reads)
        return CheckSequence((*self.checks, check), self.stage)

    def derive(
        self,
        codes: tuple[str, ...],
        description: str,
        run: Callable[[Last, Dependencies], Next],
        operations: frozenset[StampingOperation] = BOTH,
        *,
        reads: Callable[[Last, Dependencies], bool] | None = None,
    ) -> CheckSequence[First, Next]:
        """Add a check that also returns the value of the next stage; `operations` is only printed in the table."""
        check = Check(codes, description, run, operations, reads)
        return CheckSequence((*self.checks, check), self.stage)


class CheckRunner:
    """Runs sequences for one document."""

    __slots__ = ("_dependencies", "_operation", "_run_in_thread", "_stage_timer")

    def __init__(self, operation: StampingOperation, dependencies: Dependencies, run_in_thread: RunInThread) -> None:
        self._operation = operation
        self._dependencies = dependencies
        self._run_in_thread = run_in_thread
        self._stage_timer: StageTimer | None = dependencies.metrics.stage_timer()

    async def run(self, sequence: CheckSequence[First, Last], value: First) -> Last:
        """Run every check of the sequence that belongs to the operation.

        A check that reads the database, which is rare, runs in a thread; all others run on the event loop.

        Raises:
            ServiceError: The code of the first check that rejects the document.
        """
        current: Any = value
        dependencies = self._dependencies
        for check in sequence.by_operation[self._operation]:
            if check.reads is not None and check.reads(current, dependencies):
                result = await self._run_in_thread(check.run, current, dependencies)
            else:
                result = check.run(current, dependencies)
            if result is not None:
                current = result
        if sequence.stage and self._stage_timer is not None:
            self._stage_timer.end(sequence.stage)
        reached: Last = current
        return reached

    def end_stage(self, stage: str) -> None:
        """Record the time since the last stage, for the few documents that are timed."""
        if self._stage_timer is not None:
            self._stage_timer.end(stage)
