"""A bound of the work that one document may cause on the event loop, which nothing can interrupt.

Code whose work depends on the faults of a document announces it with `spend` before it begins. In a context without a
budget, such as a child process or a command, there is no bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class OverBudgetError(Exception):
    """The announced work exceeds the budget; nothing of it has begun."""


class _Budget:
    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


_current: ContextVar[_Budget | None] = ContextVar("work_budget", default=None)


@contextmanager
def work_budget(units: int) -> Iterator[None]:
    """Bound the work of the block, also in the tasks and threads that it starts.

    Args:
        units: Visits of nodes, some microseconds each.
    """
    token = _current.set(_Budget(units))
    try:
        yield
    finally:
        _current.reset(token)


def spend(units: int) -> None:
    """Announce work.

    Args:
        units: Visits of nodes.

    Raises:
        OverBudgetError: The budget does not suffice.
    """
    budget = _current.get()
    if budget is None:
        return
    if units > budget.left:
        raise OverBudgetError
    budget.left -= units
