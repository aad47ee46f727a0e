"""The worker: NOM33, NOM34, NOM44, NOM51 to NOM68."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import ReceptorNomina, SubContratacion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12.nomina import AT as NOMINA
from timbra.rules.shared.nomina import antiguedad, cuenta, partes
from timbra.rules.shared.nomina.fechas import began_in_time
from timbra.rules.shared.nomina.keys import TAXPAYERS, key, mexican_state, registered
from timbra.rules.shared.nomina.whole import whole

AT = f"{NOMINA}/Receptor"
KEYS = ("TipoContrato", "TipoJornada", "TipoRegimen", "RiesgoPuesto", "PeriodicidadPago")
"""What rules about keys of which there are few read; banks and states are many."""


@rule("NOM33", at=f"{AT}/@PeriodicidadPago")
def ordinary_payroll_has_a_period(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.ordinary_payrolls_have_a_period(receptor, whole(receptor, ctx))


@rule("NOM34", at=f"{AT}/@PeriodicidadPago")
def extraordinary_payroll_has_none(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.extraordinary_payrolls_have_none(receptor, whole(receptor, ctx))


@rule("NOM44", at=AT)
def registration_brings_social_security(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.registration_brings_social_security(receptor, whole(receptor, ctx))


@rule("NOM51", at=f"{AT}/@TipoContrato", reads=KEYS)
def contract_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoContrato", receptor.TipoContrato)


@rule("NOM52", at=f"{AT}/@TipoJornada", reads=KEYS)
def shift_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoJornada", receptor.TipoJornada)


@rule("NOM53", at=f"{AT}/@FechaInicioRelLaboral")
def work_began_before_the_period_ends(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return began_in_time(receptor, whole(receptor, ctx))


@rule("NOM54", at=f"{AT}/@Antigüedad")
def weeks_of_work_are_not_too_many(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return antiguedad.weeks_hold(receptor, whole(receptor, ctx))


@rule("NOM55", at=f"{AT}/@Antigüedad")
def time_of_work_is_that_between_the_dates(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return antiguedad.calendar_holds(receptor, whole(receptor, ctx))


@rule("NOM56", at=f"{AT}/@TipoRegimen", reads=KEYS)
def regime_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoRegimen", receptor.TipoRegimen)


@rule("NOM57", at=f"{AT}/@TipoRegimen", reads=KEYS)
def employed_earn_wages(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.employed_earn_wages(receptor)


@rule("NOM58", at=f"{AT}/@TipoRegimen", reads=KEYS)
def others_earn_no_wages(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.others_earn_no_wages(receptor)


@rule("NOM59", at=f"{AT}/@RiesgoPuesto", reads=KEYS)
def risk_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_RiesgoPuesto", receptor.RiesgoPuesto)


@rule("NOM60", at=f"{AT}/@PeriodicidadPago", reads=KEYS)
def period_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_PeriodicidadPago", receptor.PeriodicidadPago)


@rule("NOM61", at=f"{AT}/@Banco", reads=("Banco",))
def bank_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_Banco", receptor.Banco)


@rule("NOM62", at=f"{AT}/@CuentaBancaria")
def account_has_its_length(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.length_holds(receptor)


@rule("NOM63", at=f"{AT}/@Banco")
def clabe_tells_its_bank(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.clabe_tells_its_bank(receptor)


@rule("NOM64", at=f"{AT}/@CuentaBancaria")
def clabe_has_its_check_digit(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.check_digit_holds(receptor)


@rule("NOM65", at=f"{AT}/@Banco")
def other_accounts_name_their_bank(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.other_accounts_name_their_bank(receptor)


@rule("NOM66", at=f"{AT}/@ClaveEntFed", reads=("ClaveEntFed",))
def state_is_mexican(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return mexican_state(ctx, receptor.ClaveEntFed)


@rule("NOM67", at=f"{AT}/SubContratacion/@RfcLabora", needs=TAXPAYERS)
def place_of_work_is_registered(subcontratacion: SubContratacion, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, subcontratacion.RfcLabora)


@rule("NOM68", at=f"{AT}/SubContratacion/@PorcentajeTiempo")
def time_is_whole(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.time_is_whole(receptor)
