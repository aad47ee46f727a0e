"""Tokens are signed JWT with HS256; no other algorithm is accepted."""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode
from dataclasses import dataclass

import orjson
from jwt import PyJWS
from jwt.exceptions import InvalidTokenError

from timbra.errors import ServiceError

ALGORITHM = "HS256"
MAX_TOKEN_LENGTH = 4096
_BEARER = re.compile(r"bearer(?:[ \t]+|\Z)", re.IGNORECASE)
_THREE_PARTS = re.compile(r"([\w-]+)\.([\w-]+)\.([\w-]+)\Z", re.ASCII)
_SIGNATURE_LENGTHS = {"HS256": 43, "HS384": 64, "HS512": 86}


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The claims of a token.

    Attributes:
        account_id: The account.
        environment: "sandbox" or "production".
        generation: Number of password changes of the account.
        token_id: The claim `jti`.
        issued_at: Unix seconds.
        expires_at: Unix seconds; None for an infinite token.
    """

    account_id: int
    environment: str
    generation: int
    token_id: str
    issued_at: int
    expires_at: int | None = None


def bearer_token(header: str | None) -> str:
    """Return the token of an Authorization header without verifying it.

    Raises:
        ServiceError: "AU4101" when there is no header or it is blank; "token-parts" when it is not `Bearer ...`.
    """
    text = header.strip() if header is not None else ""
    if not text:
        raise ServiceError("AU4101")
    scheme = _BEARER.match(text)
    if scheme is None:
        raise ServiceError("token-parts")
    return text[scheme.end() :]


class Tokens:
    """Signs and verifies tokens with the secret that all processes of one service share (32 bytes)."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._jws = PyJWS([ALGORITHM])

    def replace_secret(self, secret: bytes) -> None:
        """Sign and verify with another secret from now on."""
        self._secret = secret

    def write(self, claims: TokenClaims) -> str:
        """Return the signed token of these claims."""
        payload = {
            "sub": str(claims.account_id),
            "env": claims.environment,
            "gen": claims.generation,
            "jti": claims.token_id,
            "iat": claims.issued_at,
        }
        if claims.expires_at is not None:
            payload["exp"] = claims.expires_at
        return self._jws.encode(orjson.dumps(payload), self._secret, ALGORITHM)

    def read(self, token: str) -> TokenClaims:
        """Return the claims of a token that this service signed; the caller checks expiry and revocation.

        Raises:
            ServiceError: "token-parts" unless it has three complete parts; "token-signature" when the signature is
                wrong.
        """
        parts = _THREE_PARTS.match(token) if len(token) <= MAX_TOKEN_LENGTH else None
        if parts is None:
            raise ServiceError("token-parts")
        try:
            payload = self._jws.decode(token, self._secret, [ALGORITHM])
        except InvalidTokenError as error:
            raise ServiceError("token-signature" if _is_complete(*parts.groups()) else "token-parts") from error
        return _claims(orjson.loads(payload))


def _claims(payload: dict[str, object]) -> TokenClaims:
    expires_at = payload.get("exp")
    return TokenClaims(
        account_id=int(str(payload["sub"])),
        environment=str(payload["env"]),
        generation=int(str(payload["gen"])),
        token_id=str(payload["jti"]),
        issued_at=int(str(payload["iat"])),
        expires_at=None if expires_at is None else int(str(expires_at)),
    )


def _is_complete(header: str, payload: str, signature: str) -> bool:
    """Whether no part is truncated: two JSON objects, and a signature of the length of its algorithm."""
    head = _object(header)
    if head is None or _object(payload) is None or len(signature) % 4 == 1:
        return False
    algorithm = head.get("alg")
    expected = _SIGNATURE_LENGTHS.get(algorithm) if isinstance(algorithm, str) else None
    return expected is None or len(signature) == expected


def _object(part: str) -> dict[str, object] | None:
    try:
        found = orjson.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, orjson.JSONDecodeError):
        return None
    return found if isinstance(found, dict) else None
