"""Passwords as argon2id hashes: 19 MiB, two passes, parallelism 1, at most two computations at once."""

from __future__ import annotations

import asyncio
import unicodedata
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from timbra.errors import ServiceError

AT_ONCE = 2
MOST_WAITING = 256
LONGEST = 1024
_ARGON2 = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# The hash of a forgotten random password: a name that is not known costs as much as one that is.
NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$1XOzk7skjoRGOTq+Gdbh3w$bO+26o6QeBQLqIDvlfxjWl5M+UTvgZ9iWg8ppthtAxc"


def password_bytes(password: str) -> bytes:
    """What is hashed: NFC, so that composed and decomposed accents are one password; never raises."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


def is_possible(password: str) -> bool:
    """Whether an account can have this password at all: 1 to 1,024 characters, every one of them encodable."""
    return 0 < len(password) <= LONGEST and not any("\ud800" <= character <= "\udfff" for character in password)


class Passwords:
    """Makes and checks password hashes; one per process, its threads start with the first use."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="passwords")
        self._waiting = 0

    def hash(self, password: str) -> str:
        """The hash in PHC form; takes about 30 ms. ServiceError("password-invalid") for an impossible password."""
        if not is_possible(password):
            raise ServiceError("password-invalid", f"Debe tener entre 1 y {LONGEST} caracteres.")
        return self._threads.submit(_ARGON2.hash, password_bytes(password)).result()

    async def matches(self, encoded: str | None, password: str) -> bool:
        """Whether `password` made `encoded`; None stands for an unknown user, costs the same and never matches.

        ServiceError("CO1000") with `retry_after` when 256 checks wait in this process already.
        """
        if self._waiting >= MOST_WAITING:
            raise ServiceError("CO1000", "Hay demasiados inicios de sesión a la vez.", retry_after=5)
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            right = await loop.run_in_executor(self._threads, _verify, encoded or NOBODY, password_bytes(password))
        finally:
            self._waiting -= 1
        return right and encoded is not None

    def close(self) -> None:
        """Ends the threads."""
        self._threads.shutdown()


def _verify(encoded: str, password: bytes) -> bool:
    try:
        return _ARGON2.verify(encoded, password)
    except VerifyMismatchError:
        return False
