"""Totals of the complement, of Percepciones and of Deducciones: exact, without tolerance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from operator import attrgetter
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Deducciones, Nomina, Percepciones
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.predicates import Predicate

SEPARATION: Final = frozenset({"022", "023", "025"})
RETIREMENT: Final = frozenset({"039", "044"})
INCOME_TAX: Final = "002"


def compare_total(text: str | None, found: Decimal, expected: Decimal, what: str) -> RuleResult:
    """Compare a total with its sum; an absent total violates the rule.

    Args:
        text: the total as written.
        found: the total as a number.
        expected: the sum.
        what: Spanish name of the sum.
    """
    return None if text is not None and found == expected else Violation(text, f"{expected:f}, {what}")


def has_total(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """TotalPercepciones or TotalOtrosPagos is present."""
    if nomina.TotalPercepciones is not None or nomina.TotalOtrosPagos is not None:
        return None
    return Violation(expected="TotalPercepciones o TotalOtrosPagos")


def has_percepciones(nomina: Nomina) -> bool:
    """Whether Percepciones is present."""
    return nomina.percepciones is not None


def has_deducciones(nomina: Nomina) -> bool:
    """Whether Deducciones is present."""
    return nomina.deducciones is not None


def has_otros_pagos(nomina: Nomina) -> bool:
    """Whether OtrosPagos is present."""
    return nomina.has_otros_pagos


def is_absent_without(name: str, node: str, is_present: Callable[[Nomina], bool]) -> Predicate:
    """The total is absent when the node that it sums is absent.

    Args:
        name: name of the total, an attribute of Nomina.
        node: name of the node.
        is_present: whether the payroll has the node.
    """
    read = attrgetter(name)

    def check(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
        text = read(nomina)
        if text is None or is_present(nomina):
            return None
        return Violation(found=text, expected=f"que no exista sin el nodo {node}")

    return check


def total_percepciones_equals_sum(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """TotalPercepciones is the sum of wages, separation and retirement, when Percepciones is present."""
    rows = nomina.percepciones
    if rows is None:
        return None
    expected = rows.total_sueldos + rows.total_separacion + rows.total_jubilacion
    what = "la suma de TotalSueldos, TotalSeparacionIndemnizacion y TotalJubilacionPensionRetiro"
    return compare_total(nomina.TotalPercepciones, nomina.total_percepciones, expected, what)


def total_deducciones_equals_sum(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """TotalDeducciones is the sum of both totals of Deducciones, when Deducciones is present."""
    rows = nomina.deducciones
    if rows is None:
        return None
    expected = rows.otras_deducciones + rows.impuestos_retenidos
    what = "la suma de TotalOtrasDeducciones y TotalImpuestosRetenidos"
    return compare_total(nomina.TotalDeducciones, nomina.total_deducciones, expected, what)


def total_otros_pagos_equals_sum(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """TotalOtrosPagos is the sum of Importe, when OtrosPagos is present."""
    if not nomina.has_otros_pagos:
        return None
    expected = sum([row.importe for row in nomina.otros_pagos], ZERO)
    return compare_total(
        nomina.TotalOtrosPagos, nomina.total_otros_pagos, expected, "la suma de Importe de los otros pagos"
    )


def kinds_equal_gravado_and_exento(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """The sum of wages, separation and retirement is the sum of TotalGravado and TotalExento."""
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
    """Compare a total that is present; another rule concerns its absence."""
    what = f"la suma de ImporteGravado e ImporteExento de las percepciones {kinds}"
    return None if text is None else compare_total(text, found, expected, what)


def total_sueldos_equals_sum(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalSueldos, when present, is the sum of the rows that are neither separation nor retirement."""
    expected = sum([row.importe for row in rows.filas if is_wage(row.TipoPercepcion)], ZERO)
    return _kind_total(rows.TotalSueldos, rows.total_sueldos, expected, "que no son 022, 023, 025, 039 ni 044")


def total_separacion_equals_sum(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalSeparacionIndemnizacion, when present, is the sum of the rows of separation."""
    expected = _sum_of(rows, SEPARATION)
    return _kind_total(rows.TotalSeparacionIndemnizacion, rows.total_separacion, expected, "022, 023 y 025")


def total_jubilacion_equals_sum(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalJubilacionPensionRetiro, when present, is the sum of the rows of retirement."""
    expected = _sum_of(rows, RETIREMENT)
    return _kind_total(rows.TotalJubilacionPensionRetiro, rows.total_jubilacion, expected, "039 y 044")


def total_gravado_equals_sum(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalGravado is the sum of ImporteGravado."""
    expected = sum([row.gravado for row in rows.filas], ZERO)
    return compare_total(rows.TotalGravado, rows.gravado, expected, "la suma de ImporteGravado de las percepciones")


def total_exento_equals_sum(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalExento is the sum of ImporteExento."""
    expected = sum([row.exento for row in rows.filas], ZERO)
    return compare_total(rows.TotalExento, rows.exento, expected, "la suma de ImporteExento de las percepciones")


def is_wage(kind: str) -> bool:
    """Whether TotalSueldos includes a TipoPercepcion."""
    return kind not in SEPARATION and kind not in RETIREMENT


def withholds_tax(rows: Deducciones) -> bool:
    """Whether a deduction is ISR."""
    return any(row.TipoDeduccion == INCOME_TAX for row in rows.filas)


def total_retenidos_equals_sum(rows: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalImpuestosRetenidos is the sum of the deductions of ISR, when there are any."""
    if not withholds_tax(rows):
        return None
    expected = sum([row.importe for row in rows.filas if row.TipoDeduccion == INCOME_TAX], ZERO)
    what = "la suma de Importe de las deducciones 002"
    return compare_total(rows.TotalImpuestosRetenidos, rows.impuestos_retenidos, expected, what)


def total_otras_deducciones_equals_sum(rows: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalOtrasDeducciones is the sum of the deductions other than ISR.

    The standard requires it; the matrices have no code.
    """
    expected = sum([row.importe for row in rows.filas if row.TipoDeduccion != INCOME_TAX], ZERO)
    if rows.otras_deducciones == expected:
        return None
    what = "la suma de Importe de las deducciones que no son 002"
    return Violation(found=rows.TotalOtrasDeducciones, expected=f"{expected:f}, {what}")


def has_no_total_retenidos_without_002(rows: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalImpuestosRetenidos is absent when no deduction is ISR."""
    if rows.TotalImpuestosRetenidos is None or withholds_tax(rows):
        return None
    return Violation(found=rows.TotalImpuestosRetenidos, expected="que no exista sin deducciones 002")
