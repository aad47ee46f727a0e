"""Planes de retiro 1.1."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import number_of

NAMESPACE = "{http://www.sat.gob.mx/esquemas/retencionpago/1/planesderetiro11}"
HEAD = "Complemento/Planesderetiro"


class Planesderetiro(ComplementNode):
    """The complement.

    Attributes:
        aportaciones: contributions and deposits.
        retirado, exento, excedente: amounts of what was withdrawn in the immediately preceding year.
    """

    HEAD = TEMPLATE = HEAD
    TAG = f"{NAMESPACE}Planesderetiro"

    HuboRetirosAnioInmAntPer: str
    HuboRetirosAnioInmAnt: str
    MontTotRetiradoAnioInmAntPer: str | None
    MontTotExentRetiradoAnioInmAnt: str | None
    MontTotExedenteAnioInmAnt: str | None
    MontTotRetiradoAnioInmAnt: str | None
    retirado: Decimal = number_of("MontTotRetiradoAnioInmAntPer")
    exento: Decimal = number_of("MontTotExentRetiradoAnioInmAnt")
    excedente: Decimal = number_of("MontTotExedenteAnioInmAnt")
    aportaciones: tuple[AportacionesODepositos, ...]


class AportacionesODepositos(ComplementNode):
    """AportacionesODepositos: a contribution or deposit."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/AportacionesODepositos[{{}}]"
    RANKS = (1,)

    TipoAportacionODeposito: str
    RFCFiduciaria: str | None
