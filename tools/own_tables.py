"""Large tables of a newer workbook: `python -m tools.own_tables catCFDI_V_4_20260821.xls --ended 2025-12-31`.

Writes `snapshot/tables/cfdi40/NAME.csv.xz` for c_ClaveProdServ, c_CodigoPostal and c_NumPedimentoAduana. A key that the
workbook does not have remains, so that older documents are validated: it ends on the day of `--ended`.
"""

from __future__ import annotations

import argparse
import csv
import io
import lzma
from datetime import date
from pathlib import Path

from timbra.catalogs.dated import UNTIL
from timbra.catalogs.differences import to_values
from timbra.catalogs.workbook import PublishedTable, read_sheets, read_tables
from timbra.snapshot.build.tables import TABLES, OwnTable, read_large_table

STANDARD = "cfdi40"
NAMES = ("c_ClaveProdServ", "c_CodigoPostal", "c_NumPedimentoAduana")


def renewed(own: OwnTable, published: PublishedTable, ended: date) -> OwnTable:
    """Return the table with the rows of the publication, and the earlier keys that it does not have.

    Args:
        own: the table in force.
        published: the newer table.
        ended: last day of the keys that the newer table does not have and that had no end.
    """
    values = to_values(published, own.columns)
    until = own.columns.index(UNTIL)
    for key, row in own.values.items():
        if key not in values:
            values[key] = (*row[:until], row[until] or ended.isoformat(), *row[until + 1 :])
    return OwnTable(own.columns, values)


def packed(table: OwnTable) -> bytes:
    """Return the compressed CSV of a table, sorted by key; the same for the same content."""
    text = io.StringIO()
    rows = ((key, *table.values[key]) for key in sorted(table.values))
    csv.writer(text, lineterminator="\n").writerows([("clave", *table.columns), *rows])
    return lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME)


def main() -> None:
    """Write the tables of a workbook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--ended", type=date.fromisoformat, required=True)
    arguments = parser.parse_args()
    for published in read_tables(read_sheets(arguments.file)):
        if published.name in NAMES:
            catalog = f"{STANDARD}/{published.name}"
            content = packed(renewed(read_large_table(catalog), published, arguments.ended))
            (TABLES / f"{catalog}.csv.xz").write_bytes(content)


if __name__ == "__main__":
    main()
