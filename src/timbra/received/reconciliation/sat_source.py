"""What the SAT has: metadata files and XML in folders and ZIP packages, or a result folder of `timbra bulk`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.tfd import stamp_elements
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.core.local_files import is_system_file
from timbra.received.files import Entry, EntryReader, OpenArchive, UploadedFile, list_entries
from timbra.received.reconciliation.run_models import SourceCount
from timbra.received.reconciliation.workspace import AMOUNT, XML_TABLES, Workspace, quoted
from timbra.validation.metadata_files import HEADINGS, MetadataLines
from timbra.validation.printed_totals import opened
from timbra.validation.tables import Row, accounting_rows, header_columns, payment_rows, relation_rows

MAX_MEMBERS = 1_000_000
MAX_XML_BYTES = 40 * 1024 * 1024
MAX_METADATA_BYTES = 4 * 1024 * 1024 * 1024
BATCH_DOCUMENTS = 5_000
RUN, PARTS, STATUSES = "run.json", "parts", "statuses"
ROWS = {"accounting": accounting_rows, "payments": payment_rows, "relations": relation_rows}
_METADATA = f"""
INSERT INTO metadata
SELECT TRY_CAST(Uuid AS UUID), upper(trim(RfcEmisor)), upper(trim(RfcReceptor)), TRY_CAST(FechaEmision AS TIMESTAMP),
       TRY_CAST(replace(replace(Monto, '$', ''), ',', '') AS {AMOUNT}), trim(EfectoComprobante), trim(Estatus) = '0',
       TRY_CAST(FechaCancelacion AS TIMESTAMP)
FROM {{}}
WHERE TRY_CAST(Uuid AS UUID) IS NOT NULL AND TRY_CAST(FechaEmision AS TIMESTAMP) IS NOT NULL
"""
_DATASET_METADATA = f"""
INSERT INTO metadata
SELECT TRY_CAST(uuid AS UUID), issuer_rfc, receiver_rfc, fecha, CAST(total AS {AMOUNT}), tipo_de_comprobante,
       status = 'Cancelado', cancelled_at
