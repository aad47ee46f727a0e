"""CfdiRelacionados: CFDI40137, and what the guide says of each TipoRelacion."""

from __future__ import annotations

from timbra.cfdi.nodes import CfdiRelacionados
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Need, Unknown, Verdict
from timbra.rules.rule import rule

AT = "CfdiRelacionados/@TipoRelacion"
GUIDE = "SAT, guía de llenado del CFDI 4.0"
INVOICES = "IE"


@rule("CFDI40137", at=AT, reads=("TipoRelacion",))
def relation_is_a_key(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return key_of(case, "c_TipoRelacion", relacionados.TipoRelacion)


def is_note(relacionados: CfdiRelacionados, _case: Case) -> bool:
    return relacionados.TipoRelacion in ("01", "02")


def is_return(relacionados: CfdiRelacionados, _case: Case) -> bool:
    return relacionados.TipoRelacion == "03"


def is_substitution(relacionados: CfdiRelacionados, _case: Case) -> bool:
    return relacionados.TipoRelacion == "04"


def is_transport_of_invoiced(relacionados: CfdiRelacionados, _case: Case) -> bool:
    return relacionados.TipoRelacion == "05"


def is_invoice_of_transported(relacionados: CfdiRelacionados, _case: Case) -> bool:
    return relacionados.TipoRelacion == "06"


def is_application_of_advance(relacionados: CfdiRelacionados, _case: Case) -> bool:
    return relacionados.TipoRelacion == "07"


@rule("CFDI40999:TipoRelacion-01-02", at=AT, source=GUIDE, applies=is_note)
def notes_relate_to_invoices(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return _related(relacionados, case, INVOICES)


@rule("CFDI40999:TipoRelacion-03", at=AT, source=GUIDE, applies=is_return)
def returns_relate_to_invoices_or_transfers(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return _related(relacionados, case, "IT")


@rule("CFDI40999:TipoRelacion-04", at=AT, source=GUIDE, applies=is_substitution)
def substitutes_are_of_the_same_type(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    """Income and expense may replace each other; any other type replaces its own."""
    tipo = case.comprobante.TipoDeComprobante
    return _related(relacionados, case, INVOICES if tipo in INVOICES else tipo)


@rule("CFDI40999:TipoRelacion-05", at=AT, source=GUIDE, applies=is_transport_of_invoiced)
def transfers_follow_invoices(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return _own(relacionados, case, "T") or _related(relacionados, case, INVOICES)


@rule("CFDI40999:TipoRelacion-06", at=AT, source=GUIDE, applies=is_invoice_of_transported)
def invoices_follow_transfers(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return _own(relacionados, case, INVOICES) or _related(relacionados, case, "T")


@rule("CFDI40999:TipoRelacion-07", at=AT, source=GUIDE, applies=is_application_of_advance)
def advances_are_applied_among_invoices(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return _own(relacionados, case, INVOICES) or _related(relacionados, case, INVOICES)


def _own(relacionados: CfdiRelacionados, case: Case, allowed: str) -> Verdict:
    tipo = case.comprobante.TipoDeComprobante
    if tipo in allowed:
        return None
    expected = f"otra relación: {relacionados.TipoRelacion} es de comprobantes de tipo {' o '.join(allowed)}"
    return Breach(found=f"{relacionados.TipoRelacion} en un comprobante de tipo {tipo}", expected=expected)


def _related(relacionados: CfdiRelacionados, case: Case, allowed: str) -> Verdict:
    """Every related CFDI that is known is of an allowed type; unknown when one is not known."""
    known = case.world.related
    types = {} if known is None else {folio: known.type_of(folio.lower()) for folio in relacionados.folios}
    for place, folio in enumerate(relacionados.folios, 1):
        tipo = types.get(folio)
        if tipo is not None and tipo not in allowed:
            expected = f"comprobantes de tipo {' o '.join(allowed)}, por TipoRelacion {relacionados.TipoRelacion}"
            return Breach(found=f"{folio}, de tipo {tipo}", expected=expected, at=f"CfdiRelacionado[{place}]/@UUID")
    undecided = any(types.get(folio) is None for folio in relacionados.folios)
    return Unknown(Need.RELATED) if undecided else None
