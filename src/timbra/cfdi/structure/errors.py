"""Errors of libxml2, and structure faults: path, found and expected, line."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from timbra.core.errors import finding_sentence


@dataclass(frozen=True, slots=True)
class StructureFault:
    """A violation of a schema. The errors of one attribute are one fault.

    Attributes:
        path: such as `Conceptos/Concepto[2]/@Importe`; empty for the root.
        line: line of the element, from 1.
        found: the value as the document writes it; None when it is absent.
        expected: what the schema accepts, in Spanish.
        expected_value: the value that the schema requires, None when it accepts several.
        element: the element; for an absent element its parent.
        attribute: qualified name of the attribute; empty for an error of the element itself.
        missing: names of the elements that the schema expects instead of the element, or inside it.
        unexpected: whether the schema does not allow the element in this place.
    """

    path: str
    line: int
    found: str | None = None
    expected: str | None = None
    expected_value: str | None = None
    element: etree._Element | None = field(default=None, compare=False, repr=False)
    attribute: str = ""
    missing: tuple[str, ...] = ()
    unexpected: bool = False

    @property
    def message(self) -> str:
        """The Spanish sentence."""
        return finding_sentence(self.path, self.found, self.expected)


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
