"""Taxes of a Concepto, and the tax totals of the document."""

from __future__ import annotations

from decimal import Decimal

from lxml import etree

from timbra.cfdi.nodes.base import ZERO, Node, number


class Impuesto(Node):
    """A tax of a Concepto.

    Attributes:
        row: Impuesto, TipoFactor and TasaOCuota: taxes with an equal row are summed in the totals.
        importe: Importe as a number, 0 when absent.
    """

    __slots__ = ("Base", "Importe", "Impuesto", "TasaOCuota", "TipoFactor", "base", "importe", "row")

    Base: str
    Impuesto: str
    TipoFactor: str
    TasaOCuota: str | None
    Importe: str | None
    base: Decimal
    importe: Decimal
    row: tuple[str, str, str | None]

    def __init__(self, element: etree._Element, concepto: int, index: int) -> None:
        """Read the element; `concepto` is the position of its Concepto, from 1."""
        self.places = (concepto, index)
        get = element.get
        self.Base = base = get("Base", "0")
        self.Impuesto = tax = get("Impuesto", "")
        self.TipoFactor = factor = get("TipoFactor", "")
        self.TasaOCuota = rate = get("TasaOCuota")
        self.Importe = amount = get("Importe")
        self.base = Decimal(base)
        self.importe = ZERO if amount is None else Decimal(amount)
        self.row = (tax, factor, rate)


class Traslado(Impuesto):
    """Conceptos/Concepto/Impuestos/Traslados/Traslado."""

    __slots__ = ()
    TEMPLATE = "Conceptos/Concepto[{}]/Impuestos/Traslados/Traslado[{}]"
    RANKS = (5, 1)


class Retencion(Impuesto):
    """Conceptos/Concepto/Impuestos/Retenciones/Retencion; the schema requires TasaOCuota and Importe."""

    __slots__ = ()
    TEMPLATE = "Conceptos/Concepto[{}]/Impuestos/Retenciones/Retencion[{}]"
    RANKS = (5, 2)


class ImpuestosTotales(Node):
    """Comprobante/Impuestos.

    Attributes:
        has_retenciones, has_traslados: whether the container is present, even if empty.
    """

    __slots__ = (
        "TotalImpuestosRetenidos",
        "TotalImpuestosTrasladados",
        "has_retenciones",
        "has_traslados",
        "retenciones",
        "retenidos",
        "trasladados",
        "traslados",
    )
    TEMPLATE = "Impuestos"
    RANKS = (6,)

    retenciones: tuple[RetencionTotal, ...]
    traslados: tuple[TrasladoTotal, ...]

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.TotalImpuestosRetenidos = element.get("TotalImpuestosRetenidos")
        self.TotalImpuestosTrasladados = element.get("TotalImpuestosTrasladados")
        self.retenidos = number(self.TotalImpuestosRetenidos)
        self.trasladados = number(self.TotalImpuestosTrasladados)
        self.has_retenciones = self.has_traslados = False
        self.retenciones = self.traslados = ()


class RetencionTotal(Node):
    """Comprobante/Impuestos/Retenciones/Retencion."""

    __slots__ = ("Importe", "Impuesto", "importe")
    TEMPLATE = "Impuestos/Retenciones/Retencion[{}]"
    RANKS = (6, 1)

    def __init__(self, element: etree._Element, index: int) -> None:
        self.places = (0, index)
        self.Impuesto = element.get("Impuesto", "")
        self.Importe = element.get("Importe", "")
        self.importe = number(self.Importe)


class TrasladoTotal(Node):
    """Comprobante/Impuestos/Traslados/Traslado.

    Attributes:
        row: as in `Impuesto`.
    """

    __slots__ = ("Base", "Importe", "Impuesto", "TasaOCuota", "TipoFactor", "base", "importe", "row")
    TEMPLATE = "Impuestos/Traslados/Traslado[{}]"
    RANKS = (6, 2)

    def __init__(self, element: etree._Element, index: int) -> None:
        self.places = (0, index)
        self.Base = element.get("Base", "")
        self.Impuesto = element.get("Impuesto", "")
        self.TipoFactor = element.get("TipoFactor", "")
        self.TasaOCuota = element.get("TasaOCuota")
        self.Importe = element.get("Importe")
        self.base = number(self.Base)
        self.importe = number(self.Importe)
        self.row = (self.Impuesto, self.TipoFactor, self.TasaOCuota)
