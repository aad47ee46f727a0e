"""Judging a login: cheap when repeated, slow to guess, and never closed to the right password.

What throttling means here. Every password is examined, however many wrong ones came before. A user name that spent
its budget of failures (see `throttle`) gets two things: its failures are answered with a wait (`retry_after`), and
passwords that this process has not judged lately are examined one after the other, with a pause before each. So the
right password always logs in: at once when it is remembered, after its turn when it is not. Guessing is bounded by the
pause (at most 300 guesses a minute and process), and under a flood by the cost of argon2id on one of two threads; the
other one stays free for other accounts. The pauses shrink as the line grows: for one login they add up to 3 seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from timbra.accounts.passwords import Passwords, is_possible
from timbra.accounts.remembered import Remembered
from timbra.accounts.throttle import Failures
from timbra.clock import Clock
from timbra.errors import ServiceError

PAUSE = 0.2
LONGEST_WAIT = 3.0
MOST_IN_LINE = 256


@dataclass(slots=True)
class _Line:
    """Logins under one name that wait for their turn. longest: most of them at once since the line was empty."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    length: int = 0
    longest: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One login. name: folded user name. account: what a remembered verdict is bound to. encoded: None if unknown."""

    name: str
    account: str
    generation: int
    encoded: str | None = field(repr=False)
    password: str = field(repr=False)


class Login:
    """Judges attempts; one per process."""

    def __init__(
        self, wall: Clock, passwords: Passwords, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._passwords = passwords
        self._remembered = Remembered(wall)
        self._failures = Failures(wall)
        self._pause = pause
        self._lines: dict[str, _Line] = {}

    async def judge(self, attempt: Attempt) -> None:
        """Returns for the right password.

        ServiceError("AU2000") for a wrong one, with `retry_after` beyond the budget. ServiceError("CO1000") with
        `retry_after`, nothing examined, when 256 logins under this name (or of all) wait in this process already.
        """
        if not is_possible(attempt.password):
            raise self._failure(attempt)
        digest = self._remembered.digest(attempt.account, attempt.generation, attempt.password)
        right = self._remembered.verdict(digest)
        if right is None:
            right = await self._examine(attempt, digest)
        if not right:
            raise self._failure(attempt)

    def _failure(self, attempt: Attempt) -> ServiceError:
        return ServiceError("AU2000", retry_after=self._failures.count(attempt.name))

    async def _examine(self, attempt: Attempt, digest: bytes) -> bool:
        async with self._line(attempt.name) as line:
            # Whoever stood before may have asked the same: clients start many sessions at once.
            right = self._remembered.verdict(digest)
            if right is None:
                if self._failures.spent(attempt.name):
                    await self._pause(min(PAUSE, LONGEST_WAIT / line.longest))
                right = await self._passwords.matches(attempt.encoded, attempt.password)
                self._remembered.keep(digest, right)
            return right

    @asynccontextmanager
    async def _line(self, name: str) -> AsyncIterator[_Line]:
        line = self._lines.setdefault(name, _Line())
        if line.length >= MOST_IN_LINE:
            raise ServiceError("CO1000", "Hay demasiados inicios de sesión de este usuario a la vez.", retry_after=5)
        line.length += 1
        line.longest = max(line.longest, line.length)
        try:
            async with line.turn:
                yield line
        finally:
            line.length -= 1
            if not line.length:
                self._lines.pop(name, None)
