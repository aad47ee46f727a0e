"""Percepciones, their totals, and the nodes that a TipoPercepcion requires: NOM69 to NOM90, NOM109, NOM110."""

from __future__ import annotations

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import HorasExtra, JubilacionPensionRetiro, Nomina, Percepcion, Percepciones
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.nomina12.sources import REVISION_E
from timbra.rules.shared.nomina.percepciones import (
    has_daily_amount_with_installments,
    has_incapacidades_with_014,
    has_installments_with_044,
    has_no_node_with_other_than,
    has_node_with,
    has_positive_amount,
    has_retirement_parts,
    has_separation_parts,
    has_single_payment_alone,
    has_single_payment_with_039,
    has_total_of_wages,
    incapacidades_equal_earnings_014,
)
from timbra.rules.shared.nomina.totales import (
    kinds_equal_gravado_and_exento,
    total_exento_equals_sum,
    total_gravado_equals_sum,
    total_jubilacion_equals_sum,
    total_separacion_equals_sum,
    total_sueldos_equals_sum,
)
from timbra.rules.shared.predicates import in_catalog

OTHER_WAGES = "038"


NOM69 = row(
    "NOM69",
    Percepciones,
    at="Complemento/Nomina/Percepciones",
    says="Los totales de sueldos, separación y jubilación deben sumar lo mismo que TotalGravado y TotalExento.",
    note="También se incumple alguno de NOM70 a NOM74; NOM73 si el error está en TotalGravado.",
    check=kinds_equal_gravado_and_exento,
    inseparable=("NOM73",),
)


NOM70 = row(
    "NOM70",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalSueldos",
    says="TotalSueldos debe ser la suma de las percepciones que no son de separación ni de jubilación.",
    check=total_sueldos_equals_sum,
    inseparable=("NOM69",),
)


NOM71 = row(
    "NOM71",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalSeparacionIndemnizacion",
    says="TotalSeparacionIndemnizacion debe ser la suma de las percepciones 022, 023 y 025.",
    check=total_separacion_equals_sum,
    inseparable=("NOM69",),
)


NOM72 = row(
    "NOM72",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalJubilacionPensionRetiro",
    says="TotalJubilacionPensionRetiro debe ser la suma de las percepciones 039 y 044.",
    check=total_jubilacion_equals_sum,
    inseparable=("NOM69",),
)


NOM73 = row(
    "NOM73",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalGravado",
    says="TotalGravado debe ser la suma de ImporteGravado de las percepciones.",
    check=total_gravado_equals_sum,
    inseparable=("NOM69",),
)


NOM74 = row(
    "NOM74",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalExento",
    says="TotalExento debe ser la suma de ImporteExento de las percepciones.",
    check=total_exento_equals_sum,
    inseparable=("NOM69",),
)


NOM77 = row(
    "NOM77",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalSueldos",
    says="TotalSueldos debe existir cuando hay percepciones que no son de separación ni de jubilación.",
    check=has_total_of_wages,
    inseparable=("NOM69",),
)


NOM78 = row(
    "NOM78",
    Percepciones,
    at="Complemento/Nomina/Percepciones",
    says="El total y el nodo de separación deben existir con percepciones 022, 023 o 025, y solo con ellas.",
    check=has_separation_parts,
)


NOM79 = row(
    "NOM79",
    Percepciones,
    at="Complemento/Nomina/Percepciones",
    says="El total y el nodo de jubilación deben existir con percepciones 039 o 044, y solo con ellas.",
    check=has_retirement_parts,
)


NOM80 = row(
    "NOM80",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalUnaExhibicion",
    says="Con la percepción 039 debe existir TotalUnaExhibicion, sin TotalParcialidad ni MontoDiario.",
    check=has_single_payment_with_039,
)


NOM81 = row(
    "NOM81",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalParcialidad",
    says="Con la percepción 044 deben existir TotalParcialidad y MontoDiario, sin TotalUnaExhibicion.",
    check=has_installments_with_044,
)


