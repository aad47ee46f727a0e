"""Estado de Cuenta de Combustibles 1.2: fuel bought with an electronic wallet (monedero electrónico)."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import gathered, number_of, sum_of

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

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    SubTotal: str
    Total: str
    subtotal: Decimal = number_of("SubTotal")
    total: Decimal = number_of("Total")
    cargas: tuple[ConceptoEstadoDeCuentaCombustible, ...]


class ConceptoEstadoDeCuentaCombustible(ComplementNode):
    """Conceptos/ConceptoEstadoDeCuentaCombustible: a purchase.

    Attributes:
        traslados: sum of the Importe of its taxes.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Conceptos/ConceptoEstadoDeCuentaCombustible[{{}}]"
    RANKS = (1,)

    Rfc: str
    TipoCombustible: str
    Importe: str
    importe: Decimal = number_of("Importe")
    traslados: Decimal = gathered("Traslados/Traslado/@Importe", sum_of)
