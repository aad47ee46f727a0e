"""Search of stamps by their attributes, from indexes, without reading documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Numeric, Text, and_, cast, false, func, literal_column, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from timbra.database.database import Database
from timbra.database.pagination import KeysetPage, between
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.search import DOCUMENT_AMOUNT
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION, STAMP
from timbra.events.cancellation_states import DocumentState, has_event, has_state, kinds_of
from timbra.stamps.document_index import has_words
from timbra.stamps.port import RETENCION

S, A = STAMP.c, DOCUMENT_AMOUNT.c
BILLION = 1_000_000_000
FEW = 10_000
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
    fecha: str


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
        least: The smallest total; None for no bound.
        most: The largest total; None for no bound.
        words: Words of the general search: the document has, for each, one that begins with it.
        number: Serie and folio, as an alternative to `words`; the serie may be empty.
        uuids: Folios, in lower case; empty for no condition.
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


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """One page, newest first by fiscal time.

    Attributes:
        cursor: The cursor of the next page; None at the end.
    """

    stamps: Sequence[StampSummary]
    cursor: str | None


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
LISTING = KeysetPage(
    [*(S[field.name] for field in fields(StampSummary)), S.cursor],
    S.stamped_at,
    S.cursor,
)


class Order(StrEnum):
    """What `StampSearch.sorted_page` sorts by; `page` has the newest stamps first."""

    STAMPED = "timbrado"
    TOTAL = "total"
    FECHA = "fecha"
    FOLIO = "folio"
    KIND = "tipo"
    ISSUER = "emisor"
    RECEIVER = "receptor"


_ORDERS: Mapping[Order, Sequence[ColumnElement[Any]]] = {
    Order.STAMPED: (S.stamped_at,),
    Order.TOTAL: (A.units, A.millionths),
    Order.FECHA: (S.fecha,),
    Order.FOLIO: (S.serie, S.folio),
    Order.KIND: (S.kind,),
    Order.ISSUER: (S.issuer_rfc,),
    Order.RECEIVER: (S.receiver_rfc,),
}


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


class StampSearch:
    """Search of the stamps of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, filters: StampFilter, cursor: str | None = None, limit: int = 25) -> SummaryPage:
        """Return the stamps that match. Raises ServiceError: "TB4005" for a cursor that this method did not return."""
        with self._database.read() as connection:
            branches = _branches(connection, filters)
            rows, following = LISTING.page(connection, branches, cursor, limit)
        return SummaryPage([StampSummary(*tuple(row)[:-1]) for row in rows], following)

    def sorted_page(
        self, filters: StampFilter, order: Order, *, ascending: bool, offset: int, limit: int
    ) -> Sequence[StampSummary]:
        """Return one page of the stamps that match, sorted; reads every stamp that matches."""
        with self._database.read() as connection:
            condition = or_(false(), *_branches(connection, filters))
            query = select(*LISTING.columns).where(condition)
            if order is Order.TOTAL:
                query = query.outerjoin_from(STAMP, DOCUMENT_AMOUNT, A.cursor == S.cursor)
            columns = (*_ORDERS[order], S.cursor)
            keys = [(each.asc() if ascending else each.desc()).nulls_last() for each in columns]
            rows = connection.execute(query.order_by(*keys).offset(offset).limit(limit)).all()
        return [StampSummary(*tuple(row)[:-1]) for row in rows]

    def sums(self, filters: StampFilter) -> list[AmountSum]:
        """Return the sums of the stamps that match and are indexed, by kind and currency."""
        with self._database.read() as connection:
            condition = or_(false(), *_branches(connection, filters))
            # In three parts, so that no sum of integers is too large for the database.
            parts = (A.units // BILLION, A.units % BILLION, A.millionths)
            columns = (func.count(), func.count(A.units), *(func.coalesce(func.sum(part), 0) for part in parts))
            query = select(S.kind, A.currency, *columns).join_from(STAMP, DOCUMENT_AMOUNT, A.cursor == S.cursor)
            rows = connection.execute(query.where(condition).group_by(S.kind, A.currency)).all()
        return [
            AmountSum(kind, currency, documents, documents - read, _whole(billions, units, millionths))
            for kind, currency, documents, read, billions, units, millionths in rows
        ]

    def count(self, filters: StampFilter, limit: int) -> int:
        """Return the number of stamps that match; at most `limit`."""
        with self._database.read() as connection:
            condition = or_(false(), *_branches(connection, filters))
            found = select(S.cursor).where(condition).limit(limit).subquery()
            number: int = connection.execute(select(func.count()).select_from(found)).scalar_one()
        return number


def _whole(billions: int, units: int, millionths: int) -> Decimal:
    return Decimal(int(billions) * BILLION + int(units)) + Decimal(int(millionths)).scaleb(-6)


def _accounts(connection: Connection, filters: StampFilter) -> Sequence[int | None]:
    """Return the accounts of a search: each is a range of the indexes."""
    if filters.account_id is None and not filters.uuid:
        return list(connection.execute(select(ACCOUNT.c.id)).scalars())
    return [filters.account_id]


def _branches(connection: Connection, filters: StampFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of a search; the stamps that match one of them are found."""
    accounts, state = _accounts(connection, filters), filters.state
    few = [] if state is None or not _are_few(connection, state) else [has_event(S.uuid, state)]
    # SQLite reads no index of the account for an expression with its number: the folios are fewer.
    of_account = S.account_id + 0 if few else S.account_id
    parties = (S.issuer_rfc == filters.rfc, S.receiver_rfc == filters.rfc)
    conditions = [*between(S.stamped_at, filters.since, filters.until), *few]
    conditions += [column == text for column, text in ((S.serie, filters.serie), (S.folio, filters.folio)) if text]
    if filters.retenciones is not None:
        # A literal, not a parameter: SQLite reads the index of retenciones only for a condition that it can compare.
        conditions.append((S.kind == RETENCION_LITERAL) if filters.retenciones else (S.kind != RETENCION_LITERAL))
    conditions += [] if not filters.kind else [S.kind == filters.kind]
    conditions += [] if filters.least is None else [filters.least <= TOTAL]
    conditions += [] if filters.most is None else [filters.most >= TOTAL]
    conditions += [S.uuid.in_(filters.uuids)] if filters.uuids else []
    conditions += [] if filters.state is None else [has_state(S.uuid, filters.state)]
    if filters.uuid:
        own = [] if filters.account_id is None else [S.account_id == filters.account_id]
        either = [or_(*parties)] if filters.rfc else []
        yield and_(S.uuid == filters.uuid, *own, *either, *conditions)
        return
    for account in accounts:
        for party in parties if filters.rfc else (None,):
            for text in _text_branches(filters, account):
                yield and_(of_account == account, *([] if party is None else [party]), *text, *conditions)


def _are_few(connection: Connection, state: DocumentState) -> bool:
    """Whether so few documents ever had a state of a cancellation that they are looked up by their folios."""
    if state is DocumentState.VALID:
        return False
    found = select(EVENT.c.id).where(IS_CANCELLATION, EVENT.c.kind.in_(kinds_of(state))).limit(FEW + 1).subquery()
    number: int = connection.execute(select(func.count()).select_from(found)).scalar_one()
    return number <= FEW


def _text_branches(filters: StampFilter, account_id: int | None) -> Iterator[list[ColumnElement[bool]]]:
    """Yield the conditions of the general search: the words, and the number."""
    if filters.words:
        yield has_words(account_id, filters.words)
    if filters.number is not None:
        serie, folio = filters.number
        yield [S.folio == folio, *([S.serie == serie] if serie else [])]
    if not filters.words and filters.number is None:
        yield []
