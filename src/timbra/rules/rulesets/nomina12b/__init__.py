"""The error matrix of Nómina 1.2 for CFDI 3.3, revision B. Its predicates are in `rules.shared.nomina`."""

from __future__ import annotations

from dataclasses import replace

from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.examples.nomina12b import nomina33 as base_document
from timbra.rules.engine.rule_set import RuleSet, derived, discover_rules
from timbra.rules.rulesets import nomina12
from timbra.rules.rulesets.nomina12b.from_nomina12 import RULES
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B

RULE_SET = RuleSet(
    "nomina12b",
    "B",
    discover_rules(__name__, also=RULES, cites=MATRIX_B),
    standard="Nómina 1.2 (CFDI 3.3)",
    package=__name__,
    complement=Nomina,
    versions=("3.3",),
    messages={"NOM225": "El CFDI 3.3 de nómina no cumple el estándar en un punto sin código propio."},
    base=base_document,
    prefixes=("NOM",),
)
MISPLACED = replace(
    RULE_SET, rules=derived(nomina12.MISPLACED, {"NOM150": "NOM30"}, cites=MATRIX_B), complement=NominaDeConcepto
)
"""Evaluated for documents with the complement inside a Concepto."""
RULE_SETS = (RULE_SET, MISPLACED)
