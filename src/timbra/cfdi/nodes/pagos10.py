"""Recepción de Pagos 1.0: payments and the documents that they pay."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import derived, factor_or_one, number_of
from timbra.cfdi.nodes.pago import HEAD, BasePago

NAMESPACE = "{http://www.sat.gob.mx/Pagos}"
TAG = f"{NAMESPACE}Pagos"
_DOCTO_RELACIONADO = f"{NAMESPACE}DoctoRelacionado"


class Pagos(ComplementNode):
    """The complement."""

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    pagos: tuple[Pago, ...]


class Pago(BasePago):
    """Pago, with the documents that it pays."""

    RANKS = (1,)

    documentos: tuple[DoctoRelacionado, ...]
    impuestos: tuple[Impuestos, ...]


class DoctoRelacionado(ComplementNode):
    """Pago/DoctoRelacionado: a document that the payment pays; absent amounts are 0.

    Attributes:
        tipo_cambio: units of MonedaDR for one of MonedaP, 1 when TipoCambioDR is absent.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Pago[{{}}]/DoctoRelacionado[{{}}]"
    RANKS = (1, 1)

    MonedaDR: str
    TipoCambioDR: str | None
    MetodoDePagoDR: str
    NumParcialidad: str | None
    ImpSaldoAnt: str | None
    ImpPagado: str | None
    ImpSaldoInsoluto: str | None
    tipo_cambio: Decimal = derived(factor_or_one, "TipoCambioDR")
    saldo_anterior: Decimal = number_of("ImpSaldoAnt")
    pagado: Decimal = number_of("ImpPagado")
    saldo_insoluto: Decimal = number_of("ImpSaldoInsoluto")


class Impuestos(ComplementNode):
    """Pago/Impuestos, which the schema allows and the matrix does not; its content is not read."""

    HEAD = HEAD
    TEMPLATE = f"{Pago.TEMPLATE}/Impuestos[{{}}]"
    RANKS = (1, 2)
