"""A connection to PostgreSQL that does not wait for ever: a server, or the way to it, may fall silent untold."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

Answer = TypeVar("Answer")


class PatientConnection(psycopg.Connection[Any]):
    """Raises OperationalError, and is closed, when an answer takes longer than `longest_silence` seconds.

    The server's own time-outs help only while it lives and can be reached; TCP's only while nobody acknowledges.
    """

    longest_silence: float | None = None
    _going: psycopg.Pipeline

    @contextmanager
    def in_one_go(self) -> Iterator[None]:
        """What is executed in this block travels together, at `settle` or at its end; answers come no sooner."""
        with self.pipeline() as self._going:
            yield

    def settle(self) -> None:
        """One round trip: answers of all that was executed, raising what failed.

        It ends with a Sync. A Flush, which reading an answer earlier would send, stops the server's clock for idle
        transactions: a node that fell silent then would keep its locks.
        """
        self._going.sync()

    def wait(self, gen: PQGen[Answer], *how: Any, **named: Any) -> Answer:
        """As psycopg waits, with an end. psycopg looks up from waiting every tenth of a second."""
        if self.longest_silence is None:
            return super().wait(gen, *how, **named)
        return super().wait(self._bounded(gen, monotonic() + self.longest_silence), *how, **named)

    def _bounded(self, gen: PQGen[Answer], ends: float) -> Generator[Any, Any, Answer]:
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and monotonic() > ends:
                    self.pgconn.finish()
                    gen.throw(psycopg.OperationalError("the server fell silent"))
                wanted = gen.send(ready)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
