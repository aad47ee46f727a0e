"""Limits of failed logins as leaky buckets (GCRA), and the origins from which accounts logged in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update

from timbra.database.database import Database
from timbra.database.tables.logins import KNOWN_ORIGIN, LOGIN_LIMIT
from timbra.database.transaction import Transaction

KEYS, ORIGINS = LOGIN_LIMIT.c, KNOWN_ORIGIN.c
FIRST_DELAY = timedelta(seconds=1)
MAX_DOUBLINGS = 20


@dataclass(frozen=True, slots=True)
class FailureLimit:
    """A limit of failures.

    Attributes:
        burst: Failures at once.
        interval: Time after which one more failure is allowed.
        max_delay: Longest delay between two failures beyond the limit; the delay doubles from one second.
    """

    burst: int
    interval: timedelta
    max_delay: timedelta


@dataclass(frozen=True, slots=True)
class FailureCount:
    """The result of a failure.

    Attributes:
        blocked_until: End of the delay that it caused; None within the limit.
        is_first: Whether it is the one that exceeded the limit.
    """

    blocked_until: datetime | None
    is_first: bool


class LoginRepository:
    """Rows of `login_limit` and `known_origin`; all processes and nodes of a database share them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def blocked_until(self, transaction: Transaction, keys: Sequence[str], now: datetime) -> Mapping[str, datetime]:
        """Return the end of the delay of each key that has one now."""
        query = select(KEYS.key, KEYS.blocked_until).where(KEYS.key.in_(keys), KEYS.blocked_until > now)
        return {row.key: row.blocked_until for row in transaction.execute(query)}

    def count_failure(
        self, transaction: Transaction, limits: Mapping[str, FailureLimit], now: datetime
    ) -> Mapping[str, FailureCount]:
        """Count one failure under each key.

        Args:
            transaction: A write transaction; concurrent failures of one key wait for each other.
            limits: The limit of each key.
            now: Wall instant.
        """
        # In one order of keys, so that two transactions do not wait for each other.
        keys = sorted(limits)
        fresh = [{"key": key, "drained_at": now, "expires_at": now} for key in keys]
        transaction.execute(self._database.insert(LOGIN_LIMIT).on_conflict_do_nothing(), fresh)
        query = select(KEYS.key, KEYS.drained_at).where(KEYS.key.in_(keys)).order_by(KEYS.key).with_for_update()
        drained = {row.key: row.drained_at for row in transaction.execute(query)}
        return {key: self._add(transaction, key, limits[key], drained[key], now) for key in keys}

    def forget(self, transaction: Transaction, keys: Sequence[str]) -> None:
        """Delete the counts of keys."""
        transaction.execute(delete(LOGIN_LIMIT).where(KEYS.key.in_(keys)))

    def begin_quiet_time(self, transaction: Transaction, key: str, now: datetime, until: datetime) -> bool:
        """Begin a time in which something is done once; return whether it has not begun already."""
        values = {"drained_at": now, "blocked_until": until, "expires_at": until}
        statement = self._database.insert(LOGIN_LIMIT).values(key=key, **values)
        statement = statement.on_conflict_do_update(
            index_elements=[KEYS.key], set_=values, where=KEYS.blocked_until <= now
        )
        return transaction.execute(statement.returning(KEYS.key)).first() is not None

    def last_seen(self, transaction: Transaction, account_id: int, origin: str) -> datetime | None:
        """Return when the account last logged in from an origin; None when it never did."""
        query = select(ORIGINS.seen_at).where(ORIGINS.account_id == account_id, ORIGINS.origin == origin)
        return transaction.execute(query).scalar_one_or_none()

    def see(self, transaction: Transaction, account_id: int, origin: str, now: datetime) -> None:
        """Store that an account logged in from an origin."""
        statement = self._database.insert(KNOWN_ORIGIN).values(account_id=account_id, origin=origin, seen_at=now)
        key = [ORIGINS.account_id, ORIGINS.origin]
        transaction.execute(statement.on_conflict_do_update(index_elements=key, set_={"seen_at": now}))

    def delete_expired(self, transaction: Transaction, now: datetime, forgotten: datetime) -> None:
        """Delete the counts that have no effect any more, and the origins that were seen before `forgotten`."""
        transaction.execute(delete(LOGIN_LIMIT).where(KEYS.expires_at < now))
        transaction.execute(delete(KNOWN_ORIGIN).where(ORIGINS.seen_at < forgotten))

    def forget_account(self, transaction: Transaction, account_id: int) -> None:
        """Delete the origins of an account."""
        transaction.execute(delete(KNOWN_ORIGIN).where(ORIGINS.account_id == account_id))

    @staticmethod
    def _add(
        transaction: Transaction, key: str, limit: FailureLimit, drained_at: datetime, now: datetime
    ) -> FailureCount:
        drained = max(drained_at, now) + limit.interval
        excess = math.ceil((drained - now) / limit.interval - limit.burst)
        delay = FIRST_DELAY * (1 << min(max(excess, 1) - 1, MAX_DOUBLINGS))
        blocked_until = now + min(delay, limit.max_delay) if excess > 0 else None
        expires_at = max(drained, blocked_until or drained)
        values = {"drained_at": drained, "blocked_until": blocked_until, "expires_at": expires_at}
        transaction.execute(update(LOGIN_LIMIT).where(KEYS.key == key).values(values))
        return FailureCount(blocked_until, is_first=excess == 1)
