"""The document with the complement: CCE101, CCE105 to CCE108."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, InformacionGlobal, Receptor
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.presence import is_forbidden

TYPES = ("I", "E", "T")


@rule(
    "CCE101",
    at="@TipoDeComprobante",
    says="Con el complemento Comercio Exterior, TipoDeComprobante debe ser I, E o T.",
    inseparable=("CFDI40121",),
)
def is_of_type_i_e_or_t(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.TipoDeComprobante
    return None if found in TYPES else Violation(found=found, expected="I, E o T, por el complemento Comercio Exterior")


@rule(
    "CCE105",
    at="@Exportacion",
    says="Con Exportacion 03 no debe existir el complemento Comercio Exterior.",
    inseparable=("CFDI40222",),
)
def is_no_temporary_export(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Exportacion != "03":
        return None
    return Violation(
        found="03", expected="otra clave: una exportación temporal no lleva el complemento Comercio Exterior"
    )


CCE106 = row(
    "CCE106",
    InformacionGlobal,
    at="InformacionGlobal",
    says="Una factura de exportación no debe llevar InformacionGlobal.",
    check=is_forbidden("InformacionGlobal", "con el complemento Comercio Exterior"),
)


def is_not_generic_foreign(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return receptor.Rfc != FOREIGN


@rule(
    "CCE107",
    at="Receptor/@Rfc",
    says="El receptor de una exportación debe estar inscrito (l_RFC) o ser XEXX010101000.",
    note="El RFC del público en general no se admite en una exportación.",
    types="I",
    applies=is_not_generic_foreign,
    needs=(DataRequirement.TAXPAYERS,),
)
def receiver_is_registered_or_foreign(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    expected = f"un RFC inscrito y no cancelado (l_RFC), o {FOREIGN}"
    if receptor.is_generic:
        return Violation(found=receptor.Rfc, expected=expected, proven=True)
    if ctx.taxpayer(receptor.Rfc) is not None:
        return None
    return Violation(found=receptor.Rfc, expected=expected, hint=ctx.reference_data.registry_hint)


@rule(
    "CCE108",
    at="Receptor/@Rfc",
    says="En un traslado de exportación, el RFC del receptor debe ser el del emisor.",
    types="T",
)
def receiver_is_issuer(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    issuer = ctx.comprobante.emisor.Rfc
    if receptor.Rfc == issuer:
        return None
    return Violation(found=receptor.Rfc, expected=f"{issuer}, el RFC del emisor, por TipoDeComprobante T")
