"""Passwords as argon2id hashes: 19 MiB, two passes, parallelism 1, at most two computations at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from timbra.accounts.login.limits import limited
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.pools import PoolLimits, ThreadPool

P = ParamSpec("P")
T = TypeVar("T")

MAX_RUNNING = 2
MAX_WAITING = 4096
MAX_WAITING_PER_LANE = 2048
"""An address is limited by its failures; the queue only bounds the memory of logins that wait."""
MAX_READING = 4
BUSY_DETAIL = "Hay demasiados inicios de sesión a la vez."
MAX_PASSWORD_LENGTH = 1024
_ARGON2 = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# The hash of a random password that was not kept: a check of an unknown user takes as long as one of an existing user.
DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$1XOzk7skjoRGOTq+Gdbh3w$bO+26o6QeBQLqIDvlfxjWl5M+UTvgZ9iWg8ppthtAxc"


def password_bytes(password: str) -> bytes:
    """Return the bytes to hash: NFC, so that composed and decomposed accents are one password; never raises."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


def is_possible(password: str) -> bool:
    """Whether an account can have this password: 1 to 1,024 characters that can be encoded in UTF-8."""
    has_surrogate = any("\ud800" <= character <= "\udfff" for character in password)
    return 0 < len(password) <= MAX_PASSWORD_LENGTH and not has_surrogate


class Passwords:
    """Computes and checks password hashes in threads; one per process."""

    def __init__(self, metrics: MetricsRegistry | None = None) -> None:
        # A check takes some 30 ms; the round robin among lanes suffices, so that each may use both threads.
        limits = PoolLimits(MAX_RUNNING, MAX_RUNNING, MAX_WAITING, MAX_WAITING_PER_LANE)
        self._pool = ThreadPool("passwords", limits, BUSY_DETAIL, metrics)
        # Not the pool of the requests: a flood of logins would fill it, and logins would answer 503.
        limits = PoolLimits(MAX_READING, MAX_READING, MAX_WAITING, MAX_WAITING_PER_LANE)
        self._readers = ThreadPool("logins", limits, BUSY_DETAIL, metrics)

    def hash(self, password: str) -> str:
        """Return the hash in PHC form; takes about 30 ms. Raises ServiceError: "password-invalid"."""
        if not is_possible(password):
            raise ServiceError("password-invalid", f"Debe tener entre 1 y {MAX_PASSWORD_LENGTH} caracteres.")
        return self._pool.run_blocking(_ARGON2.hash, password_bytes(password))

    async def run(self, lane: str, check: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a check in one of the threads.

        Args:
            lane: Checks of one lane wait for each other; lanes take turns.
            check: A function that calls `matches`.

        Raises:
            ServiceError: "TB4291" with `retry_after` when the queue of the lane or of all is full.
        """
        return await _run(self._pool, lane, check, *args, **kwargs)

    async def read(self, lane: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the short database calls of a login in threads of their own; arguments and errors as `run`."""
        return await _run(self._readers, lane, work, *args, **kwargs)

    def matches(self, encoded: str | None, password: str) -> bool:
        """Check a password; takes about 30 ms.

        Args:
            encoded: The hash; None for an unknown user, whose check takes as long and never matches.
        """
        right = _verify(encoded or DUMMY_HASH, password_bytes(password))
        return right and encoded is not None

    def close(self) -> None:
        """Stop the threads."""
        self._pool.close()
        self._readers.close()


async def _run(pool: ThreadPool, lane: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return await pool.run(lane, work, *args, **kwargs)
    except ServiceError as error:
        if error.detail != BUSY_DETAIL:
            raise
        raise limited(error.retry_after or 1) from error


def _verify(encoded: str, password: bytes) -> bool:
    try:
        return _ARGON2.verify(encoded, password)
    except VerifyMismatchError:
        return False
