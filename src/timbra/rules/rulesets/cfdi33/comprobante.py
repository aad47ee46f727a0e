"""Date, type, place of issue and relations of the document: CFDI33101, CFDI33120, CFDI33125, CFDI33129."""

from __future__ import annotations

from timbra.cfdi.nodes import CfdiRelacionados, Comprobante
from timbra.examples.cfdi33 import ingreso33
from timbra.examples.codes.cfdi33 import related
from timbra.examples.codes.example import example
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.predicates import in_catalog


@rule(
    "CFDI33101",
    at="@Fecha",
    says="Fecha debe tener la forma AAAA-MM-DDThh:mm:ss y ser la hora local de LugarExpedicion.",
    note="La fecha debe cumplir el patrón t_FechaH y existir en el calendario.",
    cites=MATRIX_2022_01,
    fails={"@Fecha": "2022-11-17"},
)
def date_is_valid(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.local is not None:
        return None
    return Violation(found=comprobante.Fecha, expected="una fecha con hora AAAA-MM-DDThh:mm:ss")


CFDI33120 = row(
    "CFDI33120",
    Comprobante,
    at="@TipoDeComprobante",
    says="TipoDeComprobante debe ser una clave vigente de c_TipoDeComprobante.",
    check=in_catalog("c_TipoDeComprobante", "TipoDeComprobante"),
    cites=MATRIX_2022_01,
    fails={"@TipoDeComprobante": "Z"},
)


CFDI33125 = row(
    "CFDI33125",
    Comprobante,
    at="@LugarExpedicion",
    says="LugarExpedicion debe ser una clave de c_CodigoPostal.",
    note="Se usan los códigos postales de CFDI 4.0, los únicos disponibles.",
    check=in_catalog("c_CodigoPostal", "LugarExpedicion"),
    severity=Severity.WARNING,
    cites=MATRIX_2022_01,
    fails={"@LugarExpedicion": "00001"},
)


CFDI33129 = row(
    "CFDI33129",
    CfdiRelacionados,
    at="CfdiRelacionados/@TipoRelacion",
    says="TipoRelacion debe ser una clave vigente de c_TipoRelacion.",
    check=in_catalog("c_TipoRelacion", "TipoRelacion"),
    cites=MATRIX_2022_01,
    fails=example(ingreso33, related("10"), passes=related("04")),
)
