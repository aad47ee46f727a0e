"""The worker: NOM153, NOM154, NOM164, NOM171 to NOM180, NOM186 to NOM188."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import ReceptorNomina, SubContratacion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.nomina import antiguedad, fechas, partes
from timbra.rules.shared.nomina.keys import TAXPAYERS, key, mexican_state, registered
from timbra.rules.shared.nomina.whole import whole

AT = ReceptorNomina.PATH
OUTSOURCED_AT = SubContratacion.PATH


@rule("NOM153", at=f"{AT}/@PeriodicidadPago")
def ordinary_payrolls_have_a_period(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.ordinary_payrolls_have_a_period(receptor, whole(receptor, ctx))


@rule("NOM154", at=f"{AT}/@PeriodicidadPago")
def extraordinary_payrolls_have_none(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.extraordinary_payrolls_have_none(receptor, whole(receptor, ctx))


@rule("NOM164", at=AT)
def registration_brings_social_security(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.registration_brings_social_security(receptor, whole(receptor, ctx))


@rule("NOM171", at=f"{AT}/@TipoContrato", reads=("TipoContrato",))
def contract_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoContrato", receptor.TipoContrato)


@rule("NOM172", at=f"{AT}/@TipoJornada", reads=("TipoJornada",))
def working_day_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoJornada", receptor.TipoJornada)


@rule("NOM173", at=f"{AT}/@FechaInicioRelLaboral")
def work_began_in_time(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return fechas.began_in_time(receptor, whole(receptor, ctx))


@rule("NOM174", at=f"{AT}/@Antigüedad")
def weeks_have_passed(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return antiguedad.weeks_hold(receptor, whole(receptor, ctx))


@rule("NOM175", at=f"{AT}/@Antigüedad")
def years_have_passed(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return antiguedad.calendar_holds(receptor, whole(receptor, ctx))


@rule("NOM176", at=f"{AT}/@TipoRegimen", reads=("TipoRegimen",))
def regime_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoRegimen", receptor.TipoRegimen)


@rule("NOM177", at=f"{AT}/@TipoRegimen")
def employed_earn_wages(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.employed_earn_wages(receptor)


@rule("NOM178", at=f"{AT}/@TipoRegimen")
def others_earn_no_wages(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.others_earn_no_wages(receptor)


@rule("NOM179", at=f"{AT}/@RiesgoPuesto", reads=("RiesgoPuesto",))
def risk_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_RiesgoPuesto", receptor.RiesgoPuesto)


@rule("NOM180", at=f"{AT}/@PeriodicidadPago", reads=("PeriodicidadPago",))
def period_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_PeriodicidadPago", receptor.PeriodicidadPago)


@rule("NOM186", at=f"{AT}/@ClaveEntFed", reads=("ClaveEntFed",))
def state_is_mexican(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return mexican_state(ctx, receptor.ClaveEntFed)


@rule("NOM187", at=f"{OUTSOURCED_AT}/@RfcLabora", needs=TAXPAYERS)
def company_is_registered(part: SubContratacion, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, part.RfcLabora)


@rule("NOM188", at=f"{OUTSOURCED_AT}/@PorcentajeTiempo")
def time_is_whole(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.time_is_whole(receptor)
