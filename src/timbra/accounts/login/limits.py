"""Limits of failed logins, shared by all workers and nodes through the database.

A failure counts under three keys, each a leaky bucket: the address, the user name with the address, and the user name
from addresses that never logged in with it. Beyond the limit of a key its logins are rejected without a check for a
delay that doubles with each further failure. The address limit does not apply to the loopback address: there a proxy
hides the addresses of its clients. An origin from which the account logged in within 30 days is known: none of these
limits rejects its logins, whatever others do, so that the owner of an account is not locked out. A bound of its own
counts the failures of the user name at all its known origins, so that the clients that share such an address do not
guess on; its delay is short, and a success does not reset it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

import structlog

from timbra.accounts.store.login_repository import FailureCount, FailureLimit, LoginRepository
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.transaction import Transaction

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.logins")

KNOWN_FOR = timedelta(days=30)
REFRESH_AFTER = timedelta(days=1)
PAIR_INTERVAL = timedelta(minutes=10)
NAME_BURST, NAME_INTERVAL = 100, timedelta(minutes=1)
KNOWN_BURST, KNOWN_INTERVAL = 300, timedelta(minutes=1)
KNOWN_DELAY = timedelta(seconds=30)
"""Longest delay at a known origin: the owner behind one address with a guesser gets a turn soon."""
ADDRESS_INTERVAL = timedelta(seconds=30)
LIMITED = "TB4291"
DATABASE_DOWN = "CO1000"


@dataclass(frozen=True, slots=True)
class LoginLimits:
    """Limits of the settings.

    Attributes:
        failures: Failures of one user name from one address, before its logins are delayed.
        address_failures: Failures from one address; 0 for no limit.
        max_delay_seconds: Longest delay.
    """

    failures: int = 10
    address_failures: int = 30
    max_delay_seconds: float = 900


@dataclass(frozen=True, slots=True)
class LoginSubject:
    """Who logs in.

    Attributes:
        name: The normalized user name.
        account_id: The account of this name; None for an unknown user.
        user: The user name as it was created; empty for an unknown user.
        origin: The client's address as pools count it.
        user_id: The user of the account; None for the user of the account itself.
        is_code: Whether it is the code of a second factor, for which no address is known. A code has limits of its own:
            its name is the user name with a word that no user name has.
    """

    name: str
    account_id: int | None
    user: str
    origin: str
    user_id: int | None = None
    is_code: bool = False

    @property
    def known_origin(self) -> str:
        """The origin as the account knows it: one user does not make an address known for another user."""
        return self.origin if self.user_id is None else f"{self.origin} user:{self.user_id}"


@dataclass(frozen=True, slots=True)
class LoginState:
    """What the limits say about a login.

    Attributes:
        is_known: Whether the account logged in from this origin before.
        is_exceeded: Whether the user name exceeded its limit at this origin, or the limits cannot be read.
        retry_after: Seconds for which the login is rejected without a check; None when it is checked.
        should_remember: Whether a success must be stored.
    """

    is_known: bool = False
    is_exceeded: bool = False
    retry_after: int | None = None
    should_remember: bool = True


OnLimited = Callable[[Transaction, LoginSubject, Mapping[str, datetime]], None]
"""Writes that a user name exceeded limits, with the end of the delay by the kind of the limit."""


class LoginLimiter:
    """Reads and counts failures; every method is a database call of a millisecond."""

    def __init__(self, database: Database, limits: LoginLimits, wall: Clock, on_limited: OnLimited) -> None:
        self._database = database
        self._rows = LoginRepository(database)
        self._limits = limits
        self._wall = wall
        self._on_limited = on_limited

    def read(self, subject: LoginSubject) -> LoginState:
        """Return the state of a login; while the database is out of reach, it counts as exceeded but not rejected."""
        now = self._wall.now()
        try:
            with self._database.read() as transaction:
                account, origin = subject.account_id, subject.known_origin
                seen = None
                if account is not None and not subject.is_code:
                    seen = self._rows.last_seen(transaction, account, origin)
                keys = [*self._limits_of(subject, is_known=False), _known_key(subject)]
                blocked = self._rows.blocked_until(transaction, keys, now)
        except ServiceError as error:
            if error.code != DATABASE_DOWN:
                raise
            log.warning("login limits unavailable", detail=error.detail)
            return LoginState(is_exceeded=True, should_remember=False)
        is_known = seen is not None and now - seen < KNOWN_FOR
        is_exceeded = _pair_key(subject) in blocked
        bound = blocked.get(_known_key(subject))
        if is_known:
            stale = seen is None or now - seen >= REFRESH_AFTER
            retry_after = None if bound is None else math.ceil((bound - now).total_seconds())
            return LoginState(True, is_exceeded, retry_after, should_remember=stale or is_exceeded)
        others = (until - now for key, until in blocked.items() if key != _known_key(subject))
        wait = max(others, default=None)
        return LoginState(False, is_exceeded, None if wait is None else math.ceil(wait.total_seconds()))

    def record_failure(self, subject: LoginSubject, state: LoginState) -> int | None:
        """Count a wrong password; return the seconds until this user name is checked again at this origin."""
        now, limits = self._wall.now(), self._limits_of(subject, state.is_known)
        with self._database.write() as transaction:
            counts = self._rows.count_failure(transaction, limits, now)
            exceeded = {key[0]: count.blocked_until for key, count in counts.items() if count.is_first}
            delays = {kind: until for kind, until in exceeded.items() if until is not None}
            if delays:
                self._on_limited(transaction, subject, delays)
        return _wait(counts.values(), now)

    def record_success(self, subject: LoginSubject, state: LoginState) -> None:
        """Remember the origin of a right password, and forget the failures of the user name at it."""
        if subject.account_id is None or not state.should_remember:
            return
        now = self._wall.now()
        with self._database.write() as transaction:
            if not subject.is_code:
                self._rows.see(transaction, subject.account_id, subject.known_origin, now)
            self._rows.forget(transaction, [_pair_key(subject)])

    def delete_expired(self) -> None:
        """Delete counts and origins that have no effect any more; for a periodic job."""
        now = self._wall.now()
        with self._database.write() as transaction:
            self._rows.delete_expired(transaction, now, now - KNOWN_FOR)

    def _limits_of(self, subject: LoginSubject, is_known: bool) -> dict[str, FailureLimit]:
        limits, longest = self._limits, timedelta(seconds=self._limits.max_delay_seconds)
        found = {_pair_key(subject): FailureLimit(limits.failures, PAIR_INTERVAL, longest)}
        if is_known:
            found[_known_key(subject)] = FailureLimit(KNOWN_BURST, KNOWN_INTERVAL, min(KNOWN_DELAY, longest))
        else:
            found[_name_key(subject)] = FailureLimit(NAME_BURST, NAME_INTERVAL, longest)
        if limits.address_failures and not is_shared(subject.origin):
            found[f"a {subject.origin}"] = FailureLimit(limits.address_failures, ADDRESS_INTERVAL, longest)
        return found


def is_shared(origin: str) -> bool:
    """Whether an origin stands for many clients: an unknown address, or the loopback address of a proxy."""
    return origin in {"", "address:unknown", "address:0"} or origin.startswith("address:127.")


def limited(retry_after: int) -> ServiceError:
    """Return the rejection of a login that was not checked."""
    return ServiceError(LIMITED, retry_after=max(retry_after, 1))


def _wait(counts: Iterable[FailureCount], now: datetime) -> int | None:
    ends = [count.blocked_until for count in counts if count.blocked_until is not None]
    return math.ceil((max(ends) - now).total_seconds()) if ends else None


def _name_key(subject: LoginSubject) -> str:
    return f"n {_hashed(subject.name)}"


def _known_key(subject: LoginSubject) -> str:
    return f"k {_hashed(subject.name)}"


def _pair_key(subject: LoginSubject) -> str:
    return f"p {_hashed(f'{subject.name} {subject.origin}')}"


def _hashed(text: str) -> str:
    """Hash a name: what somebody typed as a user name may be a password."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
