"""Passwords that this process has judged lately, known only by a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict

from timbra.accounts.passwords import password_bytes
from timbra.clock import Clock

SECONDS = 600.0
MOST = 8192


class Remembered:
    """Verdicts on (account, password generation, password), for ten minutes from the check that gave them.

    Some clients log in before every call: after one argon2id check theirs costs a keyed hash. A client that repeats an
    outdated password costs no more. The key is random and lives and dies with the process; passwords are not kept.
    Right and wrong ones have room of their own: no flood of guesses makes a client's password forgotten.
    """

    def __init__(self, wall: Clock) -> None:
        self._wall = wall
        self._key = secrets.token_bytes(32)
        self._ends: dict[bool, OrderedDict[bytes, float]] = {True: OrderedDict(), False: OrderedDict()}

    def digest(self, account: str, generation: int, password: str) -> bytes:
        """The name under which a verdict is kept."""
        subject = account.encode("utf-8", "surrogatepass")
        head = b"%d:%d:" % (generation, len(subject))
        return hmac.digest(self._key, head + subject + password_bytes(password), hashlib.sha256)

    def verdict(self, digest: bytes) -> bool | None:
        """Whether the password was right, None when that must be found out."""
        now = self._wall.now().timestamp()
        return next((right for right, ends in self._ends.items() if now < ends.get(digest, 0.0)), None)

    def keep(self, digest: bytes, right: bool) -> None:
        """Remembers a verdict; the oldest of its kind makes room."""
        ends = self._ends[right]
        ends[digest] = self._wall.now().timestamp() + SECONDS
        ends.move_to_end(digest)
        while len(ends) > MOST:
            ends.popitem(last=False)
