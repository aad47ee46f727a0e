"""Construction of the readers of documents."""

from __future__ import annotations

from timbra.cfdi.cadena import CadenaOriginal
from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.cfdi.qr import QrPainter
from timbra.cfdi.structure.standards import XmlStandards
from timbra.container import Container
from timbra.snapshot.opening import opened_snapshot


def document_parser(container: Container) -> DocumentParser:
    """Build the parser of the event loop."""
    settings = container.settings
    return DocumentParser(ParserLimits(settings.max_body_bytes, settings.max_depth, settings.max_attributes))


def thread_parser(container: Container) -> DocumentParser:
    """Build a parser for threads, so that the event loop does not wait for documents that they parse."""
    return document_parser(container)


def cadena_original(container: Container) -> CadenaOriginal:
    """Build the programs of the cadena original."""
    return CadenaOriginal(container.get(opened_snapshot))


def qr_painter(container: Container) -> QrPainter:
    """Build the painter of the QR code of a stamp."""
    return QrPainter(container.get(opened_snapshot))


def xml_standards(container: Container) -> XmlStandards:
    """Build the schemas of complements."""
    return XmlStandards(container.get(opened_snapshot))
