"""The issuer: CFDI33130, CFDI33131."""

from __future__ import annotations

from timbra.cfdi.nodes import Emisor
from timbra.rules.case import Case
from timbra.rules.conditions import key_of, regime_for
from timbra.rules.finding import Verdict
from timbra.rules.rule import rule


@rule("CFDI33130", at="Emisor/@RegimenFiscal")
def issuer_regime_is_a_key(emisor: Emisor, case: Case) -> Verdict:
    return key_of(case, "c_RegimenFiscal", emisor.RegimenFiscal)


@rule("CFDI33131", at="Emisor/@RegimenFiscal")
def issuer_regime_fits_its_person(emisor: Emisor, case: Case) -> Verdict:
    return regime_for(case, emisor.RegimenFiscal, emisor.Rfc)
