"""What all nodes share: where they stand, and how their numbers are read."""

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
    """A read-only view of one element. Attributes keep SAT's names and the text as written, None when absent.

    A parent refers to its children, and a child not to its parent: without a cycle, a document is freed with the last
    reference to it.
    places: for each node on the way from the root, this one last, its place among siblings of its name, from 1; 0 where
    the standard has only one.
    """

    __slots__ = ("places",)

    TEMPLATE: ClassVar[str] = ""
    """Path of the kind from the root, a `[{}]` where steps repeat."""
    PATH: ClassVar[str] = ""
    """Path of the kind from the root, without indexes."""
    RANKS: ClassVar[tuple[int, ...]] = ()
    """For each node on the way from the root: the place of its kind among its parent's children."""
    CHILDREN: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """Of a kind whose rules speak of children that may be absent: their places among its children, by name."""

    places: tuple[int, ...]

    def __init_subclass__(cls) -> None:
        cls.PATH = cls.TEMPLATE.replace("[{}]", "")

    @property
    def index(self) -> int:
        """The place among the siblings of that name, from 1; 0 where the standard has only one."""
        return self.places[-1] if self.places else 0

    @property
    def path(self) -> str:
        """XPath from the root, with indexes and without prefixes: `Conceptos/Concepto[3]`; empty for the root."""
        return self.TEMPLATE.format(*[place for place in self.places if place])

    def order_of(self, tail: str) -> tuple[int, ...]:
        """The order of what stands at a path below the node: that of a child which it places, else its own."""
        rank = self.CHILDREN.get(tail.partition("/")[0])
        return self.order if rank is None else (*self.order, rank, 0)

    @property
    def order(self) -> tuple[int, ...]:
        """Sorts nodes as they stand in the document, a parent before its children."""
        return tuple(chain.from_iterable(zip(self.RANKS, self.places, strict=True)))


def number(text: str | None) -> Decimal:
    """The number of an attribute whose decimals the structure leaves open; 0 when absent.

    A text of more than 60 characters is no amount and counts as 0: the rule about its decimals rejects it. So do
    texts with letters, which Decimal would read as infinite, as no number at all, or with an exponent.
    """
    if text is None or len(text) > LONGEST_NUMBER or text.swapcase() != text:
        return ZERO
    try:
        return Decimal(text)
    except InvalidOperation:
        return ZERO


def elements(parent: etree._Element) -> list[etree._Element]:
    """The child elements, without comments and instructions."""
    return list(parent.iterchildren(etree.Element))
