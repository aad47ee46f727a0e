"""Conceptos and their descendants, except taxes."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from lxml import etree

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.fields import attribute, decimal_of, elements_in, number_of, present
from timbra.cfdi.nodes.impuestos import Retencion, Traslado


class Concepto(Node):
    """Conceptos/Concepto.

    Attributes:
        has_impuestos: whether Impuestos is present, even if empty.
        complementos: children of ComplementoConcepto.
    """

    TEMPLATE = "Conceptos/Concepto[{}]"
    RANKS = (5,)

    ClaveProdServ: str
    ClaveUnidad: str
    ObjetoImp: str
    Cantidad: str = attribute(default="0")
    ValorUnitario: str = attribute(default="0")
    Importe: str = attribute(default="0")
    Descuento: str | None
    cantidad: Decimal = decimal_of("Cantidad")
    valor_unitario: Decimal = decimal_of("ValorUnitario")
    importe: Decimal = decimal_of("Importe")
    descuento: Decimal = number_of("Descuento")
    has_impuestos: bool = present("Impuestos")
    a_cuenta_terceros: ACuentaTerceros | None
    traslados: tuple[Traslado, ...]
    retenciones: tuple[Retencion, ...]
    aduanas: tuple[InformacionAduanera, ...]
    partes: tuple[Parte, ...]
    complementos: tuple[etree._Element, ...] = elements_in("ComplementoConcepto")


class ACuentaTerceros(Node):
    """Conceptos/Concepto/ACuentaTerceros."""

    TEMPLATE = "Conceptos/Concepto[{}]/ACuentaTerceros"
    RANKS = (5, 3)

    RfcACuentaTerceros: str
    NombreACuentaTerceros: str
    RegimenFiscalACuentaTerceros: str
    DomicilioFiscalACuentaTerceros: str


class InformacionAduanera(Node):
    """Conceptos/Concepto/InformacionAduanera."""

    TEMPLATE = "Conceptos/Concepto[{}]/InformacionAduanera[{}]"
    RANKS: ClassVar[tuple[int, ...]] = (5, 4)

    NumeroPedimento: str


class Parte(Node):
    """Conceptos/Concepto/Parte; the numbers of absent ValorUnitario and Importe are 0."""

    TEMPLATE = "Conceptos/Concepto[{}]/Parte[{}]"
    RANKS = (5, 6)

    ClaveProdServ: str
    Cantidad: str
    ValorUnitario: str | None
    Importe: str | None
    cantidad: Decimal = number_of("Cantidad")
    valor_unitario: Decimal = number_of("ValorUnitario")
    importe: Decimal = number_of("Importe")
    aduanas: tuple[InformacionAduaneraDeParte, ...]


class InformacionAduaneraDeParte(InformacionAduanera):
    """Conceptos/Concepto/Parte/InformacionAduanera."""

    TEMPLATE = "Conceptos/Concepto[{}]/Parte[{}]/InformacionAduanera[{}]"
    RANKS = (5, 6, 1)
