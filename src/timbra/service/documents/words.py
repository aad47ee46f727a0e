"""The words of a stamped document by which it is searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.header_reader import read_header
from timbra.cfdi.search_words import search_words
from timbra.errors import ServiceError

if TYPE_CHECKING:
    from lxml import etree

MAX_WORDS = 24
"""Words of a document: first those of its number and of its parties' names."""
NAMES = ("Nombre", "NomDenRazSocR", "NomDenRazSocE")
"""Attributes with a name, in CFDI and Retenciones of all versions."""
MAX_CONCEPTS = 5
"""Concepts whose descriptions are searched."""
MAX_PARSED_BYTES = 512 * 1024
"""The descriptions of larger documents are not searched."""


def document_words(parser: DocumentParser, cfdi: bytes) -> list[str]:
    """Return the words of serie, folio, names and descriptions.

    Args:
        parser: A parser for threads.
        cfdi: The stamped document.
    """
    root = _root(parser, cfdi)
    if root is None:
        header = read_header(cfdi)
        return search_words((header.serie, header.folio, header.receiver_name, header.issuer_name), MAX_WORDS)
    return search_words((*_numbers_and_names(root), *_descriptions(root)), MAX_WORDS)


def _root(parser: DocumentParser, cfdi: bytes) -> etree._Element | None:
    """Return the root of a document; None for a large or damaged one, which is found by its header."""
    if len(cfdi) > MAX_PARSED_BYTES:
        return None
    try:
        return parser.parse(cfdi).root
    except ServiceError:
        return None


def _numbers_and_names(root: etree._Element) -> Iterator[str]:
    """Yield serie and folio, then the name of the receiver, which of a retención is below it, and of the issuer."""
    yield root.get("Serie") or ""
    yield root.get("Folio") or root.get("FolioInt") or ""
    receivers = ("{*}Receptor", "{*}Receptor/{*}Nacional", "{*}Receptor/{*}Extranjero")
    for place in (*receivers, "{*}Emisor"):
        element = root.find(place)
        yield from () if element is None else (element.get(name) or "" for name in NAMES)


def _descriptions(root: etree._Element) -> Iterator[str]:
    for number, concept in enumerate(root.iterfind("{*}Conceptos/{*}Concepto")):
        if number >= MAX_CONCEPTS:
            return
        yield concept.get("Descripcion") or concept.get("descripcion") or ""
