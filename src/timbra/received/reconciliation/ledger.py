"""The ledger of issued CFDI as books: the stored stamps, with what the events say of their cancellation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.database import Database
from timbra.database.pagination import MAX_PAGE_SIZE
from timbra.events.cancellation_states import NO_CANCELLATION, DocumentState, cancellation_states
from timbra.received.reconciliation.options import Side
from timbra.received.reconciliation.run_models import SourceCount
from timbra.received.reconciliation.workspace import Workspace
from timbra.stamps.search import StampFilter, StampSearch, StampSummary

MARGIN = timedelta(days=4)
"""A document is stamped up to 72 hours after its Fecha."""
BATCH_ROWS = 10_000
_AMOUNT = Decimal("0.000001")
_LARGEST = Decimal(10) ** 18
_TYPES = {
    "row": "BIGINT",
    "uuid": "UUID",
    "issuer_rfc": "VARCHAR",
    "receiver_rfc": "VARCHAR",
    "fecha": "TIMESTAMP",
    "total": "DECIMAL(24, 6)",
    "is_cancelled": "BOOLEAN",
    "cancelled_at": "TIMESTAMP",
    "tipo": "VARCHAR",
    "serie": "VARCHAR",
    "folio": "VARCHAR",
    "substitute": "VARCHAR",
}
_INSERT = "INSERT INTO books BY NAME SELECT 'ledger' AS books, * EXCLUDE (substitute) FROM {0}"
_SUBSTITUTIONS = """
INSERT INTO substitutions
SELECT TRY_CAST(substitute AS UUID), uuid FROM {0} WHERE TRY_CAST(substitute AS UUID) IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The stored stamps.

    Attributes:
        account_id: The account whose stamps are read; None for those of all accounts.
    """

    database: Database
    account_id: int | None = None

    def read(self, workspace: Workspace) -> None:
        """Read the stamps of the taxpayer, those of the period with a margin."""
        source = SourceCount("timbra", "ledger")
        rows: list[dict[str, Any]] = []
        for row in self._rows(workspace, source):
            rows.append(row)
            if len(rows) == BATCH_ROWS:
                _insert(workspace, rows)
                rows = []
        _insert(workspace, rows)
        workspace.sources.append(source)
        workspace.has_ledger = True

    def _rows(self, workspace: Workspace, source: SourceCount) -> Iterator[dict[str, Any]]:
        for page in self._pages(workspace):
            states = cancellation_states(self.database, [stamp.uuid for stamp in page])
            for stamp in page:
                total, fecha = _amount(stamp.total), _time(stamp.fecha)
                if total is None or fecha is None:
                    workspace.report_unreadable(source, None, f"{stamp.uuid}: los datos guardados están dañados.")
                    continue
                state = states.get(stamp.uuid, NO_CANCELLATION)
                is_cancelled = state.state is DocumentState.CANCELLED
                at = state.at.astimezone(CENTRAL_MEXICO).replace(tzinfo=None) if is_cancelled and state.at else None
                source.rows += 1
                yield {
                    "row": source.rows,
                    "uuid": stamp.uuid,
                    "issuer_rfc": stamp.issuer_rfc,
                    "receiver_rfc": stamp.receiver_rfc,
                    "fecha": fecha,
                    "total": total,
                    "is_cancelled": is_cancelled,
                    "cancelled_at": at,
                    "tipo": stamp.kind,
                    "serie": stamp.serie or None,
                    "folio": stamp.folio or None,
                    "substitute": state.substitute or None,
                }

    def _pages(self, workspace: Workspace) -> Iterator[list[StampSummary]]:
        options, search = workspace.options, StampSearch(self.database)
        since = None if options.since is None else datetime.combine(options.since, time(), UTC) - MARGIN
        until = None if options.until is None else datetime.combine(options.until, time(), UTC) + MARGIN
        filters = StampFilter(self.account_id, rfc=options.rfc, since=since, until=until)
        is_issued, cursor = options.side is Side.ISSUED, None
        while True:
            page = search.page(filters, cursor, MAX_PAGE_SIZE)
            yield [
                stamp for stamp in page.stamps if (stamp.issuer_rfc if is_issued else stamp.receiver_rfc) == options.rfc
            ]
            cursor = page.cursor
            if cursor is None:
                return


def _insert(workspace: Workspace, rows: list[dict[str, Any]]) -> None:
    if rows:
        with workspace.rows_file(_TYPES, rows) as reader:
            workspace.run(_INSERT.format(reader))
            workspace.run(_SUBSTITUTIONS.format(reader))


def _amount(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount.quantize(_AMOUNT) if amount.is_finite() and abs(amount) < _LARGEST else None


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None
