"""The recorded calls of the API in the database: written in batches, listed newest first, deleted by age and number."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, or_, select

from timbra.database.codec import decode, encode
from timbra.database.database import Database
from timbra.database.state_version import lock_state_version
from timbra.inspector.tables import API_CALL, API_CALL_DROPPED

AREA = "calls"
"""The area of the cache version that grows with every batch."""
DELETE_BATCH: Final = 500
MAX_PAGE: Final = 200
C = API_CALL.c


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A call; `timbra.inspector.tables` describes its columns."""

    account_id: int
    at: datetime
    request_id: str
    method: str
    path: str
    operation: str
    status: int
    code: str
    microseconds: int
    request_bytes: int
    response_bytes: int
    issuer_rfc: str
    receiver_rfc: str
    keywords: str


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A row without its content, which `ApiCallStore.find` returns.

    Attributes:
        number: The number of the row.
    """

    number: int
    call: ApiCall


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Conditions of a list; an empty text or None for no condition.

    Attributes:
        statuses: The lowest and the highest HTTP status.
        rejected: Whether the call has an error code.
        code: The error code.
        rfc: The issuer or the receiver.
        text: Part of path, request id, folio, UUID or message; without case.
    """

    account_id: int
    statuses: tuple[int, int] | None = None
    rejected: bool | None = None
    code: str = ""
    rfc: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class DroppedCalls:
    """Calls of an account that were not recorded."""

    calls: int
    last_at: datetime


NAMES: Final = tuple(item.name for item in fields(ApiCall))
_LISTED = (C.id, *(C[name] for name in NAMES))


