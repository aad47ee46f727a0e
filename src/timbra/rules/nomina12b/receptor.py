"""The worker: NOM153, NOM154, NOM164, NOM171 to NOM180, NOM186 to NOM188."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import ReceptorNomina, SubContratacion
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.nomina import antiguedad, fechas, partes
from timbra.rules.nomina.keys import TAXPAYERS, key, mexican_state, registered
from timbra.rules.nomina.whole import whole
from timbra.rules.rule import rule

AT = ReceptorNomina.PATH
OUTSOURCED_AT = SubContratacion.PATH


@rule("NOM153", at=f"{AT}/@PeriodicidadPago")
def ordinary_payrolls_have_a_period(receptor: ReceptorNomina, case: Case) -> Verdict:
    return partes.ordinary_payrolls_have_a_period(receptor, whole(receptor, case))


@rule("NOM154", at=f"{AT}/@PeriodicidadPago")
def extraordinary_payrolls_have_none(receptor: ReceptorNomina, case: Case) -> Verdict:
    return partes.extraordinary_payrolls_have_none(receptor, whole(receptor, case))


@rule("NOM164", at=AT)
def registration_brings_social_security(receptor: ReceptorNomina, case: Case) -> Verdict:
    return partes.registration_brings_social_security(receptor, whole(receptor, case))


@rule("NOM171", at=f"{AT}/@TipoContrato", reads=("TipoContrato",))
def contract_is_a_key(receptor: ReceptorNomina, case: Case) -> Verdict:
    return key(case, "c_TipoContrato", receptor.TipoContrato)


@rule("NOM172", at=f"{AT}/@TipoJornada", reads=("TipoJornada",))
def working_day_is_a_key(receptor: ReceptorNomina, case: Case) -> Verdict:
    return key(case, "c_TipoJornada", receptor.TipoJornada)


@rule("NOM173", at=f"{AT}/@FechaInicioRelLaboral")
def work_began_in_time(receptor: ReceptorNomina, case: Case) -> Verdict:
    return fechas.began_in_time(receptor, whole(receptor, case))


@rule("NOM174", at=f"{AT}/@Antigüedad")
def weeks_have_passed(receptor: ReceptorNomina, case: Case) -> Verdict:
    return antiguedad.weeks_hold(receptor, whole(receptor, case))


@rule("NOM175", at=f"{AT}/@Antigüedad")
def years_have_passed(receptor: ReceptorNomina, case: Case) -> Verdict:
    return antiguedad.calendar_holds(receptor, whole(receptor, case))


@rule("NOM176", at=f"{AT}/@TipoRegimen", reads=("TipoRegimen",))
def regime_is_a_key(receptor: ReceptorNomina, case: Case) -> Verdict:
    return key(case, "c_TipoRegimen", receptor.TipoRegimen)


@rule("NOM177", at=f"{AT}/@TipoRegimen")
def employed_earn_wages(receptor: ReceptorNomina, _case: Case) -> Verdict:
    return partes.employed_earn_wages(receptor)


@rule("NOM178", at=f"{AT}/@TipoRegimen")
def others_earn_no_wages(receptor: ReceptorNomina, _case: Case) -> Verdict:
    return partes.others_earn_no_wages(receptor)


@rule("NOM179", at=f"{AT}/@RiesgoPuesto", reads=("RiesgoPuesto",))
def risk_is_a_key(receptor: ReceptorNomina, case: Case) -> Verdict:
    return key(case, "c_RiesgoPuesto", receptor.RiesgoPuesto)


@rule("NOM180", at=f"{AT}/@PeriodicidadPago", reads=("PeriodicidadPago",))
def period_is_a_key(receptor: ReceptorNomina, case: Case) -> Verdict:
    return key(case, "c_PeriodicidadPago", receptor.PeriodicidadPago)


@rule("NOM186", at=f"{AT}/@ClaveEntFed", reads=("ClaveEntFed",))
def state_is_mexican(receptor: ReceptorNomina, case: Case) -> Verdict:
    return mexican_state(case, receptor.ClaveEntFed)


@rule("NOM187", at=f"{OUTSOURCED_AT}/@RfcLabora", needs=TAXPAYERS)
def company_is_registered(part: SubContratacion, case: Case) -> Verdict:
    return registered(case, part.RfcLabora)


@rule("NOM188", at=f"{OUTSOURCED_AT}/@PorcentajeTiempo")
def time_is_whole(receptor: ReceptorNomina, _case: Case) -> Verdict:
    return partes.time_is_whole(receptor)
