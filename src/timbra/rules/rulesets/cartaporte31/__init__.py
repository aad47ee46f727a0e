"""The error matrix of Carta Porte 3.1."""

from __future__ import annotations

from dataclasses import replace

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, CartaPorteDeConcepto
from timbra.examples.cartaporte31 import carta_porte as base_document
from timbra.rules.engine.rule_set import VERSIONS, RuleSet, discover_rules
from timbra.rules.rulesets.cartaporte31.sources import MATRIX_2024_07_17

RULE_SET = RuleSet(
    "cartaporte31",
    "3.1-2024-07-17",
    discover_rules(__name__, without=("misplaced", "version"), cites=MATRIX_2024_07_17),
    standard="Carta Porte 3.1",
    package=__name__,
    complement=CartaPorte,
    versions=("4.0",),
    messages={"CP999": "El complemento lleva una clave que su catálogo no tiene."},
    base=base_document,
    prefixes=("CP",),
)
OLDER_INVOICE = replace(
    RULE_SET, rules=discover_rules(__name__, ("version",), cites=MATRIX_2024_07_17), versions=("3.3",)
)
"""Evaluated for invoices of the version that the complement does not belong to, instead of all other rules."""
MISPLACED = replace(
    RULE_SET,
    rules=discover_rules(__name__, ("misplaced",), cites=MATRIX_2024_07_17),
    complement=CartaPorteDeConcepto,
    versions=VERSIONS,
)
"""Evaluated for documents with the complement inside a Concepto."""
RULE_SETS = (RULE_SET, OLDER_INVOICE, MISPLACED)
