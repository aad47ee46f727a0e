"""Timeouts of PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds.

    Attributes:
        connect: Of a new connection.
        lock: Of the wait for a lock.
        statement: Of one statement, its locks included.
    """

    connect: int = 3
    lock: float = 5
    statement: float = 10

    @property
    def answer(self) -> float:
        """The timeout of a response, after which the connection is closed; the server's own timeouts come earlier."""
        return self.statement + 2


TIMEOUTS = Timeouts()
