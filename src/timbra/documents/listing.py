"""Lists of stamped documents with what only the documents have: names, currency and complements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Protocol

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.header_reader import read_header
from timbra.core.errors import ServiceError
from timbra.database.pagination import MAX_PAGE_SIZE
from timbra.documents.header_columns import header_columns
from timbra.documents.words import ISSUERS, MXN, RECEIVERS, names_at, paid_amount
from timbra.events.cancellation_states import NO_CANCELLATION, DocumentState, KnownCancellation
from timbra.stamps.port import DamagedStamp, StampRecord
from timbra.stamps.row_mapping import has_damaged_columns
from timbra.stamps.search import Found, Order, StampFilter, StampSearch, StampSummary
from timbra.stamps.search_sums import AmountSum, SumPlace, add_sums

if TYPE_CHECKING:
    from lxml import etree

MAX_PARSED_BYTES = 512 * 1024
"""Larger documents are listed without their complements."""
SEARCH_SECONDS = 1.0
"""For how long a search writes missing words before it reads them."""
EXPORT_SECONDS = 20.0
"""The same for a selection that must be complete."""
INCOMPLETE = "La lista todavía no incluye los documentos más recientes; inténtelo de nuevo en un momento."
MOST_COUNTED = 100_000
"""Documents of a selection that are counted one by one."""
DAMAGED_DOCUMENT = "El documento guardado está dañado."
UNREACHABLE_DOCUMENT = "El documento está en el archivo histórico, que no se puede leer ahora."
DAMAGED_COLUMNS = "Los datos guardados del timbre están dañados."


class BatchStampReader(Protocol):
    """Reads stamps by their folios."""

    def by_uuids(self, uuids: Sequence[str]) -> list[StampRecord | DamagedStamp]:
        """Return the stamps of these folios, in no order."""
        ...


class WordIndex(Protocol):
    """Writes the rows and words of stamps, after they were stored."""

    def catch_up(self, seconds: float) -> bool:
        """Write missing rows for at most so many seconds; return whether none are missing."""
        ...


@dataclass(frozen=True, slots=True)
class DocumentExtract:
    """Values of a document that the database does not have as columns.

    Attributes:
        issuer_name, receiver_name: empty when absent.
        currency: Moneda; MXN for retenciones.
        complements: Local names of the complements, each once, without the stamp.
        paid: What a payment paid, in MXN; None for another document.
    """

    issuer_name: str = ""
    receiver_name: str = ""
    currency: str = ""
    complements: tuple[str, ...] = ()
    paid: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """One row of a list.

    Attributes:
        stamp: The attributes of the stamp.
        cancellation: The state of its cancellation, as far as this server knows it.
        cfdi: The stamped XML; empty unless it was asked for.
        damage: What of the stored row is damaged, in Spanish; empty for a sound one.
    """

    stamp: StampSummary
    extract: DocumentExtract
    cancellation: KnownCancellation
    cfdi: bytes = b""
    damage: str = ""

    @property
    def total(self) -> Decimal | None:
        """The total; None when it is damaged."""
        try:
            total = Decimal(self.stamp.total)
        except InvalidOperation:
            return None
        return total if total.is_finite() else None

    @property
    def amount(self) -> Decimal | None:
        """The total; of a payment what was paid, in MXN."""
        return self.total if self.extract.paid is None else self.extract.paid

    @property
    def currency(self) -> str:
        """The currency of `amount`."""
        return self.extract.currency if self.extract.paid is None else MXN


@dataclass(frozen=True, slots=True)
class CurrencyTotal:
    """Sum of the documents of one kind and currency.

    Attributes:
        documents: Number of documents that are not cancelled.
        total: Sum of their totals; of payments, of what was paid.
        cancelled: Number of cancelled documents, which the sum leaves out.
    """

    documents: int = 0
    total: Decimal = Decimal(0)
    cancelled: int = 0


@dataclass(frozen=True, slots=True)
class SelectionTotals:
    """Sums of a selection.

    Attributes:
        by_kind: Sum by kind and currency.
        is_complete: False while the amounts of some documents are not indexed yet.
        damaged: Number of documents that are left out because their stored data are damaged.
    """

    by_kind: Mapping[tuple[str, str], CurrencyTotal] = field(default_factory=dict)
    is_complete: bool = True
    damaged: int = 0


@dataclass(frozen=True, slots=True)
class PartialTotals:
    """Sums of the part of a selection that has been added so far.

    Attributes:
        sums: By kind, currency and state.
        following: Where the next part begins; None when all has been added.
        is_complete: As of `SelectionTotals`.
        done: Number of documents that have been looked at, about.
        number: Number of documents that are looked at.
    """

    sums: Sequence[AmountSum] = ()
    following: SumPlace | None = None
    is_complete: bool = True
    done: int = 0
    number: int = 0

    @property
    def totals(self) -> SelectionTotals:
        """What the sums say about the selection."""
        return _totals(self.sums, is_complete=self.is_complete)


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One page of a list.

    Attributes:
        cursor: The cursor of the next page; None at the end.
        before: The cursor of the page before; None at the beginning.
        is_complete: False when the search does not yet find every document.
    """

    rows: Sequence[ListedDocument]
    cursor: str | None = None
    before: str | None = None
    is_complete: bool = True


