"""Taxes of a Concepto, and the tax totals of the document."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.fields import attribute, decimal_of, number_of, present, row_of


class Impuesto(Node):
    """A tax of a Concepto.

    Attributes:
        row: Impuesto, TipoFactor and TasaOCuota: taxes with an equal row are summed in the totals.
        importe: Importe as a number, 0 when absent.
    """

    Base: str = attribute(default="0")
    Impuesto: str
    TipoFactor: str
    TasaOCuota: str | None
    Importe: str | None
    base: Decimal = decimal_of("Base")
    importe: Decimal = decimal_of("Importe")
    row: tuple[str, str, str | None] = row_of("Impuesto", "TipoFactor", "TasaOCuota")


class Traslado(Impuesto):
    """Conceptos/Concepto/Impuestos/Traslados/Traslado."""

    TEMPLATE = "Conceptos/Concepto[{}]/Impuestos/Traslados/Traslado[{}]"
    RANKS = (5, 1)


class Retencion(Impuesto):
    """Conceptos/Concepto/Impuestos/Retenciones/Retencion; the schema requires TasaOCuota and Importe."""

    TEMPLATE = "Conceptos/Concepto[{}]/Impuestos/Retenciones/Retencion[{}]"
    RANKS = (5, 2)


class ImpuestosTotales(Node):
    """Comprobante/Impuestos.

    Attributes:
        has_retenciones, has_traslados: whether the container is present, even if empty.
    """

    TEMPLATE = "Impuestos"
    RANKS = (6,)

    TotalImpuestosRetenidos: str | None
    TotalImpuestosTrasladados: str | None
    retenidos: Decimal = number_of("TotalImpuestosRetenidos")
    trasladados: Decimal = number_of("TotalImpuestosTrasladados")
    has_retenciones: bool = present("Retenciones")
    has_traslados: bool = present("Traslados")
    retenciones: tuple[RetencionTotal, ...]
    traslados: tuple[TrasladoTotal, ...]


class RetencionTotal(Node):
    """Comprobante/Impuestos/Retenciones/Retencion."""

    TEMPLATE = "Impuestos/Retenciones/Retencion[{}]"
    RANKS = (6, 1)

    Impuesto: str
    Importe: str
    importe: Decimal = number_of("Importe")


class TrasladoTotal(Node):
    """Comprobante/Impuestos/Traslados/Traslado.

    Attributes:
        row: as in `Impuesto`.
    """

    TEMPLATE = "Impuestos/Traslados/Traslado[{}]"
    RANKS = (6, 2)

    Base: str
    Impuesto: str
    TipoFactor: str
    TasaOCuota: str | None
    Importe: str | None
    base: Decimal = number_of("Base")
    importe: Decimal = number_of("Importe")
    row: tuple[str, str, str | None] = row_of("Impuesto", "TipoFactor", "TasaOCuota")
