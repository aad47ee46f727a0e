"""Other payments, and incapacities."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import number_of
from timbra.cfdi.nodes.nomina12.names import HEAD


class OtroPago(ComplementNode):
    """OtrosPagos/OtroPago."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/OtrosPagos/OtroPago[{{}}]"
    RANKS = (5, 1)

    TipoOtroPago: str
    Importe: str
    importe: Decimal = number_of("Importe")
    subsidio: SubsidioAlEmpleo | None
    compensacion: CompensacionSaldosAFavor | None


class SubsidioAlEmpleo(ComplementNode):
    """OtroPago/SubsidioAlEmpleo."""

    HEAD = HEAD
    TEMPLATE = f"{OtroPago.TEMPLATE}/SubsidioAlEmpleo"
    RANKS = (5, 1, 1)

    SubsidioCausado: str
    causado: Decimal = number_of("SubsidioCausado")


class CompensacionSaldosAFavor(ComplementNode):
    """OtroPago/CompensacionSaldosAFavor."""

    HEAD = HEAD
    TEMPLATE = f"{OtroPago.TEMPLATE}/CompensacionSaldosAFavor"
    RANKS = (5, 1, 2)

    SaldoAFavor: str
    Año: str
    RemanenteSalFav: str
    saldo: Decimal = number_of("SaldoAFavor")
    remanente: Decimal = number_of("RemanenteSalFav")


class Incapacidad(ComplementNode):
    """Incapacidades/Incapacidad."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Incapacidades/Incapacidad[{{}}]"
    RANKS = (6, 1)

    DiasIncapacidad: str
    TipoIncapacidad: str
    ImporteMonetario: str | None
    importe: Decimal = number_of("ImporteMonetario")
