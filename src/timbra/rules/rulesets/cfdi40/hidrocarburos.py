"""Invoices of fuel: the complement Hidrocarburos y Petrolíferos is required (CFDI140228)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.hidroypetro10 import TAG
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.engine.shortcuts import selects
from timbra.rules.rulesets.cfdi40.sources import MATRIX_2026_03_25

FUELS: Final = frozenset({"15101505", "15101514", "15101515"})
"""Keys of c_ClaveProdServ that the row of the matrix lists."""


def _fuels(conceptos: Sequence[Concepto], ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if concepto.ClaveProdServ in FUELS and is_fuel(concepto, ctx)]


@selects(_fuels)
def is_fuel(concepto: Concepto, ctx: EvaluationContext) -> bool:
    """Whether ClaveProdServ is gasoline or diesel, on a day on which the code is applied."""
    return concepto.ClaveProdServ in FUELS and ctx.on >= ctx.reference_data.cfdi140228_since


@rule(
    "CFDI140228",
    at="Conceptos/Concepto/@ClaveProdServ",
    says="Cada concepto de gasolina o diésel debe llevar un complemento Hidrocarburos y Petrolíferos.",
    note="Se aplica desde el 2026-04-24, o desde el día de TIMBRA_CFDI140228_SINCE. Véanse RMF 2026, regla 2.7.1.48, y "
    "Anexo 29, III.3 y VI.1.9.",
    types="IE",
    applies=is_fuel,
    since=date.fromisoformat(MATRIX_2026_03_25.revision),
)
def fuel_has_one_hidroypetro(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    count = sum(element.tag == TAG for element in concepto.complementos)
    if count == 1:
        return None
    expected = f"un complemento Hidrocarburos y Petrolíferos, por ClaveProdServ {concepto.ClaveProdServ}"
    return Violation(found=f"{count} complementos" if count else None, expected=expected)
