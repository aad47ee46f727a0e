"""The invoice that carries the complement: GCEH102, GCEH134 to GCEH136."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.hidrocarburos.comprobante import forbidden, has_no_acquirer, is_no_export, is_of_type


@rule("GCEH102", at="@TipoDeComprobante")
def expense_is_of_type_outgoing(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return is_of_type(comprobante, "E")


@rule("GCEH134", at="@Exportacion")
def expense_is_no_export(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return is_no_export(comprobante)


@rule("GCEH135", at="InformacionGlobal")
def expense_is_not_global(_global: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    return forbidden("InformacionGlobal")


@rule("GCEH136", at="Emisor/@FacAtrAdquirente")
def expense_is_issued_by_the_contractor(emisor: Emisor, _ctx: EvaluationContext) -> RuleResult:
    return has_no_acquirer(emisor)
