"""Search of stamps by their attributes, from indexes, without reading documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import ColumnElement, Text, and_, literal_column, or_, select

from timbra.store.database.database import Database
from timbra.store.database.pagination import KeysetPage, between
from timbra.store.stamps.port import RETENCION
from timbra.store.tables.accounts import ACCOUNT
from timbra.store.tables.stamps import STAMP

S = STAMP.c
RETENCION_LITERAL = literal_column(f"'{RETENCION}'", Text)


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
    """Conditions of a search; an empty text or None for no condition.

    Attributes:
        account_id: The account; None for all accounts.
        uuid: The folio fiscal, in lower case.
        rfc: The issuer or the receiver.
        serie: The serie; an index serves it only together with `folio`.
        since: The first fiscal instant.
        until: The end of the range, exclusive.
        retenciones: True for retenciones only, False for CFDI only, None for both.
    """

    account_id: int | None
    uuid: str = ""
    rfc: str = ""
    serie: str = ""
    folio: str = ""
    since: datetime | None = None
    until: datetime | None = None
    retenciones: bool | None = None


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """One page, newest first by fiscal time.

    Attributes:
        stamps: The stamps.
        cursor: The cursor of the next page; None at the end.
    """

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

    def page(self, filters: StampFilter, cursor: str | None = None, limit: int = 25) -> SummaryPage:
        """Return the stamps that match.

        Raises:
            ServiceError: "TB4005" for a cursor that this method did not return.
        """
        with self._database.read() as connection:
            accounts = [filters.account_id]
            if filters.account_id is None and not filters.uuid:
                accounts = list(connection.execute(select(ACCOUNT.c.id)).scalars())
            rows, following = LISTING.page(connection, _branches(filters, accounts), cursor, limit)
        return SummaryPage([StampSummary(*tuple(row)[:-1]) for row in rows], following)


def _branches(filters: StampFilter, accounts: Sequence[int | None]) -> Iterator[ColumnElement[bool]]:
    parties = (S.issuer_rfc == filters.rfc, S.receiver_rfc == filters.rfc)
    conditions = between(S.stamped_at, filters.since, filters.until)
    conditions += [column == text for column, text in ((S.serie, filters.serie), (S.folio, filters.folio)) if text]
    if filters.retenciones is not None:
        # A literal, not a parameter: SQLite reads the index of retenciones only for a condition that it can compare.
        conditions.append((S.kind == RETENCION_LITERAL) if filters.retenciones else (S.kind != RETENCION_LITERAL))
    if filters.uuid:
        of_account = [] if filters.account_id is None else [S.account_id == filters.account_id]
        either = [or_(*parties)] if filters.rfc else []
        yield and_(S.uuid == filters.uuid, *of_account, *either, *conditions)
        return
    for account in accounts:
        for party in parties if filters.rfc else (None,):
            yield and_(S.account_id == account, *([] if party is None else [party]), *conditions)
