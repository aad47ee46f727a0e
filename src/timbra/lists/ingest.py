"""Ingestion of the parts of a list: they are decompressed, verified, and read into spools row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.lists.packed.name_set import spool_names
from timbra.lists.packed.table_writer import Spools, spool_rows
from timbra.lists.sources.article_69b import Article69bFile
from timbra.lists.sources.columns import stored_fields
from timbra.lists.sources.exchange_rates import ExchangeRateFile
from timbra.lists.sources.lcne import LcnePart
from timbra.lists.sources.lco import LcoPart
from timbra.lists.sources.lrfc import LrfcPart
from timbra.lists.sources.part_file import PartFile
from timbra.lists.sources.part_names import SIGNED_LISTS, ListKind
from timbra.seals.signed_data import CmsSignature, SignedDataReader

MAX_SINGLE_FILE_BYTES = 64 * 1024 * 1024
"""The limit of a decompressed file of a list that is not signed, which is read as a whole."""

Progress = Callable[[str, int, int], None]
"""Called with the name of the step, the completed amount and the total amount."""


class ProgressCallback:
    """Reports the bytes that were read of several files.

    Attributes:
        step: The name of the current step.
    """

    def __init__(self, paths: Sequence[Path], on_progress: Progress) -> None:
        self._on_progress = on_progress
        self._bytes_read = 0
        self._total = sum(_size(path) for path in paths)
        self.step = ""

    def __call__(self, size: int) -> None:
        self._bytes_read += size
        self._on_progress(self.step, self._bytes_read, self._total)


@dataclass(slots=True)
class IngestResult:
    """The results of all parts.

    Attributes:
        fields: The columns of l_RFC without the RFC.
        dated: The date that the content has: that in the root of the LCO, in the first lines of 69-B, the newest rate.
        rows: Spooled rows, repeated keys included.
        certificates: Certificates of the LCO.
        skipped: Malformed rows.
        unusual: Certificates of the LCO with another status than A, C and R.
        signatures: The signatures of all parts; none of a list that the SAT does not sign.
        parts: SHA-256 of each file by its name.
    """

    fields: tuple[str, ...] = ()
    dated: date | None = None
    rows: int = 0
    certificates: int = 0
    skipped: int = 0
    unusual: int = 0
    signatures: list[CmsSignature] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListColumns:
    """What the operator tells about the content of the lists.

    Attributes:
        lrfc: The field of each header name of l_RFC.
        series: The currency of each series of exchange rates.
    """

    lrfc: Mapping[str, str]
    series: Mapping[str, str] = field(default_factory=dict)


class ListIngest:
    """Reads the parts of one list into spools."""

    def __init__(self, kind: ListKind, columns: ListColumns, max_part_bytes: int, rows: Spools, names: Spools) -> None:
        """Read into two spools.

        Args:
            columns: The meaning of the columns.
            max_part_bytes: The maximum size of one decompressed part.
            names: The spool of names of l_RFC.
        """
        self.result = IngestResult()
        self._kind = kind
        self._columns = columns
        self._max_part_bytes = max_part_bytes
        self._rows = rows
        self._names = names

    def read_part(self, path: Path, progress: ProgressCallback) -> None:
        """Read one file to its end. Its rows are valid only after the return, because the signature is at the end.

        Raises:
            ServiceError: "list-unreadable", "list-columns", "list-signature", or "list-refused" when the parts have
                different dates.
        """
        progress.step = f"{self._kind} {path.name}"
        signed = self._kind in SIGNED_LISTS
        part = PartFile(path, progress, self._max_part_bytes if signed else MAX_SINGLE_FILE_BYTES)
        try:
            if signed:
                self._read_signed(SignedDataReader(iter(part)))
            else:
                self._read_single_file(b"".join(part))
        except ServiceError as rejection:
            raise _of_file(path, rejection) from rejection
        self.result.parts[path.name] = part.sha256

    def _read_signed(self, content: SignedDataReader) -> None:
        if self._kind is ListKind.LCO:
            self._read_lco(iter(content))
        elif self._kind is ListKind.LRFC:
            self._read_lrfc(iter(content))
        else:
            self._read_lcne(iter(content))
        self.result.signatures.extend(content.signatures)

    def _read_single_file(self, content: bytes) -> None:
        if self._kind is ListKind.ARTICLE_69B:
            file: Article69bFile | ExchangeRateFile = Article69bFile(content)
        else:
            file = ExchangeRateFile(content, self._columns.series)
        self.result.rows += spool_rows(self._rows, file.rows())
        self.result.dated = file.dated
        self.result.skipped += file.skipped

    def _read_lcne(self, content: Iterator[bytes]) -> None:
        part = LcnePart(content)
        for batch in part:
            self.result.rows += spool_rows(self._rows, batch)
        self.result.skipped += part.skipped

    def _read_lco(self, content: Iterator[bytes]) -> None:
        part, result = LcoPart(content), self.result
        for batch in part:
            result.rows += spool_rows(self._rows, batch)
        if None not in (result.dated, part.dated) and result.dated != part.dated:
            raise ServiceError("list-refused", f"Las partes son de días distintos: {result.dated} y {part.dated}.")
        result.dated = result.dated or part.dated
        result.certificates += part.certificates
        result.skipped += part.skipped
        result.unusual += part.unusual

    def _read_lrfc(self, content: Iterator[bytes]) -> None:
        part, result = LrfcPart(content, self._columns.lrfc), self.result
        for batch in part:
            result.rows += spool_rows(self._rows, batch)
            if "name" in part.fields:
                spool_names(self._names, _registered_names(batch, stored_fields(part.fields)))
        fields = stored_fields(part.fields)
        if result.parts and fields != result.fields:
            raise ServiceError("list-columns", "Los encabezados de las partes no son iguales.")
        result.fields = fields
        result.skipped += part.skipped


def _registered_names(batch: Sequence[tuple[bytes, bytes]], fields: Sequence[str]) -> Iterator[bytes]:
    """Yield the names in the rows of a batch, without those of cancelled taxpayers."""
    name = 1 + fields.index("name")
    cancelled = 1 + fields.index("cancelled") if "cancelled" in fields else None
    for _, line in batch:
        columns = line[:-1].split(b"|")
        if cancelled is None or columns[cancelled] != b"1":
            yield columns[name].strip()


def _of_file(path: Path, rejection: ServiceError) -> ServiceError:
    """Return the error with the name of the file in its detail."""
    detail = rejection.detail or ""
    return rejection if detail.startswith(path.name) else ServiceError(rejection.code, f"{path.name}: {detail}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as cause:
        raise ServiceError("list-unreadable", f"{path.name}: {cause.strerror or cause}.") from cause
