"""Login: password checks with a cache and a throttle that never locks an account.

The server checks every password, after any number of wrong ones. A user name that exhausted its limit of failures
(see `throttle`) is throttled in two ways: its failures are answered with `retry_after`, and passwords that are not in
the cache are checked one after the other, with a pause before each. The right password always logs in: at once when it
is in the cache, after its turn otherwise. Guesses are limited by the pause, to 300 a minute and process, and under a
flood by the cost of argon2id on one of two threads; the other one stays free for other accounts. The pauses get shorter
as the queue grows: for one login they add up to 3 seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from timbra.accounts.login.password_cache import PasswordCache
from timbra.accounts.login.passwords import Passwords, is_possible
from timbra.accounts.login.throttle import FailedLogins
from timbra.clock import Clock
from timbra.errors import ServiceError

PAUSE_SECONDS = 0.2
MAX_PAUSE_SECONDS = 3.0
"""Of one login: the sum of the pauses of a whole queue."""
MAX_QUEUE_LENGTH = 256


@dataclass(slots=True)
class LoginQueue:
    """The queue of logins under one name.

    Attributes:
        turn: The lock that one login has at a time.
        length: The number of logins.
        longest: The maximum of `length` since the queue was empty.
    """

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    length: int = 0
    longest: int = 0


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """One login.

    Attributes:
        name: The normalized user name.
        account: The key of the account in the password cache.
        generation: Number of password changes.
        encoded: The password hash; None for an unknown user.
        password: The password.
        origin: The origin of the login, such as an address; origins take turns.
    """

    name: str
    account: str
    generation: int
    encoded: str | None = field(repr=False)
    password: str = field(repr=False)
    origin: str = ""


class Login:
    """Verifies login attempts; one per process."""

    def __init__(
        self, wall: Clock, passwords: Passwords, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._passwords = passwords
        self._cache = PasswordCache(wall)
        self._failures = FailedLogins(wall)
        self._pause = pause
        self._queues: dict[str, LoginQueue] = {}

    async def verify(self, attempt: LoginAttempt) -> None:
        """Check the password of an attempt.

        Raises:
            ServiceError: "AU2000" for a wrong password, with `retry_after` beyond the limit of failures. "CO1000" with
                `retry_after`, without a check, when 256 logins under this name (or of all) wait in this process.
        """
        if not is_possible(attempt.password):
            raise self._failure(attempt)
        digest = self._cache.digest(attempt.account, attempt.generation, attempt.password)
        right = self._cache.get(digest)
        if right is None:
            right = await self._check(attempt, digest)
        if not right:
            raise self._failure(attempt)

    def _failure(self, attempt: LoginAttempt) -> ServiceError:
        return ServiceError("AU2000", retry_after=self._failures.record_failure(attempt.name))

    async def _check(self, attempt: LoginAttempt, digest: bytes) -> bool:
        async with self._queue(attempt.name) as queue:
            # An earlier login of the queue may have checked the same password: clients start many sessions at once.
            right = self._cache.get(digest)
            if right is None:
                if self._failures.is_exhausted(attempt.name):
                    await self._pause(min(PAUSE_SECONDS, MAX_PAUSE_SECONDS / queue.longest))
                right = await self._passwords.matches(attempt.encoded, attempt.password, attempt.origin)
                self._cache.put(digest, right)
            return right

    @asynccontextmanager
    async def _queue(self, name: str) -> AsyncIterator[LoginQueue]:
        queue = self._queues.setdefault(name, LoginQueue())
        if queue.length >= MAX_QUEUE_LENGTH:
            raise ServiceError("CO1000", "Hay demasiados inicios de sesión de este usuario a la vez.", retry_after=5)
        queue.length += 1
        queue.longest = max(queue.longest, queue.length)
        try:
            async with queue.turn:
                yield queue
        finally:
            queue.length -= 1
            if not queue.length:
                self._queues.pop(name, None)