class DocumentListing:
    """Lists of stamped documents. Its methods read the database.

    Args:
        search: Finds stamps.
        stamps: Reads their documents.
        parser: Parses the documents.
        states: Returns the states of documents that have events of cancellation, by folio.
        words: Brought up to date before a search by words.
    """

    def __init__(
        self,
        search: StampSearch,
        stamps: BatchStampReader,
        parser: DocumentParser,
        states: Callable[[Collection[str]], Mapping[str, KnownCancellation]],
        words: WordIndex,
    ) -> None:
        self._search = search
        self._stamps = stamps
        self._parser = parser
        self._states = states
        self._words = words

    def page(
        self,
        filters: StampFilter,
        cursor: str | None = None,
        limit: int = 25,
        order: Order = Order.STAMPED,
        *,
        ascending: bool = False,
    ) -> ListedPage:
        """Return one page, by default the newest first. ServiceError as `StampSearch.page`."""
        needs_rows = order is Order.TOTAL or _needs_rows(filters)
        is_complete = not needs_rows or self._words.catch_up(SEARCH_SECONDS)
        page = self._search.page(filters, cursor, limit, order, ascending=ascending)
        return ListedPage(self.rows(page.stamps), page.cursor, page.before, is_complete)

    def of(self, uuids: Sequence[str]) -> list[ListedDocument]:
        """Return the documents of these folios in their order; unknown folios are left out."""
        found = [one.record if isinstance(one, DamagedStamp) else one for one in self._stamps.by_uuids(uuids)]
        records = {record.uuid: record for record in found}
        return self.rows([_summary(records[uuid]) for uuid in dict.fromkeys(uuids) if uuid in records])

    def pages(
        self, filters: StampFilter, most: int | None = None, *, with_documents: bool = False
    ) -> Iterator[list[ListedDocument]]:
        """Yield the pages of a selection, newest first.

        Args:
            most: Maximum number of documents; None for all.
            with_documents: Whether the rows have the XML.
        """
        cursor, remaining = None, most
        while remaining is None or remaining > 0:
            page = self._search.page(filters, cursor, min(remaining or MAX_PAGE_SIZE, MAX_PAGE_SIZE))
            rows = self.rows(page.stamps, with_documents=with_documents)
            if rows:
                yield rows
            cursor, remaining = page.cursor, None if remaining is None else remaining - len(rows)
            if cursor is None:
                return

    def totals(self, filters: StampFilter) -> SelectionTotals:
        """Add the amounts of a selection by kind and currency."""
        is_complete = self._words.catch_up(SEARCH_SECONDS)
        return _totals(self._search.sums(filters), is_complete=is_complete)

    def add_part(self, filters: StampFilter, before: PartialTotals | None = None) -> PartialTotals:
        """Add a part of a selection, which takes a moment, to what has been added before."""
        if before is None:
            before = PartialTotals(is_complete=self._words.catch_up(SEARCH_SECONDS))
        part = self._search.sums_from(filters, before.following)
        return PartialTotals(
            add_sums([*before.sums, *part.sums]), part.following, before.is_complete, part.done, part.number
        )

    def found(self, filters: StampFilter) -> Found:
        """Return the number of documents of a selection, exactly up to `MOST_COUNTED` at least."""
        return self._search.found(filters, MOST_COUNTED)

    def count(self, filters: StampFilter, limit: int) -> int:
        """Return the number of documents of a selection; at most `limit`. ServiceError as `check_complete`."""
        self.check_complete(filters)
        return self._search.count(filters, limit)

    def check_complete(self, filters: StampFilter) -> None:
        """Write the missing rows that a search needs.

        Raises:
            ServiceError: "TB4005" when the search does not yet find every document.
        """
        if _needs_rows(filters) and not self._words.catch_up(EXPORT_SECONDS):
            raise ServiceError("TB4005", INCOMPLETE)

    def rows(self, stamps: Sequence[StampSummary], *, with_documents: bool = False) -> list[ListedDocument]:
        """Return rows for stamps: their documents are read and parsed. A damaged one is a row with its damage.

        So is one in an archive that cannot be read now; ServiceError "archive-storage" for it `with_documents`.
        """
        uuids = [stamp.uuid for stamp in stamps]
        read = self._stamps.by_uuids(uuids) if uuids else []
        damaged = {one.record.uuid: one.error for one in read if isinstance(one, DamagedStamp)}
        documents = dict.fromkeys(damaged, b"") | {one.uuid: one.cfdi for one in read if isinstance(one, StampRecord)}
        unreachable = {uuid: error for uuid, error in damaged.items() if error.retry_after is not None}
        if with_documents and unreachable:
            raise next(iter(unreachable.values()))
        states = self._states(uuids)
        # A reset may have removed a stamp that was found just before; it is left out.
        return [
            replace(row, damage=UNREACHABLE_DOCUMENT) if stamp.uuid in unreachable else row
            for stamp in stamps
            if stamp.uuid in documents
            for row in (self._row(stamp, documents[stamp.uuid], states, with_documents=with_documents),)
        ]

    def _row(
        self, stamp: StampSummary, cfdi: bytes, states: Mapping[str, KnownCancellation], *, with_documents: bool
    ) -> ListedDocument:
        extract, columns = self._extract(cfdi)
        row = ListedDocument(
            stamp,
            extract or DocumentExtract(),
            states.get(stamp.uuid, NO_CANCELLATION),
            cfdi if with_documents else b"",
        )
        if extract is None:
            return replace(row, damage=DAMAGED_DOCUMENT)
        if has_damaged_columns(stamp) or any(getattr(stamp, name) != value for name, value in columns.items()):
            return replace(row, damage=DAMAGED_COLUMNS)
        return row

    def _extract(self, cfdi: bytes) -> tuple[DocumentExtract | None, Mapping[str, str]]:
        """Return the values of a document, None when it is damaged, and those that columns repeat."""
        if len(cfdi) > MAX_PARSED_BYTES:
            header = read_header(cfdi)
            return DocumentExtract(header.issuer_name, header.receiver_name, header.currency or MXN), {}
        try:
            document = self._parser.parse(cfdi)
        except ServiceError:
            return None, {}
        root = document.root
        issuer, receiver = (next(names_at(root, places), "") for places in (ISSUERS, RECEIVERS))
        extract = DocumentExtract(issuer, receiver, root.get("Moneda") or MXN, _complements(root), paid_amount(root))
        return extract, header_columns(document)


