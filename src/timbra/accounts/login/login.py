"""Login: password checks with a cache, in a bounded queue, under the limits of `limits`.

A password that this process checked in the last ten minutes costs a keyed hash, right or wrong, and no limit applies to
it: repeating a password reveals nothing. Other passwords are checked in threads. The logins of one user name from one
origin are checked one after the other. A login from a known origin is always checked: after too many failures with a
pause before each check, and the pauses get shorter as the queue grows, so that they add up to 3 seconds for one login.
Any other login is rejected without a check while its limits are exceeded; the limits are read again at its turn.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog

from timbra.accounts.login.limits import LoginLimiter, LoginState, LoginSubject, limited
from timbra.accounts.login.passwords import Passwords, is_possible, password_bytes
from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.logins")

PAUSE_SECONDS = 0.2
MAX_PAUSE_SECONDS = 3.0
"""Of one login: the sum of the pauses of a whole queue."""
MAX_QUEUE_LENGTH = 512
BUSY_SECONDS = 5
LIFETIME_SECONDS = 600.0
MAX_ENTRIES = 8192
"""Of right passwords, and of wrong ones."""


class PasswordCache:
    """Results of checks of (account, password generation, password), for ten minutes each.

    Some clients log in before every call: after one argon2id check, the next ones cost a keyed hash. A client that
    repeats an outdated password costs no more. The key is random and belongs to the process; passwords are not stored.
    Right and wrong passwords have separate limits, so that a flood of guesses does not evict a client's password.
    """

    def __init__(self, wall: Clock) -> None:
        self._wall = wall
        self._key = secrets.token_bytes(32)
        self._expiries = {right: BoundedDict[bytes, float](MAX_ENTRIES) for right in (True, False)}

    def digest(self, account: str, generation: int, password: str) -> bytes:
        """Return the key under which `put` stores a result.

        Args:
            account: The key of the account.
            generation: Number of its password changes.
        """
        subject = account.encode("utf-8", "surrogatepass")
        prefix = b"%d:%d:" % (generation, len(subject))
        return hmac.digest(self._key, prefix + subject + password_bytes(password), hashlib.sha256)

    def get(self, digest: bytes) -> bool | None:
        """Return whether the password was right; None without a result in the cache."""
        now = self._wall.now().timestamp()
        return next((right for right, expiries in self._expiries.items() if now < expiries.get(digest, 0.0)), None)

    def put(self, digest: bytes, right: bool) -> None:
        """Store a result."""
        self._expiries[right][digest] = self._wall.now().timestamp() + LIFETIME_SECONDS


@dataclass(slots=True)
class LoginQueue:
    """The queue of logins of one user name from one origin.

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
        subject: Who logs in.
        account: The key of the account in the password cache.
        generation: Number of password changes.
        encoded: The password hash; None for an unknown user.
    """

    subject: LoginSubject
    account: str
    generation: int
    encoded: str | None = field(repr=False)
    password: str = field(repr=False)


class Login:
    """Verifies login attempts; one per process."""

    def __init__(
        self,
        wall: Clock,
        passwords: Passwords,
        limiter: LoginLimiter,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Verify logins without a queue at first.

        Args:
            passwords: Computes the hashes.
            limiter: The limits of failures.
            pause: Waits for seconds.
        """
        self._passwords = passwords
        self._cache = PasswordCache(wall)
        self._limiter = limiter
        self._pause = pause
        self._queues: dict[tuple[str, str], LoginQueue] = {}

    async def verify(self, attempt: LoginAttempt) -> None:
        """Check the password of an attempt.

        Raises:
            ServiceError: "AU2000" for a wrong password, with `retry_after` beyond the limit of failures. "TB4291" with
                `retry_after`, without a check, beyond the limits of `LoginLimiter` or of the queue.
        """
        if not is_possible(attempt.password):
            raise ServiceError("AU2000")
        digest = self._cache.digest(attempt.account, attempt.generation, attempt.password)
        right = self._cache.get(digest)
        if right is None:
            state = await self._passwords.read(attempt.subject.origin, self._limiter.read, attempt.subject)
            _require_admission(state)
            right = await self._check(attempt, state, digest)
        if not right:
            raise ServiceError("AU2000")

    async def _check(self, attempt: LoginAttempt, state: LoginState, digest: bytes) -> bool:
        subject = attempt.subject
        async with self._queue(subject) as queue:
            # An earlier login of the queue may have checked the same password: clients start many sessions at once.
            cached = self._cache.get(digest)
            if cached is not None:
                return cached
            if state.is_exceeded:
                await self._pause(min(PAUSE_SECONDS, MAX_PAUSE_SECONDS / queue.longest))
            # Every known user name has a turn of its own, between those of the other origins.
            lane = f"known:{subject.name}" if state.is_known else subject.origin
            right, retry_after = await self._passwords.run(lane, self._check_in_thread, attempt)
            self._cache.put(digest, right)
        if not right and retry_after is not None:
            raise ServiceError("AU2000", retry_after=retry_after)
        return right

    def _check_in_thread(self, attempt: LoginAttempt) -> tuple[bool, int | None]:
        """Check the password unless the limits were exceeded while it waited; return the result and the next delay."""
        subject = attempt.subject
        state = self._limiter.read(subject)
        _require_admission(state)
        right = self._passwords.matches(attempt.encoded, attempt.password)
        try:
            if right:
                self._limiter.record_success(subject, state)
                return True, None
            return False, self._limiter.record_failure(subject, state)
        except ServiceError as error:
            # The result of the check counts, also while the database is out of reach.
            log.warning("login not recorded", code=error.code, detail=error.detail)
            return right, None

    @asynccontextmanager
    async def _queue(self, subject: LoginSubject) -> AsyncIterator[LoginQueue]:
        key = subject.name, subject.origin
        queue = self._queues.setdefault(key, LoginQueue())
        if queue.length >= MAX_QUEUE_LENGTH:
            raise limited(BUSY_SECONDS)
        queue.length += 1
        queue.longest = max(queue.longest, queue.length)
        try:
            async with queue.turn:
                yield queue
        finally:
            queue.length -= 1
            if not queue.length:
                self._queues.pop(key, None)


def _require_admission(state: LoginState) -> None:
    if state.retry_after is not None:
        raise limited(state.retry_after)


BOUNDS = (
    Bound(
        "PasswordCache",
        BoundKind.CACHE,
        f"{MAX_ENTRIES:,} right and as many wrong passwords",
        "The entry that was written longest ago is dropped.",
    ),
    Bound(
        "LoginQueue",
        BoundKind.QUEUE,
        f"{MAX_QUEUE_LENGTH} logins of a user name from one origin",
        "A further login is rejected.",
    ),
)
