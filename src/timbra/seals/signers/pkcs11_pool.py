"""Sessions of one or several PKCS#11 tokens that have the same keys: an operation takes a session that is free."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition
from typing import Any, TypeVar

from timbra.errors import ServiceError
from timbra.seals.signers.pkcs11_session import RETRY_AFTER, KeyQuery, Pkcs11Session

Result = TypeVar("Result")
PAUSE_SECONDS = 5.0
"""Time for which a token that failed is not used while another one works."""


@dataclass(slots=True)
class _Token:
    label: str
    idle: deque[Pkcs11Session]
    paused_until: float = field(default=0.0)
    is_failing: bool = field(default=False)


class Pkcs11Pool:
    """Sessions of tokens. Thread-safe; as many operations run at once as there are sessions.

    The least recently used token that works gets the next operation, so that several tokens share the load. When a
    token fails, another one gets the operation.
    """

    def __init__(
        self,
        module: Path,
        labels: Sequence[str],
        pin: str,
        sessions: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open sessions at first use.

        Args:
            module: The shared library.
            labels: The tokens, which have the same keys; at least one.
            pin: The PIN of each token.
            sessions: Sessions of each token.
            now: Monotonic seconds.
        """
        self._tokens = deque(
            _Token(label, deque(Pkcs11Session(module, label, pin) for _ in range(sessions))) for label in labels
        )
        self._now = now
        self._changed = Condition()
        self.size = len(self._tokens) * sessions

    def use(self, name: KeyQuery, operation: Callable[[Any], Result]) -> Result:
        """Run an operation on a key, in a session of any token that works; waits for a free session.

        Raises:
            ServiceError: "signer-unavailable" when every token failed.
        """
        tried: list[str] = []
        while True:
            token, session = self._take(tried)
            try:
                result = session.use(name, operation)
            except ServiceError as error:
                tried.append(token.label)
                token.paused_until, token.is_failing = self._now() + PAUSE_SECONDS, True
                if error.code != "signer-unavailable" or len(tried) == len(self._tokens):
                    raise
            else:
                token.paused_until, token.is_failing = 0.0, False
                return result
            finally:
                self._give_back(token, session)

    def states(self) -> dict[str, bool]:
        """Return whether each token worked when it was last used."""
        with self._changed:
            return {token.label: not token.is_failing for token in self._tokens}

    def of_token(self, label: str) -> Pkcs11Session:
        """Return a session of a token, for a check of each of them; it may be in use.

        Raises:
            ServiceError: "signer-unavailable" when all sessions of the token are in use.
        """
        with self._changed:
            for token in self._tokens:
                if token.label == label and token.idle:
                    return token.idle[0]
        raise ServiceError("signer-unavailable", f"Token {label}: no hay sesión libre.", retry_after=RETRY_AFTER)

    def _take(self, tried: Sequence[str]) -> tuple[_Token, Pkcs11Session]:
        with self._changed:
            while True:
                left = [token for token in self._tokens if token.label not in tried]
                working = [token for token in left if token.paused_until <= self._now()] or left
                for token in working:
                    if token.idle:
                        self._tokens.remove(token)
                        self._tokens.append(token)
                        return token, token.idle.pop()
                self._changed.wait()

    def _give_back(self, token: _Token, session: Pkcs11Session) -> None:
        with self._changed:
            token.idle.append(session)
            self._changed.notify_all()
