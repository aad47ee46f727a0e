"""Lists of stored documents: pages, numbers and sums of a selection, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from sqlalchemy import BigInteger, ColumnElement, and_, case, cast, func, or_, select

from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.database.database import Database
from timbra.database.pagination import MAX_PAGE_SIZE, KeysetPage
from timbra.database.tables.stamps import EVENT, IS_RECEIVED
from timbra.documents.listing import CurrencyTotal, SelectionTotals
from timbra.received.documents.models import (
    CANCELLED,
    PENDING,
    DocumentChange,
    DocumentFilter,
    DocumentPage,
    ReceivedDocument,
)
from timbra.received.documents.tables import RECEIVED_DOCUMENT
from timbra.stamps.port import RETENCION
from timbra.stamps.search import Found

DOCUMENT: Final = RECEIVED_DOCUMENT.c
COLUMNS: Final = tuple(DOCUMENT[field.name] for field in fields(ReceivedDocument))
MOST_COUNTED: Final = 100_000
"""Documents of a selection that are counted one by one."""
LONGEST_TOTAL: Final = 18
"""Characters of a total that is added, so that no sum of integers is too large for the database."""
BILLION: Final = 10**9
_ASCII_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)
_PAGE = KeysetPage(COLUMNS, (DOCUMENT.fecha, DOCUMENT.id))
_CHANGES = KeysetPage(tuple(EVENT.c[name] for name in ("id", "at", "kind", "subject", "body")), (EVENT.c.id,))
_OF_FLAGS: Mapping[str, ColumnElement[bool]] = {
    "is_pending": and_(DOCUMENT.cancellation == PENDING, or_(DOCUMENT.status.is_(None), DOCUMENT.status != CANCELLED)),
    "is_listed": DOCUMENT.article_69b.is_not(None),
    "is_different": DOCUMENT.other_sha256.is_not(None),
}
_SIDES = {
    True: (DOCUMENT.issuer_rfc,),
    False: (DOCUMENT.receiver_rfc,),
    None: (DOCUMENT.issuer_rfc, DOCUMENT.receiver_rfc),
}


class DocumentLists:
    """Reads rows of `received_document`, and the events of their changes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self, account_id: int, filters: DocumentFilter, cursor: str | None = None, limit: int = 50
    ) -> DocumentPage:
        """Return documents, newest issue first. ServiceError: "TB4005" for a cursor of something else."""
        with self._database.read() as connection:
            page = _PAGE.page(connection, _branches(account_id, filters), cursor, limit)
        return DocumentPage([ReceivedDocument(**row._mapping) for row in page.rows], page.before, page.after)

    def pages(self, account_id: int, filters: DocumentFilter) -> Iterator[Sequence[ReceivedDocument]]:
        """Yield the pages of a selection, newest issue first, each of a transaction of its own."""
        page = self.page(account_id, filters, limit=MAX_PAGE_SIZE)
        while page.documents:
            yield page.documents
            if page.after is None:
                return
            page = self.page(account_id, filters, page.after, MAX_PAGE_SIZE)

    def found(self, account_id: int, filters: DocumentFilter, limit: int = MOST_COUNTED) -> Found:
        """Return the number of documents, exactly up to a limit."""
        query = select(DOCUMENT.id).where(or_(*_branches(account_id, filters))).limit(limit + 1)
        with self._database.read() as connection:
            number: int = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
        return Found(min(number, limit), number <= limit)

    def totals(self, account_id: int, filters: DocumentFilter) -> SelectionTotals:
        """Add the totals by kind and currency; a document without XML has no currency."""
        units, millionths = self._parts_of_total()
        kind = case((DOCUMENT.kind == "retenciones", RETENCION), else_=func.coalesce(DOCUMENT.tipo_de_comprobante, ""))
        keys = kind.label("letter"), func.coalesce(DOCUMENT.moneda, "").label("currency")
        is_cancelled = func.coalesce(DOCUMENT.status == CANCELLED, DOCUMENT.id < 0)
        text = func.coalesce(DOCUMENT.total, "-")
        is_sound = and_(func.length(text) <= LONGEST_TOTAL, text.not_like("-%"))
        is_added = and_(is_sound, ~is_cancelled)
        sums = (func.sum(part).filter(is_added) for part in (units // BILLION, units % BILLION, millionths))
        query = select(
            *keys,
            func.count().filter(is_added),
            func.count().filter(is_cancelled),
            func.count().filter(and_(~is_sound, ~is_cancelled)),
            *sums,
        ).where(or_(*_branches(account_id, filters)))
        by_kind: dict[tuple[str, str], CurrencyTotal] = {}
        damaged = 0
        with self._database.read() as connection:
            rows = connection.execute(query.group_by("letter", "currency").order_by("letter", "currency"))
            for letter, currency, number, cancelled, unsound, billions, rest, fraction in rows:
                total = Decimal(int(billions or 0) * BILLION + int(rest or 0)) + Decimal(int(fraction or 0)).scaleb(-6)
                by_kind[letter, currency] = CurrencyTotal(number, total, cancelled)
                damaged += unsound
        return SelectionTotals(by_kind, damaged=damaged)

    def changes(
        self, account_id: int, kind: str = "", cursor: str | None = None, limit: int = 50
    ) -> tuple[Sequence[DocumentChange], str | None]:
        """Return cancellations and other changes, newest first, and the cursor of the next page.

        Args:
            kind: A kind of events; empty for all.
        """
        own = [EVENT.c.account_id == account_id, IS_RECEIVED, *([EVENT.c.kind == kind] if kind else ())]
        with self._database.read() as connection:
            page = _CHANGES.page(connection, [and_(*own)], cursor, limit)
        return [DocumentChange(**row._mapping) for row in page.rows], page.after

    def change_pages(self, account_id: int, kind: str) -> Iterator[Sequence[DocumentChange]]:
        """Yield the pages of changes, newest first."""
        page, cursor = self.changes(account_id, kind, limit=MAX_PAGE_SIZE)
        while page:
            yield page
            if cursor is None:
                return
            page, cursor = self.changes(account_id, kind, cursor, MAX_PAGE_SIZE)

    def _parts_of_total(self) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Return units and millionths of a total, which is a decimal number without an exponent."""
        total = DOCUMENT.total
        if self._database.dialect == "sqlite":
            fraction = func.substr(total, func.instr(total + ".", ".") + 1)
            return cast(total, BigInteger), cast(func.substr(fraction + "000000", 1, 6), BigInteger)
        whole, fraction = (func.split_part(total, ".", place) for place in (1, 2))
        return cast(whole, BigInteger), cast(func.rpad(fraction, 6, "0"), BigInteger)


def _branches(account_id: int, filters: DocumentFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of a selection, one for each index that a page is read from."""
    own = and_(*_conditions(account_id, filters))
    searched = filters.text.upper() if is_rfc(filters.text.upper()) else ""
    parties = [[column == filters.rfc for column in _SIDES[filters.is_issued]]] if filters.rfc else []
    parties += [[column == searched for column in _SIDES[None]]] if searched else []
    if not parties:
        return [own]
    first, *others = parties
    own = and_(own, *(or_(*each) for each in others))
    # The few documents with a mark have an index of their own.
    is_marked = any(getattr(filters, name) for name in _OF_FLAGS)
    return [and_(own, or_(*first))] if is_marked else [and_(party, own) for party in first]


def _conditions(account_id: int, filters: DocumentFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [DOCUMENT.account_id == account_id]
    if filters.since:
        conditions.append(DOCUMENT.fecha >= filters.since)
    if filters.until:
        conditions.append(DOCUMENT.fecha < filters.until)
    if filters.has_xml is not None:
        conditions.append(DOCUMENT.has_xml.is_(filters.has_xml))
    if filters.text and not is_rfc(filters.text.upper()):
        conditions.append(_matches(filters.text))
    wanted = {DOCUMENT[name]: getattr(filters, name) for name in ("kind", "tipo_de_comprobante", "status", "result")}
    conditions += [column == value for column, value in wanted.items() if value]
    return [*conditions, *(condition for name, condition in _OF_FLAGS.items() if getattr(filters, name))]


def _matches(text: str) -> ColumnElement[bool]:
    if (uuid := canonical_uuid(text)) is not None:
        return DOCUMENT.uuid == uuid
    number = func.coalesce(DOCUMENT.serie, "") + " " + func.coalesce(DOCUMENT.folio, "")
    searched = (DOCUMENT.issuer_name, DOCUMENT.receiver_name, number)
    # SQLite changes the case of ASCII letters only.
    written = {text.upper(), text.translate(_ASCII_UPPER)}
    return or_(*(func.upper(column).contains(each, autoescape=True) for column in searched for each in written))
