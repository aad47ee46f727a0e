"""Sessions of one or several PKCS#11 tokens that have the same keys: an operation takes a session that is free."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition
from typing import Any, TypeVar

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.seals.signers.pkcs11_session import RETRY_AFTER, KeyQuery, Pkcs11Session

Result = TypeVar("Result")
PAUSE_SECONDS = 5.0
"""Time for which a token that failed is not used while another one works; one that hangs is tried once in it."""
HANG_SECONDS = 5.0
"""Time after which an operation hangs."""
OTHER_TOKEN_CODES = frozenset({"signer-unavailable", "signature-faulty"})
"""Failures after which another token gets the operation."""


@dataclass(slots=True)
class _Token:
    label: str
    idle: deque[Pkcs11Session]
    paused_until: float = field(default=0.0)
    is_failing: bool = field(default=False)
    worked_at: float | None = field(default=None)
    running: dict[int, float] = field(default_factory=dict)
    """When each operation began, by the identity of its session."""

    def is_hanging(self, before: float) -> bool:
        """Whether an operation has been running since before an instant."""
        return any(begun <= before for begun in self.running.values())


class Pkcs11Pool:
    """Sessions of tokens. Thread-safe; as many operations run at once as there are sessions.

    The least recently used token that works gets the next operation, so that several tokens share the load. When a
    token fails, another one gets the operation.

    An operation in a device cannot be interrupted. A token with an operation that runs too long is not used, but for
    one attempt after each pause: it is used again when that operation returns, or when a later one returns. Callers get
    an error meanwhile, so that a device that hangs does not keep them too.
    """

    def __init__(
        self,
        module: Path,
        labels: Sequence[str],
        pin: str,
        sessions: int,
        now: Callable[[], float] = time.monotonic,
        hang_seconds: float = HANG_SECONDS,
    ) -> None:
        """Open sessions at first use.

        Args:
            module: The shared library.
            labels: The tokens, which have the same keys; at least one.
            pin: The PIN of each token.
            sessions: Sessions of each token.
            now: Monotonic seconds.
            hang_seconds: The time after which an operation hangs, and the longest wait for a free session.
        """
        self._hang_seconds = hang_seconds
        self._tokens = deque(
            _Token(label, deque(Pkcs11Session(module, label, pin) for _ in range(sessions))) for label in labels
        )
        self._now = now
        self._changed = Condition()
        self.size = len(self._tokens) * sessions

    def use(self, name: KeyQuery, operation: Callable[[Any], Result]) -> Result:
        """Run an operation on a key, in a session of any token that works; waits for a free session.

        Raises:
            ServiceError: "signer-unavailable" when every token failed, or hangs; "signature-faulty" when the last one
                signed wrongly.
        """
        tried: list[str] = []
        while True:
            token, session = self._take(tried)
            try:
                result = session.use(name, operation)
            except ServiceError as error:
                tried.append(token.label)
                token.paused_until, token.is_failing = self._now() + PAUSE_SECONDS, True
                if error.code not in OTHER_TOKEN_CODES or len(tried) == len(self._tokens):
                    raise
            else:
                self._succeeded(token, session)
                return result
            finally:
                self._give_back(token, session)

    def states(self) -> dict[str, bool]:
        """Return whether each token worked when it was last used."""
        with self._changed:
            before = self._now() - self._hang_seconds
            return {token.label: not (token.is_failing or token.is_hanging(before)) for token in self._tokens}

    def worked_within(self, seconds: float) -> bool:
        """Return whether a token works whose last operation ended well, at most so many seconds ago."""
        with self._changed:
            since, works = self._now() - seconds, self.states()
            return any(
                works[token.label] and token.worked_at is not None and token.worked_at >= since
                for token in self._tokens
            )

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
        end = self._now() + self._hang_seconds
        with self._changed:
            while True:
                left = [token for token in self._tokens if token.label not in tried]
                for token in self._usable(left):
                    if token.idle:
                        self._tokens.remove(token)
                        self._tokens.append(token)
                        session = token.idle.pop()
                        token.running[id(session)] = self._now()
                        return token, session
                if self._now() >= end or not self._changed.wait(end - self._now()):
                    labels = ", ".join(token.label for token in left)
                    detail = f"Token {labels}: no hay sesión libre desde hace {self._hang_seconds:g} s."
                    raise ServiceError("signer-unavailable", detail, retry_after=RETRY_AFTER)

    def _usable(self, left: Sequence[_Token]) -> Sequence[_Token]:
        """Return the tokens that may get an operation now, those that work before those that failed.

        Raises:
            ServiceError: "signer-unavailable" when all of them hang.
        """
        now = self._now()
        hanging = [token for token in left if token.is_hanging(now - self._hang_seconds)]
        responding = [token for token in left if token not in hanging]
        if responding:
            return [token for token in responding if token.paused_until <= now] or responding
        for token in hanging:
            if token.idle and token.paused_until <= now:
                token.paused_until = now + PAUSE_SECONDS
                return [token]
        labels = ", ".join(token.label for token in hanging)
        detail = f"Token {labels}: una firma no ha terminado en {self._hang_seconds:g} s."
        raise ServiceError("signer-unavailable", detail, retry_after=RETRY_AFTER)

    def _succeeded(self, token: _Token, session: Pkcs11Session) -> None:
        """Use the token again; an older operation that still runs is abandoned with its session."""
        with self._changed:
            token.paused_until, token.is_failing, token.worked_at = 0.0, False, self._now()
            begun = token.running.get(id(session))
            if begun is None:  # a later operation has abandoned this one
                return
            before = min(begun, self._now() - self._hang_seconds)
            token.running = {key: at for key, at in token.running.items() if at > before or key == id(session)}

    def _give_back(self, token: _Token, session: Pkcs11Session) -> None:
        with self._changed:
            token.running.pop(id(session), None)
            token.idle.append(session)
            self._changed.notify_all()


BOUNDS = (
    Bound(
        "Pkcs11Pool",
        BoundKind.POOL,
        "the sessions of each token",
        "A signature waits for a free session, and fails after the time for which an operation may hang.",
    ),
)
