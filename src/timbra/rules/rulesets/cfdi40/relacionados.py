"""CfdiRelacionados: CFDI40137, and what the guide says of each TipoRelacion."""

from __future__ import annotations

from timbra.cfdi.nodes import CfdiRelacionados
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of

AT = "CfdiRelacionados/@TipoRelacion"
GUIDE = "SAT, guía de llenado del CFDI 4.0"
INVOICES = "IE"


@rule("CFDI40137", at=AT, reads=("TipoRelacion",))
def relation_is_a_key(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoRelacion", relacionados.TipoRelacion)


def is_note(relacionados: CfdiRelacionados, _ctx: EvaluationContext) -> bool:
    return relacionados.TipoRelacion in ("01", "02")


def is_return(relacionados: CfdiRelacionados, _ctx: EvaluationContext) -> bool:
    return relacionados.TipoRelacion == "03"


def is_substitution(relacionados: CfdiRelacionados, _ctx: EvaluationContext) -> bool:
    return relacionados.TipoRelacion == "04"


def is_transport_of_invoiced(relacionados: CfdiRelacionados, _ctx: EvaluationContext) -> bool:
    return relacionados.TipoRelacion == "05"


def is_invoice_of_transported(relacionados: CfdiRelacionados, _ctx: EvaluationContext) -> bool:
    return relacionados.TipoRelacion == "06"


def is_application_of_advance(relacionados: CfdiRelacionados, _ctx: EvaluationContext) -> bool:
    return relacionados.TipoRelacion == "07"


@rule("CFDI40999:TipoRelacion-01-02", at=AT, source=GUIDE, applies=is_note)
def notes_relate_to_invoices(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    return _related(relacionados, ctx, INVOICES)


@rule("CFDI40999:TipoRelacion-03", at=AT, source=GUIDE, applies=is_return)
def returns_relate_to_invoices_or_transfers(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    return _related(relacionados, ctx, "IT")


@rule("CFDI40999:TipoRelacion-04", at=AT, source=GUIDE, applies=is_substitution)
def substitutes_are_of_the_same_type(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    """Income and expense may replace each other; any other type replaces its own."""
    tipo = ctx.comprobante.TipoDeComprobante
    return _related(relacionados, ctx, INVOICES if tipo in INVOICES else tipo)


@rule("CFDI40999:TipoRelacion-05", at=AT, source=GUIDE, applies=is_transport_of_invoiced)
def transfers_follow_invoices(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    return _own(relacionados, ctx, "T") or _related(relacionados, ctx, INVOICES)


@rule("CFDI40999:TipoRelacion-06", at=AT, source=GUIDE, applies=is_invoice_of_transported)
def invoices_follow_transfers(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    return _own(relacionados, ctx, INVOICES) or _related(relacionados, ctx, "T")


@rule("CFDI40999:TipoRelacion-07", at=AT, source=GUIDE, applies=is_application_of_advance)
def advances_are_applied_among_invoices(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    return _own(relacionados, ctx, INVOICES) or _related(relacionados, ctx, INVOICES)


def _own(relacionados: CfdiRelacionados, ctx: EvaluationContext, allowed: str) -> RuleResult:
    tipo = ctx.comprobante.TipoDeComprobante
    if tipo in allowed:
        return None
    expected = f"otra relación: {relacionados.TipoRelacion} es de comprobantes de tipo {' o '.join(allowed)}"
    return Violation(found=f"{relacionados.TipoRelacion} en un comprobante de tipo {tipo}", expected=expected)


def _related(relacionados: CfdiRelacionados, ctx: EvaluationContext, allowed: str) -> RuleResult:
    """Every related CFDI that is known is of an allowed type; unknown when one is not known."""
    known = ctx.reference_data.related
    types = {} if known is None else {folio: known.type_of(folio.lower()) for folio in relacionados.folios}
    for place, folio in enumerate(relacionados.folios, 1):
        tipo = types.get(folio)
        if tipo is not None and tipo not in allowed:
            expected = f"comprobantes de tipo {' o '.join(allowed)}, por TipoRelacion {relacionados.TipoRelacion}"
            return Violation(found=f"{folio}, de tipo {tipo}", expected=expected, at=f"CfdiRelacionado[{place}]/@UUID")
    undecided = any(types.get(folio) is None for folio in relacionados.folios)
    return Indeterminate(ctx.reference_data.related_missing) if undecided else None
