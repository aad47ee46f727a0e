"""Estado de Cuenta de Combustibles 1.2: fuel bought with an electronic wallet (monedero electrónico)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from lxml import etree

from timbra.cfdi.nodes.base import Node, number
from timbra.cfdi.nodes.complement import ComplementNode, Places

NAMESPACE = "{http://www.sat.gob.mx/EstadoDeCuentaCombustible12}"
TAG = f"{NAMESPACE}EstadoDeCuentaCombustible"
HEAD = "Complemento/EstadoDeCuentaCombustible"
_CONCEPTO = f"{NAMESPACE}ConceptoEstadoDeCuentaCombustible"
_TRASLADO = f"{NAMESPACE}Traslado"


class EstadoDeCuentaCombustible(ComplementNode):
    """The complement.

    Attributes:
        cargas: the purchases.
    """

    __slots__ = ("SubTotal", "Total", "cargas", "subtotal", "total")
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    cargas: tuple[ConceptoEstadoDeCuentaCombustible, ...]

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        self.SubTotal = element.get("SubTotal", "")
        self.Total = element.get("Total", "")
        self.subtotal = number(self.SubTotal)
        self.total = number(self.Total)
        self.cargas = tuple(
            [
                ConceptoEstadoDeCuentaCombustible(row, (*places, place))
                for place, row in enumerate(element.iterdescendants(_CONCEPTO), 1)
            ]
        )


class ConceptoEstadoDeCuentaCombustible(ComplementNode):
    """Conceptos/ConceptoEstadoDeCuentaCombustible: a purchase.

    Attributes:
        traslados: sum of the Importe of its taxes.
    """

    __slots__ = ("Importe", "Rfc", "TipoCombustible", "importe", "traslados")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Conceptos/ConceptoEstadoDeCuentaCombustible[{{}}]"
    RANKS = (1,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.Rfc = element.get("Rfc", "")
        self.TipoCombustible = element.get("TipoCombustible", "")
        self.Importe = element.get("Importe", "")
        self.importe = number(self.Importe)
        amounts = [number(row.get("Importe")) for row in element.iterdescendants(_TRASLADO)]
        self.traslados = sum(amounts, Decimal(0))


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement and its purchases."""
    account = EstadoDeCuentaCombustible(element, head)
    yield account
    yield from account.cargas
