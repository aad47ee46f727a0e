"""Repetition of calls that fail: pauses of exponential backoff with jitter, attempts, one timeout for all of them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from timbra.core.errors import ServiceError

T = TypeVar("T")

MAX_DOUBLINGS = 64
_RANDOM = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses before repetitions, in seconds; each bound is double the one before.

    Attributes:
        first: bound of the first pause.
        limit: highest bound.
        spread: part of a pause that is random, from 0 to 1, so that callers that failed at the same time do not repeat
            at the same time.
        jitter: returns a random number from 0 to 1; replaced in tests.
    """

    first: float
    limit: float = inf
    spread: float = 0.5
    jitter: Callable[[], float] = _RANDOM.random

    def pause(self, failures: int) -> float:
        """Return the pause after so many failures."""
        bound = min(self.limit, self.first * 2.0 ** min(failures - 1, MAX_DOUBLINGS))
        return bound * (1 - self.spread + self.spread * self.jitter())


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retries a call that raises ServiceError.

    Attributes:
        seconds: The timeout of all attempts together.
        attempts: The maximum number of attempts.
        backoff: The pauses between attempts.
        sleep: Waits for seconds; replaced in tests.
        now: Monotonic seconds; replaced in tests.
    """

    seconds: float = 8.0
    attempts: int = 3
    backoff: Backoff = Backoff(0.5, spread=1.0)
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic

    def call(self, operation: Callable[[float], T]) -> T:
        """Return the result of the first attempt that succeeds.

        Args:
            operation: Makes one attempt within the given seconds, or raises ServiceError.

        Raises:
            ServiceError: The error of the last attempt.
        """
        deadline = self.now() + self.seconds
        for attempt in range(1, self.attempts + 1):
            try:
                return operation(deadline - self.now())
            except ServiceError:
                wait = self.backoff.pause(attempt)
                if attempt == self.attempts or self.now() + wait >= deadline:
                    raise
                self.sleep(wait)
        raise ValueError("at least one attempt is needed")
