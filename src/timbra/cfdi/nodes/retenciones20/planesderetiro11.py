"""Planes de retiro 1.1."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, number
from timbra.cfdi.nodes.complement import ComplementNode, Places

NAMESPACE = "{http://www.sat.gob.mx/esquemas/retencionpago/1/planesderetiro11}"
HEAD = "Complemento/Planesderetiro"


class Planesderetiro(ComplementNode):
    """The complement.

    Attributes:
        aportaciones: contributions and deposits.
        retirado, exento, excedente: amounts of what was withdrawn in the immediately preceding year.
    """

    __slots__ = (
        "HuboRetirosAnioInmAnt",
        "HuboRetirosAnioInmAntPer",
        "MontTotExedenteAnioInmAnt",
        "MontTotExentRetiradoAnioInmAnt",
        "MontTotRetiradoAnioInmAnt",
        "MontTotRetiradoAnioInmAntPer",
        "aportaciones",
        "excedente",
        "exento",
        "retirado",
    )
    HEAD = TEMPLATE = HEAD
    TAG = f"{NAMESPACE}Planesderetiro"

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        get = element.get
        self.HuboRetirosAnioInmAntPer = get("HuboRetirosAnioInmAntPer", "")
        self.HuboRetirosAnioInmAnt = get("HuboRetirosAnioInmAnt", "")
        self.MontTotRetiradoAnioInmAntPer = get("MontTotRetiradoAnioInmAntPer")
        self.MontTotExentRetiradoAnioInmAnt = get("MontTotExentRetiradoAnioInmAnt")
        self.MontTotExedenteAnioInmAnt = get("MontTotExedenteAnioInmAnt")
        self.MontTotRetiradoAnioInmAnt = get("MontTotRetiradoAnioInmAnt")
        self.retirado = number(self.MontTotRetiradoAnioInmAntPer)
        self.exento = number(self.MontTotExentRetiradoAnioInmAnt)
        self.excedente = number(self.MontTotExedenteAnioInmAnt)
        rows = element.iterchildren(f"{NAMESPACE}AportacionesODepositos")
        self.aportaciones = tuple([AportacionesODepositos(row, (*places, place)) for place, row in enumerate(rows, 1)])


class AportacionesODepositos(ComplementNode):
    """AportacionesODepositos: a contribution or deposit."""

    __slots__ = ("RFCFiduciaria", "TipoAportacionODeposito")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/AportacionesODepositos[{{}}]"
    RANKS = (1,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoAportacionODeposito = element.get("TipoAportacionODeposito", "")
        self.RFCFiduciaria = element.get("RFCFiduciaria")


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement and its contributions."""
    plan = Planesderetiro(element, head)
    yield plan
    yield from plan.aportaciones
