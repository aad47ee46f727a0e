"""Where the complement stands: NOM30."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import NominaDeConcepto
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule


@rule("NOM30", at=NominaDeConcepto.PATH)
def complement_is_of_the_invoice(_nomina: NominaDeConcepto, _case: Case) -> Verdict:
    """Beside one at its place, NOM28 breaks too."""
    return Breach(found="Nomina", expected="que esté en Comprobante/Complemento")
