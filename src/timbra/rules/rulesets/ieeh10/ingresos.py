"""The complement itself: IEEH103 to IEEH105."""

from __future__ import annotations

from timbra.cfdi.nodes.ieeh10 import DocumentoRelacionado, IngresosHidrocarburos
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.hidrocarburos.vinculados import month_is_of_date_or_previous, percentage_is_positive

IEEH103 = row(
    "IEEH103",
    DocumentoRelacionado,
    at="Complemento/IngresosHidrocarburos/DocumentoRelacionado/@Mes",
    says="Mes debe ser el de FechaFolioFiscalVinculado o el anterior.",
    check=month_is_of_date_or_previous,
)


IEEH104 = row(
    "IEEH104",
    IngresosHidrocarburos,
    at="Complemento/IngresosHidrocarburos/@Porcentaje",
    says="Porcentaje del complemento Ingresos de Hidrocarburos debe ser mayor que cero.",
    check=percentage_is_positive,
)


@rule(
    "IEEH105",
    at="Complemento/IngresosHidrocarburos/@ContraprestacionPagadaOperador",
    says="ContraprestacionPagadaOperador debe ser igual al Total del comprobante.",
)
def contraprestacion_equals_total(ingresos: IngresosHidrocarburos, ctx: EvaluationContext) -> RuleResult:
    comprobante = ctx.comprobante
    if ingresos.contraprestacion == comprobante.total:
        return None
    found = ingresos.ContraprestacionPagadaOperador
    return Violation(found=found, expected=f"{comprobante.Total}, el Total del comprobante")
