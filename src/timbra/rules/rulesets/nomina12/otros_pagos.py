"""Other payments, subsidies, balances, incapacities: NOM97 to NOM108."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Incapacidad, Nomina, OtroPago, SubsidioAlEmpleo
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12.nomina import AT as NOMINA
from timbra.rules.shared.nomina import otros_pagos as demands
from timbra.rules.shared.nomina.fechas import year_of_balance
from timbra.rules.shared.nomina.keys import key
from timbra.rules.shared.nomina.whole import whole

AT = f"{NOMINA}/OtrosPagos/OtroPago"
SUBSIDY = f"{AT}/SubsidioAlEmpleo"
BALANCE = f"{AT}/CompensacionSaldosAFavor"


@rule("NOM97", at=f"{AT}/@TipoOtroPago", reads=("TipoOtroPago",))
def kind_is_a_key(pago: OtroPago, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoOtroPago", pago.TipoOtroPago)


@rule("NOM98", at=BALANCE)
def balance_is_told(pago: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return demands.has_its_balance(pago)


@rule("NOM99", at=SUBSIDY)
def subsidy_is_told(pago: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return demands.has_its_subsidy(pago)


@rule("NOM100", at=f"{AT}/@Importe")
def payment_is_positive(pago: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return demands.is_positive(pago)


@rule("NOM101", at=f"{SUBSIDY}/@SubsidioCausado")
def subsidy_of_a_month_is_limited(subsidio: SubsidioAlEmpleo, ctx: EvaluationContext) -> RuleResult:
    limit = demands.subsidy_limits(ctx.on).monthly
    return demands.monthly_subsidy_is_limited(subsidio, whole(subsidio, ctx), limit)


@rule("NOM102", at=f"{BALANCE}/@SaldoAFavor")
def balance_covers_what_remains(compensacion: CompensacionSaldosAFavor, _ctx: EvaluationContext) -> RuleResult:
    return demands.balance_covers_what_remains(compensacion)


@rule("NOM103", at=f"{BALANCE}/@Año")
def balance_is_of_the_year_before(compensacion: CompensacionSaldosAFavor, ctx: EvaluationContext) -> RuleResult:
    return year_of_balance(compensacion, whole(compensacion, ctx))


@rule("NOM104", at=f"{NOMINA}/Incapacidades/Incapacidad/@TipoIncapacidad", reads=("TipoIncapacidad",))
def kind_of_incapacity_is_a_key(incapacidad: Incapacidad, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoIncapacidad", incapacidad.TipoIncapacidad)


@rule("NOM105", at=f"{AT}/@TipoOtroPago")
def worker_gets_a_subsidy(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return demands.workers_get_a_subsidy(nomina)


@rule("NOM106", at=f"{AT}/@TipoOtroPago")
def others_get_none(pago: OtroPago, ctx: EvaluationContext) -> RuleResult:
    return demands.others_get_none(pago, whole(pago, ctx))


@rule("NOM107", at=f"{AT}/@Importe")
def paid_subsidy_was_due(pago: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return demands.paid_subsidy_was_due(pago)


@rule("NOM108", at=f"{SUBSIDY}/@SubsidioCausado")
def subsidy_of_longer_times_is_limited(subsidio: SubsidioAlEmpleo, ctx: EvaluationContext) -> RuleResult:
    daily = demands.subsidy_limits(ctx.on).daily
    return demands.daily_subsidy_is_limited(subsidio, whole(subsidio, ctx), daily)
