"""What the nodes of all complements share: where they stand in the invoice or a Concepto, how factors are read."""

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
"""The place of Complemento among the children of Comprobante."""

ANY = "*"
"""In a table of readers: every version that it does not name."""

LONGEST_FACTOR = 40

CONCEPTO_RANKS = (5, 5)
"""The places of Conceptos among the children of Comprobante, and of ComplementoConcepto among those of a Concepto."""

Places = tuple[int, int]
"""Of a complement: its place among all of the document, from 1; its place among those of its name, 0 when alone."""

ConceptoPlaces = tuple[int, int, int]
"""Of a complement inside a Concepto: the place of that Concepto; then as `Places`, within that Concepto."""

Reader = Callable[[etree._Element, Places], Iterable[Node]]
"""All nodes of a complement whose structure is valid, its head first, then as they stand in the document."""

ConceptoReader = Callable[[etree._Element, ConceptoPlaces], Iterable[Node]]
"""As `Reader`, of a complement inside a Concepto."""


def factor(text: str | None) -> Decimal:
    """A number that others are multiplied with or divided by: as `number`, but 0 beyond 40 characters."""
    return ZERO if text is not None and len(text) > LONGEST_FACTOR else number(text)


class ComplementNode(Node):
    """A node of a complement. places: those of its complement, then, below it, as in `Node`.

    RANKS are those below the complement. A head, the complement's own element, has none, and names its element.
    """

    __slots__ = ()

    HEAD: ClassVar[str] = ""
    """Path of the complement: `Complemento/Pagos`."""
    TAG: ClassVar[str] = ""
    """Of a head: the qualified name of its element, `{namespace}local`."""

    @property
    def complement(self) -> Places:
        """The complement that the node stands in."""
        return self.places[0], self.places[1]

    @property
    def path(self) -> str:
        """As in `Node`, with an index at the complement itself where the document has several of its name."""
        _, copy, *places = self.places
        path = self.TEMPLATE.format(*[place for place in places if place])
        return f"{self.HEAD}[{copy}]{path[len(self.HEAD) :]}" if copy else path

    @property
    def order(self) -> tuple[int, ...]:
        """Sorts nodes as they stand in the document: complements as they come, after the invoice's own nodes."""
        return (RANK, self.places[0], *chain.from_iterable(zip(self.RANKS, self.places[2:], strict=True)))


class ConceptoComplementNode(ComplementNode):
    """A node of a complement that stands in a Concepto. places: `ConceptoPlaces`, then, below it, as in `Node`.

    HEAD and TEMPLATE begin with the Concepto: `Conceptos/Concepto[{}]/ComplementoConcepto/HidroYPetro`.
    """

    __slots__ = ()

    @property
    def complement(self) -> Places:
        """The complement that the node stands in, within its Concepto."""
        return self.places[1], self.places[2]

    @property
    def path(self) -> str:
        """As in `Node`, with an index at the complement itself where the Concepto has several of its name."""
        concepto, _, copy, *places = self.places
        path = self.TEMPLATE.format(concepto, *[place for place in places if place])
        head = self.HEAD.format(concepto)
        return f"{head}[{copy}]{path[len(head) :]}" if copy else path

    @property
    def order(self) -> tuple[int, ...]:
        """Sorts nodes as they stand in the document: among the children of their Concepto."""
        conceptos, below = CONCEPTO_RANKS
        concepto, place, _, *places = self.places
        return (conceptos, concepto, below, place, *chain.from_iterable(zip(self.RANKS, places, strict=True)))


class MisplacedComplement(ConceptoComplementNode):
    """A complement of the invoice inside a Concepto; nothing below it is read. Kinds tell their TAG."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        cls.HEAD = cls.TEMPLATE = f"Conceptos/Concepto[{{}}]/ComplementoConcepto/{cls.TAG.partition('}')[2]}"
        super().__init_subclass__()

    def __init__(self, places: ConceptoPlaces) -> None:
        self.places = places

    @classmethod
    def read(cls, _element: etree._Element, places: ConceptoPlaces) -> Iterator[Node]:
        """A `ConceptoReader`."""
        yield cls(places)


def complement_nodes(
    complements: Sequence[etree._Element], readers: Mapping[tuple[str, str], Reader]
) -> Iterator[Node]:
    """The nodes of the complements that have a reader, by qualified name and version."""
    for element, place, copy in _placed(complements):
        reader = _reader(element, readers)
        if reader is not None:
            yield from reader(element, (place, copy))


def concepto_complement_nodes(
    concepto: int, complements: Sequence[etree._Element], readers: Mapping[tuple[str, str], ConceptoReader]
) -> Iterator[Node]:
    """As `complement_nodes`, of the complements inside the Concepto at that place."""
    for element, place, copy in _placed(complements):
        reader = _reader(element, readers)
        if reader is not None:
            yield from reader(element, (concepto, place, copy))


def _reader(element: etree._Element, readers: Mapping[tuple[str, str], R]) -> R | None:
    tag = str(element.tag)
    return readers.get((tag, element.get("Version", ""))) or readers.get((tag, ANY))


def _placed(complements: Sequence[etree._Element]) -> Iterator[tuple[etree._Element, int, int]]:
    """Each with its place among all, from 1, and its place among those of its name, 0 when alone."""
    copies = Counter(element.tag for element in complements)
    seen: Counter[object] = Counter()
    for place, element in enumerate(complements, 1):
        tag = element.tag
        seen[tag] += 1
        yield element, place, seen[tag] if copies[tag] > 1 else 0