NOM89 = row(
    "NOM89",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalUnaExhibicion",
    says="Con TotalUnaExhibicion no deben existir MontoDiario ni TotalParcialidad.",
    note="Con la percepción 044 se incumple NOM81 en lugar de NOM80.",
    check=has_single_payment_alone,
    inseparable=("NOM80",),
)


NOM90 = row(
    "NOM90",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalParcialidad",
    says="Con TotalParcialidad debe existir MontoDiario y no TotalUnaExhibicion.",
    note="Con la percepción 039 se incumple NOM80 en lugar de NOM81.",
    check=has_daily_amount_with_installments,
    inseparable=("NOM81",),
)


NOM86 = row(
    "NOM86",
    Nomina,
    at="Complemento/Nomina/Incapacidades",
    says="Incapacidades debe existir con la percepción 014.",
    check=has_incapacidades_with_014,
)


NOM87 = row(
    "NOM87",
    Nomina,
    at="Complemento/Nomina/Incapacidades/Incapacidad/@ImporteMonetario",
    says="La suma de ImporteMonetario debe ser el importe de la percepción 014.",
    check=incapacidades_equal_earnings_014,
)


NOM75 = row(
    "NOM75",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/@ImporteGravado",
    says="Con ImporteExento 0, ImporteGravado debe ser mayor que cero.",
    note="Las revisiones C y D piden lo mismo de la suma; los importes no son negativos.",
    check=has_positive_amount,
    inseparable=("NOM110",),
)


NOM76 = row(
    "NOM76",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/@TipoPercepcion",
    says="TipoPercepcion debe ser una clave vigente de c_TipoPercepcion.",
    check=in_catalog("nomina12:c_TipoPercepcion", "TipoPercepcion"),
)


NOM82 = row(
    "NOM82",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/AccionesOTitulos",
    says="AccionesOTitulos debe existir con la percepción 045.",
    check=has_node_with("045", "acciones"),
)


NOM83 = row(
    "NOM83",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/AccionesOTitulos",
    says="AccionesOTitulos no debe existir con una percepción distinta de 045.",
    check=has_no_node_with_other_than("045", "AccionesOTitulos", "acciones"),
)


NOM84 = row(
    "NOM84",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/HorasExtra",
    says="HorasExtra debe existir con la percepción 019.",
    check=has_node_with("019", "horas_extra"),
)


NOM85 = row(
    "NOM85",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/HorasExtra",
    says="HorasExtra no debe existir con una percepción distinta de 019.",
    check=has_no_node_with_other_than("019", "HorasExtra", "horas_extra"),
)


NOM88 = row(
    "NOM88",
    HorasExtra,
    at="Complemento/Nomina/Percepciones/Percepcion/HorasExtra/@TipoHoras",
    says="TipoHoras debe ser una clave vigente de c_TipoHoras.",
    check=in_catalog("nomina12:c_TipoHoras", "TipoHoras"),
)


@rule(
    "NOM109",
    at="Complemento/Nomina/Percepciones/Percepcion/@ImporteExento",
    says="Con la percepción 038, ImporteExento debe ser 0.",
    note=(
        "Las prestaciones de previsión social exentas llevan la clave 056. Antes de la revisión E, "
        "este número era el de los errores sin código."
    ),
    since=REVISION_E,
)
def other_wages_are_not_exempt(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    if percepcion.TipoPercepcion != OTHER_WAGES or percepcion.exento == ZERO:
        return None
    return Violation(found=percepcion.ImporteExento, expected="0, por TipoPercepcion 038")


@rule(
    "NOM110",
    at="Complemento/Nomina/Percepciones/Percepcion/@ImporteExento",
    says="Con ImporteGravado 0, ImporteExento debe ser mayor que cero.",
    since=REVISION_E,
    inseparable=("NOM75",),
)
def exempt_amount_is_positive_without_taxed_amount(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    if percepcion.gravado != ZERO or percepcion.exento > ZERO:
        return None
    return Violation(found=percepcion.ImporteExento, expected="mayor que cero, por ImporteGravado 0")
