"""The complement itself, its dates and totals: NOM151, NOM152, NOM155 to NOM160."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12b.matrix import STANDARD
from timbra.rules.shared.nomina import fechas, totales
from timbra.rules.shared.nomina.keys import key

AT = Nomina.PATH


@rule("NOM151", at=AT, inseparable=("CFDI33147",))
def something_is_paid(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.has_a_total(nomina)


@rule("NOM152", at=f"{AT}/@TipoNomina", reads=("TipoNomina",))
def kind_is_a_key(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoNomina", nomina.TipoNomina)


@rule("NOM155", at=f"{AT}/@FechaInicialPago")
def period_is_in_order(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return fechas.period_in_order(nomina)


@rule("NOM156", at=f"{AT}/@TotalPercepciones")
def nothing_earned_has_no_total(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.no_total_without(nomina.TotalPercepciones, nomina.percepciones is not None, "Percepciones")


@rule("NOM157", at=f"{AT}/@TotalPercepciones")
def earnings_are_summed(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.percepciones_total(nomina)


@rule("NOM158", at=f"{AT}/@TotalDeducciones")
def nothing_withheld_has_no_total(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.no_total_without(nomina.TotalDeducciones, nomina.deducciones is not None, "Deducciones")


@rule("NOM159", at=f"{AT}/@TotalDeducciones")
def deductions_are_summed(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.deducciones_total(nomina)


@rule("NOM160", at=f"{AT}/@TotalOtrosPagos")
def other_payments_are_summed(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.otros_pagos_total(nomina)


@rule("NOM225:TotalOtrosPagos", at=f"{AT}/@TotalOtrosPagos", source=STANDARD, severity=Severity.WARNING)
def nothing_else_paid_has_no_total(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """As NOM156 and NOM158. A warning: the matrix has no code for it."""
    return totales.no_total_without(nomina.TotalOtrosPagos, nomina.has_otros_pagos, "OtrosPagos")
