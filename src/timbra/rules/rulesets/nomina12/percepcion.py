"""Each Percepcion: NOM75, NOM76, NOM82 to NOM85, NOM88, NOM109, NOM110."""

from __future__ import annotations

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import HorasExtra, Percepcion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.nomina12.sources import REVISION_E
from timbra.rules.shared.nomina.percepciones import has_no_node_with_other_than, has_node_with, has_positive_amount
from timbra.rules.shared.predicates import in_catalog

OTHER_WAGES = "038"


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
