"""The worker: NOM33, NOM34, NOM44, NOM51 to NOM68."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import ReceptorNomina, SubContratacion
from timbra.rules.engine.rule import row
from timbra.rules.shared.nomina.fechas import (
    calendar_period_equals_employment,
    starts_before_end_of_period,
    weeks_are_within_employment,
)
from timbra.rules.shared.nomina.partes import (
    has_account_length,
    has_bank_with_other_account,
    has_check_digit,
    has_no_bank_with_clabe,
    has_other_period_in_extraordinary_payroll,
    has_other_regime_with_other_contract,
    has_period_in_ordinary_payroll,
    has_social_security_with_registro_patronal,
    has_wage_regime_with_employment,
    percentages_sum_to_100,
)
from timbra.rules.shared.nomina.recibos import TAXPAYERS, is_mexican_state
from timbra.rules.shared.predicates import in_catalog, is_registered

"""What rules about keys of which there are few read; banks and states are many."""


NOM33 = row(
    "NOM33",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@PeriodicidadPago",
    says="En una nómina ordinaria, PeriodicidadPago no debe ser 99.",
    check=has_period_in_ordinary_payroll,
)


NOM34 = row(
    "NOM34",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@PeriodicidadPago",
    says="En una nómina extraordinaria, PeriodicidadPago debe ser 99.",
    check=has_other_period_in_extraordinary_payroll,
)


NOM44 = row(
    "NOM44",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor",
    says="Con RegistroPatronal deben existir los datos de seguridad social del trabajador.",
    check=has_social_security_with_registro_patronal,
)


NOM51 = row(
    "NOM51",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoContrato",
    says="TipoContrato debe ser una clave vigente de c_TipoContrato.",
    check=in_catalog("nomina12:c_TipoContrato", "TipoContrato"),
)


NOM52 = row(
    "NOM52",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoJornada",
    says="TipoJornada debe ser una clave vigente de c_TipoJornada.",
    check=in_catalog("nomina12:c_TipoJornada", "TipoJornada"),
)


NOM53 = row(
    "NOM53",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@FechaInicioRelLaboral",
    says="FechaInicioRelLaboral no debe ser posterior a FechaFinalPago.",
    check=starts_before_end_of_period,
)


NOM54 = row(
    "NOM54",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Antigüedad",
    says="Antigüedad no debe tener más semanas que las que hay entre FechaInicioRelLaboral y FechaFinalPago.",
    check=weeks_are_within_employment,
)


NOM55 = row(
    "NOM55",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Antigüedad",
    says="Antigüedad debe ser el tiempo en años, meses y días entre FechaInicioRelLaboral y FechaFinalPago.",
    check=calendar_period_equals_employment,
)


NOM56 = row(
    "NOM56",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoRegimen",
    says="TipoRegimen debe ser una clave vigente de c_TipoRegimen.",
    check=in_catalog("nomina12:c_TipoRegimen", "TipoRegimen"),
)


NOM57 = row(
    "NOM57",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoRegimen",
    says="TipoRegimen debe ser 02, 03 o 04 con TipoContrato 01 a 08.",
    check=has_wage_regime_with_employment,
)


NOM58 = row(
    "NOM58",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoRegimen",
    says="TipoRegimen debe estar entre 05 y 99 con TipoContrato 09, 10 o 99.",
    check=has_other_regime_with_other_contract,
)


NOM59 = row(
    "NOM59",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@RiesgoPuesto",
    says="RiesgoPuesto debe ser una clave vigente de c_RiesgoPuesto.",
    check=in_catalog("nomina12:c_RiesgoPuesto", "RiesgoPuesto"),
)


NOM60 = row(
    "NOM60",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@PeriodicidadPago",
    says="PeriodicidadPago debe ser una clave vigente de c_PeriodicidadPago.",
    check=in_catalog("nomina12:c_PeriodicidadPago", "PeriodicidadPago"),
)


NOM61 = row(
    "NOM61",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Banco",
    says="Banco debe ser una clave vigente de c_Banco.",
    check=in_catalog("nomina12:c_Banco", "Banco"),
)


NOM62 = row(
    "NOM62",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@CuentaBancaria",
    says="CuentaBancaria debe tener 10, 11, 16 o 18 posiciones.",
    check=has_account_length,
)


NOM63 = row(
    "NOM63",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Banco",
    says="Banco no debe existir junto a una CLABE.",
    check=has_no_bank_with_clabe,
)


NOM64 = row(
    "NOM64",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@CuentaBancaria",
    says="El último dígito de la CLABE debe ser su dígito de control.",
    check=has_check_digit,
)


NOM65 = row(
    "NOM65",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Banco",
    says="Banco debe existir junto a una cuenta de 10, 11 o 16 posiciones.",
    check=has_bank_with_other_account,
)


NOM66 = row(
    "NOM66",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@ClaveEntFed",
    says="ClaveEntFed debe ser una clave vigente de c_Estado para México.",
    check=is_mexican_state("ClaveEntFed"),
)


NOM67 = row(
    "NOM67",
    SubContratacion,
    at="Complemento/Nomina/Receptor/SubContratacion/@RfcLabora",
    says="RfcLabora debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RfcLabora"),
    needs=TAXPAYERS,
)


NOM68 = row(
    "NOM68",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo",
    says="La suma de PorcentajeTiempo debe ser 100.",
    check=percentages_sum_to_100,
)
