"""Data of the editor: the text of a document, its findings with their lines, and example documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from timbra.core.clock import LOCAL_FORMAT
from timbra.core.errors import ServiceError
from timbra.core.spanish import fold
from timbra.documents.view import complement_name
from timbra.examples import DOCUMENTS
from timbra.validation.models import ReportEntry, ReportEntryKind, ValidationReport
from timbra.validation.xpath_view import ElementIndex, attribute_of

UNSTAMPED = "SIN-TIMBRE"
RETENCION_VERSION = "2.0"
STAMPABLE = ("4.0", RETENCION_VERSION)
"""Versions of CFDI and Retenciones of which examples can be stamped."""
EXAMPLE_NAMES = {
    "ingreso": "Ingreso",
    "egreso": "Egreso (nota de crédito)",
    "traslado": "Traslado",
    "global": "Factura global",
    "pagos20": "Pago (Pagos 2.0)",
    "nomina12": "Nómina 1.2",
    "cartaporte31": "Carta Porte 3.1",
    "comercioexterior20": "Comercio exterior 2.0",
    "retencion": "Retención",
}
"""Texts of the usual examples, which the list shows first; others are listed by their complement."""


PDF_START = b"%PDF"
PDF_WITHOUT_CFDI = "es un PDF que no lleva adjunto su CFDI. Aquí va el XML de la factura."
FILE_KINDS = {
    PDF_START: "es un PDF. Elíjalo como archivo: se lee el CFDI que lleva adjunto.",
    b"PK\x03\x04": "es un ZIP. Extraiga el XML que quiere timbrar; varios a la vez se timbran por lotes.",
    b"\xd0\xcf\x11\xe0": "es un documento de Office. Aquí va el XML de la factura.",
    b"\x89PNG": "es una imagen. Aquí va el XML de la factura.",
    b"\xff\xd8\xff": "es una imagen. Aquí va el XML de la factura.",
}
"""What a file is that is no document, by its first bytes."""


@dataclass(frozen=True, slots=True)
class EditorFinding:
    """A finding of the document in the editor.

    Attributes:
        line: Line of the text, from 1; 0 when it is unknown.
        is_error: Whether the document cannot be stamped with it.
        code: The code; empty for a warning without one.
        path: Place in the document.
        text: The message.
        found, expected: What was found and expected; None when unknown.
        hint: The usual cause; empty without one.
    """

    line: int
    is_error: bool
    code: str
    path: str
    text: str
    found: str | None = None
    expected: str | None = None
    hint: str = ""

    @property
    def attribute(self) -> str:
        """Name of the attribute of the path; empty for an element."""
        return attribute_of(self.path) or ""


def findings_of(report: ValidationReport, text: str) -> list[EditorFinding]:
    """Return the findings of a report by line, errors first within a line.

    Args:
        report: Report of the sealed document.
        text: The text of the editor, which is not sealed.
    """
    index = _index(text)
    entries = [entry for entry in report.entries if entry.code != UNSTAMPED]
    found = [_finding(entry, index) for entry in entries]
    return sorted(found, key=lambda finding: (finding.line, not finding.is_error))


def rejection_finding(error: ServiceError, text: str) -> EditorFinding:
    location = error.location
    path = (location.path if location else None) or ""
    return EditorFinding(
        _line(_index(text), path),
        True,
        error.code,
        path,
        error.detail or "",
        location.found if location else None,
        location.expected if location else None,
    )


def file_kind(content: bytes) -> str | None:
    """Return what a file is that is no document; None for one that may be."""
    return next((text for start, text in FILE_KINDS.items() if content.startswith(start)), None)


def examples() -> Sequence[tuple[str, str]]:
    """Return name and text of each example that can be stamped, the usual ones first."""
    names = [name for name, document in DOCUMENTS.items() if _can_be_stamped(name) and not document.has_ended]
    usual = [(name, text) for name, text in EXAMPLE_NAMES.items() if name in names]
    others = [(name, _text_of(name)) for name in names if name not in EXAMPLE_NAMES]
    return [*usual, *sorted(others, key=lambda other: fold(other[1]))]


def _text_of(name: str) -> str:
    document = DOCUMENTS[name]
    text = complement_name(etree.QName(document.tag).localname)
    return f"Retención: {text}" if RETENCION_VERSION in document.builders else text


def example_text(name: str, now: datetime) -> str:
    """Return an example with a new Fecha and folio, indented. ServiceError("TB4005") for an unknown name.

    Args:
        name: One of `examples`.
        now: Local time of central Mexico.
    """
    if name not in dict(examples()):
        raise ServiceError("TB4005", f"No hay un ejemplo {name}.")
    root = etree.fromstring(DOCUMENTS[name].make(fecha=now.strftime(LOCAL_FORMAT)).encode())
    folio = "FolioInt" if etree.QName(root).localname == "Retenciones" else "Folio"
    root.set(folio, f"{now:%y%m%d%H%M%S}")
    return indented(root)


def indented(root: etree._Element) -> str:
    """Return an element as text, indented, with a declaration."""
    etree.indent(root, "  ")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8").decode()


def _can_be_stamped(name: str) -> bool:
    return next(iter(DOCUMENTS[name].builders)) in STAMPABLE


def _finding(entry: ReportEntry, index: ElementIndex | None) -> EditorFinding:
    code, path = entry.code or "", entry.path or ""
    text = entry.message.removeprefix(f"{code} - ") if code else entry.detail or ""
    return EditorFinding(
        _line(index, path),
        entry.kind is ReportEntryKind.ERROR,
        code,
        path,
        text,
        entry.found,
        entry.expected,
        entry.hint or "",
    )


def _index(text: str) -> ElementIndex | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return ElementIndex(etree.fromstring(text.encode(), parser))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _line(index: ElementIndex | None, path: str) -> int:
    """Return the line where the element of a path begins; 0 for a document that cannot be parsed."""
    if index is None:
        return 0
    line: object = index.at(path).sourceline
    return line if isinstance(line, int) else 0
