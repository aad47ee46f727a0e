"""CfdiRelacionados: the types of the document and of its related CFDI that each TipoRelacion allows."""

from __future__ import annotations

from collections.abc import Callable

from timbra.cfdi.nodes import CfdiRelacionados
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation


def has_relation(*types: str) -> Callable[[CfdiRelacionados, EvaluationContext], bool]:
    """Return the condition that TipoRelacion is one of these keys."""
    return lambda relacionados, _ctx: relacionados.TipoRelacion in types


def related_types_are(allowed: str, own: str = "") -> Predicate:
    """Every related CFDI that is known is of an allowed type; indeterminate when one is not known.

    Args:
        allowed: values of TipoDeComprobante of the related CFDI, each one letter.
        own: values of TipoDeComprobante of the document itself; empty for any.
    """

    def related_types_are(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
        violation = own_type(relacionados, ctx, own) if own else None
        return violation or related_types(relacionados, ctx, allowed)

    return related_types_are


def own_type(relacionados: CfdiRelacionados, ctx: EvaluationContext, allowed: str) -> Violation | None:
    """Check that the document itself is of an allowed type."""
    tipo = ctx.comprobante.TipoDeComprobante
    if tipo in allowed:
        return None
    expected = f"otra relación: {relacionados.TipoRelacion} es de comprobantes de tipo {' o '.join(allowed)}"
    return Violation(found=f"{relacionados.TipoRelacion} en un comprobante de tipo {tipo}", expected=expected)


def related_types(relacionados: CfdiRelacionados, ctx: EvaluationContext, allowed: str) -> RuleResult:
    """Check that every related CFDI that is known is of an allowed type; indeterminate when one is not known."""
    known = ctx.reference_data.related
    types = {} if known is None else {folio: known.type_of(folio.lower()) for folio in relacionados.folios}
    for place, folio in enumerate(relacionados.folios, 1):
        tipo = types.get(folio)
        if tipo is not None and tipo not in allowed:
            expected = f"comprobantes de tipo {' o '.join(allowed)}, por TipoRelacion {relacionados.TipoRelacion}"
            return Violation(found=f"{folio}, de tipo {tipo}", expected=expected, at=f"CfdiRelacionado[{place}]/@UUID")
    undecided = any(types.get(folio) is None for folio in relacionados.folios)
    return Indeterminate(ctx.reference_data.related_missing) if undecided else None