def _needs_rows(filters: StampFilter) -> bool:
    """Whether a search finds by its words or its amount what is not known of a stamp without a row."""
    return bool(filters.words) or filters.least is not None or filters.most is not None


def _complements(root: etree._Element) -> tuple[str, ...]:
    names = (_local_name(child) for holder in root.iterchildren("{*}Complemento") for child in holder)
    concepts = root.iterfind("{*}Conceptos/{*}Concepto/{*}ComplementoConcepto/*")
    found = dict.fromkeys([*names, *map(_local_name, concepts)])
    return tuple(name for name in found if name not in ("", "TimbreFiscalDigital"))


def _totals(sums: Sequence[AmountSum], *, is_complete: bool) -> SelectionTotals:
    by_kind: dict[tuple[str, str], CurrencyTotal] = {}
    for each in sorted(sums, key=lambda each: (each.kind, each.currency)):
        sound = each.documents - each.damaged
        if not sound:
            continue
        total = by_kind.get((each.kind, each.currency), CurrencyTotal())
        if each.state is DocumentState.CANCELLED:
            total = replace(total, cancelled=total.cancelled + sound)
        else:
            total = replace(total, documents=total.documents + sound, total=total.total + each.total)
        by_kind[each.kind, each.currency] = total
    return SelectionTotals(by_kind, is_complete, sum(each.damaged for each in sums))


def _local_name(element: etree._Element) -> str:
    name: object = element.tag  # a comment or an instruction has a function
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _summary(record: StampRecord) -> StampSummary:
    return StampSummary(
        record.account_id,
        record.uuid,
        record.stamped_at,
        record.kind,
        record.serie,
        record.folio,
        record.issuer_rfc,
        record.receiver_rfc,
        record.total,
        record.fecha,
    )
