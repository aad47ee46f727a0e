"""Retry policy of calls to the SAT: attempts, exponential backoff with jitter, and one timeout for all attempts."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from timbra.core.errors import ServiceError

T = TypeVar("T")

_RANDOM = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retries a call that raises ServiceError.

    Attributes:
        seconds: The timeout of all attempts together.
        attempts: The maximum number of attempts.
        pause: Upper bound of the first pause in seconds; it doubles with each attempt.
        jitter: Returns a random number from 0 to 1, the part of the bound that is waited, so that callers that failed
            at the same time do not retry at the same time.
        sleep: Waits for seconds; replaced in tests.
        now: Monotonic seconds; replaced in tests.
    """

    seconds: float = 8.0
    attempts: int = 3
    pause: float = 0.5
    jitter: Callable[[], float] = _RANDOM.random
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
                wait = self.jitter() * self.pause * 2 ** (attempt - 1)
                if attempt == self.attempts or self.now() + wait >= deadline:
                    raise
                self.sleep(wait)
        raise ValueError("at least one attempt is needed")
