"""Fecha: CFDI40101. Its window is 401, with the checks of the seal."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.instants import FECHA
from timbra.rules.rule import rule


@rule("CFDI40101", at="@Fecha")
def date_has_its_form(comprobante: Comprobante, case: Case) -> Verdict:
    """The pattern of t_FechaH, and a day that the calendar has."""
    if case.local is not None:
        return None
    hint = "Es la hora local de LugarExpedicion, sin zona: AAAA-MM-DDThh:mm:ss."
    return Breach(found=comprobante.Fecha, expected=f"el atributo Fecha con el patrón {FECHA}", hint=hint)
