"""Results of documents as they are stored: rows of the tables `documents` and `findings` as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from itertools import islice
from typing import Any

from timbra.cfdi.search_words import normalized
from timbra.core.text import storable
from timbra.received.examination import ExaminedEntry
from timbra.received.store import NewResult
from timbra.validation.amounts import shortest_amount
from timbra.validation.models import ValidationReport
from timbra.validation.tables import (
    DOCUMENTS,
    FINDINGS,
    Column,
    ColumnType,
    Row,
    finding_rows,
    outcome_columns,
    status_columns,
    unreadable_finding,
)

MAX_FINDINGS = 50
"""Findings of a document that are stored; its row has their numbers."""
MAX_TEXT = 500
MAX_COMPLEMENTS = 50
SEARCHED = ("source", "uuid", "issuer_rfc", "issuer_name", "receiver_rfc", "receiver_name", "serie", "folio")
"""Columns of `documents` whose text is searched."""


def result_of(entry: ExaminedEntry, report: ValidationReport | None, at: datetime) -> NewResult:
    """Return the result of a document to be stored.

    Args:
        entry: The examined document.
        report: Its report with the status; None for a document without a report, and for a line of metadata.
        at: Instant of the authority's answer.
    """
    row, findings = entry.row, []
    if report is not None:
        row = {**row, **outcome_columns(report), **status_columns(report, at)}
        findings = [*islice(finding_rows(report), MAX_FINDINGS)]
    elif entry.rejection is not None:
        findings = [unreadable_finding(entry.rejection)]
    document = _plain(DOCUMENTS, row)
    search = normalized(" ".join(str(document[name]) for name in SEARCHED if document.get(name)))
    return NewResult(
        _digest(document, entry),
        entry.is_metadata,
        search,
        document,
        [_plain(FINDINGS, finding) for finding in findings],
    )


def table_row(columns: Iterable[Column], values: Mapping[str, Any]) -> Row:
    """Return a stored row with the types of its columns."""
    return {column.name: _typed(column, values.get(column.name)) for column in columns}


def _digest(document: Mapping[str, Any], entry: ExaminedEntry) -> str:
    """Return what is equal for a file that is sent again: its name and content; the UUID for a line of metadata."""
    identity = document.get("uuid") if entry.is_metadata else document.get("sha256")
    return sha256(f"{entry.source}\n{identity}".encode()).hexdigest()[:32]


def _plain(columns: Iterable[Column], row: Row) -> dict[str, Any]:
    """Return the values that are not null, as JSON."""
    values = {column.name: row.get(column.name) for column in columns}
    return {name: _json_value(value) for name, value in values.items() if value is not None}


def _json_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return shortest_amount(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list):
        return [storable(str(each), MAX_TEXT) for each in value[:MAX_COMPLEMENTS]]
    return storable(value, MAX_TEXT) if isinstance(value, str) else value


def _typed(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if column.type is ColumnType.AMOUNT:
        return Decimal(value)
    if column.type in (ColumnType.LOCAL_TIME, ColumnType.INSTANT):
        return datetime.fromisoformat(value)
    return value
