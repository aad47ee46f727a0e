"""Base classes of the nodes of complements, inside Complemento or a Concepto, and the selection of their readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import ClassVar, TypeVar

from lxml import etree

from timbra.cfdi.nodes.base import ZERO, Node, number

R = TypeVar("R")

RANK = 7
"""Position of Complemento among the children of Comprobante."""

ANY = "*"
"""In a table of readers: every version without an entry of its own."""

LONGEST_FACTOR = 40

CONCEPTO_RANKS = (5, 5)
"""Positions of Conceptos among the children of Comprobante, and of ComplementoConcepto among those of a Concepto."""

Places = tuple[int, int]
"""Position of a complement among all of the document, from 1, and among those of its name, 0 if it is the only one."""

ConceptoPlaces = tuple[int, int, int]
"""Position of a complement inside a Concepto: that of the Concepto, then as `Places` within the Concepto."""

Reader = Callable[[etree._Element, Places], Iterable[Node]]
"""Returns all nodes of a complement whose structure is valid: the complement itself, then its descendants."""

ConceptoReader = Callable[[etree._Element, ConceptoPlaces], Iterable[Node]]
"""As `Reader`, for a complement inside a Concepto."""


def factor(text: str | None) -> Decimal:
    """Parse a number that is used as a factor or divisor: as `number`, but 0 beyond 40 characters."""
    return ZERO if text is not None and len(text) > LONGEST_FACTOR else number(text)


class ComplementNode(Node):
    """A node of a complement.

    `places` are those of its complement (`Places`), then, below it, as in `Node`. `RANKS` are those below the
    complement; the complement's own element has none.
    """

    __slots__ = ()

    HEAD: ClassVar[str] = ""
    """Path of the complement: `Complemento/Pagos`."""
    TAG: ClassVar[str] = ""
    """Qualified name of the complement's own element, `{namespace}local`; empty for the nodes below it."""

    @property
    def complement(self) -> Places:
        """Position of the complement that contains the node."""
        return self.places[0], self.places[1]

    @property
    def path(self) -> str:
        """As in `Node`, with an index at the complement itself when the document has several of its name."""
        _, copy, *places = self.places
        path = self.TEMPLATE.format(*[place for place in places if place])
        return f"{self.HEAD}[{copy}]{path[len(self.HEAD) :]}" if copy else path

    @property
    def order(self) -> tuple[int, ...]:
        """Sort key: document order; complements sort after the invoice's own nodes."""
        return (RANK, self.places[0], *chain.from_iterable(zip(self.RANKS, self.places[2:], strict=True)))


class ConceptoComplementNode(ComplementNode):
    """A node of a complement inside a Concepto.

    `places` are `ConceptoPlaces`, then, below it, as in `Node`. HEAD and TEMPLATE begin with the Concepto:
    `Conceptos/Concepto[{}]/ComplementoConcepto/HidroYPetro`.
    """

    __slots__ = ()

    @property
    def complement(self) -> Places:
        """Position of the complement that contains the node, within its Concepto."""
        return self.places[1], self.places[2]

    @property
    def path(self) -> str:
        """As in `Node`, with an index at the complement itself when the Concepto has several of its name."""
        concepto, _, copy, *places = self.places
        path = self.TEMPLATE.format(concepto, *[place for place in places if place])
        head = self.HEAD.format(concepto)
        return f"{head}[{copy}]{path[len(head) :]}" if copy else path

    @property
    def order(self) -> tuple[int, ...]:
        """Sort key: document order, among the children of the Concepto."""
        conceptos, below = CONCEPTO_RANKS
        concepto, place, _, *places = self.places
        return (conceptos, concepto, below, place, *chain.from_iterable(zip(self.RANKS, places, strict=True)))


class MisplacedComplement(ConceptoComplementNode):
    """A complement of the invoice inside a Concepto; its content is not read. Subclasses set TAG."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        cls.HEAD = cls.TEMPLATE = f"Conceptos/Concepto[{{}}]/ComplementoConcepto/{cls.TAG.partition('}')[2]}"
        super().__init_subclass__()

    def __init__(self, places: ConceptoPlaces) -> None:
        self.places = places

    @classmethod
    def read(cls, _element: etree._Element, places: ConceptoPlaces) -> Iterator[Node]:
        """Implement `ConceptoReader`."""
        yield cls(places)


def complement_nodes(
    complements: Sequence[etree._Element], readers: Mapping[tuple[str, str], Reader]
) -> Iterator[Node]:
    """Yield the nodes of the complements that have a reader.

    Args:
        complements: children of every Complemento.
        readers: reader by qualified name and version (or `ANY`).
    """
    for element, place, copy in _placed(complements):
        reader = _reader(element, readers)
        if reader is not None:
            yield from reader(element, (place, copy))


def concepto_complement_nodes(
    concepto: int, complements: Sequence[etree._Element], readers: Mapping[tuple[str, str], ConceptoReader]
) -> Iterator[Node]:
    """Yield the nodes of the complements inside one Concepto that have a reader.

    Args:
        concepto: position of the Concepto, from 1.
        complements: children of its ComplementoConcepto.
        readers: reader by qualified name and version (or `ANY`).
    """
    for element, place, copy in _placed(complements):
        reader = _reader(element, readers)
        if reader is not None:
            yield from reader(element, (concepto, place, copy))


def _reader(element: etree._Element, readers: Mapping[tuple[str, str], R]) -> R | None:
    tag = str(element.tag)
    return readers.get((tag, element.get("Version", ""))) or readers.get((tag, ANY))


def _placed(complements: Sequence[etree._Element]) -> Iterator[tuple[etree._Element, int, int]]:
    """Yield each complement with its position among all, from 1, and among those of its name, 0 for the only one."""
    copies = Counter(element.tag for element in complements)
    seen: Counter[object] = Counter()
    for place, element in enumerate(complements, 1):
        tag = element.tag
        seen[tag] += 1
        yield element, place, seen[tag] if copies[tag] > 1 else 0
