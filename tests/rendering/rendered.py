"""Shared data of the tests of pages and prints: small stamped documents, and the reader of views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from lxml import etree

from timbra import examples
from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.qr import QrPainter
from timbra.cfdi.structure.standards import XmlStandards
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.rendering import ViewReader
from timbra.rendering.view import SignatureBlock, TableBlock
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
    """Yield every label and value of a view or a part of it that a reader sees, except the text of signatures."""
    match value:
        case str():
            yield value
        case TableBlock() if not value.columns:
            yield value.title
        case SignatureBlock():
            yield value.name
        case tuple():
            for part in value:
                yield from texts_of(part)
        case _ if is_dataclass(value):
            for each in fields(value):
                if each.name not in NOT_SHOWN:
                    yield from texts_of(getattr(value, each.name))


NOT_SHOWN = frozenset({"path", "kind", "url"})
