"""Complements of another version of the invoice."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.invoice import editions
from timbra.rules.rule import rule


@rule("CFDI33196:Complemento-Version", at="Complemento", source="SAT, cadena original of CFDI 3.3")
def complements_belong_to_this_version(comprobante: Comprobante, case: Case) -> Verdict:
    return editions.belongs_to_the_invoice(comprobante, case)