FROM {{}} WHERE uuid IS NOT NULL AND fecha IS NOT NULL
"""


def read_sat(workspace: Workspace, paths: list[Path]) -> None:
    """Read metadata and documents.

    Args:
        workspace: Receives them.
        paths: Files, folders, ZIP packages and result folders.

    Raises:
        ServiceError: "source-unreadable" for a path that does not exist.
    """
    workspace.has_sat = True
    for path in paths:
        if (path / RUN).is_file():
            _read_dataset(workspace, path)
        elif path.exists():
            read_files(workspace, path, path.name)
        else:
            raise ServiceError("source-unreadable", f"{path}: no existe")


def read_files(workspace: Workspace, path: Path, name: str) -> None:
    """Read a file, or the files of a folder. `name`: For display."""
    workspace.has_sat = True
    reader = SatDocumentReader(workspace, SourceCount(name, "xml"))
    for file in _walk(path):
        shown = name if file == path else f"{name}/{file.relative_to(path)}"
        listing = list_entries((UploadedFile(shown, str(file)),), MAX_MEMBERS)
        for rejected, error in listing.rejected:
            workspace.report_unreadable(reader.source, None, f"{rejected}: {error.detail}")
        for entry in listing.entries:
            if entry.is_metadata:
                _read_metadata(workspace, entry)
            else:
                reader.add(entry)
    reader.close()


def _walk(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            if Path(name).suffix.lower() in (".xml", ".pdf", ".zip", ".txt") and not is_system_file(name):
                yield Path(folder) / name


def _read_metadata(workspace: Workspace, entry: Entry) -> None:
    """Read a metadata file; another text file is none."""
    source = SourceCount(entry.source, "metadata")
    lines_file = workspace.folder / "metadata.txt"
    with ExitStack() as stack:
        lines = MetadataLines(_open(stack, workspace, entry))
        if not lines.is_metadata:
            return
        with lines_file.open("w", encoding="utf-8", newline="\n") as target:
            target.write("~".join(HEADINGS) + "\n")
            for number, line in enumerate(lines, 2):
                if line is None:
                    workspace.report_unreadable(source, number, "No es un renglón de metadatos.")
                else:
                    target.write(line.replace("\r", " ").replace("\0", " ") + "\n")
    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in HEADINGS)
    options = (
        f"delim='~', quote='', escape='', header=true, auto_detect=false, columns={{{columns}}}, strict_mode=false"
    )
    workspace.run(
        f"CREATE OR REPLACE TEMP TABLE lines AS SELECT *, row_number() OVER () + 1 AS line "
        f"FROM read_csv('{quoted(str(lines_file))}', {options}, max_line_size=1000000)"
    )
    source.rows = workspace.run(_METADATA.format("lines")).fetchall()[0][0]
    source.repaired = lines.repaired
    damaged = workspace.run(
        "SELECT line FROM lines WHERE TRY_CAST(Uuid AS UUID) IS NULL OR TRY_CAST(FechaEmision AS TIMESTAMP) IS NULL"
    )
    for (line,) in damaged.fetchall():
        workspace.report_unreadable(source, line, "El folio fiscal o la fecha no se entienden.")
    workspace.run("DROP TABLE lines")
    lines_file.unlink()
    workspace.sources.append(source)


def _open(stack: ExitStack, workspace: Workspace, entry: Entry) -> IO[bytes]:
    if entry.member is None:
        return stack.enter_context(Path(entry.path).open("rb"))
    target = stack.enter_context((workspace.folder / "member.txt").open("w+b"))
    with OpenArchive(entry.path, MAX_MEMBERS) as archive:
        archive.reader.extract(archive.reader.files[entry.member], target, MAX_METADATA_BYTES)
    target.seek(0)
    return target


class SatDocumentReader:
    """Reads XML documents into the tables, some thousands at a time."""

    def __init__(self, workspace: Workspace, source: SourceCount) -> None:
        self._workspace = workspace
        self._parser = DocumentParser()
        self._reader = EntryReader(MAX_MEMBERS, MAX_XML_BYTES)
        self._rows: dict[str, list[Row]] = {}
        self._documents = 0
        self.source = source

    def add(self, entry: Entry) -> None:
        """Read a document, or the XML that a PDF has attached; one that cannot be read is noted."""
        try:
            xml, _ = opened(self._reader.read(entry), in_spanish=True)
            self.add_content(entry.source, xml)
            self.source.rows += 1
        except ServiceError as error:
            self._workspace.report_unreadable(self.source, None, f"{entry.source}: {error}")

    def add_content(self, name: str, content: bytes) -> None:
        """Read a document. Raises ServiceError: as `DocumentParser.parse`, or "source-unreadable" without a stamp."""
        root = self._parser.parse(content).root
        stamp = next(stamp_elements(root), None)
        uuid = None if stamp is None else canonical_uuid(stamp.get("UUID") or "")
        if uuid is None:
            raise ServiceError("source-unreadable", "El documento no tiene timbre.")
        identity = {"document_id": self._documents, "uuid": uuid, "source": name}
        self._rows.setdefault("documents", []).append({**header_columns(root), **identity})
        for table, rows_of in ROWS.items():
            self._rows.setdefault(table, []).extend({**row, **identity} for row in rows_of(root))
        self._documents += 1
        if self._documents % BATCH_DOCUMENTS == 0:
            self.flush()

    def close(self) -> None:
        """Insert what was read, and note the source."""
        self.flush()
        self._reader.close()
        if self.source.rows or self.source.unreadable:
            self._workspace.sources.append(self.source)

    def flush(self) -> None:
        """Insert what was read."""
        for table, rows in self._rows.items():
            self._workspace.insert(table, rows)
        self._rows = {}


def _read_dataset(workspace: Workspace, folder: Path) -> None:
    """Read the tables of the written parts of a result folder."""
    source = SourceCount(str(folder), "dataset")
    try:
        names = sorted(name for name in os.listdir(folder / PARTS) if name.endswith(".json"))
        parts = [json.loads((folder / PARTS / name).read_bytes()) for name in names]
    except (OSError, ValueError) as error:
        raise ServiceError("source-unreadable", f"{folder}: {error}") from error
    for table in ("documents", "accounting", "payments", "relations", "metadata"):
        files = [folder / table / _part(part["part"]) for part in parts if part["tables"].get(table)]
        if not files:
            continue
        rows = _parquet(files)
        if table == "metadata":
            workspace.run(_DATASET_METADATA.format(rows))
        else:
            columns = ", ".join(XML_TABLES[table])
            workspace.run(f"INSERT INTO {table} BY NAME SELECT {columns} FROM {rows} WHERE uuid IS NOT NULL")
        if table in ("documents", "metadata"):
            source.rows += workspace.value(f"SELECT count(*) FROM {rows} WHERE uuid IS NOT NULL")
    if statuses := sorted((folder / STATUSES).glob("*.parquet")):
        rows = _parquet(statuses)
        workspace.run(f"INSERT INTO statuses BY NAME SELECT uuid, status, status_time FROM {rows}")
    workspace.sources.append(source)


def _part(number: int) -> str:
    return f"part-{number:06}.parquet"


def _parquet(files: list[Path]) -> str:
    names = ", ".join(f"'{quoted(str(file))}'" for file in files)
    return f"read_parquet([{names}])"
