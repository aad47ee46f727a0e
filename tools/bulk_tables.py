"""Generator of docs/bulk-tables.md: the tables of a result folder, and the queries of the report."""

from __future__ import annotations

from timbra.bulk.report.queries import QUERIES
from timbra.bulk.schema import ALL_TABLES, OPTIONAL_TABLES, SCHEMAS
from timbra.validation.tables import SCHEMA_VERSION

INTRODUCTION = {
    "documents": "One row for each document. The columns marked *joined* are not in the files: the view has them.",
    "findings": "One row for each error and warning, and for the reason why a document cannot be read.",
    "concepts": "One row for each Concepto.",
    "payments": "One row for each DoctoRelacionado of Pagos 2.0 and 1.0.",
    "accounting": "One row for each document: what a reconciliation compares besides its total.",
    "relations": "One row for each related document.",
    "metadata": "One row for each line of the SAT's metadata files.",
    "stamps": "One row for each document of `timbra bulk stamp`.",
    "statuses": "One row for each answer of the authority about a document.",
}


def bulk_tables_page() -> str:
    """Return docs/bulk-tables.md."""
    lines = [
        "# Tables of a result folder",
        "",
        f"Version {SCHEMA_VERSION} of the schema; each file has it in its metadata, key `timbra.schema_version`.",
        "[bulk.md](bulk.md) describes the folder and the commands.",
    ]
    for table, columns in ALL_TABLES.items():
        lines += ["", f"## `{table}`", "", INTRODUCTION[table]]
        if table in OPTIONAL_TABLES:
            lines.append(f"Written with `timbra bulk validate --with {table}`.")
        lines += ["", "| column | type | meaning |", "|---|---|---|"]
        for column in columns:
            stored = "*joined* " if column.is_joined else ""
            arrow = "" if column.is_joined else str(SCHEMAS[table].field(column.name).type)
            lines.append(f"| `{column.name}` | {stored}{arrow or column.type.value} | {column.meaning} |")
    lines += ["", "## Queries of the report", "", "`timbra bulk query DIR SQL` runs these and any other."]
    for query in QUERIES:
        lines += ["", f"### `{query.name}`", "", query.meaning, "", "```sql", query.sql.strip(), "```"]
    return "\n".join(lines) + "\n"
