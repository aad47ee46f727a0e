"""Shared data of the tests of pages and prints: small stamped documents, and the reader of views."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from lxml import etree

from timbra import examples
from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.qr import QrPainter
from timbra.cfdi.structure.standards import XmlStandards
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.rendering import ViewReader
from timbra.rendering.view import Field, FieldsBlock, Section, SideBySideBlock, SignatureBlock, TableBlock, TableRow
from timbra.snapshot import locate, open_snapshot

FOLIO = "5f3e9d1c-0b6a-4c57-9a6e-2d7f1f0c8b11"
SEAL = "QUJD" * 86


@cache
def reader(*, fiscal_effect: bool = False, verified: bool = True) -> ViewReader:
    """verified: the result for every stamp."""
    snapshot = open_snapshot(locate(None))
    return ViewReader(
        CatalogLabels(snapshot),
        XmlStandards(snapshot),
        SnapshotCatalogs(snapshot),
        QrPainter(snapshot),
        lambda _: verified,
        fiscal_effect=fiscal_effect,
    )


def stamped() -> etree._Element:
    """Return a minimal invoice whose seals are invalid texts."""
    return with_stamp(examples.ingreso())


def stamped_retencion(text: str) -> etree._Element:
    """Return a retención with a stamp; its seals are invalid texts."""
    return with_stamp(text)


def with_stamp(text: str) -> etree._Element:
    root = etree.fromstring(text.encode())
    root.set("Sello", SEAL)
    stamp = TimbreFiscalDigital(FOLIO, "2026-11-17T12:00:00", "TIM010101SB9", SEAL, "99001000000500000001", SEAL[::-1])
    namespace = etree.QName(root).namespace
    complement = root.find("{*}Complemento")
    if complement is None:
        complement = etree.SubElement(root, f"{{{namespace}}}Complemento")
    complement.append(etree.fromstring(stamp.to_xml()))
    return root


def texts_of(value: object) -> Iterator[str]:
    """Yield every label and value of a view or a part of it that a reader sees."""
    match value:
        case Field():
            yield from (value.label, value.value)
        case TableRow():
            yield from value.cells
            for field in value.details:
                yield from texts_of(field)
        case Section():
            yield value.title
            for block in value.blocks:
                yield from texts_of(block)
        case FieldsBlock():
            yield value.title
            yield from (text for field in value.fields for text in texts_of(field))
        case TableBlock():
            yield from (value.title, *(column.label for column in value.columns))
            yield from (text for row in value.rows for text in texts_of(row))
            if value.columns:
                yield from (text for field in value.totals for text in texts_of(field))
        case SideBySideBlock():
            yield from (*texts_of(value.left), *texts_of(value.right))
        case SignatureBlock():
            yield value.name
