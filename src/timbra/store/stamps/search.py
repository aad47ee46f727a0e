"""Search of stamps by their attributes, from indexes, without reading documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import ColumnElement, and_, or_, select

from timbra.store.database.database import Database
from timbra.store.database.pagination import KeysetPage, between
from timbra.store.tables.accounts import ACCOUNT
from timbra.store.tables.stamps import STAMP

S = STAMP.c


@dataclass(frozen=True, slots=True)
class StampSummary:
    """The attributes of a stamp in a list; see `StampRecord`."""

    account_id: int
    uuid: str
    stamped_at: datetime
    kind: str
    serie: str
    folio: str
    issuer_rfc: str
    receiver_rfc: str
    total: str


@dataclass(frozen=True, slots=True)
class StampFilter:
    """What is searched; empty texts and None for anything. account_id: None for those of all accounts.

    uuid: in lower case. rfc: of the issuer or the receiver. serie: beside a folio. until: not included.
    """

    account_id: int | None
    uuid: str = ""
    rfc: str = ""
    serie: str = ""
    folio: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """One page, newest first by fiscal time. cursor: of the next page, None at the end."""

    stamps: Sequence[StampSummary]
    cursor: str | None


LISTING = KeysetPage(
    [*(S[field.name] for field in fields(StampSummary)), S.cursor],
    S.stamped_at,
    S.cursor,
)


class StampSearch:
    """Search of the stamps of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wanted: StampFilter, cursor: str | None = None, limit: int = 25) -> SummaryPage:
        """Return the stamps that match. ServiceError("TB4005") for a cursor that this method did not return."""
        with self._database.read() as connection:
            accounts = [wanted.account_id]
            if wanted.account_id is None and not wanted.uuid:
                accounts = list(connection.execute(select(ACCOUNT.c.id)).scalars())
            rows, following = LISTING.page(connection, _branches(wanted, accounts), cursor, limit)
        return SummaryPage([StampSummary(*tuple(row)[:-1]) for row in rows], following)


def _branches(wanted: StampFilter, accounts: Sequence[int | None]) -> Iterator[ColumnElement[bool]]:
    parties = (S.issuer_rfc == wanted.rfc, S.receiver_rfc == wanted.rfc)
    conditions = between(S.stamped_at, wanted.since, wanted.until)
    conditions += [column == text for column, text in ((S.serie, wanted.serie), (S.folio, wanted.folio)) if text]
    if wanted.uuid:
        of_account = [] if wanted.account_id is None else [S.account_id == wanted.account_id]
        either = [or_(*parties)] if wanted.rfc else []
        yield and_(S.uuid == wanted.uuid, *of_account, *either, *conditions)
        return
    for account in accounts:
        for party in parties if wanted.rfc else (None,):
            yield and_(S.account_id == account, *([] if party is None else [party]), *conditions)
