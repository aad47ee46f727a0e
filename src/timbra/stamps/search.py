"""Search of stamps by their attributes, from the rows of lists, without reading documents.

The newest stamps, which have no row yet, are read besides, so that a search finds every stamp that is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, time
from decimal import Decimal
from enum import StrEnum
from functools import reduce
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, exists, false, func, or_, select

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.database import Database
from timbra.database.pagination import KeysetPage, RowPage
from timbra.database.tables.search import DOCUMENT_SUM, LISTED_DOCUMENT
from timbra.database.tables.stamps import STAMP
from timbra.events.cancellation_states import DocumentState, number_in_state
from timbra.stamps.conditions import (
    Branch,
    StampFilter,
    accounts_of,
    branches_of_folios,
    fresh_branches,
    is_plain,
    listed_branches,
)
from timbra.stamps.document_index import PROGRESS, present
from timbra.stamps.document_sums import BILLION, NO_AMOUNT, day_of
from timbra.stamps.port import RETENCION

__all__ = ("AmountSum", "Found", "Order", "StampFilter", "StampSearch", "StampSummary", "SummaryPage")

S, L, D = STAMP.c, LISTED_DOCUMENT.c, DOCUMENT_SUM.c
FEW_OF_PAGE = 10_000
"""Documents of a condition up to which a page reads and sorts them all."""
FEW = 100_000
"""The same of a number or a sum, whose documents are not sorted."""
AT_ONCE = 500_000
"""Cursors of one statement of a larger sum, so that none takes the time of its timeout."""


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
class AmountSum:
    """The sum of the documents of one kind and currency.

    Attributes:
        documents: Number of documents, of which `damaged` have no readable amount.
    """

    kind: str
    currency: str
    documents: int
    damaged: int
    total: Decimal

    def __add__(self, other: AmountSum) -> AmountSum:
        return self._changed(other, 1)

    def __sub__(self, other: AmountSum) -> AmountSum:
        return self._changed(other, -1)

    def _changed(self, other: AmountSum, sign: int) -> AmountSum:
        return replace(
            self,
            documents=self.documents + sign * other.documents,
            damaged=self.damaged + sign * other.damaged,
            total=self.total + sign * other.total,
        )


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
            if filters.uuid or (filters.uuids and order is not Order.TOTAL):
                stored = _keyset(S, order, ascending=ascending)
                page = stored.page(connection, branches_of_folios(filters), cursor, limit)
            else:
                # Before the rows: a stamp that gets one meanwhile is found twice, and not in none.
                fresh = [] if order is Order.TOTAL else _fresh_rows(connection, filters, keyset, cursor, limit)
                branches = (each.condition for each in listed_branches(connection, filters, FEW_OF_PAGE))
                page = keyset.cut([*fresh, *keyset.rows(connection, branches, cursor, limit)], cursor, limit)
        return _summaries(page)

    def sums(self, filters: StampFilter) -> list[AmountSum]:
        """Return the sums of the stamps that match and have a row, by kind and currency."""
        if filters.state is DocumentState.VALID:
            return self._sums_of_valid(filters)
        with self._database.read() as connection:
            if _is_of_days(filters):
                return _added(_sums_of_days(connection, filters))
            if filters.uuid:
                stored = select(S.cursor).where(or_(*branches_of_folios(filters)))
                return _added(_sums_of_rows(connection, Branch(L.cursor.in_(stored), is_few=True)))
            branches = listed_branches(connection, filters, FEW)
            return _added(sums for branch in branches for sums in _sums_of_rows(connection, branch))

    def count(self, filters: StampFilter, limit: int) -> int:
        """Return the number of stamps that match; at most `limit`."""
        with self._database.read() as connection:
            if filters.uuid or filters.uuids:
                return _number(connection, select(S.cursor).where(or_(*branches_of_folios(filters))).limit(limit))
            number = _number_of_fresh(connection, filters, limit)
            for branch in listed_branches(connection, filters, FEW):
                if number < limit:
                    number += _number(connection, select(L.cursor).where(branch.condition).limit(limit - number))
        return number

    def found(self, filters: StampFilter, limit: int) -> Found:
        """Return the number of stamps that match: exactly for whole days or a state alone, else up to `limit`."""
        if filters.state is not None and filters == StampFilter(filters.account_id, state=filters.state):
            return self._found_in_state(filters, filters.state, limit)
        if not _is_of_days(filters):
            number = self.count(filters, limit + 1)
            return Found(min(number, limit), number <= limit)
        with self._database.read() as connection:
            fresh = _number_of_fresh(connection, filters, limit + 1)
            listed = sum(each.documents for each in _sums_of_days(connection, filters))
            return Found(listed + min(fresh, limit), fresh <= limit)

    def _found_in_state(self, filters: StampFilter, state: DocumentState, limit: int) -> Found:
        with self._database.read() as connection:
            accounts = accounts_of(connection, filters)
            changed: dict[DocumentState, int] = {
                each: connection.execute(number_in_state(each, accounts)).scalar_one()
                for each in (DocumentState.PENDING, DocumentState.CANCELLED)
            }
        if state in changed:
            return Found(changed[state])
        every = self.found(replace(filters, state=None), limit)
        return Found(every.number - sum(changed.values()), every.is_exact)

    def _sums_of_valid(self, filters: StampFilter) -> list[AmountSum]:
        """Return the sums of the documents of a selection less those that are or will be cancelled."""
        sums = {(each.kind, each.currency): each for each in self.sums(replace(filters, state=None))}
        for state in (DocumentState.PENDING, DocumentState.CANCELLED):
            for each in self.sums(replace(filters, state=state)):
                key = each.kind, each.currency
                sums[key] = sums.get(key, AmountSum(*key, 0, 0, Decimal(0))) - each
        return [each for each in sums.values() if each.documents]


def _keyset(columns: Any, order: Order, *, ascending: bool) -> KeysetPage:
    keys: list[Column[Any]] = [*(columns[name] for name in _KEYS[order]), columns.cursor]
    named = dict.fromkeys((*_NAMES, *_KEYS[order], "cursor"))
    return KeysetPage([columns[name] for name in named], keys, ascending)


def _summaries(page: RowPage) -> SummaryPage:
    stamps = [StampSummary(*(present(name, row._mapping[name]) for name in _NAMES)) for row in page.rows]
    return SummaryPage(stamps, page.after, page.before)


def _fresh(connection: Connection, filters: StampFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of the stamps that match and have no row yet; nothing while there are none."""
    indexed = connection.execute(PROGRESS).scalar() or 0
    number = _number(connection, select(S.cursor).where(S.cursor > indexed).limit(FEW + 1))
    if number:
        yield from fresh_branches(connection, filters, indexed, are_few=number <= FEW)