class ApiCallStore:
    """Rows of `api_call`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def known_version(self) -> int | None:
        """The number of written batches as this process last read it, without I/O; None before its first read."""
        return self._database.known_cache_version(AREA)

    def add(
        self,
        calls: Sequence[tuple[ApiCall, bytes]],
        dropped: Mapping[int, int],
        at: datetime,
        state_version: int | None = None,
    ) -> None:
        """Insert calls in one transaction.

        Args:
            calls: Each call and its content.
            dropped: Numbers of calls that were not recorded, by account.
            at: Wall instant for `dropped`.
            state_version: The version of the state in which the calls were answered; nothing is written when the
                sandbox was reset or restored since then. None omits the check.
        """
        if not calls and not dropped:
            return
        rows = [_row(call) | {"content": encode(content)} for call, content in calls]
        with self._database.write() as connection:
            if state_version is not None and lock_state_version(connection) != state_version:
                return
            # The row of the version is locked until the commit: numbers grow in the order of the commits, so that a
            # reader that has seen a number misses no smaller one.
            self._database.bump(connection, AREA)
            if rows:
                connection.execute(API_CALL.insert(), rows)
            for account_id, number in sorted(dropped.items()):
                statement = self._database.insert(API_CALL_DROPPED).values(
                    account_id=account_id, calls=number, last_at=at
                )
                grown = {"calls": API_CALL_DROPPED.c.calls + number, "last_at": at}
                connection.execute(
                    statement.on_conflict_do_update(index_elements=[API_CALL_DROPPED.c.account_id], set_=grown)
                )

    def page(self, filters: CallFilter, before: int | None = None, limit: int = 50) -> Sequence[NumberedCall]:
        """Return calls, newest first.

        Args:
            before: Only rows with a smaller number; None for no bound.
            limit: Maximum number of rows, at most `MAX_PAGE`.
        """
        bound = [] if before is None else [C.id < before]
        return self._select(and_(*_conditions(filters), *bound), limit)

    def newer(self, filters: CallFilter, after: int, limit: int) -> Sequence[NumberedCall]:
        """Return the newest calls with a number above `after`, newest first."""
        return self._select(and_(*_conditions(filters), C.id > after), limit)

    def newest_number(self, account_id: int) -> int:
        """Return the highest number of an account; 0 without one."""
        query = select(func.max(C.id)).where(C.account_id == account_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one() or 0

    def find(self, account_id: int, number: int) -> tuple[NumberedCall, bytes] | None:
        """Return a call of an account and its content; None when there is none."""
        query = select(*_LISTED, C.content).where(C.account_id == account_id, C.id == number)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (_numbered(row), decode(row.content))

    def with_content(
        self, account_id: int, operations: Collection[str], limit: int
    ) -> Sequence[tuple[NumberedCall, bytes]]:
        """Return the newest calls of some operations with their contents, newest first.

        Args:
            limit: Maximum number of calls, at most `MAX_PAGE`.
        """
        query = select(*_LISTED, C.content).where(C.account_id == account_id, C.operation.in_(operations))
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(C.id.desc()).limit(min(limit, MAX_PAGE))).all()
        return [(_numbered(row), decode(row.content)) for row in rows]

    def durations(self, account_id: int, limit: int) -> Sequence[int]:
        """Return the durations of the newest calls in microseconds, in ascending order."""
        query = select(C.microseconds).where(C.account_id == account_id).order_by(C.id.desc()).limit(limit)
        with self._database.read() as connection:
            return sorted(connection.execute(query).scalars())

    def dropped(self, account_id: int) -> DroppedCalls | None:
        """Return how many calls of an account were not recorded; None when all were."""
        query = select(API_CALL_DROPPED.c.calls, API_CALL_DROPPED.c.last_at)
        with self._database.read() as connection:
            row = connection.execute(query.where(API_CALL_DROPPED.c.account_id == account_id)).one_or_none()
        return None if row is None else DroppedCalls(row.calls, row.last_at)

    def expire(self, before: datetime, rows: int) -> int:
        """Delete calls in short transactions, and return how many.

        Args:
            before: Calls before this wall instant are deleted.
            rows: Each account keeps this many of its newest calls.
        """
        deleted = self._delete_batches(C.at < before)
        with self._database.read() as connection:
            query = select(C.account_id).group_by(C.account_id).having(func.count() > rows)
            accounts = list(connection.execute(query).scalars())
        for account_id in accounts:
            kept = select(C.id).where(C.account_id == account_id).order_by(C.id.desc()).offset(rows - 1).limit(1)
            with self._database.read() as connection:
                oldest = connection.execute(kept).scalar_one_or_none()
            if oldest is not None:
                deleted += self._delete_batches(and_(C.account_id == account_id, C.id < oldest))
        old = API_CALL_DROPPED.c.last_at < before
        with self._database.read() as connection:
            is_due = connection.execute(select(API_CALL_DROPPED.c.account_id).where(old).limit(1)).first() is not None
        if is_due:
            with self._database.write() as connection:
                connection.execute(delete(API_CALL_DROPPED).where(old))
        return deleted

    def _delete_batches(self, condition: ColumnElement[bool]) -> int:
        """Delete the rows of a condition; no write transaction when there are none."""
        some = select(C.id).where(condition).order_by(C.id).limit(DELETE_BATCH)
        deleted = 0
        while True:
            with self._database.read() as connection:
                numbers = list(connection.execute(some).scalars())
            if not numbers:
                return deleted
            with self._database.write() as connection:
                deleted += connection.execute(delete(API_CALL).where(C.id.in_(numbers))).rowcount

    def _select(self, condition: ColumnElement[bool], limit: int) -> Sequence[NumberedCall]:
        query = select(*_LISTED).where(condition).order_by(C.id.desc()).limit(min(max(limit, 1), MAX_PAGE))
        with self._database.read() as connection:
            return [_numbered(row) for row in connection.execute(query)]


def _conditions(filters: CallFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [C.account_id == filters.account_id]
    if filters.statuses is not None:
        found.append(C.status.between(*filters.statuses))
    if filters.rejected is not None:
        found.append(C.code != "" if filters.rejected else C.code == "")
    if filters.code:
        found.append(C.code == filters.code)
    if filters.rfc:
        found.append(or_(C.issuer_rfc == filters.rfc, C.receiver_rfc == filters.rfc))
    if filters.text:
        found.append(C.keywords.contains(filters.text.lower(), autoescape=True))
    return found


def _row(call: ApiCall) -> dict[str, Any]:
    return {name: getattr(call, name) for name in NAMES}


def _numbered(row: Any) -> NumberedCall:
    return NumberedCall(row.id, ApiCall(*tuple(row)[1 : len(NAMES) + 1]))
