"""Passwords as argon2id hashes: 19 MiB, two passes, parallelism 1, at most two computations at once."""

from __future__ import annotations

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from timbra.errors import ServiceError
from timbra.metrics import MetricsRegistry
from timbra.pools import PoolLimits, ThreadPool

MAX_RUNNING = 2
MAX_WAITING = 256
MAX_WAITING_PER_ORIGIN = 128
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
        # A check takes some 30 ms; the round robin among origins suffices, so that each may use both threads.
        limits = PoolLimits(MAX_RUNNING, MAX_RUNNING, MAX_WAITING, MAX_WAITING_PER_ORIGIN)
        self._pool = ThreadPool("passwords", limits, "Hay demasiados inicios de sesión a la vez.", metrics)

    def hash(self, password: str) -> str:
        """Return the hash in PHC form; takes about 30 ms.

        Raises:
            ServiceError: "password-invalid".
        """
        if not is_possible(password):
            raise ServiceError("password-invalid", f"Debe tener entre 1 y {MAX_PASSWORD_LENGTH} caracteres.")
        return self._pool.run_blocking(_ARGON2.hash, password_bytes(password))

    async def matches(self, encoded: str | None, password: str, origin: str = "") -> bool:
        """Check a password.

        Args:
            encoded: The hash; None for an unknown user, whose check takes as long and never matches.
            password: The password.
            origin: The origin of the login; origins take turns.

        Raises:
            ServiceError: "CO1000" with `retry_after` when 128 checks of this origin, or 256 of all, wait already.
        """
        right = await self._pool.run(origin, _verify, encoded or DUMMY_HASH, password_bytes(password))
        return right and encoded is not None

    def close(self) -> None:
        """Stop the threads."""
        self._pool.close()


def _verify(encoded: str, password: bytes) -> bool:
    try:
        return _ARGON2.verify(encoded, password)
    except VerifyMismatchError:
        return False
