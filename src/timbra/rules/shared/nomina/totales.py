"""Totals of the complement, of Percepciones and of Deducciones: exact, without tolerance."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Deducciones, Nomina, Percepciones
from timbra.rules.engine.result import RuleResult, Violation

SEPARATION: Final = frozenset({"022", "023", "025"})
RETIREMENT: Final = frozenset({"039", "044"})
INCOME_TAX: Final = "002"


def total_is(text: str | None, found: Decimal, expected: Decimal, what: str) -> RuleResult:
    """Check that the total is present and equals the sum.

    Args:
        text: the total as written.
        found: the total as a number.
        expected: the sum.
        what: Spanish name of the sum.
    """
    return None if text is not None and found == expected else Violation(text, f"{expected:f}, {what}")


def has_a_total(nomina: Nomina) -> RuleResult:
    """Check that TotalPercepciones or TotalOtrosPagos is present."""
    if nomina.TotalPercepciones is not None or nomina.TotalOtrosPagos is not None:
        return None
    return Violation(expected="TotalPercepciones o TotalOtrosPagos")


def no_total_without(text: str | None, is_there: bool, node: str) -> RuleResult:
    """Check that a total is absent when the node that it sums is absent."""
    return None if is_there or text is None else Violation(found=text, expected=f"que no exista sin el nodo {node}")


def percepciones_total(nomina: Nomina) -> RuleResult:
    """Check TotalPercepciones, when Percepciones is present: wages, separation and retirement."""
    rows = nomina.percepciones
    if rows is None:
        return None
    expected = rows.total_sueldos + rows.total_separacion + rows.total_jubilacion
    what = "la suma de TotalSueldos, TotalSeparacionIndemnizacion y TotalJubilacionPensionRetiro"
    return total_is(nomina.TotalPercepciones, nomina.total_percepciones, expected, what)


def deducciones_total(nomina: Nomina) -> RuleResult:
    """Check TotalDeducciones, when Deducciones is present."""
    rows = nomina.deducciones
    if rows is None:
        return None
    expected = rows.otras_deducciones + rows.impuestos_retenidos
    what = "la suma de TotalOtrasDeducciones y TotalImpuestosRetenidos"
    return total_is(nomina.TotalDeducciones, nomina.total_deducciones, expected, what)


def otros_pagos_total(nomina: Nomina) -> RuleResult:
    """Check TotalOtrosPagos, when OtrosPagos is present."""
    if not nomina.has_otros_pagos:
        return None
    expected = sum([row.importe for row in nomina.otros_pagos], ZERO)
    return total_is(nomina.TotalOtrosPagos, nomina.total_otros_pagos, expected, "la suma de Importe de los otros pagos")


def kinds_add_up(rows: Percepciones) -> RuleResult:
    """Check that wages, separation and retirement are together the taxed and the exempt total."""
    kinds = rows.total_sueldos + rows.total_separacion + rows.total_jubilacion
    expected = rows.gravado + rows.exento
    if kinds == expected:
        return None
    found = f"{kinds:f} = TotalSueldos + TotalSeparacionIndemnizacion + TotalJubilacionPensionRetiro"
    return Violation(found=found, expected=f"{expected:f}, la suma de TotalGravado y TotalExento")


def _sum_of(rows: Percepciones, kinds: Iterable[str]) -> Decimal:
    selected = frozenset(kinds)
    return sum([row.importe for row in rows.filas if row.TipoPercepcion in selected], ZERO)


def _kind_total(text: str | None, found: Decimal, expected: Decimal, kinds: str) -> RuleResult:
    """Check a total that is present; its absence is checked by another rule."""
    what = f"la suma de ImporteGravado e ImporteExento de las percepciones {kinds}"
    return None if text is None else total_is(text, found, expected, what)


def sueldos_total(rows: Percepciones) -> RuleResult:
    """Check TotalSueldos, when present: the rows that are neither separation nor retirement."""
    expected = sum([row.importe for row in rows.filas if is_wage(row.TipoPercepcion)], ZERO)
    return _kind_total(rows.TotalSueldos, rows.total_sueldos, expected, "que no son 022, 023, 025, 039 ni 044")


def separacion_total(rows: Percepciones) -> RuleResult:
    """Check TotalSeparacionIndemnizacion, when present."""
    expected = _sum_of(rows, SEPARATION)
    return _kind_total(rows.TotalSeparacionIndemnizacion, rows.total_separacion, expected, "022, 023 y 025")


def jubilacion_total(rows: Percepciones) -> RuleResult:
    """Check TotalJubilacionPensionRetiro, when present."""
    expected = _sum_of(rows, RETIREMENT)
    return _kind_total(rows.TotalJubilacionPensionRetiro, rows.total_jubilacion, expected, "039 y 044")


def gravado_total(rows: Percepciones) -> RuleResult:
    """Check TotalGravado."""
    expected = sum([row.gravado for row in rows.filas], ZERO)
    return total_is(rows.TotalGravado, rows.gravado, expected, "la suma de ImporteGravado de las percepciones")


def exento_total(rows: Percepciones) -> RuleResult:
    """Check TotalExento."""
    expected = sum([row.exento for row in rows.filas], ZERO)
    return total_is(rows.TotalExento, rows.exento, expected, "la suma de ImporteExento de las percepciones")


def is_wage(kind: str) -> bool:
    """Whether TotalSueldos includes a TipoPercepcion."""
    return kind not in SEPARATION and kind not in RETIREMENT


def withholds_tax(rows: Deducciones) -> bool:
    """Whether a deduction is ISR."""
    return any(row.TipoDeduccion == INCOME_TAX for row in rows.filas)


def retenidos_total(rows: Deducciones) -> RuleResult:
    """Check TotalImpuestosRetenidos, when a deduction is ISR: the sum of those."""
    if not withholds_tax(rows):
        return None
    expected = sum([row.importe for row in rows.filas if row.TipoDeduccion == INCOME_TAX], ZERO)
    what = "la suma de Importe de las deducciones 002"
    return total_is(rows.TotalImpuestosRetenidos, rows.impuestos_retenidos, expected, what)


def otras_deducciones_total(rows: Deducciones) -> RuleResult:
    """Check TotalOtrasDeducciones: the deductions other than ISR.

    The standard requires it; the matrices have no code.
    """
    expected = sum([row.importe for row in rows.filas if row.TipoDeduccion != INCOME_TAX], ZERO)
    if rows.otras_deducciones == expected:
        return None
    what = "la suma de Importe de las deducciones que no son 002"
    return Violation(found=rows.TotalOtrasDeducciones, expected=f"{expected:f}, {what}")


def no_retenidos(rows: Deducciones) -> RuleResult:
    """Check that TotalImpuestosRetenidos is absent when no deduction is ISR."""
    if rows.TotalImpuestosRetenidos is None or withholds_tax(rows):
        return None
    return Violation(found=rows.TotalImpuestosRetenidos, expected="que no exista sin deducciones 002")
