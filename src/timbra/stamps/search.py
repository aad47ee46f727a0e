"""Search of stamps by their attributes, from the rows of lists, without reading documents.

The newest stamps, which have no row yet, are read besides, so that a search finds every stamp that is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Row,
    exists,
    false,
    or_,
    select,
)

from timbra.database.database import Database
from timbra.database.pagination import KeysetPage, RowPage
from timbra.database.tables.search import LISTED_DOCUMENT
from timbra.database.tables.stamps import STAMP
from timbra.events.exclusive import read_one_instant
from timbra.stamps.conditions import (
    NONE_UNREAD,
    StampFilter,
    UnreadStates,
    branches_of_folios,
    fresh_branches,
    listed_branches,
)
from timbra.stamps.document_index import PROGRESS, present
from timbra.stamps.listed_states import unread_states
from timbra.stamps.search_sums import (
    FEW,
    AmountSum,
    SumPart,
    SumPlace,
    all_sums,
    is_of_days,
    number_of,
    part_of_sum,
    sums_of_days,
)

__all__ = (
    "Found",
    "Order",
    "StampFilter",
    "StampSearch",
    "StampSummary",
    "SummaryPage",
)

S, L = STAMP.c, LISTED_DOCUMENT.c
FEW_OF_PAGE = 10_000
"""Documents of a condition up to which a page reads and sorts them all."""


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
    fecha: str


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """One page.

    Attributes:
        cursor: The cursor of the next page; None at the end.
        before: The cursor of the page before; None at the beginning.
    """

    stamps: Sequence[StampSummary]
    cursor: str | None
    before: str | None = None


class Order(StrEnum):
    """What a page is sorted by."""

    STAMPED = "timbrado"
    TOTAL = "total"
    FECHA = "fecha"
    FOLIO = "folio"
    KIND = "tipo"
    ISSUER = "emisor"
    RECEIVER = "receptor"


_KEYS: Mapping[Order, Sequence[str]] = {
    Order.STAMPED: ("stamped_at",),
    Order.TOTAL: ("units", "millionths"),
    Order.FECHA: ("fecha",),
    Order.FOLIO: ("serie", "folio"),
    Order.KIND: ("kind", "stamped_at"),
    Order.ISSUER: ("issuer_rfc", "stamped_at"),
    Order.RECEIVER: ("receiver_rfc", "stamped_at"),
}
_NAMES = tuple(each.name for each in fields(StampSummary))


@dataclass(frozen=True, slots=True)
class Found:
    """Number of stamps that match; when it is not exact, there are more."""

    number: int
    is_exact: bool = True


class StampSearch:
    """Search of the stamps of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
        filters: StampFilter,
        cursor: str | None = None,
        limit: int = 25,
        order: Order = Order.STAMPED,
        *,
        ascending: bool = False,
    ) -> SummaryPage:
        """Return one page of the stamps that match, by default the newest first.

        A stamp without a row is not on a page by total, because its amount is not known.

        Raises:
            ServiceError: "TB4005" for a cursor that this method did not return.
        """
        keyset = _keyset(L, order, ascending=ascending)
        with self._database.read() as connection:
            unread = _unread(connection, filters)
            if filters.uuid or (filters.uuids and order is not Order.TOTAL):
                stored = _keyset(S, order, ascending=ascending)
                page = stored.page(connection, branches_of_folios(connection, filters, unread), cursor, limit)
            else:
                # Before the rows: a stamp that gets one meanwhile is found twice, and not in none.
                fresh = [] if order is Order.TOTAL else _fresh_rows(connection, filters, unread, keyset, cursor, limit)
                branches = (each.condition for each in listed_branches(connection, filters, FEW_OF_PAGE, unread))
                page = keyset.cut([*fresh, *keyset.rows(connection, branches, cursor, limit)], cursor, limit)
        return _summaries(page)

    def sums(self, filters: StampFilter) -> list[AmountSum]:
        """Return the sums of the stamps that match and have a row, by kind, currency and state."""
        with self._database.read() as connection:
            return all_sums(connection, filters)

    def sums_from(self, filters: StampFilter, place: SumPlace | None = None) -> SumPart:
        """Return a part of `sums`, of about `AT_ONCE` stamps.

        Args:
            filters: The search.
            place: Where the part begins, which the part before has; None for the first one.
        """
        with self._database.read() as connection:
            return part_of_sum(connection, filters, place)

    def count(self, filters: StampFilter, limit: int) -> int:
        """Return the number of stamps that match; at most `limit`."""
        with self._database.read() as connection:
            unread = _unread(connection, filters)
            if filters.uuid or filters.uuids:
                stored = or_(*branches_of_folios(connection, filters, unread))
                return number_of(connection, select(S.cursor).where(stored).limit(limit))
            number = _number_of_fresh(connection, filters, unread, limit)
            for branch in listed_branches(connection, filters, FEW, unread):
                if number < limit:
                    number += number_of(connection, select(L.cursor).where(branch.condition).limit(limit - number))
        return number

    def found(self, filters: StampFilter, limit: int) -> Found:
        """Return the number of stamps that match: exactly for whole days, kinds and states, else up to `limit`."""
        if not is_of_days(filters):
            number = self.count(filters, limit + 1)
            return Found(min(number, limit), number <= limit)
        with self._database.read() as connection:
            read_one_instant(connection)
            unread = _unread(connection, filters)
            fresh = _number_of_fresh(connection, filters, unread, limit + 1)
            of_days = sums_of_days(connection, filters, unread, by_state=filters.state is not None)
            return Found(sum(each.documents for each in of_days) + min(fresh, limit), fresh <= limit)


def _keyset(columns: Any, order: Order, *, ascending: bool) -> KeysetPage:
    keys: list[Column[Any]] = [*(columns[name] for name in _KEYS[order]), columns.cursor]
    named = dict.fromkeys((*_NAMES, *_KEYS[order], "cursor"))
    return KeysetPage([columns[name] for name in named], keys, ascending)


def _summaries(page: RowPage) -> SummaryPage:
    stamps = [StampSummary(*(present(name, row._mapping[name]) for name in _NAMES)) for row in page.rows]
    return SummaryPage(stamps, page.after, page.before)


def _unread(connection: Connection, filters: StampFilter) -> UnreadStates:
    """Return the states that rows do not have yet, for a search by state."""
    return NONE_UNREAD if filters.state is None else unread_states(connection)


def _fresh(connection: Connection, filters: StampFilter, unread: UnreadStates) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of the stamps that match and have no row yet; nothing while there are none."""
    indexed = connection.execute(PROGRESS).scalar() or 0
    number = number_of(connection, select(S.cursor).where(S.cursor > indexed).limit(FEW + 1))
    if number:
        yield from fresh_branches(connection, filters, unread, indexed, are_few=number <= FEW)


def _fresh_rows(
    connection: Connection,
    filters: StampFilter,
    unread: UnreadStates,
    keyset: KeysetPage,
    cursor: str | None,
    limit: int,
) -> Sequence[Row[Any]]:
    columns, keys = ([S[each.name] for each in part] for part in (keyset.columns, keyset.keys))
    stored = replace(keyset, columns=columns, keys=keys)
    return stored.rows(connection, _fresh(connection, filters, unread), cursor, limit)


def _number_of_fresh(connection: Connection, filters: StampFilter, unread: UnreadStates, limit: int) -> int:
    condition = or_(false(), *_fresh(connection, filters, unread))
    without_row = ~exists().where(L.cursor == S.cursor)
    return number_of(connection, select(S.cursor).where(condition, without_row).limit(limit))
