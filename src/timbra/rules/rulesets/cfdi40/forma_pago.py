"""How and when it is paid: CFDI40103 to CFDI40105, CFDI40124, CFDI40125, CondicionesDePago."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import HEAD, absent, key_of

TO_BE_DEFINED = "99"
"""Por definir."""


@rule("CFDI40103", at="@FormaPago", types="TNP", reads=HEAD)
def form_of_payment_is_absent(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.FormaPago, f"en un comprobante de tipo {comprobante.TipoDeComprobante}")


@rule("CFDI40104", at="@FormaPago", reads=HEAD)
def form_of_payment_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.FormaPago is None:
        return None
    return key_of(ctx, "c_FormaPago", comprobante.FormaPago)


@rule("CFDI40105", at="@FormaPago", types="IE", reads=HEAD)
def deferred_payment_has_no_form_yet(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.MetodoPago != "PPD" or comprobante.FormaPago == TO_BE_DEFINED:
        return None
    return Violation(found=comprobante.FormaPago, expected=f"{TO_BE_DEFINED}, por MetodoPago PPD")


@rule("CFDI40124", at="@MetodoPago", reads=HEAD)
def method_of_payment_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.MetodoPago is None:
        return None
    return key_of(ctx, "c_MetodoPago", comprobante.MetodoPago)


@rule("CFDI40125", at="@MetodoPago", types="TP", reads=HEAD)
def method_of_payment_is_absent(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.MetodoPago, f"en un comprobante de tipo {comprobante.TipoDeComprobante}")


@rule("CFDI40999:CondicionesDePago", at="@CondicionesDePago", types="TPN")
def terms_of_payment_are_absent(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.CondicionesDePago, f"en un comprobante de tipo {comprobante.TipoDeComprobante}")
