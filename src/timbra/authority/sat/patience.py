"""How long and how often a service is asked before it counts as down."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from timbra.errors import ServiceError

T = TypeVar("T")

_CHANCE = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Patience:
    """seconds: for all attempts together. pause: longest before the second attempt, in seconds; it doubles from then.

    Each pause is a random part of its longest, so that many who failed together do not return together.
    chance: from 0 to 1. now: seconds of any clock that only moves forward.
    """

    seconds: float = 8.0
    attempts: int = 3
    pause: float = 0.5
    chance: Callable[[], float] = _CHANCE.random
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic

    def ask(self, question: Callable[[float], T]) -> T:
        """The first answer. question: asks once, within the seconds given, or raises ServiceError.

        The ServiceError of the last attempt when none succeeds.
        """
        deadline = self.now() + self.seconds
        for attempt in range(1, self.attempts + 1):
            try:
                return question(deadline - self.now())
            except ServiceError:
                wait = self.chance() * self.pause * 2 ** (attempt - 1)
                if attempt == self.attempts or self.now() + wait >= deadline:
                    raise
                self.sleep(wait)
        raise ValueError("at least one attempt is needed")
