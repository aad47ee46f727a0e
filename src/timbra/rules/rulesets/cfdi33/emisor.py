"""The issuer: CFDI33130, CFDI33131."""

from __future__ import annotations

from timbra.cfdi.nodes import Emisor
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice.parties import issuer_regime_matches_person
from timbra.rules.shared.predicates import in_catalog

CFDI33130 = row(
    "CFDI33130",
    Emisor,
    at="Emisor/@RegimenFiscal",
    says="El régimen del emisor debe ser una clave vigente de c_RegimenFiscal.",
    check=in_catalog("c_RegimenFiscal", "RegimenFiscal"),
    cites=MATRIX_2022_01,
    fails={"Emisor/@RegimenFiscal": "699"},
)


CFDI33131 = row(
    "CFDI33131",
    Emisor,
    at="Emisor/@RegimenFiscal",
    says="El régimen del emisor debe corresponder a su tipo de persona.",
    check=issuer_regime_matches_person,
    cites=MATRIX_2022_01,
    fails={"Emisor/@RegimenFiscal": "612"},
)
