"""A reconciliation that an account orders: its options, its files, its state and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from timbra.received.reconciliation.column_map import ColumnMap
from timbra.received.reconciliation.kinds import DifferenceKind
from timbra.received.reconciliation.options import ReconciliationOptions

PART_ROWS: Final = 500
"""Differences of a part, which are a page of the portal and of the API."""


class RunState(StrEnum):
    """State of an ordered reconciliation."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class FileRole(StrEnum):
    """What an uploaded file is."""

    SAT = "sat"
    ERP = "erp"
    PAYMENTS = "payments"


@dataclass(frozen=True, slots=True)
class RunFile:
    """An uploaded file."""

    role: FileRole
    name: str


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What an ordered reconciliation compares.

    Attributes:
        comparison: Taxpayer, side, period and tolerance.
        with_stored: Whether the stored documents of the account are a source of what the SAT has.
        with_ledger: Whether the CFDI that the account stamped are compared.
        files: The uploaded files.
        erp_columns, payments_columns: Maps of their columns.
    """

    comparison: ReconciliationOptions
    with_stored: bool = False
    with_ledger: bool = False
    files: tuple[RunFile, ...] = ()
    erp_columns: ColumnMap = field(default_factory=ColumnMap)
    payments_columns: ColumnMap = field(default_factory=ColumnMap)


@dataclass(slots=True)
class SourceCount:
    """What was read of a source.

    Attributes:
        kind: `metadata`, `xml`, `dataset`, `stored`, `erp`, `payments` or `ledger`.
        rows: Rows or documents that were read.
        repaired: Lines of metadata that were repaired.
        unreadable: Rows or documents that could not be read.
    """

    name: str
    kind: str
    rows: int = 0
    repaired: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class FoundDifference:
    """A difference.

    Attributes:
        books: `erp` or `ledger`; None for one that no books have.
        uuid: The document.
        other_uuid: The substitute, the complement, or the folio in the books.
        row: Row of the books, of the list of payments or of the unreadable file.
        sat_amount: What the SAT has.
        books_amount: What the books have, or what was paid.
        detail: Spanish explanation; None without one.
    """

    kind: DifferenceKind
    books: str | None
    uuid: str | None
    other_uuid: str | None
    row: int | None
    issuer_rfc: str | None
    receiver_rfc: str | None
    serie: str | None
    folio: str | None
    fecha: datetime | None
    tipo: str | None
    moneda: str | None
    sat_amount: Decimal | None
    books_amount: Decimal | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class KindCount:
    """Number and sums of the differences of a kind."""

    kind: DifferenceKind
    count: int
    sat_amount: Decimal
    books_amount: Decimal


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """The documents of the SAT of one type and currency in the period; a currency that metadata do not say is empty."""

    tipo: str
    moneda: str
    in_force: int
    total: Decimal
    cancelled: int


@dataclass(frozen=True, slots=True)
class BooksCount:
    """The rows of the books in the period.

    Attributes:
        by_uuid, by_content: Rows that were matched by UUID, and by RFC, total and day; of any period.
    """

    books: str
    in_force: int
    total: Decimal
    cancelled: int
    by_uuid: int
    by_content: int


@dataclass(frozen=True, slots=True)
class ReconciliationSummary:
    """The numbers of a reconciliation.

    Attributes:
        kinds: The kinds that have differences, in the order of `KINDS`.
    """

    options: ReconciliationOptions
    sources: tuple[SourceCount, ...]
    documents: tuple[DocumentCount, ...]
    books: tuple[BooksCount, ...]
    kinds: tuple[KindCount, ...]

    @property
    def differences(self) -> int:
        """Number of all differences."""
        return sum(kind.count for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class ReconciliationResult:
    """The result of a reconciliation.

    Attributes:
        differences: Yields the differences, by kind, date and UUID; with a number, at most so many of each kind.
    """

    summary: ReconciliationSummary
    differences: Callable[[int | None], Iterator[FoundDifference]]


@dataclass(frozen=True, slots=True)
class StoredReconciliation:
    """An ordered reconciliation.

    Attributes:
        created_at, finished_at: Wall instants.
        summary: Its numbers; None before it is done.
        failure: Why it failed, in Spanish; empty otherwise.
        attempts: How often a process began it.
    """

    id: int
    account_id: int
    created_at: datetime
    finished_at: datetime | None
    state: RunState
    options: RunOptions
    summary: ReconciliationSummary | None
    failure: str
    attempts: int
