"""Refused requests as they are kept: written in batches, listed newest first, gone after their term."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, select

from timbra.clock import CENTRAL_MEXICO
from timbra.store.codec import decode, encode
from timbra.store.database import Database
from timbra.store.newest import Listing, between
from timbra.store.tables.accounts import ACCOUNT
from timbra.store.tables.refusals import REFUSAL
from timbra.store.usage import REFUSALS, add_use

DELETED_AT_ONCE = 1000
R = REFUSAL.c


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused request; see `tables.refusals`."""

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
class KeptRefusal:
    """number: its own. has_document: whether its document is kept; `RefusalStore.document` gives it."""

    number: int
    refusal: Refusal
    has_document: bool


@dataclass(frozen=True, slots=True)
class RefusalFilter:
    """What is looked for; empty texts and None for anything. account_id: None for all accounts. until: not included."""

    account_id: int | None
    code: str = ""
    rfc: str = ""
    request_id: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class RefusalPage:
    """One page, newest first; `cursor` asks for the next, None at the end."""

    refusals: Sequence[KeptRefusal]
    cursor: str | None


NAMES = [one.name for one in fields(Refusal) if one.name != "document"]
_TOLD = [R[name] for name in NAMES]
LISTING = Listing([R.id, R.document.is_not(None).label("has_document"), *_TOLD], R.at, R.id)  # type: ignore[list-item]


class RefusalStore:
    """Refusals of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, refusals: Sequence[Refusal], lost: Mapping[tuple[int, date], int]) -> None:
        """Keeps and counts them in one transaction. lost: how many more there were, by account and day."""
        counted = Counter((one.account_id, one.day) for one in refusals)
        counted.update(lost)
        rows = [_row(one) for one in refusals]
        with self._database.write() as connection:
            if rows:
                connection.execute(REFUSAL.insert(), rows)
            add_use(self._database, connection, REFUSALS, counted.items())

    def page(self, wanted: RefusalFilter, cursor: str | None = None, limit: int = 25) -> RefusalPage:
        """ServiceError("TB4005") for a foreign cursor."""
        with self._database.read() as connection:
            accounts = [wanted.account_id]
            if wanted.account_id is None:
                accounts = list(connection.execute(select(ACCOUNT.c.id)).scalars())
            rows, following = LISTING.page(connection, _branches(wanted, accounts), cursor, limit)
        return RefusalPage([_kept(row) for row in rows], following)

    def document(self, account_id: int | None, number: int) -> bytes | None:
        """The document of a refusal of the account, or of any for None; None where none is kept."""
        own = R.id == number if account_id is None else and_(R.id == number, R.account_id == account_id)
        with self._database.read() as connection:
            stored = connection.execute(select(R.document).where(own)).scalar_one_or_none()
        return None if stored is None else decode(stored)

    def expire(self, before: datetime) -> int:
        """Forgets what is older; how many that were. In short transactions."""
        oldest = select(R.id).where(R.at < before).order_by(R.at).limit(DELETED_AT_ONCE)
        gone = 0
        while True:
            with self._database.write() as connection:
                count = connection.execute(delete(REFUSAL).where(R.id.in_(oldest))).rowcount
            gone += count
            if count < DELETED_AT_ONCE:
                return gone


def _branches(wanted: RefusalFilter, accounts: Sequence[int | None]) -> Iterator[ColumnElement[bool]]:
    conditions = between(R.at, wanted.since, wanted.until)
    for column, text in ((R.code, wanted.code), (R.request_id, wanted.request_id)):
        conditions += [column == text] if text else []
    for account in accounts:
        for party in (R.issuer_rfc, R.receiver_rfc) if wanted.rfc else (None,):
            yield and_(R.account_id == account, *([] if party is None else [party == wanted.rfc]), *conditions)


def _row(refusal: Refusal) -> dict[str, Any]:
    told = {name: getattr(refusal, name) for name in NAMES}
    return told | {"document": encode(refusal.document) if refusal.document else None}


def _kept(row: Row[Any]) -> KeptRefusal:
    return KeptRefusal(row.id, Refusal(*tuple(row)[2:]), row.has_document)
