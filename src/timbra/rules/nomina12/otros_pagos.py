"""Other payments, subsidies, balances, incapacities: NOM97 to NOM108."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Incapacidad, Nomina, OtroPago, SubsidioAlEmpleo
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.nomina import otros_pagos as demands
from timbra.rules.nomina.fechas import year_of_balance
from timbra.rules.nomina.keys import key
from timbra.rules.nomina.whole import whole
from timbra.rules.nomina12.nomina import AT as NOMINA
from timbra.rules.rule import rule

AT = f"{NOMINA}/OtrosPagos/OtroPago"
SUBSIDY = f"{AT}/SubsidioAlEmpleo"
BALANCE = f"{AT}/CompensacionSaldosAFavor"


@rule("NOM97", at=f"{AT}/@TipoOtroPago", reads=("TipoOtroPago",))
def kind_is_a_key(pago: OtroPago, case: Case) -> Verdict:
    return key(case, "c_TipoOtroPago", pago.TipoOtroPago)


@rule("NOM98", at=BALANCE)
def balance_is_told(pago: OtroPago, _case: Case) -> Verdict:
    return demands.has_its_balance(pago)


@rule("NOM99", at=SUBSIDY)
def subsidy_is_told(pago: OtroPago, _case: Case) -> Verdict:
    return demands.has_its_subsidy(pago)


@rule("NOM100", at=f"{AT}/@Importe")
def payment_is_positive(pago: OtroPago, _case: Case) -> Verdict:
    return demands.is_positive(pago)


@rule("NOM101", at=f"{SUBSIDY}/@SubsidioCausado")
def subsidy_of_a_month_is_limited(subsidio: SubsidioAlEmpleo, case: Case) -> Verdict:
    limit = demands.subsidy_limits(case.on).monthly
    return demands.monthly_subsidy_is_limited(subsidio, whole(subsidio, case), limit)


@rule("NOM102", at=f"{BALANCE}/@SaldoAFavor")
def balance_covers_what_remains(compensacion: CompensacionSaldosAFavor, _case: Case) -> Verdict:
    return demands.balance_covers_what_remains(compensacion)


@rule("NOM103", at=f"{BALANCE}/@Año")
def balance_is_of_the_year_before(compensacion: CompensacionSaldosAFavor, case: Case) -> Verdict:
    return year_of_balance(compensacion, whole(compensacion, case))


@rule("NOM104", at=f"{NOMINA}/Incapacidades/Incapacidad/@TipoIncapacidad", reads=("TipoIncapacidad",))
def kind_of_incapacity_is_a_key(incapacidad: Incapacidad, case: Case) -> Verdict:
    return key(case, "c_TipoIncapacidad", incapacidad.TipoIncapacidad)


@rule("NOM105", at=f"{AT}/@TipoOtroPago")
def worker_gets_a_subsidy(nomina: Nomina, _case: Case) -> Verdict:
    return demands.workers_get_a_subsidy(nomina)


@rule("NOM106", at=f"{AT}/@TipoOtroPago")
def others_get_none(pago: OtroPago, case: Case) -> Verdict:
    return demands.others_get_none(pago, whole(pago, case))


@rule("NOM107", at=f"{AT}/@Importe")
def paid_subsidy_was_due(pago: OtroPago, _case: Case) -> Verdict:
    return demands.paid_subsidy_was_due(pago)


@rule("NOM108", at=f"{SUBSIDY}/@SubsidioCausado")
def subsidy_of_longer_times_is_limited(subsidio: SubsidioAlEmpleo, case: Case) -> Verdict:
    daily = demands.subsidy_limits(case.on).daily
    return demands.daily_subsidy_is_limited(subsidio, whole(subsidio, case), daily)
