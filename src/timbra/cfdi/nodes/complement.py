"""Base classes of the nodes of complements, inside Complemento or a Concepto."""

from __future__ import annotations

from itertools import chain
from typing import ClassVar

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.fields import factor

__all__ = [
    "ANY",
    "CONCEPTO_RANKS",
    "RANK",
    "ComplementNode",
    "ConceptoComplementNode",
    "ConceptoPlaces",
    "MisplacedComplement",
    "Places",
    "factor",
]

RANK = 7
"""Position of Complemento among the children of Comprobante."""

ANY = "*"
"""In a table of kinds: every version without an entry of its own."""

CONCEPTO_RANKS = (5, 5)
"""Positions of Conceptos among the children of Comprobante, and of ComplementoConcepto among those of a Concepto."""

Places = tuple[int, int]
"""Position of a complement among all of the document, from 1, and among those of its name, 0 if it is the only one."""

ConceptoPlaces = tuple[int, int, int]
"""Position of a complement inside a Concepto: that of the Concepto, then as `Places` within the Concepto."""


class ComplementNode(Node):
    """A node of a complement.

    `places` are those of its complement (`Places`), then, below it, as in `Node`. `RANKS` are those below the
    complement; the complement's own element has none.
    """

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

    def __init_subclass__(cls) -> None:
        cls.HEAD = cls.TEMPLATE = f"Conceptos/Concepto[{{}}]/ComplementoConcepto/{cls.TAG.partition('}')[2]}"
        super().__init_subclass__()
