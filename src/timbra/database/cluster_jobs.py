"""Periodic jobs that one worker of all nodes runs, under a lease in the database."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol
from uuid import uuid4

from timbra.core.errors import ServiceError

TERM_IN_PERIODS: Final = 2
"""A lease is as long as this many periods of its job: its holder renews it at each run, half a term early."""


class LeasePort(Protocol):
    """The leases of a database, see `timbra.database.leases`."""

    def try_acquire(self, name: str, holder: str, seconds: float) -> bool:
        """Acquire or renew a lease; return False when another holder has it."""

    def release(self, name: str, holder: str) -> None:
        """Release a lease of the holder."""


class ClusterJobs:
    """Jobs of one worker that run only while it has their leases.

    The jobs are idempotent and safe in parallel: a lease only avoids duplicate work. A job that outlasts its lease may
    therefore overlap with one run of the next holder. When a worker dies, another one runs its jobs after the term of
    their leases; when a worker stops or its job fails, at the next period.

    Args:
        leases: the leases.
        holder: unique name of the worker; None to generate one.
        monotonic: seconds of a clock that no one sets.
    """

    def __init__(
        self, leases: LeasePort, holder: str | None = None, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._leases = leases
        self._monotonic = monotonic
        self._holder = holder or f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex}"
        self._held: set[str] = set()
        self._acquired_at: dict[str, float] = {}

    def once(self, name: str, seconds: float, work: Callable[[], object]) -> Callable[[], None]:
        """Wrap a periodic job so that this worker skips it while another one has the lease of that name.

        Args:
            name: name of the lease; several jobs may share one.
            seconds: half of the term of the lease, at least the period of the job. A job that runs more often renews
                its lease after half of this time, not at each run.
        """

        def run() -> None:
            if not self._acquire(name, seconds):
                return
            try:
                work()
            except BaseException:
                self._release(name)
                raise

        return run

    def _acquire(self, name: str, seconds: float) -> bool:
        now = self._monotonic()
        if name in self._held and now - self._acquired_at[name] < seconds / 2:
            return True
        if not self._leases.try_acquire(name, self._holder, TERM_IN_PERIODS * seconds):
            self._held.discard(name)
            return False
        self._acquired_at[name] = now
        self._held.add(name)
        return True

    def close(self) -> None:
        """Release the leases of this worker, so that another one continues at once."""
        for name in tuple(self._held):
            self._release(name)

    def _release(self, name: str) -> None:
        """Release a lease; if the database is unreachable, the lease expires by itself."""
        self._held.discard(name)
        with suppress(ServiceError):
            self._leases.release(name, self._holder)
