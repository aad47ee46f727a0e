"""Sums of the stamps that a search finds, by kind, currency and state, in parts when they have many rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from decimal import Decimal
from functools import reduce
from itertools import zip_longest
from time import monotonic
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, func, literal_column, or_, select

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.tables.search import CANCELLATION_SUM, DOCUMENT_SUM, LISTED_DOCUMENT
from timbra.database.tables.stamps import STAMP
from timbra.events.cancellation_states import DocumentState
from timbra.events.exclusive import read_one_instant
from timbra.stamps.conditions import (
    Branch,
    StampFilter,
    UnreadStates,
    accounts_of,
    branches_of_folios,
    is_plain,
    listed_branches,
    state_branches,
)
from timbra.stamps.document_sums import BILLION, NO_AMOUNT, PARTS, day_of, stored_state
from timbra.stamps.listed_states import unread_states
from timbra.stamps.port import RETENCION

L, D = LISTED_DOCUMENT.c, DOCUMENT_SUM.c
VALID = DocumentState.VALID
_STATES = {stored_state(state): state for state in DocumentState}
FEW = 100_000
"""Documents of a condition up to which a number or a sum reads them all."""
AT_ONCE = 100_000
"""Cursors of one statement of a larger sum, so that none takes the time of its timeout."""
PART_SECONDS = 0.1
"""Time after which no further statement of a part of a sum begins."""


@dataclass(frozen=True, slots=True)
class AmountSum:
    """The sum of the documents of one kind and currency.

    Attributes:
        documents: Number of documents, of which `damaged` have no readable amount.
        state: The state of the documents.
    """

    kind: str
    currency: str
    documents: int
    damaged: int
    total: Decimal
    state: DocumentState = DocumentState.VALID

    def __add__(self, other: AmountSum) -> AmountSum:
        return replace(
            self,
            documents=self.documents + other.documents,
            damaged=self.damaged + other.damaged,
            total=self.total + other.total,
        )

    def __neg__(self) -> AmountSum:
        return replace(self, documents=-self.documents, damaged=-self.damaged, total=-self.total)


def add_sums(sums: Iterable[AmountSum]) -> list[AmountSum]:
    """Add the sums of each kind, currency and state."""
    by_key: dict[tuple[str, str, DocumentState], list[AmountSum]] = {}
    for each in sums:
        by_key.setdefault((each.kind, each.currency, each.state), []).append(each)
    added = (reduce(AmountSum.__add__, parts) for parts in by_key.values())
    return [each for each in added if each.documents]


@dataclass(frozen=True, slots=True)
class SumPlace:
    """Where a part of a sum begins: at an account, and at a cursor when its first stamps have been added."""

    account_id: int
    cursor: int = 0


@dataclass(frozen=True, slots=True)
class SumPart:
    """A part of a sum.

    Attributes:
        following: Where the next part begins; None for the last one.
        done: Number of stamps that this part and those before have looked at, about.
        number: Number of all stamps that are looked at.
    """

    sums: Sequence[AmountSum]
    following: SumPlace | None = None
    done: int = 0
    number: int = 0


def is_of_days(filters: StampFilter) -> bool:
    """Whether the sums of days have what a search finds."""
    return is_plain(filters) and all(map(_is_midnight, (filters.since, filters.until)))


def _is_midnight(instant: datetime | None) -> bool:
    return instant is None or instant.astimezone(CENTRAL_MEXICO).time() == time()


def number_of(connection: Connection, query: Select[Any]) -> int:
    number: int = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
    return number


def all_sums(connection: Connection, filters: StampFilter) -> list[AmountSum]:
    """Return the sums of the stamps that match and have a row."""
    return add_sums(each for part in _parts(connection, filters) for each in part.sums)


def part_of_sum(connection: Connection, filters: StampFilter, place: SumPlace | None) -> SumPart:
    """Return a part of `all_sums`; see `StampSearch.sums_from`."""
    deadline = monotonic() + PART_SECONDS
    sums: list[AmountSum] = []
    for part in _parts(connection, filters, place):
        sums += part.sums
        if part.following is not None and monotonic() >= deadline:
            return SumPart(add_sums(sums), part.following, *_progress(connection, filters, part.following))
    return SumPart(add_sums(sums))


def _parts(connection: Connection, filters: StampFilter, place: SumPlace | None = None) -> Iterator[SumPart]:
    """Yield the parts of a sum from a place on: one, unless it has many rows."""
    read_one_instant(connection)
    unread = unread_states(connection)
    if is_of_days(filters):
        yield SumPart(sums_of_days(connection, filters, unread))
        return
    if filters.uuid:
        of_folio = or_(*branches_of_folios(connection, filters, unread))
        rows = L.cursor.in_(select(STAMP.c.cursor).where(of_folio))
        of_states = state_branches(connection, filters.state, unread, by_state=True)
        own_rows = (replace(branch, condition=and_(rows, branch.condition)) for branch in of_states)
        yield SumPart([each for branch in own_rows for each in _sums_of_rows(connection, branch)])
        return
    accounts = sorted(each for each in accounts_of(connection, filters) if each is not None)
    accounts = [each for each in accounts if place is None or each >= place.account_id]
    for account, following in zip_longest(accounts, accounts[1:]):
        own = replace(filters, account_id=account)
        branches = list(listed_branches(connection, own, FEW, unread, by_state=True))
        start = place.cursor if place is not None and place.account_id == account else 0
        for end, between in _ranges(connection, branches, start):
            sums = [each for branch in branches for each in _sums_of_rows(connection, branch, *between)]
            after = SumPlace(account, end) if end else None if following is None else SumPlace(following)
            yield SumPart(sums, after)


def _progress(connection: Connection, filters: StampFilter, place: SumPlace) -> tuple[int, int]:
    """Return how many stamps are before a place of a sum, about, and how many there are."""
    query = select(D.account_id, func.sum(D.documents)).where(D.account_id.in_(accounts_of(connection, filters)))
    numbers = {account: int(number) for account, number in connection.execute(query.group_by(D.account_id))}
    first, last = connection.execute(select(func.min(L.cursor), func.max(L.cursor))).one()
    done = sum(number for account, number in numbers.items() if account < place.account_id)
    if place.cursor and last is not None:
        done += numbers.get(place.account_id, 0) * (min(place.cursor, last) - first) // (last + 1 - first)
    return done, sum(numbers.values())


def sums_of_days(
    connection: Connection, filters: StampFilter, unread: UnreadStates, *, by_state: bool = True
) -> list[AmountSum]:
    """Return what the sums of days give; unless `by_state`, all documents as valid ones."""
    sums = list(_stored_sums(connection, DOCUMENT_SUM, filters))
    for each in _stored_sums(connection, CANCELLATION_SUM, filters) if by_state else ():
        sums += (each, replace(-each, state=VALID))
    for branch in listed_branches(connection, replace(filters, state=None), FEW, unread, by_state=True):
        if branch.state is not None:
            for each in _sums_of_rows(connection, replace(branch, state=None)):
                sums += (-each, replace(each, state=branch.state))
    return [each for each in add_sums(sums) if filters.state in (None, each.state)]


def _stored_sums(connection: Connection, table: Table, filters: StampFilter) -> Iterator[AmountSum]:
    columns = table.c
    conditions: list[ColumnElement[bool]] = [columns.account_id.in_(accounts_of(connection, filters))]
    conditions += [] if filters.since is None else [columns.day >= day_of(filters.since).isoformat()]
    conditions += [] if filters.until is None else [columns.day < day_of(filters.until).isoformat()]
    conditions += [columns.kind == filters.kind] if filters.kind else []
    if filters.retenciones is not None:
        conditions.append(columns.kind == RETENCION if filters.retenciones else columns.kind != RETENCION)
    keys = [columns[name] for name in ("kind", "currency", "state") if name in columns]
    query = select(*(func.sum(columns[name]) for name in PARTS), *keys).where(*conditions)
    for row in connection.execute(query.group_by(*keys)):
        yield _sum(row if "state" in columns else (*row, None))


def _sums_of_rows(connection: Connection, branch: Branch, *between: ColumnElement[bool]) -> Iterator[AmountSum]:
    """Yield the sums of the rows of a branch."""
    is_sound = (L.units != NO_AMOUNT).label("is_sound")
    # In three parts, so that no sum of integers is too large for the database.
    parts = (L.units // BILLION, L.units % BILLION, L.millionths)
    sums = (func.coalesce(func.sum(part).filter(is_sound), 0) for part in parts)
    # SQLite would read the index of kinds for the groups, and every row of the account.
    keys = (L.kind.concat(literal_column("''")), L.currency, L.state)
    query = select(func.count(), func.count().filter(~is_sound), *sums, *keys).where(branch.condition, *between)
    for each in map(_sum, connection.execute(query.group_by(*keys))):
        yield each if branch.state is None else replace(each, state=branch.state)


def _ranges(
    connection: Connection, branches: Sequence[Branch], start: int
) -> Iterator[tuple[int, Sequence[ColumnElement[bool]]]]:
    """Yield ranges of cursors that have all rows of some branches from a cursor on, each with its end.

    For few rows one range of all; the end of the last one is 0.
    """
    if not start and not any(_is_large(connection, branch) for branch in branches):
        yield 0, ()
        return
    # From row to row, because a damaged cursor may be far away.
    while (first := _first_from(connection, start)) is not None:
        start = first + AT_ONCE
        yield start if _first_from(connection, start) is not None else 0, (L.cursor >= first, L.cursor < start)


def _is_large(connection: Connection, branch: Branch) -> bool:
    return not branch.is_few and number_of(connection, select(L.cursor).where(branch.condition).limit(FEW + 1)) > FEW


def _first_from(connection: Connection, cursor: int) -> int | None:
    return connection.execute(select(func.min(L.cursor)).where(L.cursor >= cursor)).scalar()


def _sum(row: Sequence[Any]) -> AmountSum:
    documents, damaged, billions, units, millionths, kind, currency, state = row
    total = Decimal(int(billions) * BILLION + int(units)) + Decimal(int(millionths)).scaleb(-6)
    return AmountSum(kind, currency, int(documents), int(damaged), total, _STATES.get(state, VALID))
