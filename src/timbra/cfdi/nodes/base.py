"""What all nodes share: where they stand, and how their numbers are read."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import ClassVar

from lxml import etree

NAMESPACE = "{http://www.sat.gob.mx/cfd/4}"
ZERO = Decimal(0)
LONGEST_NUMBER = 60


class Node:
    """A read-only view of one element. Attributes keep SAT's names and the text as written, None when absent.

    parent: None for the root. index: place among the siblings of that name, from 1; 0 where the standard has one.
    """

    __slots__ = ("index", "parent")

    PATH: ClassVar[str] = ""
    """Path of the kind from the root, without indexes."""
    STEP: ClassVar[str] = ""
    """Path from the parent node."""
    RANK: ClassVar[int] = 0
    """Place of the kind among the children of its parent, in document order."""

    parent: Node | None
    index: int

    @property
    def path(self) -> str:
        """XPath from the root, with indexes and without prefixes: `Conceptos/Concepto[3]`; empty for the root."""
        if self.parent is None:
            return ""
        above = self.parent.path
        here = f"{self.STEP}[{self.index}]" if self.index else self.STEP
        return f"{above}/{here}" if above else here

    @property
    def order(self) -> tuple[int, ...]:
        """Sorts nodes as they stand in the document, a parent before its children."""
        return () if self.parent is None else (*self.parent.order, self.RANK, self.index)


def number(text: str | None) -> Decimal:
    """The number of an attribute whose decimals the structure leaves open; 0 when absent.

    A text of more than 60 characters is no amount and counts as 0: the rule about its decimals refuses it.
    """
    if text is None or len(text) > LONGEST_NUMBER:
        return ZERO
    try:
        return Decimal(text)
    except InvalidOperation:
        return ZERO


def elements(parent: etree._Element) -> list[etree._Element]:
    """The child elements, without comments and instructions."""
    return list(parent.iterchildren(etree.Element))


def local_name(element: etree._Element) -> str | None:
    """The name of an element of CFDI 4.0; None for other namespaces, comments and instructions."""
    tag: object = element.tag
    return tag[len(NAMESPACE) :] if isinstance(tag, str) and tag.startswith(NAMESPACE) else None
