"""Tokens are signed JWT with HS256; no other algorithm is accepted."""

from __future__ import annotations

import binascii
import math
import re
from base64 import urlsafe_b64decode
from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson
from jwt import PyJWS
from jwt.exceptions import InvalidTokenError

from timbra.core.errors import ServiceError
from timbra.core.scopes import scopes_text

ALGORITHM = "HS256"
MAX_TOKEN_LENGTH = 4096
_BEARER = re.compile(r"bearer(?:[ \t]+|\Z)", re.IGNORECASE)
_THREE_PARTS = re.compile(r"([\w-]+)\.([\w-]+)\.([\w+/=-]+)\Z", re.ASCII)
_BASE64URL = re.compile(r"[\w-]+\Z", re.ASCII)
_SIGNATURE_LENGTHS = {"HS256": 43, "HS384": 64, "HS512": 86}


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The claims of a token.

    Attributes:
        environment: a name of `timbra.core.environments`.
        generation: Number of password changes of the account.
        token_id: The claim `jti`.
        issued_at: Unix seconds.
        expires_at: Unix seconds; None for a token without expiry.
        is_stored: Whether the database has the token, so that it is valid until it is revoked there; without expiry it
            always does.
        scopes: Names of `timbra.core.scopes`; None for all.
        user_id: The user of the account; None for the user of the account itself.
        valid_until: Unix seconds until which the secret that signed it is accepted.
        second_factor: Whether the user of the session gave a second factor.
    """

    account_id: int
    environment: str
    generation: int
    token_id: str
    issued_at: int
    expires_at: int | None = None
    is_stored: bool = False
    scopes: frozenset[str] | None = None
    valid_until: float = math.inf
    user_id: int | None = None
    second_factor: bool = False


@dataclass(frozen=True, slots=True)
class PreviousSecret:
    """A secret that signs no more tokens, and verifies them until a wall time in Unix seconds."""

    secret: bytes = field(repr=False)
    valid_until: float


def bearer_token(header: str | None) -> str:
    """Return the token of an Authorization header without verifying it.

    Raises:
        ServiceError: "AU4101" when there is no header, or it has no token; "token-parts" when it is not `Bearer ...`.
    """
    text = header.strip() if header is not None else ""
    if not text:
        raise ServiceError("AU4101")
    scheme = _BEARER.match(text)
    if scheme is None:
        raise ServiceError("token-parts")
    token = text[scheme.end() :]
    if not token:
        raise ServiceError("AU4101")
    return token


class Tokens:
    """Signs and verifies tokens with the secrets that all processes of one service share (32 bytes each)."""

    def __init__(self, secret: bytes, previous: Sequence[PreviousSecret] = ()) -> None:
        self._secret = secret
        self._previous = previous
        self._jws = PyJWS([ALGORITHM])
        self._aliases: dict[str, str] = {}

    def add_alias(self, alias: str, token: str) -> None:
        """Accept another text for a token, in this process only; `timbra dev` does so for TIMBRA_DEV_TOKEN."""
        self._aliases[alias] = token

    def replace_secrets(self, secret: bytes, previous: Sequence[PreviousSecret]) -> None:
        """Sign with another secret from now on, and verify with it and the previous ones."""
        self._secret, self._previous = secret, previous

    def write(self, claims: TokenClaims) -> str:
        """Return the signed token of these claims."""
        payload: dict[str, object] = {
            "sub": str(claims.account_id),
            "env": claims.environment,
            "gen": claims.generation,
            "jti": claims.token_id,
            "iat": claims.issued_at,
        }
        if claims.expires_at is not None:
            payload["exp"] = claims.expires_at
        if claims.is_stored:
            payload["stored"] = True
        if claims.user_id is not None:
            payload["usr"] = claims.user_id
        if claims.second_factor:
            payload["2fa"] = True
        if claims.scopes is not None:
            payload["scope"] = scopes_text(claims.scopes)
        return self._jws.encode(orjson.dumps(payload), self._secret, ALGORITHM)

    def read(self, token: str) -> TokenClaims:
        """Return the claims of a token that this service signed; the caller checks expiry and revocation.

        Raises:
            ServiceError: "token-parts" unless it has three complete parts; "token-signature" when the signature is
                wrong or too long.
        """
        token = self._aliases.get(token, token)
        parts = _THREE_PARTS.match(token)
        if parts is None or parts.end(2) > MAX_TOKEN_LENGTH:
            raise ServiceError("token-parts")
        secrets = (PreviousSecret(self._secret, math.inf), *self._previous)
        is_readable = len(token) <= MAX_TOKEN_LENGTH and _BASE64URL.match(parts[3])
        for secret in secrets if is_readable else ():
            try:
                payload = self._jws.decode(token, secret.secret, [ALGORITHM])
            except InvalidTokenError:
                continue
            return _claims(orjson.loads(payload), secret.valid_until)
        raise ServiceError("token-signature" if _is_complete(*parts.groups()) else "token-parts")


def _claims(payload: dict[str, object], valid_until: float) -> TokenClaims:
    expires_at, scope, user_id = payload.get("exp"), payload.get("scope"), payload.get("usr")
    return TokenClaims(
        account_id=int(str(payload["sub"])),
        environment=str(payload["env"]),
        generation=int(str(payload["gen"])),
        token_id=str(payload["jti"]),
        issued_at=int(str(payload["iat"])),
        expires_at=None if expires_at is None else int(str(expires_at)),
        is_stored=payload.get("stored") is True,
        scopes=None if scope is None else frozenset(str(scope).split()),
        valid_until=valid_until,
        user_id=None if user_id is None else int(str(user_id)),
        second_factor=payload.get("2fa") is True,
    )


def _is_complete(header: str, payload: str, signature: str) -> bool:
    """Whether no part is truncated: two JSON objects, and a signature of the length of its algorithm or more."""
    head = _object(header)
    if head is None or _object(payload) is None:
        return False
    algorithm = head.get("alg")
    expected = _SIGNATURE_LENGTHS.get(algorithm) if isinstance(algorithm, str) else None
    return len(signature) % 4 != 1 if expected is None else len(signature) >= expected


def _object(part: str) -> dict[str, object] | None:
    try:
        found = orjson.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, orjson.JSONDecodeError):
        return None
    return found if isinstance(found, dict) else None
