"""Access tokens of the emulator: simple web tokens (WRAP), signed with a key of the emulator.

A token is a list of `name=value` pairs joined by `&`; `ExpiresOn` is in Unix seconds. It is valid for one service.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from threading import Lock
from urllib.parse import quote, unquote

from timbra.core.clock import Clock

_AUTHORIZATION = re.compile(r'WRAP\s+access_token="([^"]{1,4096})"\s*\Z', re.IGNORECASE)
_SIGNATURE = "HMACSHA256"


class Audience(StrEnum):
    """The services that give tokens of their own."""

    RECEPTION = "recepcion"
    CANCELLATION = "cancelacion"
    RETENCIONES_RECEPTION = "retenciones-recepcion"
    RETENCIONES_CANCELLATION = "retenciones-cancelacion"


@dataclass(frozen=True, slots=True)
class AccessTokenError(Exception):
    """A token was rejected.

    Attributes:
        reason: In Spanish.
    """

    reason: str


class AccessTokens:
    """Issues and verifies tokens. Thread-safe."""

    def __init__(self, key: bytes, wall: Clock, seconds: Callable[[], int]) -> None:
        """Use a key.

        Args:
            key: The key of the signatures; tokens of an earlier run verify with the same key.
            seconds: Returns the life of a new token.
        """
        self._key = key
        self._wall = wall
        self._seconds = seconds
        self._lock = Lock()
        self._revoked_before = 0.0

    def issue(self, rfc: str, audience: Audience) -> str:
        """Return a token for a provider, URL-encoded as the service returns it."""
        now = self._wall.now().timestamp()
        pairs = {
            "Issuer": "timbra-sat-emulator",
            "Audience": audience.value,
            "Rfc": rfc,
            "IssuedAt": f"{now:.6f}",
            "Nonce": secrets.token_hex(8),
            "ExpiresOn": str(int(now) + self._seconds()),
        }
        text = "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs.items())
        return quote(f"{text}&{_SIGNATURE}={quote(self._sign(text), safe='')}", safe="")

    def verify(self, authorization: str, audience: Audience) -> str:
        """Return the RFC of the provider whose token an HTTP header has.

        Args:
            authorization: The header Authorization; the token inside it may be URL-encoded or decoded.
            audience: The service that is called.

        Raises:
            AccessTokenError: The token is absent, forged, of another service, or not valid any more.
        """
        found = _AUTHORIZATION.match(authorization)
        if found is None:
            raise AccessTokenError('Falta el encabezado Authorization: WRAP access_token="...".')
        token = found[1] if "&" in found[1] else unquote(found[1])
        text, _, signature = token.rpartition(f"&{_SIGNATURE}=")
        if not hmac.compare_digest(self._sign(text).encode(), unquote(signature).encode()):
            raise AccessTokenError("El token no lo dio este servicio.")
        claims = {name: unquote(value) for name, _, value in (pair.partition("=") for pair in text.split("&"))}
        if claims["Audience"] != audience:
            raise AccessTokenError("El token es de otro servicio.")
        with self._lock:
            revoked = float(claims["IssuedAt"]) <= self._revoked_before
        if revoked or self._wall.now().timestamp() >= int(claims["ExpiresOn"]):
            raise AccessTokenError("El token venció.")
        return claims["Rfc"]

    def expire_all(self) -> datetime:
        """Expire every token that was issued until now; return the instant."""
        now = self._wall.now()
        with self._lock:
            self._revoked_before = now.timestamp()
        return now

    def _sign(self, text: str) -> str:
        return b64encode(hmac.digest(self._key, text.encode(), hashlib.sha256)).decode()
