"""Counts of frequent uses: logins, tokens and keys. Each becomes one event for each interval, of all nodes together.

A use costs an addition in memory. A periodic job adds the counts to the database every few seconds; another one turns
the counts of ended intervals into events. A process that is killed loses the counts of the last seconds.

Uses of the provider's key, which belongs to no account, are the same counts by day too: reports show them.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Final, NamedTuple

from sqlalchemy import Executable, Row, case, delete, or_, select

from timbra.core.clock import Clock
from timbra.core.origin import current_origin
from timbra.core.text import storable
from timbra.database.database import Database
from timbra.database.tables.audit import AUDIT_COUNT
from timbra.events.audit.events import AuditEvent, append_audit_event, body_text
from timbra.events.audit.key_uses import add_key_uses, addition_of

LOGIN_SUCCEEDED: Final = "login.succeeded"
LOGIN_FAILED: Final = "login.failed"
TOKEN_USED: Final = "token.used"  # noqa: S105
KEY_USED: Final = "key.used"
INTERVALS: Final[Mapping[str, timedelta]] = {
    LOGIN_SUCCEEDED: timedelta(minutes=1),
    LOGIN_FAILED: timedelta(minutes=1),
    TOKEN_USED: timedelta(hours=1),
    KEY_USED: timedelta(hours=1),
}
SECONDS: Final = {kind: int(interval.total_seconds()) for kind, interval in INTERVALS.items()}
GRACE: Final = timedelta(seconds=15)
"""After the end of an interval, in which processes add their last counts."""
MAX_KEYS: Final = 10_000
"""Different uses that a process holds; further ones of a kind are counted together, without subject and address."""
COUNT = AUDIT_COUNT.c


class UseKey(NamedTuple):
    """What is counted together; the columns of `audit_count`."""

    kind: str
    account_id: int
    actor: str
    subject: str
    address: str
    outcome: str


@dataclass(slots=True)
class Use:
    """The uses of one key since the last flush."""

    count: int
    first_at: datetime
    last_at: datetime
    request_id: str


class UseCounter:
    """Counts uses in memory; one per process, thread-safe."""

    def __init__(self, database: Database, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._wall = wall
        self._fiscal = fiscal
        self._uses: dict[tuple[UseKey, int], Use] = {}
        self._lock = threading.Lock()

    def count(self, kind: str, account_id: int | None, actor: str, subject: str, outcome: str = "") -> None:
        """Count one use, from the address of the present request; no I/O.

        Args:
            kind: A key of `INTERVALS`.
            actor: The user name; empty for an unknown one.
            subject: The identifier of a token or the number of a certificate.
            outcome: An error code; empty for success.
        """
        origin, now = current_origin(), self._wall.now()
        address = "" if kind == KEY_USED else origin.address
        key = UseKey(kind, account_id or 0, actor, subject, address, outcome)
        number = int(now.timestamp()) // SECONDS[kind]
        with self._lock:
            use = self._uses.get((key, number))
            if use is None and len(self._uses) >= MAX_KEYS:
                key = UseKey(kind, 0, "", "", "", outcome)
                use = self._uses.get((key, number))
            if use is None:
                self._uses[key, number] = Use(1, now, now, origin.request_id)
            else:
                use.count += 1
                use.last_at = now

    def flush(self) -> None:
        """Add the counts to the database; no I/O without any. After a failure they are added the next time."""
        with self._lock:
            uses, self._uses = self._uses, {}
        if not uses:
            return
        try:
            with self._database.write() as connection:
                connection.execute(self._addition, [_row(*slot, use) for slot, use in sorted(uses.items())])
                add_key_uses(connection, self._key_addition, _provider_key_uses(uses))
        except BaseException:
            with self._lock:
                for slot, use in uses.items():
                    newer = self._uses.get(slot)
                    if newer is not None:
                        use.count += newer.count
                        use.last_at = newer.last_at
                    self._uses[slot] = use
            raise

    def roll_up(self) -> None:
        """Write the events of ended intervals; one read while there are none. For a periodic job of the cluster."""
        now = self._wall.now()
        ended = [(COUNT.kind == kind) & (COUNT.started_at <= now - GRACE - span) for kind, span in INTERVALS.items()]
        condition = or_(*ended)
        with self._database.read() as connection:
            if connection.execute(select(COUNT.kind).where(condition).limit(1)).first() is None:
                return
        with self._database.write() as connection:
            rows = connection.execute(delete(AUDIT_COUNT).where(condition).returning(*AUDIT_COUNT.c)).all()
            for row in sorted(rows, key=lambda row: (row.first_at, tuple(row))):
                append_audit_event(connection, self._event(UseKey(*(getattr(row, n) for n in UseKey._fields)), row))

    # Built once: SQLAlchemy's expressions have reference cycles, and every process adds counts each few seconds.
    @cached_property
    def _addition(self) -> Executable:
        """The statement that adds the values of a row to those of its interval."""
        statement = self._database.insert(AUDIT_COUNT)
        new = statement.excluded
        first = (COUNT.first_at <= new.first_at, COUNT.first_at)
        last = (COUNT.last_at >= new.last_at, COUNT.last_at)
        return statement.on_conflict_do_update(
            index_elements=list(AUDIT_COUNT.primary_key),
            set_={
                "count": COUNT.count + new.count,
                "first_at": case(first, else_=new.first_at),
                "last_at": case(last, else_=new.last_at),
            },
        )

    @cached_property
    def _key_addition(self) -> Executable:
        return addition_of(self._database)

    def _event(self, key: UseKey, row: Row[tuple[object, ...]]) -> AuditEvent:
        # A row is a tuple, which has a method `count`.
        count: int = row._mapping["count"]
        body: dict[str, object] = {"count": count, "first": row.first_at.isoformat(), "last": row.last_at.isoformat()}
        if key.outcome:
            body["code"] = key.outcome
        account_id = key.account_id or None
        kind = "user" if key.actor else "anonymous" if key.kind == LOGIN_FAILED else "server"
        return AuditEvent(
            at=self._wall.now(),
            fiscal_at=self._fiscal.now(),
            kind=key.kind,
            actor_kind=kind,
            actor=key.actor,
            actor_account_id=account_id if key.actor else None,
            account_id=account_id,
            subject=key.subject,
            address=key.address,
            request_id=row.request_id,
            body=body_text(body),
        )


def _row(key: UseKey, number: int, use: Use) -> dict[str, object]:
    """Return the values of the row of a key and the number of its interval."""
    values = {name: storable(value) if isinstance(value, str) else value for name, value in key._asdict().items()}
    return {
        **values,
        "started_at": _started_at(key.kind, number),
        "request_id": use.request_id,
        "count": use.count,
        "first_at": use.first_at,
        "last_at": use.last_at,
    }


def _started_at(kind: str, number: int) -> datetime:
    return datetime.fromtimestamp(number * SECONDS[kind], UTC)


def _provider_key_uses(uses: Mapping[tuple[UseKey, int], Use]) -> Counter[tuple[str, date]]:
    """Return the uses of keys that belong to no account, by the number of the certificate and the day (UTC)."""
    found: Counter[tuple[str, date]] = Counter()
    for (key, number), use in uses.items():
        if key.kind == KEY_USED and not key.account_id and key.subject:
            found[key.subject, _started_at(KEY_USED, number).date()] += use.count
    return found
