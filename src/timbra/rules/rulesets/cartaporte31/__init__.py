"""The error matrix of Carta Porte 3.1."""

from __future__ import annotations

from dataclasses import replace

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, CartaPorteDeConcepto
from timbra.rules.engine.rule_set import VERSIONS, RuleSet, discover_rules
from timbra.rules.rulesets.cartaporte31.sources import MATRIX_2024_07_17

RULES = discover_rules(__name__, cites=MATRIX_2024_07_17)
VERSION = "CP101"
"""The rule for documents of an earlier version."""
RULE_SET = RuleSet(
    "cartaporte31",
    "3.1-2024-07-17",
    tuple(each for each in RULES if each.kind is not CartaPorteDeConcepto and each.code != VERSION),
    standard="Carta Porte 3.1",
    package=__name__,
    complement=CartaPorte,
    versions=("4.0",),
    messages={"CP999": "El complemento lleva una clave que su catálogo no tiene."},
    prefixes=("CP",),
)
OLDER_INVOICE = replace(RULE_SET, rules=tuple(each for each in RULES if each.code == VERSION), versions=("3.3",))
"""Evaluated for invoices of the version that the complement does not belong to, instead of all other rules."""
MISPLACED = replace(
    RULE_SET,
    rules=tuple(each for each in RULES if each.kind is CartaPorteDeConcepto),
    complement=CartaPorteDeConcepto,
    versions=VERSIONS,
)
"""Evaluated for documents with the complement inside a Concepto."""
RULE_SETS = (RULE_SET, OLDER_INVOICE, MISPLACED)
