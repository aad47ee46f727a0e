"""Conditions of a search of stamps, on the rows of lists and on the stamps that have none yet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import product
from types import MappingProxyType
from typing import Any, TypeAlias

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Connection,
    Numeric,
    Select,
    Text,
    and_,
    any_,
    cast,
    func,
    literal,
    literal_column,
    not_,
    or_,
    select,
    true,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.sql.compiler import SQLCompiler

from timbra.database.pagination import between
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.search import LISTED_DOCUMENT, STAMP_WORD
from timbra.database.tables.stamps import STAMP
from timbra.events.cancellation_states import DocumentState
from timbra.stamps.document_sums import stored_state
from timbra.stamps.port import RETENCION

S, L, W = STAMP.c, LISTED_DOCUMENT.c, STAMP_WORD.c
AFTER = "\U0010ffff"
"""Sorts after every character of a word."""
MILLION = 1_000_000
RETENCION_LITERAL = literal_column(f"'{RETENCION}'", Text)
Columns: TypeAlias = ReadOnlyColumnCollection[str, Column[Any]]
UnreadStates: TypeAlias = Mapping[str, DocumentState]
"""The states of documents that their rows do not have yet, by folio; see `timbra.stamps.listed_states`."""
NONE_UNREAD: UnreadStates = MappingProxyType({})


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
        kind: TipoDeComprobante, or `RETENCION`.
        state: State of the cancellation, as far as this server knows it.
        least: The smallest amount: the total, and of a payment what it paid; None for no bound.
        most: The largest amount; None for no bound.
        words: Words of the general search: the document has, for each, one that begins with it.
        number: Serie and folio, as an alternative to `words`; the serie may be empty.
        uuids: Folios, in lower case; empty for no condition.
    """

    account_id: int | None
    uuid: str = ""
    rfc: str = ""
    serie: str = ""
    folio: str = ""
    since: datetime | None = None
    until: datetime | None = None
    retenciones: bool | None = None
    kind: str = ""
    state: DocumentState | None = None
    least: Decimal | None = None
    most: Decimal | None = None
    words: tuple[str, ...] = ()
    number: tuple[str, str] | None = None
    uuids: tuple[str, ...] = ()


class TotalAmount(ColumnElement[Decimal]):
    """The column `total` as a number; NULL or 0 for a damaged text, for which PostgreSQL would reject the query."""

    inherit_cache = True
    type = Numeric()


