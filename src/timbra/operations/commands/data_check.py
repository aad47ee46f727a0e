"""The report of `timbra data check`: differences between a file of the SAT and the data and rules in force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
import typer

from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.differences import Change, Difference, UnknownTableError, compare
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.workbook import Sheet, read_sheets, read_tables
from timbra.console.language import translate
from timbra.console.tables import print_rows
from timbra.core.clock import WallClock
from timbra.core.errors import ServiceError
from timbra.rules.reference.matrix import compare_matrix, read_matrix, rule_set_of
from timbra.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class TableReport:
    """The differences of one table, or of a matrix."""

    name: str
    edition: str
    rows: int
    differences: Sequence[Difference]


@dataclass(frozen=True, slots=True)
class SourceReport:
    """The differences of a file. not_compared: names of tables that the data in force do not have."""

    file: Path
    tables: Sequence[TableReport]
    not_compared: Sequence[str]

    def to_json(self) -> str:
        """Return the report as JSON on one line."""
        content = {
            "file": str(self.file),
            "tables": [
                {
                    "name": table.name,
                    "edition": table.edition,
                    "rows": table.rows,
                    "differences": [
                        {"change": each.change, "key": each.key, "detail": each.detail} for each in table.differences
                    ],
                }
                for table in self.tables
            ],
            "not_compared": [*self.not_compared],
        }
        return orjson.dumps(content).decode()

    def print(self) -> None:
        """Print one row for each table, then one row for each difference."""
        print_rows(
            ("Table", "Published edition", "Rows", "Added", "Ended", "Reworded"),
            [(table.name, table.edition, f"{table.rows:,}", *_counts(table.differences)) for table in self.tables],
        )
        found = [each for table in self.tables for each in table.differences]
        if found:
            rows = [(each.table, str(each.change), each.key, each.detail) for each in found]
            print_rows(("Table", "Change", "Key", "Detail"), rows)
        if self.not_compared:
            names = ", ".join(self.not_compared)
            typer.echo(translate("not compared: {tables}").format(tables=names), err=True)


def _counts(differences: Sequence[Difference]) -> list[str]:
    counted = Counter(each.change for each in differences)
    return [str(counted[change]) for change in Change]


def check_file(file: Path, snapshot: Snapshot, standard: str) -> SourceReport:
    """Compare a file of the SAT with the snapshot and the rules.

    Args:
        file: workbook or CSV file, with catalogs or an error matrix.
        snapshot: the data in force.
        standard: standard of the catalogs.

    Raises:
        ServiceError: "snapshot-source" when the file cannot be read, or has neither catalogs nor a matrix.
    """
    sheets = read_sheets(file)
    report = _check_matrix(file, sheets) or _check_catalogs(file, sheets, snapshot, standard)
    if not report.tables and not report.not_compared:
        raise ServiceError("snapshot-source", f"{file} no tiene catálogos ni una matriz de errores.")
    return report


def _check_matrix(file: Path, sheets: Sequence[Sheet]) -> SourceReport | None:
    rows = read_matrix(sheets)
    rule_set = rule_set_of(rows) if rows else None
    if rule_set is None:
        return None
    return SourceReport(file, [TableReport(rule_set.name, "", len(rows), compare_matrix(rows, rule_set))], ())


def _check_catalogs(file: Path, sheets: Sequence[Sheet], snapshot: Snapshot, standard: str) -> SourceReport:
    catalogs, labels, today = SnapshotCatalogs(snapshot), CatalogLabels(snapshot), WallClock().now().date()
    compared, unknown = [], []
    for table in read_tables(sheets):
        try:
            found = compare(table, catalogs, labels, today, standard)
        except UnknownTableError:
            unknown.append(table.name)
        else:
            compared.append(TableReport(table.name, table.edition, len(table.rows), found))
    return SourceReport(file, compared, unknown)
