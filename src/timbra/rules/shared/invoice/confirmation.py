"""Confirmacion: rules that the SAT published and has not enabled."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.invoice.currency import rate_limits
from timbra.rules.shared.invoice.totals import is_within_maximum


def is_confirmed(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    """Whether the document has Confirmacion."""
    return comprobante.Confirmacion is not None


def usual_amounts_need_none(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Check that Confirmacion is absent when TipoCambio and Total are within their limits."""
    limits = rate_limits(comprobante, ctx)
    if isinstance(limits, Indeterminate):
        return limits
    usual_rate = limits is None or limits[0] <= comprobante.tipo_cambio <= limits[1]
    if not (usual_rate and is_within_maximum(comprobante, ctx)):
        return None
    return absent(comprobante.Confirmacion, "con TipoCambio y Total dentro de sus límites")


def was_given_to_the_issuer(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Check that the key was issued to the issuer."""
    key, registry = comprobante.Confirmacion, ctx.reference_data.confirmations
    if key is None or registry is None or registry.issued_to(comprobante.emisor.Rfc, key):
        return None
    return Violation(found=key, expected=f"una clave entregada a {comprobante.emisor.Rfc}")


def is_used_once(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Check that no other document has used the key."""
    key, registry = comprobante.Confirmacion, ctx.reference_data.confirmations
    if key is None or registry is None or not registry.used(key):
        return None
    return Violation(found=key, expected="una clave que no se haya usado")