@compiles(TotalAmount)
def _compile_total(_element: TotalAmount, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(cast(S.total, Numeric), **options)


@compiles(TotalAmount, "postgresql")
def _compile_total_on_postgresql(_element: TotalAmount, compiler: SQLCompiler, **options: Any) -> str:
    text = compiler.process(S.total, **options)
    return f"CASE WHEN {text} ~ '^[0-9]{{1,18}}([.][0-9]{{1,6}})?$' THEN CAST({text} AS NUMERIC) END"


TOTAL = TotalAmount()


def is_plain(filters: StampFilter) -> bool:
    """Whether a search has no other conditions than account, kind, state and time."""
    texts = (filters.uuid, filters.rfc, filters.serie, filters.folio, filters.words, filters.uuids)
    others = (filters.least, filters.most, filters.number)
    return not any(texts) and all(other is None for other in others)


def accounts_of(connection: Connection, filters: StampFilter) -> Sequence[int | None]:
    """Return the accounts of a search: each is a range of the indexes."""
    if filters.account_id is None and not filters.uuid:
        return list(connection.execute(select(ACCOUNT.c.id)).scalars())
    return [filters.account_id]


def branches_of_folios(
    connection: Connection, filters: StampFilter, unread: UnreadStates
) -> Iterator[ColumnElement[bool]]:
    """Yield the condition of stamps whose folios are given."""
    own = [] if filters.account_id is None else [S.account_id == filters.account_id]
    either = [or_(S.issuer_rfc == filters.rfc, S.receiver_rfc == filters.rfc)] if filters.rfc else []
    conditions = [*_ordinary(S, filters), *_totals(filters), *_state_of_stamp(connection, filters, unread)]
    folios = S.uuid == filters.uuid if filters.uuid else S.uuid.in_(filters.uuids)
    yield and_(folios, *own, *either, *conditions)


def fresh_branches(
    connection: Connection, filters: StampFilter, unread: UnreadStates, indexed: int, *, are_few: bool
) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of stamps that have no row yet; those of words find none.

    Args:
        connection: The connection of a transaction.
        filters: The search.
        unread: The states that rows do not have yet.
        indexed: The cursor up to which every stamp has its row.
        are_few: Whether few stamps have a higher one.
    """
    conditions = [S.cursor > indexed, *_ordinary(S, filters), *_totals(filters)]
    conditions += _state_of_stamp(connection, filters, unread)
    for account in accounts_of(connection, filters):
        of_account = _account(connection, S, account, is_range=not are_few)
        for party in _parties(S, filters):
            if filters.number is not None:
                yield and_(of_account, *party, *_number(S, filters.number), *conditions)
            elif not filters.words:
                yield and_(of_account, *party, *conditions)


@dataclass(frozen=True, slots=True)
class Branch:
    """A part of a search.

    Attributes:
        is_few: Whether few documents meet one of its conditions, which is read first.
        state: The state of its documents that their rows do not have yet; None for that of the rows.
    """

    condition: ColumnElement[bool]
    is_few: bool = False
    state: DocumentState | None = None


def listed_branches(
    connection: Connection,
    filters: StampFilter,
    few: int,
    unread: UnreadStates = NONE_UNREAD,
    *,
    by_state: bool = False,
) -> Iterator[Branch]:
    """Yield the conditions of rows of lists; a row matches at most one of them.

    A condition that no index orders is one of two: for few documents their cursors, else one of each row that an index
    gives in its order. The database cannot choose: it does not count the words before.

    Args:
        connection: The connection of a transaction.
        filters: The search.
        few: Number of documents up to which their cursors are looked up.
        unread: The states that rows do not have yet.
        by_state: Whether documents of different states are in different branches, or have them in their rows.
    """
    ordinary = _ordinary(L, filters)
    if filters.uuids:
        ordinary.append(L.uuid.in_(filters.uuids))
    states = list(state_branches(connection, filters.state, unread, by_state=by_state))
    for account in accounts_of(connection, filters):
        selected = _of_amounts(connection, filters, account, few)
        for texts, state in product(_text_branches(connection, filters, account, few), states):
            parts = [*selected, *texts, state]
            is_few = any(part.is_few for part in parts)
            of_account = _account(connection, L, account, is_range=not is_few)
            conditions = [*ordinary, *(part.condition for part in parts)]
            for party in _parties(L, filters):
                yield Branch(and_(of_account, *party, *conditions), is_few, state.state)


def state_branches(
    connection: Connection, wanted: DocumentState | None, unread: UnreadStates, *, by_state: bool = False
) -> Iterator[Branch]:
    """Yield the conditions of documents in a state: those of whose rows is right, and those of whose it is not yet."""
    of_rows = [] if wanted is None else [_is_stored(L.state, wanted)]
    states = DocumentState if wanted is None else (wanted,)
    if not unread or (wanted is None and not by_state):
        yield Branch(and_(true(), *of_rows))
        return
    yield Branch(and_(not_(is_one_of(connection, L.uuid, [*unread])), *of_rows))
    for state in states:
        if uuids := _in_state(unread, state):
            yield Branch(is_one_of(connection, L.uuid, uuids), is_few=True, state=state)


def _state_of_stamp(connection: Connection, filters: StampFilter, unread: UnreadStates) -> list[ColumnElement[bool]]:
    """Return the condition of a stamp in a state, whether it has a row or not."""
    if filters.state is None:
        return []
    # A document whose cancellation the consumer has read has its row.
    state = select(L.state).where(L.cursor == S.cursor).correlate(STAMP).scalar_subquery()
    of_rows = _is_stored(state, filters.state)
    if not unread:
        return [of_rows]
    in_state = is_one_of(connection, S.uuid, _in_state(unread, filters.state))
    return [or_(in_state, and_(not_(is_one_of(connection, S.uuid, [*unread])), of_rows))]


def _is_stored(column: ColumnElement[str | None], state: DocumentState) -> ColumnElement[bool]:
    stored = stored_state(state)
    return column.is_(None) if stored is None else column == stored


def _in_state(unread: UnreadStates, state: DocumentState) -> list[str]:
    return [uuid for uuid, found in unread.items() if found is state]


def is_one_of(connection: Connection, column: Column[str], values: Sequence[str]) -> ColumnElement[bool]:
    """Return the condition of any number of values, as one parameter."""
    if connection.dialect.name == "postgresql":
        return column == any_(literal(values, ARRAY(Text)))
    return column.in_(select(func.json_each(json.dumps(values)).table_valued("value").c.value))


def _account(connection: Connection, columns: Columns, account: int | None, *, is_range: bool) -> ColumnElement[bool]:
    # SQLite reads no index of the account for an expression with its number: another condition has fewer documents.
    is_range = is_range or connection.dialect.name != "sqlite"
    return columns.account_id == account if is_range else columns.account_id + 0 == account


def _parties(columns: Columns, filters: StampFilter) -> Sequence[list[ColumnElement[bool]]]:
    if not filters.rfc:
        return [[]]
    is_issuer = columns.issuer_rfc == filters.rfc
    return [[is_issuer], [columns.receiver_rfc == filters.rfc, ~is_issuer]]


def _ordinary(columns: Columns, filters: StampFilter) -> list[ColumnElement[bool]]:
    """Return the conditions on columns that indexes have."""
    conditions = [*between(columns.stamped_at, filters.since, filters.until)]
    conditions += [columns[name] == text for name, text in (("serie", filters.serie), ("folio", filters.folio)) if text]
    if filters.retenciones is not None:
        is_retencion = columns.kind == RETENCION_LITERAL
        conditions.append(is_retencion if filters.retenciones else columns.kind != RETENCION_LITERAL)
    return [*conditions, columns.kind == filters.kind] if filters.kind else conditions


def _totals(filters: StampFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of the amount on a stamp, of which only the total is known."""
    least = [] if filters.least is None else [filters.least <= TOTAL]
    return least if filters.most is None else [*least, filters.most >= TOTAL]


def _number(columns: Columns, number: tuple[str, str]) -> list[ColumnElement[bool]]:
    serie, folio = number
    return [columns.folio == folio, *([columns.serie == serie] if serie else [])]


def _text_branches(
    connection: Connection, filters: StampFilter, account: int | None, few: int
) -> Iterator[list[Branch]]:
    """Yield the conditions of the general search: the words, and the number."""
    if filters.words:
        yield [_of_word(connection, word, account, few) for word in filters.words]
    if filters.number is not None:
        others = [not_(and_(*map(_has_word, filters.words)))] if filters.words else []
        yield [Branch(each) for each in (*_number(L, filters.number), *others)]
    if not filters.words and filters.number is None:
        yield []


def _of_word(connection: Connection, word: str, account: int | None, few: int) -> Branch:
    cursors = select(W.cursor).where(W.account_id == account, W.word >= word, W.word < word + AFTER)
    if _are_few(connection, cursors, few):
        return Branch(L.cursor.in_(cursors), is_few=True)
    return Branch(_has_word(word))


def _has_word(word: str) -> ColumnElement[bool]:
    return L.words.contains(f" {word}")


def _of_amounts(connection: Connection, filters: StampFilter, account: int | None, few: int) -> list[Branch]:
    if filters.least is None and filters.most is None:
        return []
    cursors = select(L.cursor).where(L.account_id == account, *_bounds(L.units, filters))
    if _are_few(connection, cursors, few):
        # An alias, because SQLAlchemy takes the columns of the inner query for those of the outer one.
        inner = LISTED_DOCUMENT.alias()
        own = select(inner.c.cursor).where(
            inner.c.account_id == account, *_bounds(inner.c.units, filters, inner.c.millionths)
        )
        return [Branch(L.cursor.in_(own), is_few=True)]
    # SQLite would read the index of amounts and sort what it finds.
    units = L.units + 0 if connection.dialect.name == "sqlite" else L.units
    return [Branch(and_(*_bounds(units, filters, L.millionths)))]


def _bounds(
    units: ColumnElement[int], filters: StampFilter, millionths: ColumnElement[int] | None = None
) -> list[ColumnElement[bool]]:
    """Return the conditions of a range of amounts; without `millionths` of their units alone."""
    conditions = [] if filters.least is not None else [units >= 0]
    for bound, is_least in ((filters.least, True), (filters.most, False)):
        if bound is None:
            continue
        whole, part = divmod(int(bound.scaleb(6).to_integral_value()), MILLION)
        whole, part = (max(whole, 0), part if whole >= 0 else 0) if is_least else (whole, part)
        conditions.append(units >= whole if is_least else units <= whole)
        if millionths is not None:
            inside = millionths >= part if is_least else millionths <= part
            conditions.append(or_(units != whole, inside))
    return conditions


def _are_few(connection: Connection, query: Select[Any], few: int) -> bool:
    found = query.limit(few + 1).subquery()
    number: int = connection.execute(select(func.count()).select_from(found)).scalar_one()
    return number <= few
