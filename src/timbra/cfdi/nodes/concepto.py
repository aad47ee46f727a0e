"""Conceptos and their descendants, except taxes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from lxml import etree

from timbra.cfdi.nodes.base import ZERO, Node, number

if TYPE_CHECKING:
    from timbra.cfdi.nodes.impuestos import Retencion, Traslado


class Concepto(Node):
    """Conceptos/Concepto.

    Attributes:
        has_impuestos: whether Impuestos is present, even if empty.
        complementos: children of ComplementoConcepto.
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
        "has_impuestos",
        "importe",
        "partes",
        "retenciones",
        "traslados",
        "valor_unitario",
    )
    TEMPLATE = "Conceptos/Concepto[{}]"
    RANKS = (5,)

    traslados: Sequence[Traslado]
    retenciones: Sequence[Retencion]
    a_cuenta_terceros: ACuentaTerceros | None
    aduanas: tuple[InformacionAduanera, ...]
    partes: tuple[Parte, ...]
    complementos: tuple[etree._Element, ...]
    descuento: Decimal

    def __init__(self, element: etree._Element, index: int) -> None:
        self.places = (index,)
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


class ACuentaTerceros(Node):
    """Conceptos/Concepto/ACuentaTerceros."""

    __slots__ = (
        "DomicilioFiscalACuentaTerceros",
        "NombreACuentaTerceros",
        "RegimenFiscalACuentaTerceros",
        "RfcACuentaTerceros",
    )
    TEMPLATE = "Conceptos/Concepto[{}]/ACuentaTerceros"
    RANKS = (5, 3)

    def __init__(self, element: etree._Element, concepto: int) -> None:
        self.places = (concepto, 0)
        self.RfcACuentaTerceros = element.get("RfcACuentaTerceros", "")
        self.NombreACuentaTerceros = element.get("NombreACuentaTerceros", "")
        self.RegimenFiscalACuentaTerceros = element.get("RegimenFiscalACuentaTerceros", "")
        self.DomicilioFiscalACuentaTerceros = element.get("DomicilioFiscalACuentaTerceros", "")


class InformacionAduanera(Node):
    """Conceptos/Concepto/InformacionAduanera."""

    __slots__ = ("NumeroPedimento",)
    TEMPLATE = "Conceptos/Concepto[{}]/InformacionAduanera[{}]"
    RANKS: ClassVar[tuple[int, ...]] = (5, 4)

    def __init__(self, element: etree._Element, *places: int) -> None:
        """Read the element; `places` are those of the Concepto, of the Parte if any, and its own."""
        self.places = places
        self.NumeroPedimento = element.get("NumeroPedimento", "")


class Parte(Node):
    """Conceptos/Concepto/Parte; the numbers of absent ValorUnitario and Importe are 0."""

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
    TEMPLATE = "Conceptos/Concepto[{}]/Parte[{}]"
    RANKS = (5, 6)

    aduanas: tuple[InformacionAduaneraDeParte, ...]

    def __init__(self, element: etree._Element, concepto: int, index: int) -> None:
        self.places = (concepto, index)
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
    TEMPLATE = "Conceptos/Concepto[{}]/Parte[{}]/InformacionAduanera[{}]"
    RANKS = (5, 6, 1)
