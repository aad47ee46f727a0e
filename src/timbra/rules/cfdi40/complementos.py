"""Complements of another version of the invoice, or of another time."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.case import Case
from timbra.rules.finding import Severity, Verdict
from timbra.rules.invoice import editions
from timbra.rules.rule import rule

SOURCE = "SAT, cadena original of CFDI 4.0; dates of the complements' editions"


@rule("CFDI40999:Complemento-Version", at="Complemento", source=SOURCE)
def complements_belong_to_this_version(comprobante: Comprobante, case: Case) -> Verdict:
    return editions.belongs_to_the_invoice(comprobante, case)


@rule("CFDI40999:Complemento-Vigencia", at="Complemento", source=SOURCE, severity=Severity.WARNING)
def complements_are_still_issued(comprobante: Comprobante, case: Case) -> Verdict:
    """SAT has moved such days before, so a validator warns; stamping, long after all of them, refuses."""
    return editions.is_still_issued(comprobante, case)
