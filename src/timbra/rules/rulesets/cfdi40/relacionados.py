"""CfdiRelacionados: CFDI40137, and the requirements of the guide for each TipoRelacion."""

from __future__ import annotations

from timbra.cfdi.nodes import CfdiRelacionados
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import GUIDE
from timbra.rules.shared.invoice.comprobante import has_relation, related_types, related_types_are
from timbra.rules.shared.predicates import in_catalog

CFDI40137 = row(
    "CFDI40137",
    CfdiRelacionados,
    at="CfdiRelacionados/@TipoRelacion",
    says="TipoRelacion debe ser una clave vigente de c_TipoRelacion.",
    check=in_catalog("c_TipoRelacion", "TipoRelacion"),
)


CFDI40999_TipoRelacion_01_02 = row(
    "CFDI40999:TipoRelacion-01-02",
    CfdiRelacionados,
    at="CfdiRelacionados/@TipoRelacion",
    says="Con TipoRelacion 01 o 02, los CFDI relacionados deben ser de tipo I o E.",
    check=related_types_are("IE"),
    applies=has_relation("01", "02"),
    cites=GUIDE,
)


CFDI40999_TipoRelacion_03 = row(
    "CFDI40999:TipoRelacion-03",
    CfdiRelacionados,
    at="CfdiRelacionados/@TipoRelacion",
    says="Con TipoRelacion 03, los CFDI relacionados deben ser de tipo I o T.",
    check=related_types_are("IT"),
    applies=has_relation("03"),
    cites=GUIDE,
)


@rule(
    "CFDI40999:TipoRelacion-04",
    at="CfdiRelacionados/@TipoRelacion",
    says="Con TipoRelacion 04, los CFDI relacionados deben ser del mismo tipo que el comprobante.",
    note="Un ingreso puede sustituir a un egreso y al revés; los demás tipos sustituyen al mismo tipo.",
    applies=has_relation("04"),
    cites=GUIDE,
)
def substituted_types_equal_own_type(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    tipo = ctx.comprobante.TipoDeComprobante
    return related_types(relacionados, ctx, "IE" if tipo in "IE" else tipo)


CFDI40999_TipoRelacion_05 = row(
    "CFDI40999:TipoRelacion-05",
    CfdiRelacionados,
    at="CfdiRelacionados/@TipoRelacion",
    says="Con TipoRelacion 05, el comprobante debe ser de tipo T y los CFDI relacionados de tipo I o E.",
    check=related_types_are("IE", own="T"),
    applies=has_relation("05"),
    cites=GUIDE,
)


CFDI40999_TipoRelacion_06 = row(
    "CFDI40999:TipoRelacion-06",
    CfdiRelacionados,
    at="CfdiRelacionados/@TipoRelacion",
    says="Con TipoRelacion 06, el comprobante debe ser de tipo I o E y los CFDI relacionados de tipo T.",
    check=related_types_are("T", own="IE"),
    applies=has_relation("06"),
    cites=GUIDE,
)


CFDI40999_TipoRelacion_07 = row(
    "CFDI40999:TipoRelacion-07",
    CfdiRelacionados,
    at="CfdiRelacionados/@TipoRelacion",
    says="Con TipoRelacion 07, el comprobante y los CFDI relacionados deben ser de tipo I o E.",
    check=related_types_are("IE", own="IE"),
    applies=has_relation("07"),
    cites=GUIDE,
)
