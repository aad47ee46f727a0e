"""Where the complement stands: CCE114."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import ComercioExteriorDeConcepto
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule


@rule("CCE114", at=ComercioExteriorDeConcepto.PATH)
def complement_is_of_the_invoice(_complement: ComercioExteriorDeConcepto, _case: Case) -> Verdict:
    return Breach(found="ComercioExterior en el concepto", expected="el complemento en Comprobante/Complemento")
