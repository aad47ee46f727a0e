"""Deductions, and those for incapacity."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Deduccion, Nomina
from timbra.rules.engine.result import RuleResult, Violation

INCAPACITY: Final = "006"


def is_positive(row: Deduccion) -> RuleResult:
    """Check that a deduction is greater than zero."""
    return None if row.importe > ZERO else Violation(found=row.Importe, expected="mayor que cero")


def withheld_incapacity_is_told(nomina: Nomina) -> RuleResult:
    """Check that Incapacidades is present with a deduction 006."""
    if nomina.has_incapacidades or not _rows(nomina):
        return None
    return Violation(expected="el nodo, por la deducción 006")


def withheld_incapacity_adds_up(nomina: Nomina) -> RuleResult:
    """Check that the deductions 006 are together the amount of the incapacities; reported at the first of them.

    Passes without Incapacidades.
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
