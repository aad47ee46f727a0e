"""Defects of packages that a script of faults asks for, as clients met them in packages of the SAT.

Source: reports of public programs; see the faults in `timbra.emulator.faults`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from uuid import uuid4

from timbra.cfdi.document import BOM
from timbra.emulator.bulk.documents import FoundDocument

BROKEN_METADATA: Final = "broken-metadata"
RENAMED_COLUMN: Final = "renamed-column"
FOREIGN_FILES: Final = "foreign-files"
DOUBLE_EXTENSION: Final = "double-extension"
BYTE_ORDER_MARK: Final = "byte-order-mark"
REPEATED_DOCUMENTS: Final = "repeated-documents"
OTHER_PARTIES: Final = "other-parties"
OTHER_RFC = "XAXX010101000"
_ISSUER_NAME, _RECEIVER_NAME = 2, 4
_FOREIGN: Final = (("__MACOSX/._paquete", b"\x00\x05\x16\x07"), ("carpeta/ajeno.xml", b"<ajeno/>"), ("vacio.xml", b""))


def broken_row(columns: Sequence[str], index: int) -> Sequence[str]:
    """Return a row whose names have quotes, a line feed, a separator, or are empty, by turns."""
    changed = list(columns)
    issuer, receiver = columns[_ISSUER_NAME], columns[_RECEIVER_NAME]
    match index % 4:
        case 0:
            changed[_ISSUER_NAME] = f'"{issuer}" "'
        case 1:
            changed[_RECEIVER_NAME] = f"{receiver[:3]}\n{receiver[3:]}"
        case 2:
            changed[_ISSUER_NAME] = f"{issuer[:3]}~{issuer[3:]}"
        case _:
            changed[_ISSUER_NAME] = changed[_RECEIVER_NAME] = ""
    return changed


def foreign_files(defects: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of files that are no documents."""
    if FOREIGN_FILES in defects:
        yield from _FOREIGN


def xml_entry(document: FoundDocument, defects: Iterable[str]) -> tuple[str, bytes]:
    """Return name and content of a document in a package."""
    name = f"{document.uuid}.xml"
    return (
        f"{name}.xml" if DOUBLE_EXTENSION in defects else name,
        BOM + document.xml if BYTE_ORDER_MARK in defects else document.xml,
    )


def with_defects(documents: Iterable[FoundDocument], size: int, defects: Iterable[str]) -> Iterator[FoundDocument]:
    """Yield the documents of packages of a size, with those that defects add.

    Args:
        documents: The documents of the ledger.
        size: The largest number of documents of a package.
        defects: `repeated-documents` begins each package after the first with the last document of the one before,
            `other-parties` ends with a document of other parties.
    """
    count, last = 0, None
    for document in documents:
        if REPEATED_DOCUMENTS in defects and last is not None and count and count % size == 0:
            yield last
            count += 1
        yield document
        count, last = count + 1, document
    if OTHER_PARTIES in defects and last is not None:
        yield _of_other_parties(last)


def _of_other_parties(document: FoundDocument) -> FoundDocument:
    uuid = str(uuid4())
    xml = document.xml
    for own in (document.issuer_rfc, document.receiver_rfc):
        xml = xml.replace(own.encode(), OTHER_RFC.encode())
    for written in (document.uuid, document.uuid.upper()):
        xml = xml.replace(written.encode(), uuid.encode())
    return replace(document, uuid=uuid, issuer_rfc=OTHER_RFC, receiver_rfc=OTHER_RFC, xml=xml)
