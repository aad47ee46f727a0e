"""Takes the parts of a list into spools: opened, verified, read row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from timbra.authority.lists.packed.name_set import spool_names
from timbra.authority.lists.packed.table_writer import Spools, spool_rows
from timbra.authority.lists.sources.columns import stored_fields
from timbra.authority.lists.sources.lco import LcoPart
from timbra.authority.lists.sources.lrfc import LrfcPart
from timbra.authority.lists.sources.part_file import PartFile
from timbra.authority.lists.sources.part_names import ListKind
from timbra.errors import ServiceError
from timbra.seals.cms.signed_data import CmsSignature, SignedDataReader

Progress = Callable[[str, int, int], None]
"""Told the step, how much of it is done, and how much it is."""


class ProgressCallback:
    """Counts the bytes read of several files."""

    def __init__(self, paths: Sequence[Path], told: Progress) -> None:
        self._told = told
        self._read = 0
        self._total = sum(_size(path) for path in paths)
        self.step = ""

    def __call__(self, size: int) -> None:
        self._read += size
        self._told(self.step, self._read, self._total)


@dataclass(slots=True)
class IngestResult:
    """What the parts told, gathered. fields: columns of l_RFC beside the RFC. dated: the LCO's own date.

    rows: as spooled, repeated keys included. parts: SHA-256 of each file by its name.
    """

    fields: tuple[str, ...] = ()
    dated: date | None = None
    rows: int = 0
    certificates: int = 0
    skipped: int = 0
    unusual: int = 0
    signatures: list[CmsSignature] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)


class ListIngest:
    """Spools parts of one list. columns: header names of l_RFC to fields. largest: bytes that a part may unfold to."""

    def __init__(self, kind: ListKind, columns: Mapping[str, str], largest: int, rows: Spools, names: Spools) -> None:
        self.taken = IngestResult()
        self._kind = kind
        self._columns = columns
        self._largest = largest
        self._rows = rows
        self._names = names

    def take(self, path: Path, gauge: ProgressCallback) -> None:
        """Reads one file to its end. Its rows may be used only if this returns: the signature comes last."""
        gauge.step = f"{self._kind} {path.name}"
        part = PartFile(path, gauge, self._largest)
        content = SignedDataReader(iter(part))
        try:
            if self._kind is ListKind.LCO:
                self._take_lco(iter(content))
            else:
                self._take_lrfc(iter(content))
        except ServiceError as rejection:
            raise _of_file(path, rejection) from rejection
        self.taken.signatures.extend(content.signatures)
        self.taken.parts[path.name] = part.sha256

    def _take_lco(self, content: Iterator[bytes]) -> None:
        part, taken = LcoPart(content), self.taken
        for batch in part:
            taken.rows += spool_rows(self._rows, batch)
        if None not in (taken.dated, part.dated) and taken.dated != part.dated:
            raise ServiceError("list-refused", f"Las partes son de días distintos: {taken.dated} y {part.dated}.")
        taken.dated = taken.dated or part.dated
        taken.certificates += part.certificates
        taken.skipped += part.skipped
        taken.unusual += part.unusual

    def _take_lrfc(self, content: Iterator[bytes]) -> None:
        part, taken = LrfcPart(content, self._columns), self.taken
        for batch in part:
            taken.rows += spool_rows(self._rows, batch)
            if "name" in part.fields:
                spool_names(self._names, _registered_names(batch, stored_fields(part.fields)))
        fields = stored_fields(part.fields)
        if taken.parts and fields != taken.fields:
            raise ServiceError("list-columns", "Los encabezados de las partes no son iguales.")
        taken.fields = fields
        taken.skipped += part.skipped


def _registered_names(batch: Sequence[tuple[bytes, bytes]], fields: Sequence[str]) -> Iterator[bytes]:
    """The names of a batch's rows, those of cancelled taxpayers left out."""
    name = 1 + fields.index("name")
    cancelled = 1 + fields.index("cancelled") if "cancelled" in fields else None
    for _, line in batch:
        columns = line[:-1].split(b"|")
        if cancelled is None or columns[cancelled] != b"1":
            yield columns[name].strip()


def _of_file(path: Path, rejection: ServiceError) -> ServiceError:
    """The same refusal, its detail naming the file."""
    detail = rejection.detail or ""
    return rejection if detail.startswith(path.name) else ServiceError(rejection.code, f"{path.name}: {detail}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as cause:
        raise ServiceError("list-unreadable", f"{path.name}: {cause.strerror or cause}.") from cause
