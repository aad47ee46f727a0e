"""From an error of libxml2 to a fault that a person can act on: path, Spanish sentence, line."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree


@dataclass(frozen=True, slots=True)
class StructureFault:
    """path: such as `/cfdi:Comprobante/cfdi:Emisor/@Rfc`; message: Spanish; line: of the element, from 1."""

    path: str
    message: str
    line: int


@dataclass(frozen=True, slots=True)
class SchemaError:
    """An error as libxml2 tells it. path: with the document's own prefixes, from the validated element.

    element: the element, where it is known already; then path and line are those of a copy.
    """

    kind: str
    message: str
    path: str
    line: int
    element: etree._Element | None = None
