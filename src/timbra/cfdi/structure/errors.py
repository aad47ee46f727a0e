"""Errors of libxml2, and structure faults: path, Spanish sentence, line."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree


@dataclass(frozen=True, slots=True)
class StructureFault:
    """A violation of a schema.

    Attributes:
        path: such as `/cfdi:Comprobante/cfdi:Emisor/@Rfc`.
        message: Spanish sentence.
        line: line of the element, from 1.
    """

    path: str
    message: str
    line: int


@dataclass(frozen=True, slots=True)
class SchemaError:
    """An error as libxml2 reports it.

    Attributes:
        kind: libxml2's name of the error type.
        message: English sentence.
        path: path from the validated element, with the document's own prefixes.
        line: line of the element.
        element: the element, when it is already located; path and line are then those of a copy.
    """

    kind: str
    message: str
    path: str
    line: int
    element: etree._Element | None = None
