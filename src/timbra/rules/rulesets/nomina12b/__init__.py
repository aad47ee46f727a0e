"""The error matrix of Nómina 1.2 for CFDI 3.3, revision B. Its predicates are in `rules.shared.nomina`."""

from __future__ import annotations

from dataclasses import replace

from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.nomina12b.from_nomina12 import DERIVED
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B

RULES = discover_rules(__name__, also=DERIVED, cites=MATRIX_B)
RULE_SET = RuleSet(
    "nomina12b",
    "B",
    tuple(each for each in RULES if each.kind is not NominaDeConcepto),
    standard="Nómina 1.2 (CFDI 3.3)",
    package=__name__,
    complement=Nomina,
    versions=("3.3",),
    messages={"NOM225": "El CFDI 3.3 de nómina no cumple el estándar en un punto sin código propio."},
    prefixes=("NOM",),
)
MISPLACED = replace(
    RULE_SET,
    rules=tuple(each for each in RULES if each.kind is NominaDeConcepto),
    complement=NominaDeConcepto,
)
"""Evaluated for documents with the complement inside a Concepto."""
RULE_SETS = (RULE_SET, MISPLACED)
