"""The cache of password checks of this process, by a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from timbra.accounts.login.passwords import password_bytes
from timbra.core.bounded_dict import BoundedDict
from timbra.core.clock import Clock

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
