"""The complement itself, its dates and totals: NOM31, NOM32, NOM35 to NOM40."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12.matrix import STANDARD
from timbra.rules.shared.nomina import totales
from timbra.rules.shared.nomina.fechas import period_in_order
from timbra.rules.shared.nomina.keys import key

AT = "Complemento/Nomina"


@rule("NOM31", at=AT, inseparable=("CFDI40166",))
def payroll_has_a_total(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """Nothing is paid then, so ValorUnitario is 0, or NOM20 and NOM21 break in the place of CFDI40166."""
    return totales.has_a_total(nomina)


@rule("NOM32", at=f"{AT}/@TipoNomina", reads=("TipoNomina",))
def kind_is_a_key(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoNomina", nomina.TipoNomina)


@rule("NOM35", at=f"{AT}/@FechaInicialPago")
def period_begins_before_it_ends(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return period_in_order(nomina)


@rule("NOM36", at=f"{AT}/@TotalPercepciones")
def nothing_is_earned_without_percepciones(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.no_total_without(nomina.TotalPercepciones, nomina.percepciones is not None, "Percepciones")


@rule("NOM37", at=f"{AT}/@TotalPercepciones")
def earnings_add_up(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.percepciones_total(nomina)


@rule("NOM38", at=f"{AT}/@TotalDeducciones")
def nothing_is_withheld_without_deducciones(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.no_total_without(nomina.TotalDeducciones, nomina.deducciones is not None, "Deducciones")


@rule("NOM39", at=f"{AT}/@TotalDeducciones")
def deductions_add_up(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.deducciones_total(nomina)


@rule("NOM40", at=f"{AT}/@TotalOtrosPagos")
def other_payments_add_up(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return totales.otros_pagos_total(nomina)


@rule("NOM111:TotalOtrosPagos", at=f"{AT}/@TotalOtrosPagos", source=STANDARD, severity=Severity.WARNING)
def nothing_else_is_paid_without_otros_pagos(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """As NOM36 and NOM38. A warning: the matrix has no code for it."""
    return totales.no_total_without(nomina.TotalOtrosPagos, nomina.has_otros_pagos, "OtrosPagos")
