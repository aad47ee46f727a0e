"""Pagos a extranjeros 1.0."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.complement import ComplementNode, Places

NAMESPACE = "{http://www.sat.gob.mx/esquemas/retencionpago/1/pagosaextranjeros}"
HEAD = "Complemento/Pagosaextranjeros"


class Pagosaextranjeros(ComplementNode):
    """The complement.

    Attributes:
        has_beneficiario, has_no_beneficiario: whether it has the child Beneficiario, NoBeneficiario.
    """

    __slots__ = ("EsBenefEfectDelCobro", "has_beneficiario", "has_no_beneficiario")
    HEAD = TEMPLATE = HEAD
    TAG = f"{NAMESPACE}Pagosaextranjeros"

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        self.EsBenefEfectDelCobro = element.get("EsBenefEfectDelCobro", "")
        self.has_beneficiario = element.find(f"{NAMESPACE}Beneficiario") is not None
        self.has_no_beneficiario = element.find(f"{NAMESPACE}NoBeneficiario") is not None


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement."""
    yield Pagosaextranjeros(element, head)
