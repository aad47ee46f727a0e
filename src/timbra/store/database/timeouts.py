"""Timeouts of PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. connect: for a connection; lock: for another's lock; statement: for one statement, its locks included.

    A server that stays silent a little longer than a statement may last is given up with its connection.
    """

    connect: int = 3
    lock: float = 5
    statement: float = 10

    @property
    def answer(self) -> float:
        """Seconds without data after which the connection is closed; the server's own timeouts come earlier."""
        return self.statement + 2


TIMEOUTS = Timeouts()
