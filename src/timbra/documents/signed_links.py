"""Signed links (HMAC-SHA-256) that grant access for a limited time without a token."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError

LIFETIME = timedelta(hours=72)
MAX_EXPIRY_DIGITS = 10


class SignedLinks:
    """Signs and checks links. Expiry is wall time in Unix seconds.

    Args:
        secret: returns the key that all processes share.
        wall: wall time.
    """

    def __init__(self, secret: Callable[[], bytes], wall: Clock) -> None:
        self._secret = secret
        self._wall = wall

    def sign(self, path: str, until: datetime | None = None) -> str:
        """Return the path with expiry and signature in its query.

        Args:
            until: wall instant at which it expires; None for 72 hours from now.
        """
        expires = int((until or self._wall.now() + LIFETIME).timestamp())
        return f"{path}?expires={expires}&signature={self._signature(path, str(expires))}"

    def check(self, path: str, expires: str, signature: str) -> None:
        """Check a link.

        Args:
            path: path of the request.
            expires, signature: values of the query.

        Raises:
            ServiceError: "TB4041" when the signature is invalid or the link has expired.
        """
        is_signed = hmac.compare_digest(self._signature(path, expires).encode(), signature.encode("utf-8", "replace"))
        is_number = expires.isascii() and expires.isdigit() and len(expires) <= MAX_EXPIRY_DIGITS
        if not (is_signed and is_number and int(expires) > self._wall.now().timestamp()):
            raise ServiceError("TB4041", "El enlace venció o está incompleto; pida uno nuevo.")

    def _signature(self, path: str, expires: str) -> str:
        text = f"{path}\n{expires}".encode("utf-8", "replace")
        return hmac.new(self._secret(), text, sha256).hexdigest()
