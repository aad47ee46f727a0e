"""Access tokens of the bulk download: a JSON Web Token with the certificate number, signed with a key of the emulator.

Source: recorded tokens; header, members and their order, and the end `wrap_subject` are those of the SAT.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from timbra.core.clock import Clock
from timbra.emulator.bulk.contract import DocumentRegister
from timbra.emulator.tokens import AccessTokenError

WRITTEN_LIFE = timedelta(seconds=600)
"""`exp` of every token; the service accepts a token for the seconds of its options only."""
_AUTHORIZATION = re.compile(r'WRAP\s+access_token="([^"]{1,4096})"\s*\Z', re.IGNORECASE)
_HEADER = {"alg": "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", "typ": "JWT"}
_SUBJECT = "&wrap_subject="
_ISSUERS: Mapping[DocumentRegister, str] = MappingProxyType(
    {
        DocumentRegister.CFDI: "LoadSolicitudDecargaMasivaTerceros",
        DocumentRegister.RETENCIONES: "LoadServicioDecargaMasivaTercerosRet",
    }
)


class BulkDownloadTokens:
    """Issues and verifies tokens by wall time. Thread-safe."""

    def __init__(self, key: bytes, wall: Clock, seconds: Callable[[], int]) -> None:
        """Use a key.

        Args:
            key: The key of the signatures; tokens of an earlier run verify with the same key.
            wall: Wall time.
            seconds: Returns for how long a token is accepted.
        """
        self._key = key
        self._wall = wall
        self._seconds = seconds

    def issue(self, certificate_number: str, register: DocumentRegister, at: datetime) -> str:
        """Return a token, its end URL-encoded as the service returns it."""
        subject, start = certificate_number.encode().hex(), int(at.timestamp())
        claims = {
            "nbf": start,
            "exp": start + int(WRITTEN_LIFE.total_seconds()),
            "iat": start,
            "iss": _ISSUERS[register],
            "actort": subject,
        }
        text = f"{_encoded(_HEADER)}.{_encoded(claims)}"
        return f"{text}.{self._sign(text)}%26wrap_subject%3d{subject}"

    def verify(self, authorization: str, register: DocumentRegister) -> None:
        """Check the token of an HTTP header; its end may be URL-encoded or decoded.

        Raises:
            AccessTokenError: The token is absent, forged, of the other register, or not valid any more.
        """
        found = _AUTHORIZATION.match(authorization)
        if found is None:
            raise AccessTokenError('Falta el encabezado Authorization: WRAP access_token="...".')
        token, _, subject = unquote(found[1]).partition(_SUBJECT)
        text, _, signature = token.rpartition(".")
        if not hmac.compare_digest(self._sign(text).encode(), signature.encode()):
            raise AccessTokenError("El token no lo dio este servicio.")
        claims = _decoded(text.partition(".")[2])
        if claims["iss"] != _ISSUERS[register] or claims["actort"] != subject:
            raise AccessTokenError("El token es de otro servicio.")
        now = self._wall.now().timestamp()
        if now >= claims["iat"] + self._seconds():
            raise AccessTokenError("El token venció.")

    def expire_all(self) -> None:
        """Expire every token that was issued until now: their time has whole seconds only, so the key changes."""
        self._key = secrets.token_bytes(len(self._key))

    def _sign(self, text: str) -> str:
        return _base64(hmac.digest(self._key, text.encode(), hashlib.sha256))


def _encoded(value: Mapping[str, Any]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _decoded(text: str) -> dict[str, Any]:
    return dict(json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4))))


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
