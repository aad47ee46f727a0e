"""The error matrix of Nómina 1.2 for CFDI 4.0, revision E. Its predicates are in `rules.shared.nomina`."""

from __future__ import annotations

from dataclasses import replace

from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.nomina12.sources import MATRIX_E_2026_01_01

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "NOM10",
        at="Complemento/Nomina/Receptor/@Curp",
        says="Con el RFC genérico del trabajador fallecido debe existir su Curp.",
        cites=MATRIX_E_2026_01_01,
        reason="el esquema ya lo exige: sin Curp se responde 301",
    ),
)
RULES = discover_rules(__name__, cites=MATRIX_E_2026_01_01)
RULE_SET = RuleSet(
    "nomina12",
    "E-2026-01-01",
    tuple(each for each in RULES if each.kind is not NominaDeConcepto),
    standard="Nómina 1.2",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    complement=Nomina,
    versions=("4.0",),
    messages={"NOM111": "El recibo de nómina no cumple el estándar en un punto sin código propio."},
    prefixes=("NOM",),
)
MISPLACED = replace(
    RULE_SET,
    rules=tuple(each for each in RULES if each.kind is NominaDeConcepto),
    not_implemented=(),
    complement=NominaDeConcepto,
)
"""Evaluated for documents with the complement inside a Concepto."""
RULE_SETS = (RULE_SET, MISPLACED)
