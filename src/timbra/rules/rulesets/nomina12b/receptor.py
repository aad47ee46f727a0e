"""The worker: NOM153, NOM154, NOM164, NOM171 to NOM180, NOM186 to NOM188."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import ReceptorNomina, SubContratacion
from timbra.examples.codes.nomina12 import plain, with_regime_03, worker
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B
from timbra.rules.shared.nomina.antiguedad import calendar_period_equals_employment, weeks_are_within_employment
from timbra.rules.shared.nomina.fechas import starts_before_end_of_period
from timbra.rules.shared.nomina.keys import TAXPAYERS, is_mexican_state
from timbra.rules.shared.nomina.partes import (
    has_other_period_in_extraordinary_payroll,
    has_other_regime_with_other_contract,
    has_period_in_ordinary_payroll,
    has_social_security_with_registro_patronal,
    has_wage_regime_with_employment,
    percentages_sum_to_100,
)
from timbra.rules.shared.predicates import in_catalog, is_registered

NOM153 = row(
    "NOM153",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@PeriodicidadPago",
    says="En una nómina ordinaria, PeriodicidadPago no debe ser 99.",
    check=has_period_in_ordinary_payroll,
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Receptor/@PeriodicidadPago": "99"},
)


NOM154 = row(
    "NOM154",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@PeriodicidadPago",
    says="En una nómina extraordinaria, PeriodicidadPago debe ser 99.",
    check=has_other_period_in_extraordinary_payroll,
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/@TipoNomina": "E"},
        passes={"Complemento/Nomina/@TipoNomina": "E", "Complemento/Nomina/Receptor/@PeriodicidadPago": "99"},
    ),
)


NOM164 = row(
    "NOM164",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor",
    says="Con RegistroPatronal deben existir los datos de seguridad social del trabajador.",
    check=has_social_security_with_registro_patronal,
    cites=MATRIX_B,
    fails=worker.example({"Complemento/Nomina/Receptor/@NumSeguridadSocial": None}),
)


NOM171 = row(
    "NOM171",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoContrato",
    says="TipoContrato debe ser una clave vigente de c_TipoContrato.",
    check=in_catalog("nomina12:c_TipoContrato", "TipoContrato"),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Receptor/@TipoContrato": "98"},
)


NOM172 = row(
    "NOM172",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoJornada",
    says="TipoJornada debe ser una clave vigente de c_TipoJornada.",
    check=in_catalog("nomina12:c_TipoJornada", "TipoJornada"),
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Receptor/@TipoJornada": "50"}, passes={"Complemento/Nomina/Receptor/@TipoJornada": "01"}
    ),
)


NOM173 = row(
    "NOM173",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@FechaInicioRelLaboral",
    says="FechaInicioRelLaboral no debe ser posterior a FechaFinalPago.",
    check=starts_before_end_of_period,
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Receptor/@FechaInicioRelLaboral": "2022-11-18"},
        passes={"Complemento/Nomina/Receptor/@FechaInicioRelLaboral": "2022-11-17"},
    ),
)


NOM174 = row(
    "NOM174",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Antigüedad",
    says="Antigüedad no debe tener más semanas que las que hay entre FechaInicioRelLaboral y FechaFinalPago.",
    check=weeks_are_within_employment,
    cites=MATRIX_B,
    fails=worker.example(
        {"Complemento/Nomina/Receptor/@Antigüedad": "P151W"},
        passes={"Complemento/Nomina/Receptor/@Antigüedad": "P150W"},
    ),
)


NOM175 = row(
    "NOM175",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Antigüedad",
    says="Antigüedad debe ser el tiempo en años, meses y días entre FechaInicioRelLaboral y FechaFinalPago.",
    check=calendar_period_equals_employment,
    cites=MATRIX_B,
    fails=worker.example(
        {"Complemento/Nomina/Receptor/@Antigüedad": "P2Y10M15D"},
        passes={"Complemento/Nomina/Receptor/@Antigüedad": "P2Y10M17D"},
    ),
)


NOM176 = row(
    "NOM176",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoRegimen",
    says="TipoRegimen debe ser una clave vigente de c_TipoRegimen.",
    check=in_catalog("nomina12:c_TipoRegimen", "TipoRegimen"),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Receptor/@TipoRegimen": "98"},
)


NOM177 = row(
    "NOM177",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoRegimen",
    says="TipoRegimen debe ser 02, 03 o 04 con TipoContrato 01 a 08.",
    check=has_wage_regime_with_employment,
    cites=MATRIX_B,
    fails=with_regime_03.example({"Complemento/Nomina/Receptor/@TipoRegimen": "09"}),
)


NOM178 = row(
    "NOM178",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@TipoRegimen",
    says="TipoRegimen debe estar entre 05 y 99 con TipoContrato 09, 10 o 99.",
    check=has_other_regime_with_other_contract,
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Receptor/@TipoRegimen": "03"},
)


NOM179 = row(
    "NOM179",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@RiesgoPuesto",
    says="RiesgoPuesto debe ser una clave vigente de c_RiesgoPuesto.",
    check=in_catalog("nomina12:c_RiesgoPuesto", "RiesgoPuesto"),
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Receptor/@RiesgoPuesto": "9"}, passes={"Complemento/Nomina/Receptor/@RiesgoPuesto": "1"}
    ),
)


NOM180 = row(
    "NOM180",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@PeriodicidadPago",
    says="PeriodicidadPago debe ser una clave vigente de c_PeriodicidadPago.",
    check=in_catalog("nomina12:c_PeriodicidadPago", "PeriodicidadPago"),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Receptor/@PeriodicidadPago": "50"},
)


NOM186 = row(
    "NOM186",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@ClaveEntFed",
    says="ClaveEntFed debe ser una clave vigente de c_Estado para México.",
    check=is_mexican_state("ClaveEntFed"),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Receptor/@ClaveEntFed": "TX"},
)


NOM187 = row(
    "NOM187",
    SubContratacion,
    at="Complemento/Nomina/Receptor/SubContratacion/@RfcLabora",
    says="RfcLabora debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RfcLabora"),
    needs=TAXPAYERS,
    cites=MATRIX_B,
    fails=plain.example(
        {
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "AAAA800101AB1",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "100.000",
        },
        passes={
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "URE180429TM6",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "100.000",
        },
    ),
)


NOM188 = row(
    "NOM188",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo",
    says="La suma de PorcentajeTiempo debe ser 100.",
    check=percentages_sum_to_100,
    cites=MATRIX_B,
    fails=plain.example(
        {
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "URE180429TM6",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "50.000",
        },
        passes={
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "URE180429TM6",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "100.000",
        },
    ),
)