def _fresh_rows(
    connection: Connection, filters: StampFilter, keyset: KeysetPage, cursor: str | None, limit: int
) -> Sequence[Row[Any]]:
    columns, keys = ([S[each.name] for each in part] for part in (keyset.columns, keyset.keys))
    return replace(keyset, columns=columns, keys=keys).rows(connection, _fresh(connection, filters), cursor, limit)


def _number_of_fresh(connection: Connection, filters: StampFilter, limit: int) -> int:
    condition, without_row = or_(false(), *_fresh(connection, filters)), ~exists().where(L.cursor == S.cursor)
    return _number(connection, select(S.cursor).where(condition, without_row).limit(limit))


def _number(connection: Connection, query: Select[Any]) -> int:
    number: int = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
    return number


def _is_of_days(filters: StampFilter) -> bool:
    """Whether the sums of days have what a search finds."""
    return is_plain(filters) and all(map(_is_midnight, (filters.since, filters.until)))


def _is_midnight(instant: datetime | None) -> bool:
    return instant is None or instant.astimezone(CENTRAL_MEXICO).time() == time()


def _sums_of_days(connection: Connection, filters: StampFilter) -> Iterator[AmountSum]:
    conditions: list[ColumnElement[bool]] = [D.account_id.in_(accounts_of(connection, filters))]
    conditions += [] if filters.since is None else [D.day >= day_of(filters.since).isoformat()]
    conditions += [] if filters.until is None else [D.day < day_of(filters.until).isoformat()]
    conditions += [D.kind == filters.kind] if filters.kind else []
    if filters.retenciones is not None:
        conditions.append(D.kind == RETENCION if filters.retenciones else D.kind != RETENCION)
    parts = (D.documents, D.damaged, D.billions, D.units, D.millionths)
    query = select(D.kind, D.currency, *(func.sum(part) for part in parts)).where(*conditions)
    for row in connection.execute(query.group_by(D.kind, D.currency)):
        if row[2]:
            yield _sum(row)


def _sums_of_rows(connection: Connection, branch: Branch) -> Iterator[AmountSum]:
    """Yield sums of the rows of a branch, of many in parts."""
    is_sound = (L.units != NO_AMOUNT).label("is_sound")
    # In three parts, so that no sum of integers is too large for the database.
    parts = (L.units // BILLION, L.units % BILLION, L.millionths)
    sums = (func.sum(part).filter(is_sound) for part in parts)
    columns = (func.count(), func.count().filter(~is_sound), *(func.coalesce(each, 0) for each in sums))
    query = select(L.kind, L.currency, *columns).where(branch.condition).group_by(L.kind, L.currency)
    for between in _ranges(connection, branch):
        yield from map(_sum, connection.execute(query.where(*between)))


def _ranges(connection: Connection, branch: Branch) -> Iterator[Sequence[ColumnElement[bool]]]:
    """Yield ranges of cursors that have all rows of a branch: for few rows one of all."""
    if branch.is_few or _number(connection, select(L.cursor).where(branch.condition).limit(FEW + 1)) <= FEW:
        yield ()
        return
    end = 0
    # From row to row, because a damaged cursor may be far away.
    while (start := connection.execute(select(func.min(L.cursor)).where(L.cursor >= end)).scalar()) is not None:
        end = start + AT_ONCE
        yield L.cursor >= start, L.cursor < end


def _sum(row: Sequence[Any]) -> AmountSum:
    kind, currency, documents, damaged, billions, units, millionths = row
    total = Decimal(int(billions) * BILLION + int(units)) + Decimal(int(millionths)).scaleb(-6)
    return AmountSum(kind, currency, int(documents), int(damaged), total)


def _added(sums: Iterator[AmountSum]) -> list[AmountSum]:
    by_key: dict[tuple[str, str], list[AmountSum]] = {}
    for each in sums:
        by_key.setdefault((each.kind, each.currency), []).append(each)
    return [reduce(AmountSum.__add__, parts) for parts in by_key.values()]
