"""Token authentication: returns the caller of an Authorization header; a repeated token is served from a cache."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from hashlib import sha256

from timbra.accounts.account_cache import AccountCache, AccountState
from timbra.accounts.tokens.tokens import TokenClaims, Tokens, bearer_token
from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind
from timbra.core.caller import Caller
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.roles import common_scopes
from timbra.core.scopes import Scopes
from timbra.events.audit.counts import TOKEN_USED, UseCounter

MAX_CACHED_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Checked:
    """A token that was checked.

    Attributes:
        valid_until: Unix seconds.
        token_id: The identifier of an infinite token; empty for a session.
    """

    caller: Caller
    valid_until: float
    token_id: str


class TokenAuthenticator:
    """Authenticates tokens of one environment; caches the caller of a token by its hash until any account changes."""

    def __init__(self, tokens: Tokens, cache: AccountCache, environment: str, wall: Clock, uses: UseCounter) -> None:
        self._tokens = tokens
        self._cache = cache
        self._environment = environment
        self._wall = wall
        self._uses = uses
        self._checked = -1, BoundedDict[bytes, Checked](MAX_CACHED_TOKENS)

    def caller(self, header: str | None) -> Caller:
        """Return the caller of an Authorization header.

        Raises:
            ServiceError: "AU4101" without a token; "token-parts" unless it has three whole parts; "token-signature"
                when another service signed it, or for the other environment; "AU4000" when it is expired, revoked,
                older than the password, or of a deleted account; "AU2002" for a disabled account. The server looks up a
                token of its own in the database before it rejects it; then "CO1000" when that is out of reach.
        """
        checked = self._current()
        token, digest = _text_and_digest(header)
        now = self._wall.now().timestamp()
        cached = checked.get(digest)
        if cached is None or now >= cached.valid_until:
            cached = self._check(self._tokens.read(bearer_token(token)), now)
            checked[digest] = cached
        return self._used(cached)

    def known_caller(self, header: str | None) -> Caller | None:
        """Return the caller of a header whose token was checked since the accounts changed; None for other tokens.

        It does no I/O, and raises as `caller` for a header without a token that this service signed.
        """
        cache_version, checked = self._checked
        if cache_version != self._cache.cache_version or not self._cache.is_current:
            return None
        token, digest = _text_and_digest(header)
        cached = checked.get(digest)
        if cached is not None and self._wall.now().timestamp() < cached.valid_until:
            return self._used(cached)
        self._tokens.read(bearer_token(token))
        return None

    def _used(self, checked: Checked) -> Caller:
        self._uses.count(TOKEN_USED, checked.caller.account_id, checked.caller.user, checked.token_id)
        return checked.caller

    def _current(self) -> BoundedDict[bytes, Checked]:
        """The entries for the current state of the accounts; a thread that began earlier writes to the earlier dict."""
        self._cache.refresh()
        cache_version, checked = self._checked
        if cache_version != self._cache.cache_version:
            checked = BoundedDict(MAX_CACHED_TOKENS)
            self._checked = self._cache.cache_version, checked
        return checked

    def _check(self, claims: TokenClaims, now: float) -> Checked:
        if claims.environment != self._environment:
            raise ServiceError("token-signature", "El token pertenece a otro ambiente.")
        try:
            return self._check_account(claims, now)
        except ServiceError:
            if claims.expires_at is not None and now >= claims.expires_at:
                raise
            # Another node may have created or enabled what this process has not read yet.
            self._cache.look_up(f"token {claims.token_id}")
        return self._check_account(claims, now)

    def _check_account(self, claims: TokenClaims, now: float) -> Checked:
        account = self._state_of(claims)
        if not account.active:
            raise ServiceError("AU2002")
        until = min(math.inf if claims.expires_at is None else claims.expires_at, claims.valid_until)
        if now >= until:
            raise ServiceError("AU4000", "El token expiró; solicite uno nuevo.")
        if claims.is_stored or claims.expires_at is None:
            if not self._cache.is_live(claims.token_id):
                raise ServiceError("AU4000", "El token fue revocado.")
            return Checked(_restricted(account.caller, claims.scopes), until, claims.token_id)
        if self._cache.is_ended(claims.token_id):
            raise ServiceError("AU4000", "La sesión se cerró; solicite un token nuevo.")
        if claims.generation != account.generation:
            raise ServiceError("AU4000", "La contraseña cambió después de emitirse el token; solicite uno nuevo.")
        return Checked(replace(account.caller, passed_second_factor=claims.second_factor), until, "")

    def _state_of(self, claims: TokenClaims) -> AccountState:
        account = self._cache.account(claims.account_id)
        if account is None:
            raise ServiceError("AU4000", "La cuenta ya no existe.")
        if claims.user_id is None:
            return account
        user = self._cache.user(claims.user_id)
        if user is None or user.caller.account_id != claims.account_id:
            raise ServiceError("AU4000", "El usuario ya no existe.")
        return user


def _text_and_digest(header: str | None) -> tuple[str, bytes]:
    if header is None or not header.isascii():
        raise ServiceError("AU4101" if header is None else "token-parts")
    return header, sha256(header.encode()).digest()


def _restricted(caller: Caller, scopes: Scopes | None) -> Caller:
    """Return the caller with the scopes of its token; None for a token without scopes."""
    if scopes is None:
        return caller
    return replace(caller, scopes=common_scopes(caller.scopes, scopes), is_restricted=True)


BOUNDS = (
    Bound(
        "TokenAuthenticator",
        BoundKind.CACHE,
        f"{MAX_CACHED_TOKENS:,} tokens",
        "The entry that was written longest ago is dropped.",
    ),
)
