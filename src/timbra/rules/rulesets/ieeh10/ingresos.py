"""The complement itself: IEEH103 to IEEH105."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ieeh10 import DocumentoRelacionado, IngresosHidrocarburos
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.hidrocarburos.vinculados import is_month_of, is_share

AT: Final = "Complemento/IngresosHidrocarburos"


@rule("IEEH103", at=f"{AT}/DocumentoRelacionado/@Mes")
def month_is_that_of_the_document(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return is_month_of(document.Mes, document.FechaFolioFiscalVinculado)


@rule("IEEH104", at=f"{AT}/@Porcentaje")
def share_is_positive(ingresos: IngresosHidrocarburos, _ctx: EvaluationContext) -> RuleResult:
    return is_share(ingresos.Porcentaje, ingresos.porcentaje)


@rule("IEEH105", at=f"{AT}/@ContraprestacionPagadaOperador")
def payment_is_the_total(ingresos: IngresosHidrocarburos, ctx: EvaluationContext) -> RuleResult:
    comprobante = ctx.comprobante
    if ingresos.contraprestacion == comprobante.total:
        return None
    found = ingresos.ContraprestacionPagadaOperador
    return Violation(found=found, expected=f"{comprobante.Total}, el Total del comprobante")
