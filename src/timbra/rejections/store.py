"""The rejection log in the database: written in batches, listed newest first, deleted after its retention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, func, select

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.codec import decode, encode
from timbra.database.database import Database
from timbra.database.pagination import KeysetPage, between
from timbra.database.state_version import STATE_AREA, lock_state_version
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.rejections import REJECTION
from timbra.events.consumers import IsRead, reads_none
from timbra.events.event_log import Event, append_events
from timbra.messages.codes import public_code_and_detail
from timbra.stamps.usage import REJECTIONS, add_use

DELETE_BATCH = 1000
REJECTED = "rejected"
R = REJECTION.c


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rejected request; `timbra.database.tables.rejections` describes its columns."""

    account_id: int
    at: datetime
    fiscal_at: datetime
    request_id: str
    operation: str
    code: str
    detail: str
    path: str | None = None
    found: str | None = None
    expected: str | None = None
    issuer_rfc: str = ""
    receiver_rfc: str = ""
    serie: str = ""
    folio: str = ""
    document_hash: str = ""
    document: bytes | None = field(default=None, repr=False)

    @property
    def day(self) -> date:
        """The fiscal day in central Mexico."""
        return self.fiscal_at.astimezone(CENTRAL_MEXICO).date()


@dataclass(frozen=True, slots=True)
class StoredRejection:
    """A row of the log.

    Attributes:
        number: The number of the row.
        rejection: The rejection without its document, which `RejectionStore.document` returns.
        has_document: Whether the document is stored.
    """

    number: int
    rejection: Rejection
    has_document: bool


@dataclass(frozen=True, slots=True)
class RejectionFilter:
    """Conditions of a list; an empty text or None for no condition.

    Attributes:
        account_id: The account; None for all accounts.
        rfc: The issuer or the receiver.
        since: The first wall instant.
        until: The end of the range, exclusive.
    """

    account_id: int | None
    code: str = ""
    rfc: str = ""
    request_id: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class RejectionPage:
    """One page, newest first.

    Attributes:
        rejections: The rows.
        cursor: The cursor of the next page; None at the end.
    """

    rejections: Sequence[StoredRejection]
    cursor: str | None


NAMES = [item.name for item in fields(Rejection) if item.name != "document"]
_LISTED_COLUMNS = [R[name] for name in NAMES]
LISTING = KeysetPage([R.id, R.document.is_not(None).label("has_document"), *_LISTED_COLUMNS], (R.at, R.id))  # type: ignore[list-item]


class RejectionStore:
    """Rows of the rejection table."""

    def __init__(self, database: Database, is_read: IsRead = reads_none) -> None:
        """Use a database. The event log gets the rejections of accounts whose events `rejected` are read."""
        self._database = database
        self._is_read = is_read

    @property
    def state_version(self) -> int:
        """The version of the state of the database; may read it. ServiceError("CO1000") when that fails."""
        return self._database.cache_version(STATE_AREA)

    @property
    def known_state_version(self) -> int | None:
        """The version of the state as this process last read it, without I/O; None before its first read."""
        return self._database.known_cache_version(STATE_AREA)

    def add(
        self,
        rejections: Sequence[Rejection],
        lost: Mapping[tuple[int, date], int],
        state_version: int | None = None,
    ) -> None:
        """Insert and count rejections in one transaction.

        Args:
            lost: Numbers of further rejections to count, by account and day.
            state_version: The version of the state in which the requests were rejected; nothing is written when the
                sandbox was reset or restored since then. None omits the check.
        """
        counted = Counter((rejection.account_id, rejection.day) for rejection in rejections)
        counted.update(lost)
        rows = [_row(rejection) for rejection in rejections]
        events = [_event(rejection) for rejection in rejections if self._is_read(REJECTED, rejection.account_id)]
        with self._database.write() as connection:
            if state_version is not None and lock_state_version(connection) != state_version:
                return
            if rows:
                connection.execute(REJECTION.insert(), rows)
            append_events(connection, events)
            add_use(self._database, connection, REJECTIONS, counted.items())

    def page(self, filters: RejectionFilter, cursor: str | None = None, limit: int = 25) -> RejectionPage:
        """Return rejections, newest first.

        Raises:
            ServiceError: "TB4005" for a cursor that this method did not return.
        """
        with self._database.read() as connection:
            accounts = [filters.account_id]
            if filters.account_id is None:
                accounts = list(connection.execute(select(ACCOUNT.c.id)).scalars())
            page = LISTING.page(connection, _branches(filters, accounts), cursor, limit)
        return RejectionPage([_stored(row) for row in page.rows], page.after)

    def count_by_code(self, account_id: int | None, since: datetime, limit: int) -> list[tuple[str, int]]:
        """Return the most frequent codes and their numbers, the most frequent first.

        Args:
            account_id: The account; None for all accounts.
            since: The first wall instant.
            limit: Maximum number of codes.
        """
        of_account = [] if account_id is None else [R.account_id == account_id]
        number = func.count().label("number")
        query = select(R.code, number).where(R.at >= since, *of_account).group_by(R.code)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(number.desc(), R.code).limit(limit)).all()
        return [(code, found) for code, found in rows]

    def document(self, account_id: int | None, number: int) -> bytes | None:
        """Return the document of a rejection; None when it is not stored.

        Args:
            account_id: The account of the rejection; None for any account.
        """
        own = R.id == number if account_id is None else and_(R.id == number, R.account_id == account_id)
        with self._database.read() as connection:
            stored = connection.execute(select(R.document).where(own)).scalar_one_or_none()
        return None if stored is None else decode(stored)

    def expire(self, before: datetime) -> int:
        """Delete older rejections, in short transactions; return how many."""
        oldest = select(R.id).where(R.at < before).order_by(R.at).limit(DELETE_BATCH)
        deleted = 0
        while True:
            with self._database.write() as connection:
                count = connection.execute(delete(REJECTION).where(R.id.in_(oldest))).rowcount
            deleted += count
            if count < DELETE_BATCH:
                return deleted


def _event(rejection: Rejection) -> Event:
    """Return the event of a rejection, without the document."""
    code, detail = public_code_and_detail(rejection.code, rejection.detail)
    body = {
        "code": code,
        "detail": detail,
        "path": rejection.path or "",
        "operation": rejection.operation,
        "requestId": rejection.request_id,
        "issuerRfc": rejection.issuer_rfc,
        "receiverRfc": rejection.receiver_rfc,
        "serie": rejection.serie,
        "folio": rejection.folio,
        "documentHash": rejection.document_hash,
        "status": "rejected",
    }
    at, request_id = rejection.at, rejection.request_id
    return Event(at, rejection.fiscal_at, rejection.account_id, REJECTED, rejection.document_hash, request_id, body)


def _branches(filters: RejectionFilter, accounts: Sequence[int | None]) -> Iterator[ColumnElement[bool]]:
    conditions = between(R.at, filters.since, filters.until)
    for column, text in ((R.code, filters.code), (R.request_id, filters.request_id)):
        conditions += [column == text] if text else []
    for account in accounts:
        for party in (R.issuer_rfc, R.receiver_rfc) if filters.rfc else (None,):
            yield and_(R.account_id == account, *([] if party is None else [party == filters.rfc]), *conditions)


def _row(rejection: Rejection) -> dict[str, Any]:
    values = {name: getattr(rejection, name) for name in NAMES}
    return values | {"document": encode(rejection.document) if rejection.document else None}


def _stored(row: Row[Any]) -> StoredRejection:
    return StoredRejection(row.id, Rejection(*tuple(row)[2:]), row.has_document)
