"""From an Authorization header to its caller: without I/O, and cheap when the same token comes again."""

from __future__ import annotations

import math
import threading
from hashlib import sha256

from timbra.accounts.caller import Caller
from timbra.accounts.states import AccountStates
from timbra.accounts.tokens import Claims, Tokens, bearer_token
from timbra.clock import Clock
from timbra.errors import ServiceError

MOST_CACHED = 8192
Checked = tuple[Caller, float]


class TokenChecks:
    """Checks tokens of one environment; checked ones are remembered by hash until any account changes."""

    def __init__(self, tokens: Tokens, states: AccountStates, environment: str, wall: Clock) -> None:
        self._tokens = tokens
        self._states = states
        self._environment = environment
        self._wall = wall
        self._checked: tuple[int, dict[bytes, Checked]] = (-1, {})
        self._keeping = threading.Lock()

    def caller(self, header: str | None) -> Caller:
        """Who sends this header.

        ServiceError: "AU4101" no header; "token-parts" not three whole parts; "token-signature" not signed here or
        for the other environment; "AU4000" expired, revoked, older than the password, or of a deleted account; "AU2002"
        of a disabled one.
        """
        checked = self._current()
        if header is None or not header.isascii():
            raise ServiceError("AU4101" if header is None else "token-parts")
        digest = sha256(header.encode()).digest()
        now = self._wall.now().timestamp()
        known = checked.get(digest)
        if known is None or now >= known[1]:
            known = self._check(self._tokens.read(bearer_token(header)), now)
            self._keep(checked, digest, known)
        return known[0]

    def _current(self) -> dict[bytes, Checked]:
        """What was checked against the accounts as they stand; a verdict of yesterday's stays in yesterday's."""
        self._states.refresh()
        revision, checked = self._checked
        if revision != self._states.revision:
            checked = {}
            self._checked = self._states.revision, checked
        return checked

    def _check(self, claims: Claims, now: float) -> Checked:
        if claims.environment != self._environment:
            raise ServiceError("token-signature", "El token pertenece a otro ambiente.")
        account = self._states.account(claims.account_id)
        if account is None:
            raise ServiceError("AU4000", "La cuenta ya no existe.")
        if not account.active:
            raise ServiceError("AU2002")
        if claims.expires_at is None:
            if not self._states.is_live(claims.token_id):
                raise ServiceError("AU4000", "El token fue revocado.")
            return account.caller, math.inf
        if now >= claims.expires_at:
            raise ServiceError("AU4000", "El token expiró; solicite uno nuevo.")
        if claims.generation != account.generation:
            raise ServiceError("AU4000", "La contraseña cambió después de emitirse el token; solicite uno nuevo.")
        return account.caller, claims.expires_at

    def _keep(self, checked: dict[bytes, Checked], digest: bytes, verdict: Checked) -> None:
        with self._keeping:
            while len(checked) >= MOST_CACHED:
                del checked[next(iter(checked))]
            checked[digest] = verdict
