"""A connection to PostgreSQL with a timeout: a server, or the network, may stop responding without an error."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

Answer = TypeVar("Answer")


class TimeoutConnection(psycopg.Connection[Any]):
    """Raises OperationalError, and closes itself, when a response takes longer than `longest_silence` seconds.

    The timeouts of the server need a server that runs and is reachable; those of TCP end with an acknowledgement.
    """

    longest_silence: float | None = None
    _going: psycopg.Pipeline

    @contextmanager
    def in_one_go(self) -> Iterator[None]:
        """Send the statements of this block together (pipeline mode), at `settle` or at its end."""
        with self.pipeline() as self._going:
            yield

    def settle(self) -> None:
        """One round trip: answers of all that was executed, raising what failed.

        It ends with a Sync. A Flush, which reading an answer earlier would send, stops the server's clock for idle
        transactions: a node that fell silent then would keep its locks.
        """
        self._going.sync()

    def wait(self, gen: PQGen[Answer], *how: Any, **named: Any) -> Answer:
        """Wait as psycopg does, with a timeout; psycopg checks every tenth of a second."""
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
