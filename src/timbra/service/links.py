"""Links that whoever holds them may follow for a while, without a token."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256

from timbra.clock import Clock
from timbra.errors import ServiceError

LIFETIME = timedelta(hours=72)
LATEST = 10


class Links:
    """secret: shared by all processes of the service, asked for at first use. Ends are wall time, Unix seconds."""

    def __init__(self, secret: Callable[[], bytes], wall: Clock) -> None:
        self._secret = secret
        self._wall = wall

    def signed(self, path: str) -> str:
        """The path with the query that opens it."""
        expires = int((self._wall.now() + LIFETIME).timestamp())
        return f"{path}?expires={expires}&signature={self._signature(path, str(expires))}"

    def check(self, path: str, expires: str, signature: str) -> None:
        """ServiceError("TB4041") unless the path was signed here, with this end, and that is still to come."""
        right = hmac.compare_digest(self._signature(path, expires).encode(), signature.encode("utf-8", "replace"))
        whole = expires.isascii() and expires.isdigit() and len(expires) <= LATEST
        if not (right and whole and int(expires) > self._wall.now().timestamp()):
            raise ServiceError("TB4041", "El enlace venció o está incompleto; pida uno nuevo.")

    def _signature(self, path: str, expires: str) -> str:
        text = f"{path}\n{expires}".encode("utf-8", "replace")
        return hmac.new(self._secret(), text, sha256).hexdigest()
