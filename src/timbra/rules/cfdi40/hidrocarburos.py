"""Fuel is sold with its complement: the demand on invoices that lack it."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.hidroypetro10 import TAG
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.hidroypetro10.matrix import ANEXO_29, SINCE
from timbra.rules.hidroypetro10.producto import FUELS
from timbra.rules.rule import rule


def is_fuel(concepto: Concepto, case: Case) -> bool:
    return case.in_force(FUELS, concepto.ClaveProdServ)


@rule(
    "CFDI40999:HYP-required",
    at="Conceptos/Concepto/ComplementoConcepto",
    source=ANEXO_29,
    types="IE",
    since=SINCE,
    applies=is_fuel,
    applies_reads=("ClaveProdServ",),
)
def fuel_carries_its_permit(concepto: Concepto, _case: Case) -> Verdict:
    """One complement Hidrocarburos y Petrolíferos in each Concepto of gasoline or diesel."""
    count = sum(element.tag == TAG for element in concepto.complementos)
    if count == 1:
        return None
    expected = f"un complemento Hidrocarburos y Petrolíferos, por ClaveProdServ {concepto.ClaveProdServ}"
    return Breach(found=f"{count} complementos" if count else None, expected=expected)
