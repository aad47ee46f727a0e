"""The invoice that carries the complement: CCE101, CCE105 to CCE108."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, InformacionGlobal, Receptor
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import rule

TYPES = ("I", "E", "T")


@rule("CCE101", at="@TipoDeComprobante", inseparable=("CFDI40121",))
def exports_are_invoiced_or_moved(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.TipoDeComprobante
    return None if found in TYPES else Violation(found=found, expected="I, E o T, por el complemento Comercio Exterior")


@rule("CCE105", at="@Exportacion", inseparable=("CFDI40222",))
def temporary_export_has_no_complement(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Exportacion != "03":
        return None
    return Violation(
        found="03", expected="otra clave: una exportación temporal no lleva el complemento Comercio Exterior"
    )


@rule("CCE106", at="InformacionGlobal")
def export_is_no_global_invoice(_informacion: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="InformacionGlobal", expected="que no exista con el complemento Comercio Exterior")


def is_no_foreigner(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return receptor.Rfc != FOREIGN


@rule("CCE107", at="Receptor/@Rfc", types="I", needs=(DataRequirement.TAXPAYERS,), applies=is_no_foreigner)
def buyer_is_registered_or_foreign(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """The general public buys nothing for export."""
    expected = f"un RFC inscrito y no cancelado (l_RFC), o {FOREIGN}"
    if receptor.is_generic:
        return Violation(found=receptor.Rfc, expected=expected, proven=True)
    if ctx.taxpayer(receptor.Rfc) is not None:
        return None
    return Violation(found=receptor.Rfc, expected=expected, hint=ctx.reference_data.registry_hint)


@rule("CCE108", at="Receptor/@Rfc", types="T")
def goods_are_moved_by_their_issuer(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    issuer = ctx.comprobante.emisor.Rfc
    if receptor.Rfc == issuer:
        return None
    return Violation(found=receptor.Rfc, expected=f"{issuer}, el RFC del emisor, por TipoDeComprobante T")
