"""Conceptos and what hangs below them, taxes apart."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.nodes.base import ZERO, Node, number

if TYPE_CHECKING:
    from timbra.cfdi.nodes.comprobante import Comprobante
    from timbra.cfdi.nodes.impuestos import Retencion, Traslado


class Concepto(Node):
    """Conceptos/Concepto.

    has_impuestos: whether the tax node is there, even an empty one. complementos: children of ComplementoConcepto.
    """

    __slots__ = (
        "Cantidad",
        "ClaveProdServ",
        "ClaveUnidad",
        "Descuento",
        "Importe",
        "ObjetoImp",
        "ValorUnitario",
        "a_cuenta_terceros",
        "aduanas",
        "cantidad",
        "complementos",
        "descuento",
        "element",
        "has_impuestos",
        "importe",
        "partes",
        "retenciones",
        "traslados",
        "valor_unitario",
    )
    PATH = "Conceptos/Concepto"
    STEP = "Conceptos/Concepto"
    RANK = 5

    parent: Comprobante
    traslados: Sequence[Traslado]
    retenciones: Sequence[Retencion]
    a_cuenta_terceros: ACuentaTerceros | None
    aduanas: tuple[InformacionAduanera, ...]
    partes: tuple[Parte, ...]
    complementos: tuple[etree._Element, ...]
    descuento: Decimal

    def __init__(self, element: etree._Element, parent: Comprobante, index: int) -> None:
        self.element = element
        self.parent = parent
        self.index = index
        get = element.get
        self.ClaveProdServ = get("ClaveProdServ", "")
        self.ClaveUnidad = get("ClaveUnidad", "")
        self.ObjetoImp = get("ObjetoImp", "")
        self.Cantidad = quantity = get("Cantidad", "0")
        self.ValorUnitario = price = get("ValorUnitario", "0")
        self.Importe = amount = get("Importe", "0")
        self.Descuento = discount = get("Descuento")
        self.cantidad = Decimal(quantity)
        self.valor_unitario = Decimal(price)
        self.importe = Decimal(amount)
        self.descuento = ZERO if discount is None else number(discount)
        self.has_impuestos = False
        self.a_cuenta_terceros = None
        self.traslados = self.retenciones = self.aduanas = self.partes = self.complementos = ()

    @property
    def NoIdentificacion(self) -> str | None:  # noqa: N802 (SAT's name)
        return self.element.get("NoIdentificacion")

    @property
    def Descripcion(self) -> str:  # noqa: N802 (SAT's name)
        return self.element.get("Descripcion", "")


class ACuentaTerceros(Node):
    """Conceptos/Concepto/ACuentaTerceros."""

    __slots__ = (
        "DomicilioFiscalACuentaTerceros",
        "NombreACuentaTerceros",
        "RegimenFiscalACuentaTerceros",
        "RfcACuentaTerceros",
    )
    PATH = "Conceptos/Concepto/ACuentaTerceros"
    STEP = "ACuentaTerceros"
    RANK = 3

    parent: Concepto

    def __init__(self, element: etree._Element, parent: Concepto) -> None:
        self.parent = parent
        self.index = 0
        self.RfcACuentaTerceros = element.get("RfcACuentaTerceros", "")
        self.NombreACuentaTerceros = element.get("NombreACuentaTerceros", "")
        self.RegimenFiscalACuentaTerceros = element.get("RegimenFiscalACuentaTerceros", "")
        self.DomicilioFiscalACuentaTerceros = element.get("DomicilioFiscalACuentaTerceros", "")


class InformacionAduanera(Node):
    """Conceptos/Concepto/InformacionAduanera."""

    __slots__ = ("NumeroPedimento",)
    PATH = "Conceptos/Concepto/InformacionAduanera"
    STEP = "InformacionAduanera"
    RANK = 4

    def __init__(self, element: etree._Element, parent: Concepto | Parte, index: int) -> None:
        self.parent = parent
        self.index = index
        self.NumeroPedimento = element.get("NumeroPedimento", "")


class Parte(Node):
    """Conceptos/Concepto/Parte; without ValorUnitario or Importe the numbers are 0."""

    __slots__ = (
        "Cantidad",
        "ClaveProdServ",
        "Importe",
        "ValorUnitario",
        "aduanas",
        "cantidad",
        "importe",
        "valor_unitario",
    )
    PATH = "Conceptos/Concepto/Parte"
    STEP = "Parte"
    RANK = 6

    parent: Concepto
    aduanas: tuple[InformacionAduaneraDeParte, ...]

    def __init__(self, element: etree._Element, parent: Concepto, index: int) -> None:
        self.parent = parent
        self.index = index
        self.ClaveProdServ = element.get("ClaveProdServ", "")
        self.Cantidad = element.get("Cantidad", "")
        self.ValorUnitario = element.get("ValorUnitario")
        self.Importe = element.get("Importe")
        self.cantidad = number(self.Cantidad)
        self.valor_unitario = number(self.ValorUnitario)
        self.importe = number(self.Importe)
        self.aduanas = ()


class InformacionAduaneraDeParte(InformacionAduanera):
    """Conceptos/Concepto/Parte/InformacionAduanera."""

    __slots__ = ()
    PATH = "Conceptos/Concepto/Parte/InformacionAduanera"
