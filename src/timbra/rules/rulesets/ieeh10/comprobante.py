"""The invoice that carries the complement: IEEH102, IEEH106 to IEEH108."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.hidrocarburos.comprobante import forbidden, has_no_acquirer, is_no_export, is_of_type


@rule("IEEH102", at="@TipoDeComprobante")
def income_is_of_type_income(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return is_of_type(comprobante, "I")


@rule("IEEH106", at="@Exportacion")
def income_is_no_export(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return is_no_export(comprobante)


@rule("IEEH107", at="InformacionGlobal")
def income_is_not_global(_global: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    return forbidden("InformacionGlobal")


@rule("IEEH108", at="Emisor/@FacAtrAdquirente")
def income_is_issued_by_the_contractor(emisor: Emisor, _ctx: EvaluationContext) -> RuleResult:
    return has_no_acquirer(emisor)
