"""Deductions, among them those for incapacity."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Deduccion, Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

INCAPACITY: Final = "006"


def has_positive_amount(row: Deduccion, _ctx: EvaluationContext) -> RuleResult:
    """Importe of a deduction is greater than zero."""
    return None if row.importe > ZERO else Violation(found=row.Importe, expected="mayor que cero")


def has_incapacidades_with_006(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """Incapacidades is present with a deduction 006."""
    if nomina.has_incapacidades or not _rows(nomina):
        return None
    return Violation(expected="el nodo, por la deducción 006")


def deductions_006_equal_incapacidades(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """The sum of the deductions 006 is the sum of ImporteMonetario; reported at the first of them.

    A payroll without Incapacidades passes.
    """
    rows = _rows(nomina)
    if not nomina.has_incapacidades or not rows:
        return None
    total = sum([each.importe for each in rows], ZERO)
    expected = sum([each.importe for each in nomina.incapacidades], ZERO)
    if total == expected:
        return None
    what = "la suma de ImporteMonetario de las incapacidades"
    at = f"Deducciones/Deduccion[{rows[0].index}]/@Importe"
    return Violation(found=f"{total:f}", expected=f"{expected:f}, {what}", at=at)


def _rows(nomina: Nomina) -> list[Deduccion]:
    rows = nomina.deducciones.filas if nomina.deducciones is not None else ()
    return [row for row in rows if row.TipoDeduccion == INCAPACITY]
