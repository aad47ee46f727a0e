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
    """Raises OperationalError, and closes itself, when a response takes longer than a timeout.

    The server's own timeouts need a server that runs and is reachable; those of TCP end with an acknowledgement.

    Attributes:
        response_timeout: Seconds; None for no timeout.
    """

    response_timeout: float | None = None
    _pipeline: psycopg.Pipeline

    @contextmanager
    def in_pipeline(self) -> Iterator[None]:
        """Send the statements of this block together (pipeline mode), at `settle` or at its end."""
        with self.pipeline() as self._pipeline:
            yield

    def settle(self) -> None:
        """Wait for the results of the executed statements in one round trip; raise the error of a failed one.

        It sends a Sync. A Flush, which an earlier read of a result would send, stops the server's timeout for idle
        transactions: a node that hangs afterwards would keep its locks.
        """
        self._pipeline.sync()

    def wait(self, gen: PQGen[Answer], *how: Any, **named: Any) -> Answer:
        """Wait as psycopg does, with a timeout; psycopg checks every tenth of a second."""
        if self.response_timeout is None:
            return super().wait(gen, *how, **named)
        return super().wait(self._bounded(gen, monotonic() + self.response_timeout), *how, **named)

    def _bounded(self, gen: PQGen[Answer], deadline: float) -> Generator[Any, Any, Answer]:
        try:
            requested = next(gen)
            while True:
                ready = yield requested
                if not ready and monotonic() > deadline:
                    self.pgconn.finish()
                    gen.throw(psycopg.OperationalError("the server did not respond in time"))
                requested = gen.send(ready)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
