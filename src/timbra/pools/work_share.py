"""The share of processor time that one account has of work whose cost its input decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from threading import Lock
from time import monotonic
from typing import TypeVar

from timbra.core.errors import ServiceError

T = TypeVar("T")

MAX_ACCOUNTS = 10_000
"""Accounts from which those without a debt are forgotten."""

Charge = Callable[[float], None]
_charge: ContextVar[Charge | None] = ContextVar("work_share_charge", default=None)


class WorkShare:
    """Processor seconds by account, a leaky bucket each; in the memory of one worker, shared by its threads.

    Args:
        seconds: debt from which an account waits.
        rate: seconds of debt that expire each second.
        detail: Spanish detail of the rejection.
        now: monotonic clock, in seconds.
    """

    def __init__(self, seconds: float, rate: float, detail: str, now: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._rate = rate
        self._detail = detail
        self._now = now
        self._lock = Lock()
        self._debts: dict[str, tuple[float, float]] = {}
        """Debt, and the time at which it was counted, by account."""

    def require(self, account: str) -> None:
        """Raise ServiceError "TB4290" with `retry_after` while the debt of the account is too large."""
        excess = self._debt(account) - self._seconds
        if excess >= 0:
            raise ServiceError("TB4290", self._detail, retry_after=max(1, math.ceil(excess / self._rate)))

    def call(self, account: str, work: Callable[[], T]) -> T:
        """Call a function whose `charge` counts for an account; runs in a thread, with a context of its own.

        Raises:
            ServiceError: as `require`, whose limit others of the account may have exceeded meanwhile.
        """
        self.require(account)
        _charge.set(partial(self._add, account))
        return work()

    def _add(self, account: str, seconds: float) -> None:
        with self._lock:
            self._debts[account] = self._debt(account) + seconds, self._now()
            if len(self._debts) > MAX_ACCOUNTS:
                self._debts = {other: debt for other, debt in self._debts.items() if self._debt(other)}

    def _debt(self, account: str) -> float:
        debt, counted_at = self._debts.get(account, (0.0, 0.0))
        return max(0.0, debt - (self._now() - counted_at) * self._rate)


def charge(seconds: float) -> None:
    """Report processor time to the account of the context; without one, nothing is counted."""
    charged = _charge.get()
    if charged is not None:
        charged(seconds)
