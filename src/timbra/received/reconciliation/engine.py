"""A reconciliation: it reads the sources, matches them, and has the differences and their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from timbra.core.errors import ServiceError
from timbra.received.reconciliation.comparison import compare, prepare
from timbra.received.reconciliation.kinds import KINDS
from timbra.received.reconciliation.matching import match
from timbra.received.reconciliation.options import ReconciliationOptions
from timbra.received.reconciliation.payments import compare_payments, settle
from timbra.received.reconciliation.run_models import (
    BooksCount,
    DocumentCount,
    FoundDifference,
    KindCount,
    ReconciliationResult,
    ReconciliationSummary,
)
from timbra.received.reconciliation.workspace import Workspace, open_workspace

FETCHED_ROWS = 5_000
_KIND_COUNTS = """
SELECT position, count(*), coalesce(sum(sat_amount), 0), coalesce(sum(books_amount), 0)
FROM differences GROUP BY position
"""
_DOCUMENTS = """
SELECT tipo, coalesce(moneda, ''), count(*) FILTER (NOT is_cancelled),
       coalesce(sum(total) FILTER (NOT is_cancelled), 0), count(*) FILTER (is_cancelled)
FROM sat WHERE in_period GROUP BY ALL ORDER BY ALL
"""
_BOOKS = """
SELECT books, count(*) FILTER (NOT is_cancelled),
       coalesce(sum(coalesce(total, total_mxn)) FILTER (NOT is_cancelled), 0), count(*) FILTER (is_cancelled)
FROM books WHERE fecha IS NULL OR CAST(fecha AS DATE) BETWEEN getvariable('since') AND getvariable('until')
GROUP BY books ORDER BY books
"""
_PAIRS = """
SELECT books, count(*) FILTER (matched_by = 'uuid'), count(*) FILTER (matched_by = 'content') FROM pairs GROUP BY ALL
"""
_PLACE = "fecha NULLS LAST, serie, folio, uuid, row, books, detail"
_DIFFERENCES = f"""
SELECT position, books, CAST(uuid AS VARCHAR), CAST(other_uuid AS VARCHAR), row, issuer_rfc, receiver_rfc, serie, folio,
       fecha, tipo, moneda, sat_amount, books_amount, detail
FROM differences ORDER BY position, {_PLACE}
"""


@dataclass(slots=True)
class Reconciliation:
    """An open reconciliation, whose sources are read into its workspace before `run`."""

    workspace: Workspace
    summary: ReconciliationSummary = field(init=False)

    def run(self) -> None:
        """Find the differences.

        Raises:
            ServiceError: "reconciliation-sources" without something to compare.
        """
        workspace = self.workspace
        if not (workspace.has_sat or workspace.has_ledger):
            raise ServiceError("reconciliation-sources", "Faltan los CFDI del SAT, o el libro de emitidos.")
        match(workspace)
        prepare(workspace)
        settle(workspace)
        compare(workspace)
        compare_payments(workspace)
        self.summary = self._summary()

    def differences(self, limit: int | None = None) -> Iterator[FoundDifference]:
        """Yield the differences, by kind, date, serie and folio. `limit`: Most of each kind."""
        sql = _DIFFERENCES
        if limit is not None:
            order = f"PARTITION BY position ORDER BY {_PLACE}"
            sql = _DIFFERENCES.replace("ORDER BY", f"QUALIFY row_number() OVER ({order}) <= {limit} ORDER BY", 1)
        with self.workspace.connection.cursor() as cursor:
            cursor.execute(sql)
            while rows := cursor.fetchmany(FETCHED_ROWS):
                for position, *values in rows:
                    yield FoundDifference(KINDS[position], *values)

    @property
    def result(self) -> ReconciliationResult:
        """The result, while the reconciliation is open."""
        return ReconciliationResult(self.summary, self.differences)

    def _summary(self) -> ReconciliationSummary:
        run = self.workspace.run
        pairs = {books: tuple(counts) for books, *counts in run(_PAIRS).fetchall()}
        books = [BooksCount(*row, *pairs.get(row[0], (0, 0))) for row in run(_BOOKS).fetchall()]
        kinds = sorted(run(_KIND_COUNTS).fetchall())
        return ReconciliationSummary(
            self.workspace.options,
            tuple(self.workspace.sources),
            tuple(DocumentCount(*row) for row in run(_DOCUMENTS).fetchall()),
            tuple(books),
            tuple(KindCount(KINDS[position], *values) for position, *values in kinds),
        )


@contextmanager
def open_reconciliation(options: ReconciliationOptions) -> Iterator[Reconciliation]:
    """Open a reconciliation without sources; its temporary files are removed at the end."""
    with open_workspace(options) as workspace:
        yield Reconciliation(workspace)
