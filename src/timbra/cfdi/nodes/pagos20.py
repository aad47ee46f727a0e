"""Recepción de Pagos 2.0: payments, the documents that they pay, and their taxes."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import derived, factor_of, factor_or_one, named, number_of, present, row_of
from timbra.cfdi.nodes.pago import HEAD, BasePago

NAMESPACE = "{http://www.sat.gob.mx/Pagos20}"
TAG = f"{NAMESPACE}Pagos"
_TOTALES = f"{NAMESPACE}Totales"
_DOCTO_RELACIONADO = f"{NAMESPACE}DoctoRelacionado"
_RETENCION_P, _TRASLADO_P = f"{NAMESPACE}RetencionP", f"{NAMESPACE}TrasladoP"
_RETENCION_DR, _TRASLADO_DR = f"{NAMESPACE}RetencionDR", f"{NAMESPACE}TrasladoDR"

TOTALS = (
    "TotalRetencionesIVA",
    "TotalRetencionesISR",
    "TotalRetencionesIEPS",
    "TotalTrasladosBaseIVA16",
    "TotalTrasladosImpuestoIVA16",
    "TotalTrasladosBaseIVA8",
    "TotalTrasladosImpuestoIVA8",
    "TotalTrasladosBaseIVA0",
    "TotalTrasladosImpuestoIVA0",
    "TotalTrasladosBaseIVAExento",
    "MontoTotalPagos",
)
"""The attributes of Totales."""


class Pagos(ComplementNode):
    """The complement."""

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    pagos: tuple[Pago, ...]
    totales: Totales


class Totales(ComplementNode):
    """Totales.

    Attributes:
        texts: attributes of `TOTALS` that are present, as written.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Totales"
    RANKS = (1,)

    texts: dict[str, str] = named(frozenset(TOTALS))


class Pago(BasePago):
    """Pago, with the documents that it pays and its taxes."""

    RANKS = (2,)

    documentos: tuple[DoctoRelacionado, ...]
    retenciones: tuple[RetencionP, ...]
    traslados: tuple[TrasladoP, ...]


class DoctoRelacionado(ComplementNode):
    """Pago/DoctoRelacionado: a document that the payment pays.

    Attributes:
        equivalencia: EquivalenciaDR, units of MonedaDR for one of MonedaP; 1 when absent.
        has_impuestos: whether ImpuestosDR is present, even if empty.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Pago[{{}}]/DoctoRelacionado[{{}}]"
    RANKS = (2, 1)

    IdDocumento: str
    MonedaDR: str
    EquivalenciaDR: str | None
    ImpSaldoAnt: str
    ImpPagado: str
    ImpSaldoInsoluto: str
    ObjetoImpDR: str
    equivalencia: Decimal = derived(factor_or_one, "EquivalenciaDR")
    saldo_anterior: Decimal = number_of("ImpSaldoAnt")
    pagado: Decimal = number_of("ImpPagado")
    saldo_insoluto: Decimal = number_of("ImpSaldoInsoluto")
    has_impuestos: bool = present("ImpuestosDR")
    retenciones: tuple[RetencionDR, ...]
    traslados: tuple[TrasladoDR, ...]


class ImpuestoDR(ComplementNode):
    """A tax of a paid document.

    Attributes:
        row: ImpuestoDR, TipoFactorDR and TasaOCuotaDR: taxes with an equal row are summed in the payment.
    """

    HEAD = HEAD

    BaseDR: str
    ImpuestoDR: str
    TipoFactorDR: str
    TasaOCuotaDR: str | None
    ImporteDR: str | None
    base: Decimal = factor_of("BaseDR")
    importe: Decimal = number_of("ImporteDR")
    tasa: Decimal = factor_of("TasaOCuotaDR")
    row: tuple[str, str, str | None] = row_of("ImpuestoDR", "TipoFactorDR", "TasaOCuotaDR")


class RetencionDR(ImpuestoDR):
    """ImpuestosDR/RetencionesDR/RetencionDR; the schema requires TasaOCuotaDR and ImporteDR."""

    TEMPLATE = f"{DoctoRelacionado.TEMPLATE}/ImpuestosDR/RetencionesDR/RetencionDR[{{}}]"
    RANKS = (2, 1, 1)


class TrasladoDR(ImpuestoDR):
    """ImpuestosDR/TrasladosDR/TrasladoDR."""

    TEMPLATE = f"{DoctoRelacionado.TEMPLATE}/ImpuestosDR/TrasladosDR/TrasladoDR[{{}}]"
    RANKS = (2, 1, 2)


class RetencionP(ComplementNode):
    """ImpuestosP/RetencionesP/RetencionP of a payment."""

    HEAD = HEAD
    TEMPLATE = f"{Pago.TEMPLATE}/ImpuestosP/RetencionesP/RetencionP[{{}}]"
    RANKS = (2, 2)

    ImpuestoP: str
    ImporteP: str
    importe: Decimal = number_of("ImporteP")


class TrasladoP(ComplementNode):
    """ImpuestosP/TrasladosP/TrasladoP of a payment.

    Attributes:
        row: as in `ImpuestoDR`.
    """

    HEAD = HEAD
    TEMPLATE = f"{Pago.TEMPLATE}/ImpuestosP/TrasladosP/TrasladoP[{{}}]"
    RANKS = (2, 3)

    BaseP: str
    ImpuestoP: str
    TipoFactorP: str
    TasaOCuotaP: str | None
    ImporteP: str | None
    base: Decimal = number_of("BaseP")
    importe: Decimal = number_of("ImporteP")
    row: tuple[str, str, str | None] = row_of("ImpuestoP", "TipoFactorP", "TasaOCuotaP")
