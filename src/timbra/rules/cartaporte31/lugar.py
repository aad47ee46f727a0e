"""Where the complement stands: CP112, where it stands in a Concepto."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorteDeConcepto
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule


@rule("CP112:Concepto", at=CartaPorteDeConcepto.PATH)
def complement_is_of_the_invoice(_carta: CartaPorteDeConcepto, _case: Case) -> Verdict:
    return Breach(found="CartaPorte", expected="que esté en Comprobante/Complemento")
