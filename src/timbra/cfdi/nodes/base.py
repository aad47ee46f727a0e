"""The base class of nodes: the position of an element in the document, and the parsing of its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from itertools import chain
from types import MappingProxyType
from typing import ClassVar

from lxml import etree

NAMESPACE = "{http://www.sat.gob.mx/cfd/4}"
NAMESPACE_33 = "{http://www.sat.gob.mx/cfd/3}"
ZERO = Decimal(0)
LONGEST_NUMBER = 60


class Node:
    """A read-only view of one element. Attributes keep the SAT's names and the text as written, None when absent.

    A parent refers to its children, and a child not to its parent: without a cycle, a document is freed with the last
    reference to it.

    Attributes:
        places: for each element on the path from the root to this one, its position among siblings of its name, from 1;
            0 where the standard allows only one.
    """

    __slots__ = ("places",)

    TEMPLATE: ClassVar[str] = ""
    """Path of the kind from the root, with `[{}]` after each step that repeats."""
    PATH: ClassVar[str] = ""
    """Path of the kind from the root, without indexes."""
    RANKS: ClassVar[tuple[int, ...]] = ()
    """For each node on the path from the root: the position of its kind among the kinds of its parent's children."""
    CHILDREN: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """Sibling positions by child name, for children that rules refer to even when they are absent."""

    places: tuple[int, ...]

    def __init_subclass__(cls) -> None:
        cls.PATH = cls.TEMPLATE.replace("[{}]", "")

    @property
    def index(self) -> int:
        """Position among the siblings of that name, from 1; 0 where the standard allows only one."""
        return self.places[-1] if self.places else 0

    @property
    def path(self) -> str:
        """XPath from the root, with indexes and without prefixes: `Conceptos/Concepto[3]`; empty for the root."""
        return self.TEMPLATE.format(*[place for place in self.places if place])

    def order_of(self, tail: str) -> tuple[int, ...]:
        """Return the sort key of a path below the node: that of the child if `CHILDREN` has it, else the node's own."""
        rank = self.CHILDREN.get(tail.partition("/")[0])
        return self.order if rank is None else (*self.order, rank, 0)

    @property
    def order(self) -> tuple[int, ...]:
        """Sort key: document order, a parent before its children."""
        return tuple(chain.from_iterable(zip(self.RANKS, self.places, strict=True)))


def number(text: str | None) -> Decimal:
    """Parse a number whose decimals the schema does not limit; 0 when absent.

    A text of more than 60 characters counts as 0: the rule about its decimals rejects it. So do texts with letters,
    which Decimal would read as infinity, NaN or an exponent.
    """
    if text is None or len(text) > LONGEST_NUMBER or text.swapcase() != text:
        return ZERO
    try:
        return Decimal(text)
    except InvalidOperation:
        return ZERO


def elements(parent: etree._Element) -> list[etree._Element]:
    """Return the child elements, without comments and processing instructions."""
    return list(parent.iterchildren(etree.Element))
