"""The files of a package: a ZIP with the XML of documents, or with the text of their metadata."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from lxml import etree

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.tfd import read_stamps
from timbra.core.clock import CENTRAL_MEXICO
from timbra.emulator.bulk.contract import PackageType
from timbra.emulator.bulk.defects import (
    BROKEN_METADATA,
    RENAMED_COLUMN,
    broken_row,
    foreign_files,
    with_defects,
    xml_entry,
)
from timbra.emulator.bulk.documents import FoundDocument
from timbra.sandbox.ledger import party_names

HEADER = (
    "Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto"
    "~EfectoComprobante~Estatus~FechaCancelacion"
)
THIRD_PARTY_HEADER = "Uuid~RfcACuentaTerceros~NombreACuentaTerceros"
_LINE_END = b"\r\n"
MEMORY_BYTES = 1024 * 1024
_FORMAT = "%Y-%m-%d %H:%M:%S"
_THIRD_PARTIES = "{*}Conceptos/{*}Concepto/{*}ACuentaTerceros"


@dataclass(frozen=True, slots=True)
class WrittenPackage:
    """A package that was written.

    Attributes:
        number: From 1.
        size: The bytes of the file.
    """

    number: int
    documents: int
    size: int


class PackageWriter:
    """Writes the packages of one request into a folder, one document after the other."""

    def __init__(
        self,
        folder: Path,
        request_id: str,
        package_type: PackageType,
        size: int,
        at: datetime,
        defects: Collection[str] = (),
    ) -> None:
        """Write to a folder.

        Args:
            folder: The folder of the request; files are named by the number of the package.
            request_id: The identifier, which names the files inside.
            package_type: What the packages have.
            size: The largest number of documents of a package.
            at: The fiscal instant, which the files inside have.
            defects: See `timbra.emulator.bulk.defects`.
        """
        self._folder = folder
        self._request_id = request_id
        self._package_type = package_type
        self._size = size
        self._at = at.astimezone(CENTRAL_MEXICO)
        self._defects = frozenset(defects)
        self._parser = DocumentParser()

    def write(self, documents: Iterable[FoundDocument]) -> Iterator[WrittenPackage]:
        """Write the packages, and yield each when its file is complete."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        rest = with_defects(documents, self._size, self._defects)
        for number, first in enumerate(rest, 1):
            path = package_path(self._folder, number)
            draft = path.with_suffix(".part")
            part = chain((first,), islice(rest, self._size - 1))
            with ZipFile(draft, "w", ZIP_DEFLATED) as archive:
                count = (self._xml if self._package_type is PackageType.CFDI else self._metadata)(archive, part)
                for name, content in foreign_files(self._defects):
                    archive.writestr(self._entry(name), content)
            draft.replace(path)
            yield WrittenPackage(number, count, path.stat().st_size)

    def _xml(self, archive: ZipFile, documents: Iterable[FoundDocument]) -> int:
        count = 0
        for document in documents:
            name, content = xml_entry(document, self._defects)
            archive.writestr(self._entry(name), content)
            count += 1
        return count

    def _metadata(self, archive: ZipFile, documents: Iterable[FoundDocument]) -> int:
        name, count = self._request_id.upper(), 0
        with ExitStack() as stack:
            parties: IO[bytes] = stack.enter_context(SpooledTemporaryFile(MEMORY_BYTES))
            parties.write(THIRD_PARTY_HEADER.encode() + _LINE_END)
            with archive.open(self._entry(f"{name}_01.txt"), "w", force_zip64=True) as rows:
                rows.write(self._header())
                end = b""
                for document in documents:
                    root = self._parser.parse(document.xml).root if document.xml else None
                    row = metadata_row(document, root)
                    if BROKEN_METADATA in self._defects:
                        row = broken_row(row, count)
                    rows.write(end + line(row))
                    end = _LINE_END
                    parties.writelines(line(row) + _LINE_END for row in third_party_rows(document, root))
                    count += 1
                if BROKEN_METADATA not in self._defects:
                    rows.write(end)
            parties.seek(0)
            with archive.open(self._entry(f"{name}_tercero.txt"), "w", force_zip64=True) as copy:
                copy.writelines(parties)
        return count

    def _header(self) -> bytes:
        header = HEADER.replace("RfcPac", "PacCertifico") if RENAMED_COLUMN in self._defects else HEADER
        return header.encode() + _LINE_END

    def _entry(self, name: str) -> ZipInfo:
        entry = ZipInfo(name, self._at.timetuple()[:6])
        entry.compress_type = ZIP_DEFLATED
        entry.external_attr = 0o600 << 16
        return entry


def package_path(folder: Path, number: int) -> Path:
    """Return the file of a package of a request."""
    return folder / f"{number:02d}.zip"


def metadata_row(document: FoundDocument, root: etree._Element | None) -> Sequence[str]:
    """Return the columns of a document. Names are as in the document: nothing is escaped."""
    issuer, receiver = ("", "") if root is None else party_names(root)
    stamp = None if root is None else next(iter(read_stamps(root)), None)
    return (
        document.uuid.upper(),
        document.issuer_rfc,
        issuer,
        document.receiver_rfc,
        receiver,
        "" if stamp is None else stamp.rfc_prov_certif,
        document.fecha.replace("T", " "),
        _local(document.stamped_at),
        document.total,
        document.kind,
        "0" if document.is_cancelled else "1",
        "" if document.cancelled_at is None else _local(document.cancelled_at),
    )


def third_party_rows(document: FoundDocument, root: etree._Element | None) -> Iterator[Sequence[str]]:
    """Yield a row for each third party of a document."""
    parties = () if root is None else root.iterfind(_THIRD_PARTIES)
    found = ((node.get("RfcACuentaTerceros", ""), node.get("NombreACuentaTerceros", "")) for node in parties)
    for rfc, name in dict.fromkeys(found):
        yield document.uuid, rfc, name


def line(columns: Sequence[str]) -> bytes:
    """Return a row as the files have it, without the end of its line."""
    return "~".join(columns).encode()


def _local(at: datetime) -> str:
    return at.astimezone(CENTRAL_MEXICO).strftime(_FORMAT)
