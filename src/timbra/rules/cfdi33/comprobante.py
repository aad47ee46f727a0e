"""Date, kind, place and relations of the document: CFDI33101, CFDI33120, CFDI33125, CFDI33129."""

from __future__ import annotations

from timbra.cfdi.nodes import CfdiRelacionados, Comprobante
from timbra.rules.case import Case
from timbra.rules.conditions import HEAD, key_of
from timbra.rules.finding import Breach, Severity, Verdict
from timbra.rules.instants import FECHA
from timbra.rules.rule import rule


@rule("CFDI33101", at="@Fecha")
def date_has_its_form(comprobante: Comprobante, case: Case) -> Verdict:
    """The pattern of t_FechaH, and a day that the calendar has."""
    if case.local is not None:
        return None
    return Breach(found=comprobante.Fecha, expected=f"el atributo Fecha con el patrón {FECHA}")


@rule("CFDI33120", at="@TipoDeComprobante", reads=HEAD)
def type_is_a_key(comprobante: Comprobante, case: Case) -> Verdict:
    return key_of(case, "c_TipoDeComprobante", comprobante.TipoDeComprobante)


@rule("CFDI33125", at="@LugarExpedicion", reads=HEAD, severity=Severity.WARNING)
def place_of_issue_is_a_postal_code(comprobante: Comprobante, case: Case) -> Verdict:
    """By the postal codes of CFDI 4.0, the only ones at hand."""
    return key_of(case, "c_CodigoPostal", comprobante.LugarExpedicion)


@rule("CFDI33129", at="CfdiRelacionados/@TipoRelacion", reads=("TipoRelacion",))
def relation_is_a_key(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return key_of(case, "c_TipoRelacion", relacionados.TipoRelacion)
